"""The report: one self-contained HTML page that says which promises hold, where, and on what evidence.

It reads results and the contract only: no ACL library is needed where a report is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.contract import Contract, load
from harness.results import Run, read_runs
from harness.results.files import write_whole
from reports.catalogue import LANGUAGES
from reports.html import render_html
from reports.model import Beside, Change, Report, build

__all__ = ["LANGUAGES", "Beside", "Change", "Report", "build", "page_of", "render", "render_runs"]


def render(results: Sequence[Path], output: Path, lang: str = "en") -> None:
    """Write the report of one or more results files or folders to `output`, opening in English or Chinese.

    Raises ResultsError, one line, where the results cannot be read or do not belong together, or the page
    cannot be written; ValueError for a language there is no catalogue of. Nothing half-written is left.
    """
    render_runs(read_runs(results), output, lang)


def render_runs(
    runs: Sequence[Run],
    output: Path,
    lang: str = "en",
    contract: Contract | None = None,
    beside: Beside | None = None,
) -> None:
    """As `render`, for runs that are read already."""
    write_whole(output, page_of(runs, lang, contract, beside).encode(), "the report")


def page_of(
    runs: Sequence[Run], lang: str = "en", contract: Contract | None = None, beside: Beside | None = None
) -> str:
    """The page of runs that are read already; ResultsError where they do not belong together."""
    contract = contract or load()
    return render_html(build(runs, contract, beside), contract, lang)
