"""Python functions that a library calls, from any of its threads.

ctypes prints an exception in a callback and goes on with a random return value. Here it is kept for the
plugin to report, and the library gets a neutral value: 0, NULL or nothing.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.binding.types import TypeInfo, TypeMap


@dataclass(frozen=True)
class CallbackError:
    """An exception that a Python callback raised: its C type, the exception, its traceback and the thread's
    id.
    """

    callback: str
    exception: BaseException
    traceback: str
    thread: int

    def __str__(self) -> str:
        return f"{self.callback} raised {type(self.exception).__name__}: {self.exception}"


class Callbacks:
    """Makes C function pointers, and holds every one of them: a library may call one at any later time."""

    def __init__(self, types: TypeMap) -> None:
        self._types = types
        self._alive: list[Any] = []
        self.errors: list[CallbackError] = []

    def make(self, info: TypeInfo, function: Callable[..., Any]) -> Any:
        """A C function pointer of this type over a Python callable.

        Pointers arrive as ints (0 for NULL), a `const char *` as bytes or None. None returned counts as 0.
        """
        shape = self._types.signature(info)
        texts = frozenset(
            number
            for number, (_, param) in enumerate(shape.params)
            if param.category == "char" and param.depth == 1
        )
        void = shape.returns.category == "void" and not shape.returns.is_pointer

        def trampoline(*args: Any) -> Any:
            try:
                given = [
                    0 if value is None and number not in texts else value for number, value in enumerate(args)
                ]
                result = function(*given)
                if void:
                    return None
                return int(getattr(result, "ptr", result) or 0)
            # Nothing may travel through a C frame.
            except BaseException as error:
                self.errors.append(
                    CallbackError(info.base, error, traceback.format_exc(), threading.get_ident())
                )
                return None if void else 0

        pointer = self._types.callback(info)(trampoline)
        self._alive.append(pointer)
        return pointer
