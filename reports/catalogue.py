"""The product's words in English and Chinese: plain data in `translations/`, shared with the command line."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh")


@cache
def catalogue(language: str) -> dict[str, str]:
    """Every text of a language by key; ValueError for a language there is no catalogue of."""
    if language not in LANGUAGES:
        raise ValueError(f"no such language: {language}: expected one of {', '.join(LANGUAGES)}")
    file = Path(__file__).parent / "translations" / f"{language}.json"
    texts: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return texts


def text(language: str, key: str, **values: Any) -> str:
    """One text with its `{placeholders}` filled; KeyError for a key the catalogue lacks."""
    found = catalogue(language)[key]
    return found.format(**values) if values else found
