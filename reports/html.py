"""The report as one self-contained HTML page."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from harness import __version__
from harness.contract import Contract
from harness.results import Counts, Verdict
from reports.catalogue import LANGUAGES, catalogue, text
from reports.model import Report

_TEMPLATES = Path(__file__).parent / "templates"

# A sign never repeats: a page without colour reads the same. All are in the common system fonts.
SIGNS = {
    "pass": "✓",
    "refused-as-documented": "∅",
    "fail": "✗",
    "crash": "‼",
    "hang": "∞",
    "absent": "∄",
    "deviates": "≠",
    "works-though-unsupported": "+",
    "observed": "○",
    "blocked": "‖",
    "waived": "~",
    "good": "✓",
    "bad": "✗",
    "remark": "○",
    "neutral": "‖",
}

# Directions that the catalogues have words for.
DIRECTIONS = ("h2d", "d2h", "d2d", "peer", "both", "set")

# More functions than this and the matrix starts with its chapters closed, but for those with a failure.
_OPEN_FUNCTIONS = 90


def render_html(report: Report, contract: Contract, language: str) -> str:
    """The page; it opens in `language` and holds every language of the catalogue."""
    page = _Page(report, contract, language)
    return environment().get_template("report.html.j2").render(page.names())


class _Page:
    """What the templates may name."""

    def __init__(self, report: Report, contract: Contract, language: str) -> None:
        self.report = report
        self.contract = contract
        self.language = language
        self.mark = "synthetic" if report.synthetic else "reference" if report.kind == "reference" else ""
        self._plain: dict[str, Markup] = {}

    def names(self) -> dict[str, Any]:
        script = _asset("report.js")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        strict = self.report.strict
        words = {verdict: self._verdict_words(verdict) for verdict in Verdict}
        return {
            "report": self.report,
            "BAD": Counts.BAD,
            "lang": self.language,
            "mark": self.mark,
            "print_mark": self._print_mark(),
            "t": self.both,
            "words": self.words,
            "number": _number,
            "share": _share,
            "signs": SIGNS,
            "tally_signs": {
                name: Markup("{}{}").format(SIGNS[name], self._hidden(f"tally.{name}"))
                for name in (*(worth.value for worth in Counts), Verdict.REFUSED_AS_DOCUMENTED.value)
            },
            "words_of": words,
            "whole_cell": {
                (verdict, worth): Markup('<td class="w-{}">{}').format(worth.value, words[verdict])
                for verdict in Verdict
                for worth in Counts
            },
            "strength_of": {
                name: Markup('<span class="strength s-{}">{}</span>').format(
                    name, self.both(f"strength.{name}")
                )
                for name in ("must", "expected", "observed")
            },
            "profile_head_cached": self._profile_head(),
            "product_names": {profile: self._product(profile) for profile in self.report.profiles},
            "chapter_title": self._chapter,
            "stack_label": ", ".join(
                f"{self.words(f'worth.{worth.value}')}: {count}" for worth, count in self.report.worth.items()
            ),
            "legend": [(verdict.value, verdict.counts_as(strict).value) for verdict in Verdict],
            "directions": DIRECTIONS,
            "anchors": {
                row.anchor
                for chapter in self.report.chapters
                for function in chapter.functions
                for row in function.rules
            }
            if self.report.changes
            else (),
            "open_matrix": self.report.functions <= _OPEN_FUNCTIONS,
            "version": __version__,
            "style": Markup(_small_css(_asset("report.css"))),
            "script": Markup(script),
            "script_hash": f"sha256-{digest}",
        }

    def words(self, key: str, language: str = "") -> str:
        """A text in one language, for places that cannot hold two."""
        return text(language or self.language, key)

    def both(self, key: str, **values: object) -> Markup:
        """A text in every language, one element each; the page's switch shows one of them."""
        if values:
            shown = {name: str(value) for name, value in values.items()}
            return self._spans({language: text(language, key, **shown) for language in LANGUAGES})
        if key not in self._plain:
            self._plain[key] = self._spans({language: text(language, key) for language in LANGUAGES})
        return self._plain[key]

    def _print_mark(self) -> Markup:
        """What every printed page says at its top, in all languages: a style sheet cannot switch them."""
        if not self.mark:
            return Markup("")
        return Markup(" · ".join(text(language, f"mark.{self.mark}") for language in LANGUAGES))

    def _spans(self, texts: dict[str, str]) -> Markup:
        spans = Markup("").join(
            Markup('<span lang="{}">{}</span>').format(language, words) for language, words in texts.items()
        )
        return spans if len(set(texts.values())) > 1 else Markup("{}").format(next(iter(texts.values())))

    def _hidden(self, key: str) -> Markup:
        return Markup("").join(
            Markup("<i lang={}> {}</i>").format(language, text(language, key)) for language in LANGUAGES
        )

    def _verdict_words(self, verdict: Verdict) -> Markup:
        return Markup("{}{}").format(SIGNS[verdict.value], self._hidden(f"verdict.{verdict.value}.short"))

    def _profile_head(self) -> Markup:
        columns = Markup("").join(Markup('<th scope="col">{}').format(name) for name in self.report.profiles)
        return Markup('<tr><th scope="col">{}{}').format(self.both("column.rule"), columns)

    def _product(self, profile: str) -> Markup:
        product = self.contract.products.get(profile.rpartition("-")[0])
        if product is None:
            return Markup("")
        return self._spans({"en": " / ".join(product.names_en), "zh": " / ".join(product.names)})

    def _chapter(self, token: str) -> Markup:
        key = f"chapter.{token}"
        if key not in catalogue(self.language):
            return Markup("{}").format(token)
        number = "" if token.startswith("ge:") or token == "none" else f"{token} "
        return Markup("{}{}").format(number, self.both(key))


def _number(value: int) -> str:
    """The number with thin blanks between thousands, the same in every language."""
    return f"{value:,}".replace(",", "\u202f")


def _share(count: int, total: int) -> str:
    percent = 100 * count / total
    if 0 < percent < 0.1:
        return "<0.1%"
    return ">99.9%" if 99.95 <= percent < 100 else f"{percent:.1f}%"


def _worth_classes(worths: set[Counts]) -> str:
    return " ".join(f"has-{worth.value}" for worth in Counts if worth in worths)


@cache
def environment() -> jinja2.Environment:
    """The templates, with everything escaped that is put into them."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["worth_classes"] = _worth_classes
    return made


@cache
def _asset(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _small_css(style: str) -> str:
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"/\*.*?\*/", "", style, flags=re.S)).strip()
