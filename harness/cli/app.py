"""Choosing the command and the language, and turning every expected error into one line and exit status 2."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import NoReturn

from harness import __version__
from harness.binding import LibraryError
from harness.cli import (
    bench,
    compare,
    coverage,
    doctor,
    explain,
    faults,
    history,
    mustpass,
    qualify,
    registry,
    report,
    repro,
    rules,
    symbols,
    verify,
)
from harness.cli.command import GOOD, STOPPED, USAGE, Command, CommandError, Context
from harness.contract import ContractError
from harness.device import UsageError
from harness.faults import FaultError
from harness.results import ResultsError
from harness.results.text import one_line
from reports.catalogue import LANGUAGES

COMMANDS: tuple[Command, ...] = (
    coverage.COMMAND,
    rules.COMMAND,
    explain.COMMAND,
    symbols.COMMAND,
    report.COMMAND,
    mustpass.COMMAND,
    qualify.COMMAND,
    verify.COMMAND,
    registry.COMMAND,
    compare.COMMAND,
    repro.COMMAND,
    history.COMMAND,
    bench.COMMAND,
    faults.COMMAND,
    doctor.COMMAND,
)

_LONGEST = 2_000
_EXPECTED = (CommandError, ContractError, FaultError, LibraryError, ResultsError, UsageError)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {' '.join(message.split())} ({self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `aclcts` and return its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    with _open_outputs(), _stopped_by_sigterm():
        return _main(words)


def _main(words: list[str]) -> int:
    context = Context(language_of(words, os.environ))
    parser = _parser(context)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A locale without a letter, or a file name that is no text, must not end a command midway.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        options = parser.parse_args(words)
    except SystemExit as ended:
        return int(ended.code or 0)
    command: Command = options.command
    try:
        status = command.run(options, context)
        sys.stdout.flush()
        return status
    except _EXPECTED as error:
        # It may quote a file of somebody else's.
        print(f"aclcts {command.name}: {one_line(str(error), _LONGEST)}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(f"aclcts {command.name}: {context.say('cli.stopped')}", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        _leave_output()
        return GOOD
    except OSError as error:
        # A full disk under standard output, a name that is too long: what no command can foresee.
        _leave_output()
        where = f"{error.filename}: " if error.filename else ""
        print(
            f"aclcts {command.name}: {one_line(where + (error.strerror or str(error)), _LONGEST)}",
            file=sys.stderr,
        )
        return USAGE


@contextmanager
def _open_outputs() -> Iterator[None]:
    """Write to nowhere what a closed standard output or error would have taken; Python has None there."""
    with open(os.devnull, "w") as nowhere, ExitStack() as stack:
        if sys.stdout is None:
            stack.enter_context(redirect_stdout(nowhere))
        if sys.stderr is None:
            stack.enter_context(redirect_stderr(nowhere))
        yield


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """Let SIGTERM, which a build server stops a job with, stop a command as Ctrl-C does."""
    alone = threading.current_thread() is threading.main_thread()
    if not alone or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _leave_output() -> None:
    """Let nothing be written to standard output any more, at exit neither."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def language_of(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """The language: `--lang`, else the locale's, else English."""
    for position, word in enumerate(words):
        value = word.partition("=")[2] if word.startswith("--lang=") else ""
        if word == "--lang" and position + 1 < len(words):
            value = words[position + 1]
        if value in LANGUAGES:
            return value
    locale = next(
        (environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), ""
    )
    return "zh" if locale.lower().startswith("zh") else "en"


def _parser(context: Context) -> argparse.ArgumentParser:
    say = context.say
    common = _Parser(add_help=False)
    common.add_argument("--lang", choices=LANGUAGES, default=argparse.SUPPRESS, help=say("cli.lang.help"))
    parser = _Parser(
        prog="aclcts",
        description=say("cli.help"),
        epilog=say("cli.epilog"),
        parents=[common],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"aclcts {__version__}")
    commands = parser.add_subparsers(title=say("cli.commands"), metavar=say("cli.command"), required=True)
    for command in COMMANDS:
        summary = say(f"cli.{command.name}.help")
        sub = commands.add_parser(
            command.name,
            help=summary,
            description=summary,
            epilog=say("cli.example", example=say(f"cli.{command.name}.example")),
            parents=[common],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.configure(sub, context)
        sub.set_defaults(command=command)
    return parser
