"""Opening a `libascendcl.so`, CANN's or another, and calling its functions at the C level.

CANN's newer releases split the interface over several files; those that stand beside the opened one are
loaded when a function of theirs is first asked for. Everything is loaded with RTLD_LOCAL: that is how
Python loads Huawei's own `acl` module, CANN's libraries find each other through their own dependencies, and
two ACL libraries in one process (CANN's and the reference device) can then not resolve each other's
symbols.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.binding.callbacks import CallbackError, Callbacks
from harness.binding.control import ReferenceControl
from harness.binding.discovery import LIBRARY_NAME
from harness.binding.elf import check_loadable
from harness.binding.errors import AbsentFunction, LibraryError
from harness.binding.recorder import CallRecord, Recorder
from harness.binding.types import CType, TypeInfo, type_map
from harness.binding.values import Values, pointer_text, text
from harness.contract import Contract, Function, load

_HOME_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")


def open_library(target: str | Path, contract: Contract | None = None) -> Library:
    """Open an ACL library: a file, a folder that holds `libascendcl.so` (or `lib64/libascendcl.so`), or a
    bare file name to look for in LD_LIBRARY_PATH and the Ascend toolkit's folder.

    Raises LibraryError, one line, where the target is missing, unreadable, no ELF library, built for
    another architecture, has unresolved symbols, or exports none of ACL's functions.
    """
    facts = contract if contract is not None else load()
    path = _locate(Path(target))
    check_loadable(path)
    handle = _load(path)
    if not any(_exports(handle, name) for name in facts.functions):
        raise LibraryError(f"{path}: not an ACL library: it exports none of ACL's functions")
    return Library(path, handle, facts)


class Library:
    """An open ACL library. Make one with `open_library`; it stays loaded as long as the process lives.

    `path` is the file, `contract` the facts its types come from, `recorder` the ring of recorded calls,
    `types` and `values` the conversions. The GIL is released in every call.
    """

    def __init__(self, path: Path, handle: ctypes.CDLL, contract: Contract) -> None:
        self.path = path
        self.contract = contract
        self.types = type_map(contract)
        self._callbacks = Callbacks(self.types)
        self.values = Values(contract, self.types, self._callbacks.make)
        self.recorder = Recorder(self._describe)
        # Why a split library could not be loaded, by file name.
        self.load_errors: dict[str, str] = {}
        # Outputs behind whose end a call wrote, in words, since the list was last cleared.
        self.overruns: list[str] = []
        self._handles: dict[str, ctypes.CDLL | None] = {path.name: handle}
        self._main = handle
        self._exported: dict[str, bool] = {}
        self._raw: dict[str, Any] = {}
        self._recorded: dict[str, Callable[..., Any]] = {}

    def __repr__(self) -> str:
        return f"<Library {self.path}>"

    @property
    def callback_errors(self) -> list[CallbackError]:
        """Exceptions raised in Python callbacks since the list was last cleared."""
        return self._callbacks.errors

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The opened file, and CANN's split libraries found beside it."""
        names = sorted({function.library for function in self.contract.functions.values()})
        beside = (self.path.parent / name for name in names if name != self.path.name)
        return (self.path, *(path for path in beside if path.is_file()))

    @cached_property
    def absent(self) -> frozenset[str]:
        """Documented functions that neither the opened file nor a split library beside it exports."""
        return frozenset(
            name
            for name, function in self.contract.functions.items()
            if function.documented and not self.exports(name)
        )

    @cached_property
    def control(self) -> ReferenceControl | None:
        """The controls of a reference device; None for any other library."""
        return ReferenceControl(self._main, str(self.path)) if _exports(self._main, "aclrefVersion") else None

    def exports(self, name: str) -> bool:
        """Whether the library, or a split library beside it, exports a symbol."""
        known = self._exported.get(name)
        if known is None:
            known = self._exported[name] = self._owner(name) is not None
        return known

    def raw(self, name: str) -> Any:
        """The ctypes function of a C function, with argtypes and restype; nothing stands between it and C.

        Raises AbsentFunction where the library does not export it, ContractError where the contract does
        not know it.
        """
        found = self._raw.get(name)
        if found is None:
            found = self._raw[name] = self._bind(name)
        return found

    def recorded(self, name: str) -> Callable[..., Any]:
        """Like `raw`, and each call is appended to `recorder` (and its journal). Raises as `raw` does."""
        found = self._recorded.get(name)
        if found is None:
            found = self._recorded[name] = _record(name, self.raw(name), self.recorder)
        return found

    def ctype(self, name: str) -> CType:
        """The ctypes type of a C type of the contract, such as "aclrtMemcpyBatchAttr" or "size_t"."""
        return self.types.ctype(name)

    def callback(self, type_name: str, function: Callable[..., Any]) -> Any:
        """A C function pointer of a callback type, such as "aclrtCallback", kept alive with the library.

        Any thread of the library may call it. An exception in it goes to `callback_errors`, and C gets 0 or
        NULL.
        """
        return self._callbacks.make(self.types.info(type_name), function)

    def params(self, name: str) -> tuple[tuple[str, TypeInfo], ...]:
        """The parameters of a C function with what their types mean; ContractError for an unknown one."""
        return tuple(
            (param.name, self.types.info(param.type)) for param in self.contract.function(name).params
        )

    def describe_args(self, name: str, args: tuple[Any, ...]) -> dict[str, Any]:
        """C-level arguments for a reader: parameter name -> decoded value."""
        params = self.params(name)
        described = {
            label: self.values.describe(info, value)
            for (label, info), value in zip(params, args, strict=False)
        }
        # A variadic function is called with more arguments than it has names.
        for number, value in enumerate(args[len(params) :]):
            described[f"...{number}"] = value
        return described

    def _describe(self, record: CallRecord) -> dict[str, Any]:
        function = self.contract.functions.get(record.function)
        if function is not None:
            args = self.describe_args(record.function, record.args)
            code, result = describe_return(self, function, record.code)
        else:
            # A call of Huawei's acl module, which goes past this binding.
            args = dict(zip(self.contract.pyacl[record.function].args, record.args, strict=False))
            code, result = None, record.code
        return {
            "function": record.function,
            "args": args,
            "code": code,
            "result": result,
            "thread": record.thread,
            "start_ns": record.start_ns,
            "end_ns": record.end_ns,
        }

    def _bind(self, name: str) -> Any:
        function = self.contract.function(name)
        owner = self._owner(name)
        if owner is None:
            raise AbsentFunction(name, str(self.path), self.load_errors.get(function.library, ""))
        # Indexing makes a new function object each time: another user's argtypes cannot get in the way.
        bound = owner[name]
        bound.argtypes = [self.types.ctype(param.type) for param in function.params if param.type != "..."]
        bound.restype = self.types.result(self.types.info(function.returns))
        return bound

    def _owner(self, name: str) -> ctypes.CDLL | None:
        if _exports(self._main, name):
            return self._main
        facts = self.contract.functions.get(name)
        sibling = self._sibling(facts.library) if facts is not None else None
        return sibling if sibling is not None and _exports(sibling, name) else None

    def _sibling(self, file_name: str) -> ctypes.CDLL | None:
        if file_name not in self._handles:
            path = self.path.parent / file_name
            handle = None
            if path.is_file():
                try:
                    check_loadable(path)
                    handle = _load(path)
                except LibraryError as error:
                    self.load_errors[file_name] = str(error)
            self._handles[file_name] = handle
        return self._handles[file_name]


