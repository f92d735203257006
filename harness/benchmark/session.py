"""A run of benchmarks: who may use the device, in which order, and where the records go."""

from __future__ import annotations

import fnmatch
import random
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from harness.benchmark import host
from harness.benchmark.catalogue import Benchmark
from harness.benchmark.errors import BenchmarkError
from harness.benchmark.work import Measuring, Order
from harness.contract import Contract
from harness.device import DeviceLease, Profile, Target, fingerprint, visible_devices
from harness.results import SCHEMA, BenchmarkRecord, ContractInfo, Header, Store, TargetInfo

_PATIENCE_S = 60.0
_REFERENCE = "reference-benchmarks"

Progress = Callable[[BenchmarkRecord], None]


def chosen(benchmarks: Iterable[Benchmark], patterns: Sequence[str]) -> list[Benchmark]:
    """The benchmarks whose series one of the patterns names, all where there is none; BenchmarkError for a
    pattern that names none.
    """
    every = list(benchmarks)
    if not patterns:
        return every
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(each.series, pattern) for each in every):
            raise BenchmarkError(f"no series matches {pattern!r}; `aclcts bench run --list` shows them")
    return [each for each in every if any(fnmatch.fnmatchcase(each.series, pattern) for pattern in patterns)]


def shuffled(benchmarks: Sequence[Benchmark], seed: int) -> list[Benchmark]:
    """The benchmarks in an order that the seed alone decides: what one does to the next is spread over
    all.
    """
    order = list(benchmarks)
    random.Random(seed).shuffle(order)
    return order


class Leases:
    """The devices of a run, leased for as long as it lasts; one benchmark run at a time on the reference
    device.

    BenchmarkError where a device is in use and `force` is not given; with it the run goes on, and `shared`
    says so.
    """

    def __init__(self, target: Target, wanted: int, force: bool, patience_s: float = _PATIENCE_S) -> None:
        self.shared = False
        self.devices: tuple[str, ...] = ()
        self._leases: list[DeviceLease] = []
        names = visible_devices(target.detected.devices) if target.hardware else [_REFERENCE]
        end = time.monotonic() + patience_s
        while (lease := DeviceLease.take(names)) is None and time.monotonic() < end and not force:
            time.sleep(0.2)
        if lease is None:
            if not force:
                raise BenchmarkError("every device is in use by another run; wait for it, or give --force")
            self.shared = True
        else:
            self._leases.append(lease)
        if target.hardware:
            self._take_hardware(names, wanted, force)

    def _take_hardware(self, names: list[str], wanted: int, force: bool) -> None:
        while 0 < len(self._leases) < wanted and (more := DeviceLease.take(names)) is not None:
            self._leases.append(more)
        self.devices = tuple(lease.device for lease in self._leases) or tuple(names[:wanted])
        others = [
            who for device in self.devices if device.isdigit() for who in host.others_on_device(int(device))
        ]
        if others and not force:
            self.release()
            raise BenchmarkError(f"the device is in use by {', '.join(others)}; end that, or give --force")
        self.shared = self.shared or bool(others)

    def release(self) -> None:
        """Give the devices back."""
        for lease in self._leases:
            lease.release()
        self._leases.clear()


def run(
    target: Target,
    contract: Contract,
    benchmarks: Sequence[Benchmark],
    order: Order,
    folder: Path,
    force: bool = False,
    progress: Progress = lambda record: None,
    options: dict[str, Any] | None = None,
) -> list[BenchmarkRecord]:
    """Measure, write each record into the folder's `results.jsonl` as it comes, and give all of them.

    Raises BenchmarkError where the device or the measuring loop is not to be had, ResultsError where the
    folder is not.
    """
    leases = Leases(target, max((each.devices for each in benchmarks), default=1), force)
    records = []
    try:
        order = replace(order, devices=order.devices or leases.devices, shared=order.shared or leases.shared)
        header = header_for(target, contract, order, options or {})
        with Measuring(target, contract, order) as measuring, Store(folder, header) as store:
            for number, (profile, what) in enumerate(_places(target.profiles, benchmarks, order.seed)):
                record = measuring.run(profile, what, number)
                store.append(record)
                records.append(record)
                progress(record)
            store.finish(0)
    finally:
        leases.release()
    return records


def _places(
    profiles: Sequence[Profile], benchmarks: Sequence[Benchmark], seed: int
) -> Iterable[tuple[Profile, Benchmark]]:
    """Each profile's benchmarks in one shuffled order; changing the profile costs an initialisation."""
    for profile in profiles:
        for what in shuffled(benchmarks, seed):
            yield profile, what


def header_for(target: Target, contract: Contract, order: Order, options: dict[str, Any]) -> Header:
    """The header of a results file of benchmarks."""
    facts = {**fingerprint(target), "governor": host.governor()}
    return Header(
        schema=SCHEMA,
        run_id=uuid.uuid4().hex,
        started=datetime.now(timezone.utc),
        target=TargetInfo(kind=target.kind, label=target.label, path=target.path, sha256=target.sha256),
        contract=ContractInfo(version=contract.version, hash=contract.hash),
        environment={name: value for name, value in facts.items() if value != ""},
        products=list(dict.fromkeys(profile.product for profile in target.profiles)),
        forms=list(dict.fromkeys(profile.form for profile in target.profiles)),
        cann=target.profiles[0].cann,
        surfaces=["c"],
        options={"benchmarks": order.effort, **({"timing": order.timing} if order.timing else {}), **options},
        seed=order.seed,
    )
