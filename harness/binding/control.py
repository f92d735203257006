"""The controls of a reference device: which product it plays, what it breaks, what is still alive."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from typing import Any

from harness.binding.errors import LibraryError

_TEXT, _ADDRESS, _INT = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "aclrefVersion": (_TEXT, ()),
    "aclrefConfigure": (_INT, (_TEXT,)),
    "aclrefSetFault": (_INT, (_TEXT,)),
    "aclrefFaultList": (_TEXT, ()),
    "aclrefReset": (_INT, ()),
    "aclrefLiveObjects": (_INT, (_ADDRESS, ctypes.c_size_t)),
    "aclrefInjectTaskError": (_INT, (_ADDRESS, ctypes.c_uint, _INT)),
    "aclrefInjectCallError": (_INT, (_TEXT, ctypes.c_uint, _INT)),
    "aclrefAddVariable": (_INT, (_ADDRESS, ctypes.c_size_t, ctypes.c_char_p)),
    "aclrefRemoveVariable": (_INT, (_ADDRESS,)),
    "aclrefSetGroups": (_INT, (ctypes.c_uint,)),
    "aclrefSetSeed": (_INT, (ctypes.c_uint64,)),
    "aclrefLastError": (_TEXT, ()),
}


class ReferenceControl:
    """The control functions of a reference device. LibraryError, with the library's own words, where one
    refuses.
    """

    def __init__(self, library: ctypes.CDLL, path: str) -> None:
        self._library = library
        self._path = path
        self._functions: dict[str, Any] = {}
        self._live_text = b""
        self._live: Mapping[str, int] = {}

    @property
    def version(self) -> str:
        """The version of the reference device, such as "0.1.0"."""
        return self._text("aclrefVersion")

    def configure(self, spec: str = "", /, **settings: object) -> None:
        """Drop all state and play a profile: `configure("product=910b;form=EP")` or
        `configure(product="910b")`.
        """
        parts = [spec] if spec else []
        parts += [f"{name}={value}" for name, value in settings.items()]
        self._check("aclrefConfigure", ";".join(parts).encode())

    def set_fault(self, *names: str) -> None:
        """Break these promises; none at all without a name."""
        self._check("aclrefSetFault", ",".join(names).encode() or None)

    def faults(self) -> dict[str, str]:
        """Every fault there is: name -> one sentence."""
        lines = (line.partition("\t") for line in self._text("aclrefFaultList").splitlines())
        return {name: sentence for name, _, sentence in lines if name}

    def reset(self) -> None:
        """Drop all state, as if the library had just been loaded; profile and faults stay."""
        self._check("aclrefReset")

    def live_objects(self) -> Mapping[str, int]:
        """How many objects of each kind are alive; memory in bytes.

        The very same object as the last time where nothing has changed since.
        """
        buffer = ctypes.create_string_buffer(1024)
        needed = int(self._call("aclrefLiveObjects", buffer, len(buffer)))
        if needed >= len(buffer):
            buffer = ctypes.create_string_buffer(needed + 1)
            self._call("aclrefLiveObjects", buffer, len(buffer))
        text = buffer.value
        if text != self._live_text:
            self._live_text, self._live = text, json.loads(text)
        return self._live

    def inject_task_error(self, stream: int | None, code: int, after: int = 0) -> None:
        """Let a task of a stream fail with this code: the next one submitted, or the one `after` later."""
        self._check("aclrefInjectTaskError", stream, after, code)

    def inject_call_error(self, function: str, code: int, count: int = 1) -> None:
        """Let the next calls of a C function fail with this code before they do anything."""
        self._check("aclrefInjectCallError", function.encode(), count, code)

    def add_variable(self, symbol: int, initial: bytes) -> None:
        """A device variable that begins with these bytes, known by the host address `symbol`."""
        self._check("aclrefAddVariable", symbol, len(initial), initial)

    def remove_variable(self, symbol: int) -> None:
        """Take a device variable away, with its memory on every device."""
        self._check("aclrefRemoveVariable", symbol)

    def set_groups(self, count: int) -> None:
        """Let every device have so many groups of compute units, until the state is dropped."""
        self._check("aclrefSetGroups", count)

    def set_seed(self, seed: int) -> None:
        """Seed the scheduler: the same seed, the same interleaving of streams."""
        self._check("aclrefSetSeed", seed)

    def _check(self, name: str, *args: Any) -> None:
        if self._call(name, *args) != 0:
            reason = self._text("aclrefLastError") or "refused"
            raise LibraryError(f"{self._path}: {name}: {reason}")

    def _text(self, name: str) -> str:
        value: bytes | None = self._call(name)
        return (value or b"").decode("utf-8", "replace")

    def _call(self, name: str, *args: Any) -> Any:
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self._bound(name)
        return function(*args)

    def _bound(self, name: str) -> Any:
        try:
            function = self._library[name]
        except AttributeError:
            raise LibraryError(f"{self._path}: the reference device does not export {name}") from None
        function.restype, function.argtypes = _SIGNATURES[name]
        return function
