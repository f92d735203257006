"""Benchmarks in a process of their own: a library that crashes or hangs costs one figure, not the run."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from harness.benchmark import host
from harness.benchmark.catalogue import Benchmark
from harness.benchmark.errors import BenchmarkError
from harness.benchmark.measure import Conditions, blank, measure
from harness.benchmark.plans import make
from harness.benchmark.probe import load_probe
from harness.benchmark.reasons import NO_SECOND_DEVICE
from harness.benchmark.roofline import pcie_link, profile_link
from harness.benchmark.sampling import EFFORTS
from harness.benchmark.workbench import Workbench
from harness.contract import Contract
from harness.device import VISIBLE_DEVICES, Engine, Profile, Target, fingerprint
from harness.isolation import ChildDied, Supervisor
from harness.results import BenchmarkRecord, Link, Place

DEADLINE_S = 300.0
"""How long one benchmark may take at most, in seconds, where nobody says."""
_MOST_HUNG = 3
_COMPARED_FACTS = ("host", "cpu", "cores", "machine", "soc")


@dataclass(frozen=True)
class Order:
    """What a run of benchmarks is to be like; plain data, so that the measuring process can be told."""

    effort: str = "full"
    seed: int = 0
    timing: dict[str, float] = field(default_factory=dict)
    """The reference device's timing model: link, device (bytes per second), latency (seconds), jitter."""
    devices: tuple[str, ...] = ()
    """The host's devices that the process may see; none: all."""
    shared: bool = False
    model: str = ""
    cpus: tuple[int, ...] = ()
    """The cores to run on; none: those beside the device."""
    deadline: float = DEADLINE_S
    """Seconds after which a benchmark has hung."""


class Measuring:
    """Measures benchmarks of one target in a child process, one after the other.

    Where three of them have hung, the others are not tried: each would cost its deadline.

    `with Measuring(target, contract, order) as measuring: record = measuring.run(profile, benchmark, place)`
    """

    def __init__(self, target: Target, contract: Contract, order: Order) -> None:
        # Without the native loop nothing can be measured: better said before a process is made.
        load_probe()
        self.target = target
        self.order = order
        self._hung = 0
        self._supervisor = Supervisor(_Work(target, contract, order))

    def __enter__(self) -> Measuring:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._supervisor.close()

    def prepare(self, profile: Profile) -> None:
        """Have the process there with the library ready: a fork has to come before any thread is made."""
        self._supervisor.run({"profile": asdict(profile)}, self.order.deadline)

    def run_part(
        self, profile: Profile, what: Benchmark, barrier: int, parties: int, samples: int, repeat: int
    ) -> list[float]:
        """This device's samples of a benchmark that several devices run together; ChildDied or an error of
        the child where there are none. `barrier` is the address of a counter in memory that was shared before
        this object was made.
        """
        task = {
            "profile": asdict(profile),
            "benchmark": asdict(what),
            "barrier": barrier,
            "parties": parties,
            "samples": samples,
            "repeat": repeat,
        }
        return [float(value) for value in self._supervisor.run(task, self.order.deadline)]

    def run(self, profile: Profile, what: Benchmark, order: int = 0) -> BenchmarkRecord:
        """The record of one benchmark; where the process died with it, one that says so."""
        if self._hung == _MOST_HUNG:
            return blank(profile, what, f"not tried: {_MOST_HUNG} benchmarks before it did not end in time")
        task = {"profile": asdict(profile), "benchmark": asdict(what), "order": order}
        try:
            answer = self._supervisor.run(task, self.order.deadline)
        except ChildDied as died:
            self._hung += died.death.kind == "hang"
            return blank(profile, what, f"the process died: {died}")
        return msgspec.convert(answer, BenchmarkRecord)


def environment_hash(facts: dict[str, Any], timing: dict[str, float]) -> str:
    """What must be equal for two figures to be compared: host, processor, SoC, and the timing model.

    Driver and library are left out: they are what a comparison is about.
    """
    told = {name: facts.get(name, "") for name in _COMPARED_FACTS} | {"timing": dict(sorted(timing.items()))}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def timing_spec(timing: dict[str, float]) -> str:
    """The settings of the timing model as the reference device's control interface takes them."""
    if not timing:
        return ""
    return ";timing=on" + "".join(f";{name}={value!r}" for name, value in timing.items() if value)


