"""The suites of shared memory: their books, their keys, and what they tell of other processes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest

from harness.device import DeviceError
from harness.plugin import Block, RuleViolation, pattern
from suites.memory.ipc.books import KeyBooks, key_text
from suites.memory.ipc.copies import EVERY_COPY
from suites.memory.ipc.keys import Imported, Shared, told
from tests.fakes.surfaces import Answer, Recording

Call: TypeAlias = "tuple[str, dict[str, Any], dict[str, Any]]"

KEY = "a1" * 32


class Bytes:
    """Memory of this test behind a block."""

    def __init__(self, size: int) -> None:
        self.memory = np.zeros(size, np.uint8)

    def read(self, address: int, size: int) -> Any:
        return self.memory[address : address + size].copy()

    def write(self, address: int, data: Any) -> None:
        self.memory[address : address + data.size] = data

    def fill(self, address: int, size: int, byte: int) -> None:
        self.memory[address : address + size] = byte


def block(size: int, seed: int = 0) -> Block:
    made = Block("device", 0, size, 0, Bytes(size), lambda: None)
    return made.write(pattern(size, seed))


def booked(*calls: Call) -> KeyBooks:
    books = KeyBooks()
    for api, args, outputs in calls:
        books.note(api, args, Answer(api, 0, outputs))
    return books


TAKEN = ("aclrtMalloc", {"size": 64}, {"devPtr": 1000})
EXPORTED = ("aclrtIpcMemGetExportKey", {"devPtr": 1000, "len": 65}, {"key": KEY.encode() + b"\0"})
IMPORTED = ("aclrtIpcMemImportByKey", {"key": "other"}, {"devPtr": 5000})
STREAM: Call = ("aclrtCreateStream", {}, {"stream": 3})


def test_books_give_back_in_order() -> None:
    surface = Recording()
    booked(TAKEN, EXPORTED, IMPORTED, STREAM).give_back(surface)
    assert surface.calls == [
        ("aclrtIpcMemClose", {"key": "other"}),
        ("aclrtIpcMemClose", {"key": KEY}),
        ("aclrtFree", {"devPtr": 1000}),
        ("aclrtDestroyStream", {"stream": 3}),
    ]


@pytest.mark.parametrize(
    ("call", "left"),
    [
        (("aclrtFree", {"devPtr": 1000}, {}), ["aclrtIpcMemClose", "aclrtIpcMemClose"]),
        (("aclrtIpcMemClose", {"key": KEY}, {}), ["aclrtIpcMemClose", "aclrtFree"]),
        (("aclrtIpcMemClose", {"key": b"other"}, {}), ["aclrtIpcMemClose", "aclrtFree"]),
    ],
)
def test_books_forget_what_was_given_back(call: Any, left: list[str]) -> None:
    surface = Recording()
    booked(TAKEN, EXPORTED, IMPORTED, call).give_back(surface)
    assert [api for api, _ in surface.calls] == left


def test_books_count_imports_of_one_key() -> None:
    close: Call = ("aclrtIpcMemClose", {"key": "other"}, {})
    surface = Recording()
    booked(IMPORTED, IMPORTED, close).give_back(surface)
    assert surface.calls == [("aclrtIpcMemClose", {"key": "other"})]


def test_books_close_an_own_import_before_the_export() -> None:
    own = ("aclrtIpcMemImportByKey", {"key": KEY}, {"devPtr": 5000})
    close: Call = ("aclrtIpcMemClose", {"key": KEY}, {})
    assert booked(EXPORTED, own, close).exported == {KEY}
    assert booked(EXPORTED, own, close, close).exported == set()


def test_books_ignore_failed_calls_and_answers_to_nowhere() -> None:
    books = booked(("aclrtIpcMemImportByKey", {"key": "other", "devPtr": None}, {}))
    books.note("aclrtMalloc", {}, Answer(code=207001))
    books.note("aclrtIpcMemGetExportKey", {"key": None}, Answer())
    surface = Recording()
    books.give_back(surface)
    assert surface.calls == []


def test_books_read_a_key_from_the_block_it_was_written_to() -> None:
    room = block(128).write(KEY.encode() + b"\0" + b"\xee" * 63)
    books = booked(("aclrtIpcMemGetExportKey", {"key": room}, {}))
    assert books.exported == {KEY}


def test_books_try_everything_and_tell_the_first_problem() -> None:
    surface = Recording("aclrtIpcMemClose")
    with pytest.raises(DeviceError, match="aclrtIpcMemClose"):
        booked(TAKEN, EXPORTED).give_back(surface)
    assert [api for api, _ in surface.calls] == ["aclrtIpcMemClose", "aclrtFree"]


def test_books_forgive_where_the_outcome_is_open() -> None:
    books = booked(TAKEN)
    books.outcome_open()
    books.give_back(Recording("aclrtFree"))


def test_key_text_ends_at_the_zero() -> None:
    assert key_text(b"abc\0\xa5\xa5") == "abc"
    assert key_text(b"\0") == ""
    assert key_text(b"\xff\0").encode("utf-8", "surrogateescape") == b"\xff"


@pytest.mark.parametrize("key", [KEY, "0" * 64, "1" * 64])
def test_an_altered_key_differs_in_one_character(key: str) -> None:
    shared = Shared(block(8), key)
    other = shared.altered()
    assert len(other.key) == len(key)
    assert sum(one != two for one, two in zip(key, other.key, strict=True)) == 1
    assert other.block is shared.block


def test_an_import_that_failed_has_no_memory() -> None:
    with pytest.raises(DeviceError, match="aclrtIpcMemImportByKey returned 107000"):
        _ = Imported(Answer("aclrtIpcMemImportByKey", 107000), None).there


def test_outcomes_in_words() -> None:
    def lost() -> None:
        raise RuleViolation("another process was killed by SIGSEGV in aclrtMemcpy")

    assert told(lost) == "another process was killed by SIGSEGV in aclrtMemcpy"
    assert told(lambda: "the block's bytes") == "the block's bytes"
    assert told(lambda: Answer("aclrtFree", 107000)) == "aclrtFree returned 107000 (107000)"


def test_every_copy_has_a_name_of_its_own() -> None:
    assert len({str(copy) for copy in EVERY_COPY}) == len(EVERY_COPY)
