"""ctypes over any ACL library: types and functions made from the contract, callbacks, and the call recorder.

library = open_library("/usr/local/Ascend/ascend-toolkit/latest")
surface = CSurface(library)
block = surface.aclrtMalloc(size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST")
surface.aclrtFree(devPtr=block.devPtr)
library.recorder.snapshot()
"""

from harness.binding.callbacks import CallbackError
from harness.binding.control import ReferenceControl
from harness.binding.discovery import find_reference
from harness.binding.errors import AbsentFunction, LibraryError
from harness.binding.journal import Journal, read_journal
from harness.binding.library import Library, open_library
from harness.binding.recorder import CallRecord, Recorder
from harness.binding.surface import CSurface, InOut, Result
from harness.binding.types import TypeInfo, TypeMap, type_map
from harness.binding.values import Values, text

__all__ = [
    "AbsentFunction",
    "CSurface",
    "CallRecord",
    "CallbackError",
    "InOut",
    "Journal",
    "Library",
    "LibraryError",
    "Recorder",
    "ReferenceControl",
    "Result",
    "TypeInfo",
    "TypeMap",
    "Values",
    "find_reference",
    "open_library",
    "read_journal",
    "text",
    "type_map",
]
