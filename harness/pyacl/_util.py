"""acl.util: addresses of Python's own memory, and native threads."""

from __future__ import annotations

import ctypes
import errno
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.pyacl import _arguments as convert

if TYPE_CHECKING:
    import numpy as np

_MASK = 0xFFFF_FFFF_FFFF_FFFF
_threads: dict[int, _Thread] = {}


class _Thread(threading.Thread):
    """A thread that keeps what its function raised."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        super().__init__(daemon=True)
        self._function = function
        self._arguments = args
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            self._function(*self._arguments)
        except BaseException as error:
            # As pyACL does: shown when it happens, raised again by stop_thread.
            traceback.print_exception(error)
            self.failure = error


def numpy_to_ptr(*args: Any) -> int:
    """The address of an ndarray's memory; the array must stay alive."""
    _deprecated("numpy_to_ptr", "bytes_to_ptr")
    array = _ndarray(_only("numpy_to_ptr", args))
    if not array.flags.c_contiguous:
        warnings.warn("the input ndarray is discontiguous; use acl.util.bytes_to_ptr", Warning, stacklevel=2)
    return int(array.ctypes.data)


def numpy_contiguous_to_ptr(*args: Any) -> tuple[int, np.ndarray[Any, Any]]:
    """The address of an ndarray's contiguous form, and that array, which must stay alive."""
    import numpy

    _deprecated("numpy_contiguous_to_ptr", "bytes_to_ptr")
    array = numpy.ascontiguousarray(_ndarray(_only("numpy_contiguous_to_ptr", args)))
    return int(array.ctypes.data), array


def ptr_to_numpy(*args: Any) -> np.ndarray[Any, Any]:
    """An ndarray over memory at an address, without a copy; the type is numpy's type number."""
    import numpy

    _deprecated("ptr_to_numpy", "ptr_to_bytes")
    pointer, shape, number = _exactly("ptr_to_numpy", args, 3)
    start, kind = convert.address(pointer) & _MASK, convert.int32(number)
    if not isinstance(shape, tuple) or not all(isinstance(size, int) for size in shape):
        raise TypeError("acl.util.ptr_to_numpy: shape must be a tuple of int")
    types = {numpy.dtype(code).num: numpy.dtype(code) for code in "?bBhHiIlLqQefdgFDG"}
    if kind not in types:
        raise ValueError(f"acl.util.ptr_to_numpy: no such type: {kind}")
    dtype = types[kind]
    count = 1
    for size in shape:
        count *= size
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(start)
    return numpy.frombuffer(memoryview(memory), dtype=dtype).reshape(shape)


def bytes_to_ptr(*args: Any) -> int:
    """The address of a bytes object's memory; the object must stay alive."""
    data = _only("bytes_to_ptr", args)
    if not isinstance(data, bytes):
        raise ValueError("acl.util.bytes_to_ptr needs bytes")
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def ptr_to_bytes(*args: Any) -> bytes:
    """A copy of memory at an address."""
    pointer, size = (convert.address(value) & _MASK for value in _exactly("ptr_to_bytes", args, 2))
    return ctypes.string_at(pointer, size)


def start_thread(*args: Any) -> tuple[int, int]:
    """Run a callable in a native thread; it gets the list as its argument, or none for None."""
    function, argument = _exactly("start_thread", args, 2)
    if not callable(function):
        raise TypeError("acl.util.start_thread: parameter must be callable")
    thread = _Thread(function, () if argument is None else (argument,))
    thread.start()
    identifier = thread.ident
    assert identifier is not None
    _threads[identifier] = thread
    return identifier, 0


def stop_thread(*args: Any) -> int:
    """Wait for a thread of `start_thread`; RuntimeError where its callable raised."""
    identifier = convert.address(_only("stop_thread", args)) & _MASK
    thread = _threads.pop(identifier, None)
    if thread is None:
        return errno.ESRCH
    thread.join()
    if thread.failure is not None:
        raise RuntimeError(f"exception={type(thread.failure).__name__},msg=thread call failed;")
    return 0


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "acl.util.numpy_to_ptr": numpy_to_ptr,
    "acl.util.numpy_contiguous_to_ptr": numpy_contiguous_to_ptr,
    "acl.util.ptr_to_numpy": ptr_to_numpy,
    "acl.util.bytes_to_ptr": bytes_to_ptr,
    "acl.util.ptr_to_bytes": ptr_to_bytes,
    "acl.util.start_thread": start_thread,
    "acl.util.stop_thread": stop_thread,
}


def _ndarray(value: Any) -> np.ndarray[Any, Any]:
    import numpy

    if not isinstance(value, numpy.ndarray):
        raise ValueError("needs an ndarray as argument")
    return value


def _only(name: str, args: tuple[Any, ...]) -> Any:
    return _exactly(name, args, 1)[0]


def _exactly(name: str, args: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    if len(args) != count:
        raise TypeError(f"acl.util.{name} takes {count} arguments, {len(args)} given")
    return args


def _deprecated(name: str, instead: str) -> None:
    warnings.warn(f"acl.util.{name} is deprecated; use acl.util.{instead}", Warning, stacklevel=3)
