"""Text from a driver is hostile: nothing of a terminal or of another reading direction survives."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.results.text import arguments, clean, one_line

HOSTILE = {
    "colour": ("\x1b[31mred\x1b[0m", "red"),
    "title": ("\x1b]0;new title\x07rest", "rest"),
    "hyperlink": ("\x1b]8;;http://x\x1b\\click\x1b]8;;\x1b\\", "click"),
    "eight-bit control": ("a\x9b31mb\x85c", "abc"),
    "lone escape": ("a\x1b", "a"),
    "nul and bell": ("a\x00b\x07c", "abc"),
    "carriage return": ("visible\rhidden", "visiblehidden"),
    "windows lines": ("one\r\ntwo", "one\ntwo"),
    "right to left": ("user\u202efdp.exe", "userfdp.exe"),
    "zero width": ("pass\u200bword", "password"),
    "surrogate": ("a\udcffb", "a\ufffdb"),
    "plain": ("line one\n\tline two ≠ 二", "line one\n\tline two ≠ 二"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_terminal_would_obey_is_taken_out(name: str) -> None:
    hostile, expected = HOSTILE[name]
    assert clean(hostile) == expected


@given(st.text(st.characters(codec=None)))
def test_no_control_character_survives(text: str) -> None:
    cleaned = clean(text)
    assert not [character for character in cleaned if ord(character) < 32 and character not in "\n\t"]
    assert not [character for character in cleaned if 0x7F <= ord(character) < 0xA0]
    cleaned.encode("utf-8")


def test_a_long_text_is_cut_and_says_by_how_much() -> None:
    assert clean("x" * 100, limit=10) == "x" * 10 + "… (+90)"
    assert clean("x" * 10, limit=10) == "x" * 10


def test_ten_megabytes_of_escapes_take_no_time() -> None:
    start = time.perf_counter()
    clean("\x1b[31m\x1b]0;" * 1_000_000)
    one_line("\x1b]0;" * 2_000_000)
    assert time.perf_counter() - start < 2


def test_arguments_read_as_a_call() -> None:
    args = {"dst": "0x10", "src": None, "attr": {"location": {"id": 0, "type": "ACL_HOST"}}, "sizes": [1, 2]}
    assert arguments(args) == "dst=0x10, src=NULL, attr={location={id=0, type=ACL_HOST}}, sizes=[1, 2]"


def test_long_and_deep_arguments_are_cut() -> None:
    assert arguments({"sizes": list(range(100))}) == "sizes=[0, 1, 2, 3, 4, 5, 6, 7, …]"
    deep: object = 1
    for _ in range(50):
        deep = {"a": deep}
    assert "{…}" in arguments({"deep": deep})
    assert len(arguments({"name": "x" * 10_000})) < 300
