"""The published JSON Schema of results files: `python -m harness.results.schema [--check] [FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness.results.records import SCHEMA, Record

PUBLISHED = Path("docs/results.schema.json")


def results_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) that every line of a results file satisfies."""
    (reference,), definitions = msgspec.json.schema_components([Record], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of results.jsonl",
        "description": f"Schema version {SCHEMA}. A file is a header, cases, benchmarks and a footer.",
        **reference,
        "$defs": dict(sorted(definitions.items())),
    }


def rendered() -> str:
    """The schema as the text of the published file."""
    return json.dumps(results_schema(), indent=2, ensure_ascii=False) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the published file, or with --check compare it; 1 where it is stale."""
    parser = argparse.ArgumentParser(prog="python -m harness.results.schema", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=PUBLISHED)
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    options = parser.parse_args(argv)
    if not options.check:
        options.file.write_text(rendered(), encoding="utf-8")
        return 0
    if options.file.is_file() and options.file.read_text(encoding="utf-8") == rendered():
        return 0
    print(f"{options.file}: stale; write it with `python -m harness.results.schema`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
