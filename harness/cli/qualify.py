"""`aclcts qualify`: run what a release stands on, and put it into a bundle that others can verify."""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from harness import __version__
from harness.cli.command import (
    BAD,
    GOOD,
    STOPPED,
    Command,
    CommandError,
    Context,
    add_json,
    ended_with,
    named,
    print_json,
    workers,
)
from harness.cli.findings import as_json, status, told
from harness.cli.registry import file_and_index
from harness.cli.report import proofs
from harness.cli.tracing import plan
from harness.results import FILE_NAME, ResultsError, Run, read_run
from harness.results.bundle import contents, write_bundle
from harness.results.files import check_place
from harness.results.keyless import check_ready
from harness.results.registry import check_registry
from harness.results.scrub import Scrubber
from harness.results.signing import sign
from harness.results.text import clean
from reports import Beside, render_runs

_TIERS = ("must-pass", "full", "soak")
_SOAK_ROUNDS = 5
_FIRST_SEED = 1


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    say = context.say
    parser.add_argument("--target", metavar="reference|cann|PATH", type=named, help=say("cli.target.help"))
    for name, metavar in (("sku", "PRODUCT"), ("form", "EP|RC|ccpu"), ("chapter", "TOKEN")):
        parser.add_argument(
            f"--{name}",
            metavar=metavar,
            type=named,
            action="append",
            default=[],
            help=say(f"cli.scope.{name}"),
        )
    parser.add_argument("--cann", metavar="VERSION", type=named, help=say("cli.scope.cann"))
    parser.add_argument("--tier", choices=_TIERS, default="must-pass", help=say("cli.qualify.tier"))
    parser.add_argument(
        "--rounds", metavar="N", type=int, help=say("cli.qualify.rounds", rounds=_SOAK_ROUNDS)
    )
    parser.add_argument("--waivers", metavar="FILE", type=Path, help=say("cli.qualify.waivers"))
    parser.add_argument("--fault", metavar="NAME", type=named, help=say("cli.qualify.fault"))
    parser.add_argument(
        "-n", "--workers", metavar="N", type=workers, default="auto", help=say("cli.workers.help")
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help=say("cli.qualify.output"))
    parser.add_argument("--registry", metavar="DIR", type=Path, help=say("cli.qualify.registry"))
    parser.add_argument("--sign", metavar="KEY", type=Path, help=say("cli.qualify.sign"))
    parser.add_argument("--sigstore", action="store_true", help=say("cli.qualify.sigstore"))
    parser.add_argument("--scrub", action="store_true", help=say("cli.qualify.scrub"))
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Run the tier and write the bundle; BAD where a release cannot stand on it."""
    usual = _SOAK_ROUNDS if options.tier == "soak" else 1
    rounds = usual if options.rounds is None else options.rounds
    if rounds < 1:
        raise CommandError(context.say("cli.qualify.bad_rounds"))
    waivers = _read(options.waivers, context) if options.waivers else None
    output = options.output or Path(f"qualification-{datetime.now(timezone.utc):%Y%m%d-%H%M%S}.zip")
    _check_places(options, output)
    words = _words(options)
    planned = plan(context, words)
    with tempfile.TemporaryDirectory(prefix="aclcts-qualify-") as folder:
        folders = [Path(folder) / str(number) for number in range(1, rounds + 1)]
        log = ""
        for number, each in enumerate(folders):
            seed = ("--seed", str(_FIRST_SEED + number)) if rounds > 1 else ()
            said, ended = _pytest([*words, *seed], each, options, context)
            log += said
            if ended == STOPPED:
                return STOPPED
        runs = [read_run(each) for each in folders]
        scrubber = Scrubber([platform.node(), str(runs[0].header.environment.get("host", ""))])
        files = contents(
            [_results(each, scrubber if options.scrub else None) for each in folders],
            planned,
            context.contract,
            waivers,
            _others(runs[0], log, folder, scrubber if options.scrub else None, context),
        )
    made = write_bundle(
        output,
        files,
        context.contract,
        harness=__version__,
        made=datetime.now(timezone.utc).replace(microsecond=0),
        scrubbed=options.scrub,
        key_file=options.sign,
        keyless=options.sigstore,
    )
    place = file_and_index(output, options.registry) if options.registry else None
    if options.json:
        print_json({"bundle": str(output), "registry": str(place or ""), **as_json(made.qualification)})
    else:
        print(told(made.qualification, context))
        print(context.say("cli.qualify.bundle", file=output))
        if place is not None:
            print(context.say("cli.qualify.filed", file=place))
    return status(made.qualification)


def _check_places(options: argparse.Namespace, output: Path) -> None:
    """Find out before the long run what would be wrong after it: ResultsError, one line."""
    check_place(output, "the bundle")
    if options.registry:
        check_registry(options.registry)
    if options.sign:
        sign(b"", options.sign)
    if options.sigstore:
        check_ready()


def _words(options: argparse.Namespace) -> list[str]:
    """The options of pytest that the plan and every round have in common."""
    words = ["--tier", "full" if options.tier == "soak" else options.tier]
    for name in ("target", "cann", "fault"):
        if (value := getattr(options, name)) is not None:
            words += [f"--{name}", value]
    for name in ("sku", "form", "chapter"):
        words += [word for value in getattr(options, name) for word in (f"--{name}", value)]
    if options.waivers is not None:
        words += ["--waivers", str(options.waivers.absolute())]
    return words


def _pytest(
    words: Sequence[str], folder: Path, options: argparse.Namespace, context: Context
) -> tuple[str, int]:
    """One run into the folder, shown as it goes; what it said and its exit status."""
    command = [sys.executable, "-m", "pytest", "suites", "-q", "-p", "no:cacheprovider", *words]
    command += ["--results", str(folder), "-n", options.workers]
    said = []
    with subprocess.Popen(
        command,
        cwd=context.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as running:
        assert running.stdout is not None
        with ended_with(running):
            for line in running.stdout:
                # The folder is gone when the bundle is made.
                if line.startswith(("results: ", "report: ")):
                    continue
                said.append(line)
                if not options.json:
                    print(clean(line), end="", flush=True)
    ended = running.returncode
    if ended not in (GOOD, BAD, STOPPED):
        lines = [line.strip() for line in said if line.strip()] or ["no output"]
        raise CommandError(clean(lines[-1].removeprefix("ERROR: ")))
    return "".join(said), ended


def _results(folder: Path, scrubber: Scrubber | None) -> bytes:
    content = (folder / FILE_NAME).read_bytes()
    if scrubber is None:
        return content
    encode, decode = msgspec.json.encode, msgspec.json.decode
    return b"".join(encode(scrubber.value(decode(line))) + b"\n" for line in content.splitlines())


def _others(
    first: Run, log: str, folder: str, scrubber: Scrubber | None, context: Context
) -> dict[str, bytes]:
    """What a person looks at: the environment, what pytest said, and the report."""
    environment = first.header.environment
    if scrubber is not None:
        first = _scrubbed(first, scrubber)
        environment, log = first.header.environment, scrubber.text(log)
    page = Path(folder) / "report.html"
    beside = Beside(proofs=proofs(context.contract))
    render_runs([first], page, context.language, context.contract, beside)
    return {
        "environment.json": msgspec.json.format(msgspec.json.encode(environment), indent=1) + b"\n",
        "console.log": clean(log, len(log)).encode(),
        "report.html": page.read_bytes(),
    }


def _scrubbed(run: Run, scrubber: Scrubber) -> Run:
    from harness.results import CaseRecord, Header

    def one(record: object, kind: type[msgspec.Struct]) -> object:
        return msgspec.convert(scrubber.value(msgspec.to_builtins(record)), kind)

    run.header = one(run.header, Header)  # type: ignore[assignment]
    run.cases = [one(case, CaseRecord) for case in run.cases]  # type: ignore[misc]
    return run


def _read(file: Path, context: Context) -> bytes:
    from harness.results.waivers import read_waivers

    read_waivers(file, context.contract)
    try:
        return file.read_bytes()
    except OSError as error:
        raise ResultsError(file, f"cannot be read ({error.strerror})") from None


COMMAND = Command("qualify", configure, run)