class _Work:
    """The measuring process's side."""

    def __init__(self, target: Target, contract: Contract, order: Order) -> None:
        self._target = target
        self._contract = contract
        self._order = order
        self._engine: Engine | None = None
        self._bench: Workbench | None = None
        self._profile: Profile | None = None
        self._link: Link | None = None
        self._conditions: Conditions | None = None

    def prepare(self) -> None:
        """Every child has what it needs."""

    def start(self, journal: Path) -> None:
        """Nothing is loaded before the first benchmark; what the library writes then is nobody's."""
        with open(os.devnull, "wb") as nowhere:
            for output in (1, 2):
                os.dup2(nowhere.fileno(), output)
        if self._order.devices:
            os.environ[VISIBLE_DEVICES] = ",".join(self._order.devices)

    def run(self, task: Any) -> Any:
        """Measure one benchmark; the record as JSON values. With `barrier`, this device's part of one."""
        profile = Profile(**task["profile"])
        if "benchmark" not in task:
            self._ready(profile)
            return None
        if "barrier" in task:
            return self._part(profile, task)
        entry = dict(task["benchmark"])
        what = Benchmark(**{**entry, "needs": tuple(entry["needs"])})
        bench, conditions = self._ready(profile)
        link = self._link_of(profile, what.direction)
        if what.direction == "peer" and self._device_count(bench) < 2:
            record = measure(bench, what, conditions, task["order"], None)
            record.reason = record.reason or NO_SECOND_DEVICE
            return msgspec.to_builtins(record)
        return msgspec.to_builtins(measure(bench, what, conditions, task["order"], link))

    def finish(self) -> None:
        """Give everything back."""
        if self._bench is not None:
            self._bench.close()
        if self._engine is not None:
            self._engine.close()

    def _ready(self, profile: Profile) -> tuple[Workbench, Conditions]:
        if self._bench is not None and self._conditions is not None and profile == self._profile:
            return self._bench, self._conditions
        if self._bench is not None:
            self._bench.close()
        engine = self._engine = self._engine or Engine(self._target, self._contract)
        engine.configure(profile)
        control = engine.library.control
        timing = self._order.timing
        if control is not None and timing:
            control.configure(profile.spec + timing_spec(timing))
        elif timing:
            raise BenchmarkError(f"{self._target.path}: only the reference device has a timing model")
        engine.enter(profile)
        self._bench = Workbench(engine.library, engine.c, profile, load_probe())
        self._profile = profile
        self._conditions = self._found_conditions(self._bench)
        return self._bench, self._conditions

    def _found_conditions(self, bench: Workbench) -> Conditions:
        """Bind to the cores beside the device, before any pinned memory is allocated."""
        order = self._order
        bus = self._bus_id(bench)
        binding = host.Binding(order.cpus) if order.cpus else host.binding_for(bus)
        os.sched_setaffinity(0, binding.cpus)
        negotiated = host.negotiated_link(bus)
        self._link = pcie_link(*negotiated) if negotiated else None
        devices = [int(device) for device in order.devices if device.isdigit()] or [0]
        return Conditions(
            effort=EFFORTS[order.effort],
            seed=order.seed,
            environment=environment_hash(fingerprint(self._target), order.timing),
            virtual=bool(order.timing),
            shared=order.shared,
            device=devices[0] if self._target.hardware else None,
            place=Place(cpus=list(binding.cpus), node=binding.node, devices=devices),
            model=Path(order.model) if order.model else None,
        )

    def _bus_id(self, bench: Workbench) -> str:
        if not self._target.hardware or bench.missing("aclrtDeviceGetPCIBusId"):
            return ""
        answer = bench.surface.call("aclrtDeviceGetPCIBusId", device=0, len=64)
        text = answer.outputs.get("pciBusId", b"") if answer.ok else b""
        return text.split(b"\0")[0].decode(errors="replace") if isinstance(text, bytes) else str(text)

    def _link_of(self, profile: Profile, direction: str) -> Link | None:
        """The link of a direction: negotiated, as the timing model was told, or the profile's.

        The reference device without its timing model moves bytes as fast as this host: no link bounds it.
        """
        timing = self._order.timing
        if self._target.hardware:
            return self._link if direction in ("h2d", "d2h") else profile_link(profile.product, direction)
        if not timing:
            return None
        made = profile_link(profile.product, direction)
        told = timing.get("link" if direction in ("h2d", "d2h", "both") else "device")
        if made is None or not told:
            return made
        return Link(name="timing model", peak=told * (2 if direction == "both" else 1), source="its settings")

    def _part(self, profile: Profile, task: dict[str, Any]) -> list[float]:
        """Device times of so many samples, each begun together with the other devices', in seconds."""
        bench, _ = self._ready(profile)
        entry = dict(task["benchmark"])
        made = make(bench, Benchmark(**{**entry, "needs": tuple(entry["needs"])}))
        made.plan.repeat = task["repeat"]
        made.plan.barrier, made.plan.parties = task["barrier"], task["parties"]
        taken = bench.probe.run(made.plan, 0, [False] * task["samples"])
        bench.finish()
        return [float(value) for value in taken.elapsed[:, 0]]

    @staticmethod
    def _device_count(bench: Workbench) -> int:
        answer = bench.surface.call("aclrtGetDeviceCount")
        return int(answer.count) if answer.ok else 0
