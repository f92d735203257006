"""What every command of `aclcts` is made of."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import harness
from harness.contract import Contract, load, nearest
from harness.device import whole_number
from reports.catalogue import text

# Control characters that JSON leaves as they are, marks that turn the direction of text, lone surrogates.
_ACTING = re.compile("[\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")

GOOD, BAD, USAGE, STOPPED = 0, 1, 2, 3
"""Exit statuses: nothing bad, something bad, wrong usage or environment, stopped midway."""


class CommandError(Exception):
    """Wrong usage or an environment that cannot serve; the text is one line and ends the command with 2."""


@dataclass
class Context:
    """What a command needs besides its own options: the language and the contract."""

    language: str

    def say(self, key: str, **values: Any) -> str:
        """A text of the catalogue in the user's language."""
        return text(self.language, key, **values)

    def perhaps(self, name: str, known: Iterable[str]) -> str:
        """The nearest known names, to stand in an error's line after what is not known; or nothing."""
        found = nearest(name, known)
        return self.say("cli.perhaps", names=", ".join(found)) if found else ""

    @cached_property
    def contract(self) -> Contract:
        """The contract; ContractError where its data is broken."""
        return load()

    @cached_property
    def checkout(self) -> Path | None:
        """The source checkout, the folder with `suites/`: here or beside the package. None without one."""
        candidates = [Path.cwd(), *Path.cwd().parents, *(Path(entry).parent for entry in harness.__path__)]
        for candidate in candidates:
            if (candidate / "suites").is_dir() and (candidate / "conftest.py").is_file():
                return candidate
        return None

    @property
    def root(self) -> Path:
        """The source checkout; CommandError without one."""
        if self.checkout is None:
            raise CommandError(self.say("cli.no_suites"))
        return self.checkout


@dataclass(frozen=True)
class Command:
    """One command: its name, its options and what it does.

    The catalogue has `cli.NAME.help` (what it does) and `cli.NAME.example` (a line to try).
    """

    name: str
    configure: Callable[[argparse.ArgumentParser, Context], None]
    run: Callable[[argparse.Namespace, Context], int]


def named(word: str) -> str:
    """The type of an option that names something: an empty name would mean the default without saying so."""
    if not word.strip(" ,"):
        raise argparse.ArgumentTypeError(f"{word!r} names nothing; leave the option out")
    return word


def positive(word: str) -> int:
    """The type of an option that takes a whole number from 1."""
    number = whole_number(word)
    if not number:
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 1")
    return number


def seed(word: str) -> int:
    """The type of an option that takes the number a random order is drawn from."""
    number = whole_number(word)
    if number is None:
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number below 2**64")
    return number


def workers(word: str) -> str:
    """The type of `-n`: a number of worker processes as pytest takes it."""
    if word not in ("auto", "logical") and whole_number(word) is None:
        raise argparse.ArgumentTypeError(f"{word!r} is no number of workers, nor `auto`")
    return word


@contextmanager
def ended_with(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Take a process along that this command has started, where the command is stopped midway."""
    try:
        yield
    except BaseException:
        process.terminate()
        process.wait()
        raise


def add_json(parser: argparse.ArgumentParser, context: Context) -> None:
    """The option `--json`, the same for every command a program may read."""
    parser.add_argument("--json", action="store_true", help=context.say("cli.json.help"))


def print_json(value: Any) -> None:
    """The value as JSON for a program, readable for a person; what would act on a terminal is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    print(_ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def table(rows: Sequence[tuple[str, ...]], indent: str = "") -> str:
    """Rows as aligned columns; the last column is not padded."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]) - 1)] if rows else []
    lines = []
    for row in rows:
        cells = [cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=False)]
        lines.append(f"{indent}{'  '.join([*cells, row[-1]])}".rstrip())
    return "\n".join(lines)


def width(words: str) -> int:
    """Columns a text takes on a terminal: a Chinese character takes two."""
    return sum(2 if ord(character) >= 0x2E80 else 1 for character in words)
