"""Results for other programs: JUnit XML, CTRF, CSV, and a summary in Markdown for build servers.

Text of drivers is cleaned and escaped for each format; what is cut says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.contract import Contract
from harness.results import Run
from reports.exports.ctrf import ctrf
from reports.exports.junit import junit
from reports.exports.markdown import markdown
from reports.exports.table import table

Export = Callable[[Sequence[Run], Contract, str], str]
"""Runs that form one result, the contract and a language, as the text of a file."""

EXPORTS: dict[str, Export] = {"junit": junit, "ctrf": ctrf, "csv": table, "markdown": markdown}
"""Every format by name."""

SUFFIXES = {".xml": "junit", ".json": "ctrf", ".csv": "csv", ".md": "markdown"}
"""The format that a file name's end stands for."""

__all__ = ["EXPORTS", "SUFFIXES", "Export", "ctrf", "junit", "markdown", "table"]
