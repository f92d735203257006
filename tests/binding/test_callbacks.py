"""Python functions called by a library, from threads that are not Python's."""

from __future__ import annotations

import threading

from harness.binding import CSurface, Library


def raising(data: int) -> None:
    """A callback that goes wrong."""
    raise ValueError(f"no good: {data}")


def test_a_thread_of_the_library_calls_python(surface: CSurface) -> None:
    seen: list[tuple[int, bool]] = []

    def note(data: int) -> None:
        seen.append((data, threading.get_ident() == main))

    main = threading.get_ident()
    assert surface.aclrtLaunchCallback(fn=note, userData=0x55, blockType=0, stream=None).ok
    assert seen == [(0x55, False)]


def test_null_arrives_as_zero(surface: CSurface) -> None:
    seen: list[int] = []
    surface.aclrtLaunchCallback(fn=seen.append, userData=None, blockType=0, stream=None)
    assert seen == [0]


def test_an_exception_is_kept_and_the_call_goes_on(surface: CSurface) -> None:
    assert surface.aclrtLaunchCallback(fn=raising, userData=7, blockType=0, stream=None).ok
    (error,) = surface.library.callback_errors
    assert str(error) == "aclrtCallback raised ValueError: no good: 7"
    assert isinstance(error.exception, ValueError)
    assert "in raising" in error.traceback
    assert error.thread != threading.get_ident()


def test_callback_errors_can_be_cleared(surface: CSurface) -> None:
    surface.aclrtLaunchCallback(fn=raising, userData=7, blockType=0, stream=None)
    surface.library.callback_errors.clear()
    assert surface.library.callback_errors == []


def test_a_returned_address_reaches_the_library(surface: CSurface) -> None:
    surface.aclrtAllocatorSetAllocFuncToDesc(
        allocatorDesc=0x1000, func=lambda allocator, size: allocator + size
    )
    assert surface.aclrtAllocatorRegister(stream=0x100, allocatorDesc=0x1000).code == 0x140


def test_an_exception_gives_the_library_null(surface: CSurface) -> None:
    surface.aclrtAllocatorSetAllocFuncToDesc(allocatorDesc=0x1000, func=lambda allocator, size: raising(size))
    assert surface.aclrtAllocatorRegister(stream=0x100, allocatorDesc=0x1000).code == 0
    assert [error.callback for error in surface.library.callback_errors] == ["aclrtAllocatorAllocFunc"]


def test_a_result_of_the_wrong_kind_is_an_error_too(surface: CSurface) -> None:
    surface.aclrtAllocatorSetAllocFuncToDesc(allocatorDesc=0x1000, func=lambda allocator, size: "block")
    assert surface.aclrtAllocatorRegister(stream=0x100, allocatorDesc=0x1000).code == 0
    assert isinstance(surface.library.callback_errors[0].exception, ValueError)


def test_a_null_callback_can_be_given(surface: CSurface) -> None:
    assert surface.aclrtLaunchCallback(fn=None, userData=None, blockType=0, stream=None).code == 107000


def test_a_made_callback_can_be_used_again(library: Library) -> None:
    seen: list[int] = []
    pointer = library.callback("aclrtCallback", seen.append)
    call = library.raw("aclrtLaunchCallback")
    assert [call(pointer, number, 0, None) for number in (1, 2)] == [0, 0]
    assert seen == [1, 2]
