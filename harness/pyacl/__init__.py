"""A drop-in for Huawei's `acl` module, over any ACL library.

import harness.pyacl as acl
    acl.use(open_library("build/ref"))
    acl.init()
    address, code = acl.rt.malloc(64, 0)

The functions are those of the contract's pyacl.json, with pyACL's own order of arguments, return tuples and
manners: positional only, ints for addresses, no None, a failing call returns its code and never raises.
They are true to pyACL rather than pretty. One thing is not copied: pyACL holds the interpreter lock during
most calls, and these release it.

`install()` puts the module in place of `acl`, so that a program written for pyACL runs unchanged; `python
-m harness.pyacl script.py` does that for a script, and `PATH_FOLDER` on PYTHONPATH for any Python process.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
from pathlib import Path
from typing import Any

from harness.binding import Library, find_reference, open_library
from harness.contract import load
from harness.pyacl._irregular import build
from harness.pyacl._runtime import runtime
from harness.pyacl._shapes import shape_of
from harness.pyacl._util import FUNCTIONS as _UTIL
from harness.pyacl.surface import PyAclSurface, SurfaceLimit

__all__ = ["PATH_FOLDER", "PyAclSurface", "SurfaceLimit", "install", "library_to_use", "module_for", "use"]

LIBRARY_VARIABLE = "ACLCTS_LIBRARY"
"""Names the library that programs on the drop-in run on."""

PATH_FOLDER = Path(__file__).parent / "dropin"
"""The folder that lets `import acl` find the drop-in when it is on PYTHONPATH."""

_MODULE = sys.modules[__name__]
_SUBMODULES = tuple(name.partition(".")[2] for name in load().pyacl_notes.modules if "." in name)


def use(library: Library | str | Path) -> None:
    """Take a library into use for every function of this module; LibraryError where it cannot be opened."""
    runtime.use(library if isinstance(library, Library) else open_library(library))
    for name, module in _modules().items():
        for function in [key for key in vars(module) if f"{name}.{key}" in load().pyacl]:
            # Fetched again when asked for: what a library does not export must not be there.
            delattr(module, function)


def library_to_use() -> str | Path | None:
    """The library for a program that names none: that of ACLCTS_LIBRARY, else the reference device, or
    None.
    """
    return os.environ.get(LIBRARY_VARIABLE) or find_reference()


def install() -> None:
    """Put this module in place of `acl`: `import acl` and `acl.rt` lead here from now on."""
    for name, module in _modules().items():
        sys.modules[name] = module


def module_for(library: Library, hardware: bool = False) -> types.ModuleType:
    """The `acl` module to test a library with: on hardware Huawei's own where it can be imported, else this
    one with the library in use.
    """
    if hardware:
        try:
            acl = importlib.import_module("acl")
        except ImportError:
            pass
        else:
            if acl is not _MODULE:
                return acl
    use(library)
    return _MODULE


def function_of(name: str) -> Any:
    """The function of a pyACL name such as "acl.rt.malloc".

    AttributeError where pyACL has none, or where the library in use does not export what it calls.
    """
    entry = load().pyacl.get(name)
    if entry is None:
        raise AttributeError(
            f"module {name.rpartition('.')[0]!r} has no attribute {name.rpartition('.')[2]!r}"
        )
    if entry.c is None:
        return _UTIL[name]
    library = runtime.in_use
    if library is not None and not library.exports(entry.c):
        raise AttributeError(f"{name}: {library.path} does not export {entry.c}")
    function = build(runtime, shape_of(name))
    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = (
        f"{name}({', '.join(entry.args)}) -> {', '.join(entry.returns) or 'None'}: {entry.doc}."
    )
    return function


def _modules() -> dict[str, types.ModuleType]:
    return {"acl": _MODULE} | {f"acl.{name}": sys.modules[f"{__name__}.{name}"] for name in _SUBMODULES}


def _getter(module: types.ModuleType, name: str) -> Any:
    def get(attribute: str) -> Any:
        function = function_of(f"{name}.{attribute}")
        setattr(module, attribute, function)
        return function

    return get


def _listing(module: types.ModuleType, name: str) -> Any:
    names = [entry.rpartition(".")[2] for entry in load().pyacl if entry.rpartition(".")[0] == name]
    return lambda: sorted({*vars(module), *names})


def _make_submodules() -> None:
    for name, module_doc in load().pyacl_notes.modules.items():
        if "." not in name:
            continue
        short = name.partition(".")[2]
        made = types.ModuleType(f"{__name__}.{short}", f"{name}: {module_doc}.")
        made.__getattr__ = _getter(made, name)  # type: ignore[method-assign]
        made.__dir__ = _listing(made, name)  # type: ignore[method-assign]
        sys.modules[made.__name__] = made
        setattr(_MODULE, short, made)


def __getattr__(name: str) -> Any:
    function = function_of(f"acl.{name}")
    setattr(_MODULE, name, function)
    return function


_make_submodules()
