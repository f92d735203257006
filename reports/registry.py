"""The index page of a bundle registry, in every language: no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from harness.results.files import write_whole
from harness.results.registry import INDEX, MARK, Filed
from harness.results.text import one_line
from reports.catalogue import LANGUAGES, text
from reports.html import environment

_NAMES = {"en": "English", "zh": "中文"}
_SIGNS = {"met": "✓", "not met": "✗", "incomplete": "○"}


def render_index(entries: Sequence[Filed], language: str) -> str:
    """The page in one language, with links to the others."""
    return (
        environment()
        .get_template("registry.html.j2")
        .render(
            entries=entries,
            lang=language,
            mark=Markup(MARK.decode()),
            languages={other: index_name(other) for other in LANGUAGES},
            words=lambda key: text(language, key),
            names=_NAMES,
            signs=_SIGNS,
            states={state: text(language, f"finding.state.{state.replace(' ', '_')}") for state in _SIGNS},
            one_line=one_line,
        )
    )


def index_name(language: str) -> str:
    """The file name of a language's page."""
    return INDEX if language == LANGUAGES[0] else f"index.{language}.html"


def write_index(entries: Sequence[Filed], registry: Path) -> Path:
    """Write the pages into the registry; the first one's path. ResultsError where that cannot be done."""
    for language in LANGUAGES:
        page = render_index(entries, language).encode()
        write_whole(registry / index_name(language), page, "the index")
    return registry / index_name(LANGUAGES[0])
