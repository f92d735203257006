"""The suites of stream memory: conditions, images of values, books of pools, windows of variables."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness.contract import load
from harness.device import DeviceError
from harness.plugin import pattern
from suites.memory.stream import conditions, pools, symbol_copies, variables
from suites.memory.stream.conditions import AND, EQ, GEQ, NOR, Condition
from suites.memory.stream.pool_books import PoolBooks
from suites.memory.stream.symbol_copies import Window, copied, past_the_end, to_the_end
from suites.memory.stream.words import as_bytes, image
from tests.fakes.surfaces import Answer, Recording

ONES = 2**64 - 1


def signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


HOLDS: dict[str, Callable[[int, int], bool]] = {
    GEQ: lambda memory, value: signed((memory - value) % 2**64) >= 0,
    EQ: lambda memory, value: memory == value,
    AND: lambda memory, value: memory & value != 0,
    NOR: lambda memory, value: ~(memory | value) & ONES != 0,
}
TABLES = {GEQ: conditions.AT_LEAST, EQ: conditions.EQUAL, AND: conditions.ANY_BIT, NOR: conditions.ANY_GAP}
EVERY = [
    (mode, condition)
    for tables in (TABLES, conditions.BY_ONE_HALF, conditions.SHARED)
    for mode, table in tables.items()
    for condition in table
]

# How an implementation may get a mode wrong, and still be right for many words.
WRONG: dict[str, dict[str, Callable[[int, int], bool]]] = {
    GEQ: {
        "without a sign": lambda memory, value: memory >= value,
        "with signs, by size": lambda memory, value: signed(memory) >= signed(value),
        "above": lambda memory, value: signed((memory - value) % 2**64) > 0,
        "equal": lambda memory, value: memory == value,
    },
    EQ: {
        "at least": HOLDS[GEQ],
        "any bit": lambda memory, value: memory & value != 0 or memory == value,
        "all bits": lambda memory, value: memory & value == value,
    },
    AND: {
        "all bits": lambda memory, value: memory & value == value,
        "equal": HOLDS[EQ],
        "at least": HOLDS[GEQ],
        "any bit of either": lambda memory, value: memory | value != 0,
    },
    NOR: {
        "no bit": lambda memory, value: memory | value == 0,
        "not both": lambda memory, value: ~(memory & value) & ONES != 0,
        "memory alone": lambda memory, value: ~memory & ONES != 0,
        "value alone": lambda memory, value: ~value & ONES != 0,
    },
}


@pytest.mark.parametrize(("mode", "condition"), EVERY, ids=str)
def test_conditions_hold_as_they_say(mode: str, condition: Condition) -> None:
    assert HOLDS[mode](condition.memory, condition.value) == (condition.then is None)
    if condition.then is not None:
        assert HOLDS[mode](condition.then, condition.value)


@pytest.mark.parametrize(("mode", "name"), [(mode, name) for mode in WRONG for name in WRONG[mode]])
def test_tables_tell_wrong_comparisons(mode: str, name: str) -> None:
    wrong = WRONG[mode][name]
    assert any(wrong(each.memory, each.value) != (each.then is None) for each in TABLES[mode])


@pytest.mark.parametrize("mode", [GEQ, EQ, AND, NOR])
@pytest.mark.parametrize("half", [conditions.LOW_HALF, conditions.HIGH_HALF], ids=["low", "high"])
def test_halves_tell_comparisons_of_half_a_word(mode: str, half: int) -> None:
    def wrong(memory: int, value: int) -> bool:
        outside = ~half & ONES if mode == NOR else 0
        return HOLDS[mode](memory & half | outside, value & half)

    table = conditions.BY_ONE_HALF[mode]
    assert any(wrong(each.memory, each.value) != (each.then is None) for each in table)


@pytest.mark.parametrize("mode", HOLDS)
def test_a_later_word_ends_what_held_before(mode: str) -> None:
    first, later = conditions.LATER[mode]
    assert HOLDS[mode](first, later.value)
    assert not HOLDS[mode](later.memory, later.value)
    assert later.then is not None
    assert HOLDS[mode](later.then, later.value)


@pytest.mark.parametrize("mode", HOLDS)
def test_what_lets_one_of_two_waits_go_on_holds_the_other(mode: str) -> None:
    one, other = conditions.SHARED[mode]
    assert one.memory == other.memory
    assert one.then is not None
    assert not HOLDS[mode](one.then, other.value)


def test_image_puts_values_in_little_endian_order() -> None:
    before = np.full(24, 0xEE, np.uint8)
    after = image(before, {8: 0x0102030405060708})
    assert after.tolist() == [0xEE] * 8 + [8, 7, 6, 5, 4, 3, 2, 1] + [0xEE] * 8
    assert (before == 0xEE).all()
    assert as_bytes(ONES) == b"\xff" * 8


def booked(*calls: tuple[str, dict[str, Any], dict[str, int]]) -> PoolBooks:
    books = PoolBooks()
    for api, args, outputs in calls:
        books.note(api, args, Answer(api, 0, outputs))
    return books


MADE: tuple[str, dict[str, Any], dict[str, int]] = ("aclrtMemPoolCreate", {}, {"memPool": 9})
TAKEN = ("aclrtMemPoolMallocAsync", {"memPool": 9, "stream": 4}, {"ptr": 1000})
MORE = ("aclrtMemPoolMallocAsync", {"memPool": 9, "stream": 4}, {"ptr": 2000})


def test_books_give_back_in_order() -> None:
    surface = Recording()
    booked(MADE, TAKEN, MORE).give_back(surface)
    assert surface.calls == [
        ("aclrtMemPoolFreeAsync", {"ptr": 1000, "stream": 4}),
        ("aclrtMemPoolFreeAsync", {"ptr": 2000, "stream": 4}),
        ("aclrtSynchronizeStream", {"stream": 4}),
        ("aclrtMemPoolDestroy", {"memPool": 9}),
    ]


@pytest.mark.parametrize(
    ("call", "left"),
    [
        (("aclrtMemPoolFreeAsync", {"ptr": 1000, "stream": 4}, {}), ["aclrtMemPoolDestroy"]),
        (("aclrtFree", {"devPtr": 1000}, {}), ["aclrtMemPoolDestroy"]),
        (("aclrtMemPoolDestroy", {"memPool": 9}, {}), ["aclrtMemPoolFreeAsync", "aclrtSynchronizeStream"]),
    ],
)
def test_books_forget_what_was_given_back(call: Any, left: list[str]) -> None:
    surface = Recording()
    booked(MADE, TAKEN, call).give_back(surface)
    assert [api for api, _ in surface.calls] == left


def test_books_ignore_what_gave_nothing() -> None:
    books = booked(("aclrtMemPoolCreate", {"memPool": None}, {}))
    books.note("aclrtMemPoolMallocAsync", {"stream": 4}, Answer(outputs={"ptr": 7}, left_alone=True))
    books.note("aclrtMemPoolMallocAsync", {"stream": 4}, Answer(code=207001, outputs={"ptr": 7}))
    assert (books.pools, books.blocks) == (set(), {})


def test_books_try_everything_and_tell_the_first_problem() -> None:
    surface = Recording("aclrtMemPoolFreeAsync", "aclrtMemPoolDestroy")
    with pytest.raises(DeviceError, match="aclrtMemPoolFreeAsync"):
        booked(MADE, TAKEN).give_back(surface)
    assert [api for api, _ in surface.calls] == [
        "aclrtMemPoolFreeAsync",
        "aclrtSynchronizeStream",
        "aclrtMemPoolDestroy",
    ]


def test_books_forgive_where_the_outcome_is_open() -> None:
    books = booked(MADE)
    books.outcome_open()
    books.give_back(Recording("aclrtMemPoolDestroy"))


def test_attributes_are_those_of_the_contract() -> None:
    known = set(load().enums["aclrtMemPoolAttr"].values)
    named = {*pools.SWITCHES, pools.THRESHOLD, *pools.FIGURES}
    assert named == known
    assert {name: pools.width(name) for name in named if pools.width(name) == 4}.keys() == set(pools.SWITCHES)


def test_properties_are_fresh_each_time() -> None:
    first = pools.properties()
    first["reserved"][0] = 1
    first["location"]["id"] = 3
    assert pools.properties()["reserved"] == [0] * 32
    assert pools.properties()["location"]["id"] == 0


def test_figures_out_of_order_are_told() -> None:
    good = dict.fromkeys(pools.FIGURES, 4)
    claims = Claims()
    claims.check([good, {**good, pools.USED: 5}])
    assert claims.broken == ["used is at most reserved", "the peaks are at least the current values"]


def test_falling_peaks_are_told() -> None:
    seen = [dict.fromkeys(pools.FIGURES, 4), {**dict.fromkeys(pools.FIGURES, 0), pools.RESERVED_PEAK: 4}]
    claims = Claims()
    claims.check(seen)
    assert claims.broken == ["peaks that fall"]


class Claims:
    """Takes claims down instead of raising at the first broken one."""

    def __init__(self) -> None:
        self.broken: list[str] = []

    def true(self, claim: str, observed: Any, expected: Any = True) -> None:
        if observed != expected:
            self.broken.append(claim)

    def check(self, seen: list[dict[str, int]]) -> None:
        made = pools.Pools.__new__(pools.Pools)
        made._expect = self  # type: ignore[assignment]
        made.expect_ordered(seen)


@pytest.mark.parametrize("size", [16, 37])
def test_windows_of_a_variable(size: int) -> None:
    assert all(window.offset + window.count < 37 for window in symbol_copies.WINDOWS)
    assert all(window.offset + window.count == size for window in to_the_end(size))
    assert all(window.offset + window.count > size for window in past_the_end(size))
    assert Window(size, 1) in past_the_end(size)
    assert symbol_copies.WRAPPING.offset + symbol_copies.WRAPPING.count > 2**64


def test_copied_windows() -> None:
    variable, host = pattern(16, 1), pattern(5, 2)
    after, read = copied(variable, host, Window(3, 4), reads=True)
    assert read.tolist() == [*variable[3:7], host[4]]
    assert np.array_equal(after, variable)
    after, read = copied(variable, host, Window(3, 4), reads=False)
    assert after.tolist() == [*variable[:3], *host[:4], *variable[7:]]
    assert np.array_equal(read, host)


def test_variables_have_the_sizes_of_their_types() -> None:
    sizes = {name: len(initial) for name, initial in variables.INITIAL.items()}
    assert sizes[variables.RECORD] == struct.calcsize("@bq3f0q")
    assert (sizes[variables.QUAD], sizes[variables.FAR], sizes[variables.SCALAR]) == (16, 16, 4)
    assert sizes[variables.LARGE] == 4 * 2**20


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variables.LIBRARY, "/no-such-library.so")
    with pytest.raises(DeviceError, match="no-such-library"):
        variables._loaded(variables.QUAD)
