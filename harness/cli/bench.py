"""`aclcts bench run`: benchmarks of copies and calls; `compare` and `calibrate` beside it."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path

import msgspec

from harness.benchmark import BenchmarkError, Order, catalogue, quick_sizes, sweep_sizes
from harness.benchmark.devices import together
from harness.benchmark.host import parse_cpus, reachable
from harness.benchmark.session import Leases, chosen, header_for, run
from harness.cli import bench_calibrate, bench_compare, bench_text
from harness.cli.command import BAD, GOOD, Command, CommandError, Context, add_json, print_json, seed
from harness.device import Target, select_target, visible_devices, whole_number
from harness.plugin.settings import probe_in_child
from harness.results import BenchmarkRecord, Store
from reports.catalogue import LANGUAGES

_FULL_SIZES = 40
_TIMING_KEYS = ("link", "device", "latency", "jitter")
_TOGETHER_SIZE = 64 << 20
_TOGETHER_QUICK_SIZE = 1 << 20

Action = Callable[[argparse.Namespace, Context], int]


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the three actions and their options."""
    say = context.say
    actions = parser.add_subparsers(metavar="run|compare|calibrate", required=True)
    for name, options, act in (
        ("run", _run_options, _run),
        ("compare", bench_compare.options, bench_compare.run),
        ("calibrate", bench_calibrate.options, bench_calibrate.run),
    ):
        action = actions.add_parser(
            name,
            help=say(f"cli.bench.{name}.help"),
            description=say(f"cli.bench.{name}.help"),
            epilog=say("cli.example", example=say(f"cli.bench.{name}.example")),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        action.add_argument("--lang", choices=LANGUAGES, default=argparse.SUPPRESS, help=say("cli.lang.help"))
        options(action, context)
        add_json(action, context)
        action.set_defaults(action=act)


def run_action(options: argparse.Namespace, context: Context) -> int:
    """Do what was asked for; expected errors of benchmarks as errors of the command."""
    act: Action = options.action
    try:
        return act(options, context)
    except BenchmarkError as error:
        raise CommandError(str(error)) from None


def _run_options(parser: argparse.ArgumentParser, context: Context) -> None:
    say, add = context.say, parser.add_argument
    add("--target", metavar="reference|cann|PATH", help=say("cli.target.help"))
    add("--sku", metavar="PRODUCT", action="append", default=[], help=say("cli.bench.sku"))
    add("--form", metavar="EP|RC|ccpu", action="append", default=[], help=say("cli.bench.form"))
    add("--cann", metavar="VERSION", help=say("cli.bench.cann"))
    add("--quick", action="store_true", help=say("cli.bench.quick"))
    add("--series", metavar="PATTERN", action="append", default=[], help=say("cli.bench.series"))
    add("--sizes", metavar="N|BYTES,…", help=say("cli.bench.sizes", default=_FULL_SIZES))
    add("--list", action="store_true", help=say("cli.bench.list"))
    add("--together", action="store_true", help=say("cli.bench.together"))
    add("--seed", metavar="N", type=seed, help=say("cli.bench.seed"))
    add(
        "--results",
        metavar="DIR",
        type=Path,
        default=Path("reports/out/bench"),
        help=say("cli.bench.results"),
    )
    add("--model", metavar="FILE.om", type=Path, help=say("cli.bench.model"))
    add("--cpus", metavar="LIST", help=say("cli.bench.cpus"))
    add(
        "--timing",
        metavar="KEY=VALUE,…",
        default="",
        help=say("cli.bench.timing", keys=", ".join(_TIMING_KEYS)),
    )
    add("--force", action="store_true", help=say("cli.bench.force"))


def _run(options: argparse.Namespace, context: Context) -> int:
    """Measure; BAD where data was wrong, or nothing could be measured at all."""
    sizes = sizes_of(options.sizes, options.quick, context)
    benchmarks = chosen(catalogue(sizes), options.series)
    if options.list:
        names = sorted({each.series for each in benchmarks})
        print_json(names) if options.json else print("\n".join(names))
        return GOOD
    target = select_target(
        context.contract, options.target, options.sku, options.form, options.cann, probe=probe_in_child
    )
    if options.model is not None and not options.model.is_file():
        raise CommandError(context.say("cli.bench.no_model", file=options.model))
    order = Order(
        effort="quick" if options.quick else "full",
        seed=options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32),
        timing=timing_of(options.timing, context),
        model=str(options.model.resolve()) if options.model is not None else "",
        cpus=_cpus(options.cpus, context),
    )
    if order.timing and target.kind != "reference":
        raise CommandError(context.say("cli.bench.no_timing", library=target.path))
    if not options.json:
        print(context.say("cli.bench.begins", target=target.label, number=len(benchmarks), seed=order.seed))

    def tell(record: BenchmarkRecord) -> None:
        if not options.json:
            print(bench_text.line(record, context), flush=True)

    if options.together:
        records = _together(target, order, options, context)
        for record in records:
            tell(record)
    else:
        records = run(
            target, context.contract, benchmarks, order, options.results, options.force, progress=tell
        )
    if options.json:
        print_json([msgspec.to_builtins(record) for record in records])
    else:
        print(bench_text.summary(records, context))
        print(context.say("cli.bench.written", folder=options.results))
    wrong = any(record.mismatches for record in records)
    return BAD if wrong or not any(record.samples for record in records) else GOOD


