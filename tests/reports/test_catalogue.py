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


def sources() -> list[str]:
    files = [*(ROOT / "reports").glob("**/*.j2"), *(ROOT / "reports").rglob("*.py")]
    return [file.read_text(encoding="utf-8") for file in [*files, *(ROOT / "harness/cli").glob("*.py")]]


def used_keys() -> re.Pattern[str]:
    """Every text in templates and code that may be a key: as it stands, and put together from parts."""
    plain = {
        key for source in sources() for key in re.findall(r"[\"']([a-z0-9_]+(?:\.[a-z0-9_]+)*)[\"']", source)
    }
    patterns = {re.escape(key) + r"(\.title)?" for key in plain}
    for source in sources():
        for made in re.findall(r"f['\"]([a-z_]+\.[a-z_.]*\{[^'\"]*)['\"]", source):
            patterns.add(re.sub(r"\\\{.*?\\\}", "[^.]+", re.escape(made)))
        for start, end in re.findall(
            r"\([\"']([a-z.]+\.)[\"'] [~+] [\w.\[\]']+(?: ~ [\"'](\.[a-z]+)[\"'])?", source
        ):
            patterns.add(f"{re.escape(start)}[^.]+{re.escape(end)}")
    return re.compile("|".join(sorted(patterns)))


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
    english = catalogue("en")
    same = [
        key
        for key, words in catalogue("zh").items()
        if words == english[key] and not key.endswith(".example")
    ]
    assert all(len(english[key]) < 12 for key in same), same


def test_no_text_is_unused() -> None:
    used = used_keys()
    assert [key for key in catalogue("en") if not used.fullmatch(key)] == []


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