def describe_return(library: Library, function: Function, value: Any) -> tuple[int | None, Any]:
    """The code and the readable result of a returned value: (code, error name), or (None, value)."""
    if function.returns == "aclError":
        return value, library.contract.error_name(value)
    info = library.types.info(function.returns)
    if isinstance(value, bytes):
        return None, text(value)
    if info.is_pointer:
        return None, pointer_text(value)
    if info.category == "enum":
        return None, library.types.enumerator(info.base, value) or value
    return (0, None) if info.category == "void" else (None, value)


def _record(name: str, function: Any, recorder: Recorder) -> Callable[..., Any]:
    append = recorder.append
    clock = time.monotonic_ns
    thread = threading.get_ident

    def call(*args: Any) -> Any:
        journal = recorder.journal
        if journal is None:
            start = clock()
            code = function(*args)
            append((name, args, code, thread(), start, clock()))
            return code
        line = journal.start(name, args)
        start = clock()
        code = function(*args)
        append((name, args, code, thread(), start, clock()))
        journal.finish(line, code, name, args)
        return code

    return call


def _locate(target: Path) -> Path:
    try:
        return _found(target)
    except OSError as error:
        raise LibraryError(f"{target}: cannot be read: {error.strerror or error}") from None


def _found(target: Path) -> Path:
    if target.is_dir():
        for path in (target / LIBRARY_NAME, target / "lib64" / LIBRARY_NAME):
            if path.is_file():
                return path.absolute()
        raise LibraryError(f"{target}: a folder without {LIBRARY_NAME} or lib64/{LIBRARY_NAME}")
    if target.exists():
        if not target.is_file():
            raise LibraryError(f"{target}: not a file")
        return target.absolute()
    if target.name == str(target):
        for folder in _search_folders():
            if (folder / target).is_file():
                return (folder / target).absolute()
    raise LibraryError(f"{target}: no such file")


def _search_folders() -> list[Path]:
    folders = [Path(entry) for entry in os.environ.get("LD_LIBRARY_PATH", "").split(":") if entry]
    homes = (os.environ.get(variable) for variable in _HOME_VARIABLES)
    return folders + [Path(home) / "lib64" for home in homes if home]


def _load(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path), mode=ctypes.DEFAULT_MODE)
    except OSError as error:
        reason = " ".join(str(error).split())
        raise LibraryError(f"{path}: cannot be loaded: {reason.removeprefix(f'{path}: ')}") from None


def _exports(handle: ctypes.CDLL, name: str) -> bool:
    try:
        handle[name]
    except AttributeError:
        return False
    return True
