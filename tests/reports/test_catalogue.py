"""The catalogues: every text in both languages, none missing, none unused."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from harness.contract import load
from harness.results import Counts, Verdict
from reports.catalogue import LANGUAGES, catalogue, text

ROOT = Path(__file__).parents[2]


def placeholders(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name is not None}


def used_keys() -> set[str]:
    """Keys that stand as they are in templates or code, and patterns of the ones put together."""
    sources = [*(ROOT / "reports").glob("**/*.j2"), *(ROOT / "reports").glob("*.py")]
    sources += (ROOT / "harness/cli").glob("*.py")
    return {
        key
        for source in sources
        for key in re.findall(r"[\"']([a-z0-9_]+(?:\.[a-z0-9_]+)*)[\"']", source.read_text())
    }


def test_every_language_has_the_same_texts() -> None:
    for language in LANGUAGES:
        assert catalogue(language).keys() == catalogue("en").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_says_something_with_the_same_placeholders(language: str) -> None:
    for key, words in catalogue(language).items():
        assert words.strip() == words != "", key
        assert placeholders(words) == placeholders(catalogue("en")[key]), key


def test_the_chinese_texts_are_chinese() -> None:
    """What reads the same in both languages is a name, and short."""
    same = [key for key, words in catalogue("zh").items() if words == catalogue("en")[key]]
    assert all(len(catalogue("en")[key]) < 12 for key in same), same


def test_no_text_is_unused() -> None:
    used = used_keys()
    made = re.compile(r"(chapter|verdict|worth|tally|strength|state|mark|show|class)\.")
    titles = {f"{key}.title" for key in used}
    unused = [key for key in catalogue("en") if key not in used | titles and not made.match(key)]
    assert unused == []


def test_every_verdict_worth_and_chapter_has_its_texts() -> None:
    keys = catalogue("en")
    for verdict in Verdict:
        assert {f"verdict.{verdict}", f"verdict.{verdict}.short", f"verdict.{verdict}.meaning"} <= keys.keys()
    for worth in Counts:
        assert f"worth.{worth.value}" in keys
    chapters = {function.chapter for function in load().functions.values()}
    assert {f"chapter.{chapter}" for chapter in chapters if chapter} <= keys.keys()


def test_an_unknown_language_or_key_is_an_error() -> None:
    with pytest.raises(ValueError, match="no such language: fr: expected one of en, zh"):
        catalogue("fr")
    with pytest.raises(KeyError, match=r"no\.such"):
        text("en", "no.such")