def _together(
    target: Target, order: Order, options: argparse.Namespace, context: Context
) -> list[BenchmarkRecord]:
    """All devices at once, each way; the records are written as those of any other run."""
    count = target.detected.devices if target.hardware else 2
    leases = Leases(target, count, options.force)
    try:
        devices = list(leases.devices) or visible_devices(count)
        size = _TOGETHER_QUICK_SIZE if options.quick else _TOGETHER_SIZE
        profile = target.profiles[0]
        with Store(options.results, header_for(target, context.contract, order, {})) as store:
            records = []
            for direction in ("h2d", "d2h"):
                records.append(together(target, context.contract, order, profile, devices, direction, size))
                store.append(records[-1])
            store.finish(0)
        return records
    finally:
        leases.release()


def sizes_of(given: str | None, quick: bool, context: Context) -> list[int]:
    """The sizes of `--sizes`: so many of a sweep, or a list of bytes; CommandError for anything else."""
    if given is None:
        return quick_sizes() if quick else sweep_sizes(_FULL_SIZES)
    read = [whole_number(word.strip()) for word in given.split(",") if word.strip()]
    numbers = [number for number in read if number]
    if not numbers or len(numbers) < len(read):
        raise CommandError(context.say("cli.bench.bad_sizes", given=given))
    if "," in given:
        return sorted(set(numbers))
    swept = sweep_sizes(numbers[0])
    if len(swept) < numbers[0]:
        raise CommandError(context.say("cli.bench.bad_sizes", given=given))
    return swept


def timing_of(given: str, context: Context) -> dict[str, float]:
    """The timing model's settings of `--timing`; CommandError for what is none."""
    timing: dict[str, float] = {}
    for part in given.split(",") if given else []:
        key, _, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if key not in _TIMING_KEYS or not 0 < number < float("inf"):
            keys = ", ".join(_TIMING_KEYS)
            raise CommandError(context.say("cli.bench.bad_timing", given=part, keys=keys))
        timing[key] = number
    return timing


def _cpus(given: str | None, context: Context) -> tuple[int, ...]:
    if given is None:
        return ()
    parts = [parse_cpus(part) for part in given.split(",")]
    if not all(parts):
        raise CommandError(context.say("cli.bench.bad_cpus", given=given))
    cpus = set[int]().union(*parts)
    lacking = cpus - reachable(cpus)
    if lacking:
        raise CommandError(context.say("cli.bench.no_cpus", lacking=min(lacking)))
    return tuple(sorted(cpus))


COMMAND = Command("bench", configure, run_action)
