"""The contract of all copies, written once and applied to every function that makes one.

A *trial* is a pair of filled blocks with a plan of transfers between them, linear or pitched. `Copies` makes
trials, runs them through a function, and judges what is in the blocks afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, product
from typing import Any, TypeAlias

import numpy as np

from harness.device import GUARD_BYTE
from harness.plugin import Block, Case, Expect, Hold, Memory, pattern
from suites.memory.copy.foreign import thread_stack
from suites.memory.copy.kinds import D2D, D2H, H2D, H2H
from suites.memory.copy.layout import (
    ALIGNED,
    BULK,
    COUNTS,
    KIB,
    LEVEL,
    LEVEL_COUNTS,
    MIB,
    ODD,
    Bytes,
    Plan,
    Skews,
    Transfer,
    spread,
    windows,
)
from suites.memory.copy.peers import Peer
from suites.memory.copy.planes import PlanePlan
from suites.threads import elsewhere, soon, together

FILL = GUARD_BYTE
"""What every byte of a target holds before a copy; no source ever holds it."""

DEVICE_KINDS = ("device", "managed", "vmm")


@dataclass
class Trial:
    """Two blocks, what must happen between them, and what the calls answered."""

    source: Block
    target: Block
    plan: Plan | PlanePlan
    data: Bytes
    """What the source holds when the copies are submitted."""
    before: Bytes
    """What the target holds before the first of them."""
    results: list[Any] = field(default_factory=list)
    spare: int = 0
    """Bytes that destMax says more, or less, than count."""

    @property
    def arguments(self) -> list[dict[str, int]]:
        """What each call is given, by C parameter names."""
        return self.plan.arguments(self.source.ptr, self.target.ptr, self.spare)

    @property
    def image(self) -> Bytes:
        """What the target must hold when every transfer was made."""
        return self.plan.image(self.before, self.data)

    @property
    def direction(self) -> str:
        """The kind that names the two sides."""
        kinds = {(False, False): H2H, (False, True): H2D, (True, False): D2H, (True, True): D2D}
        return kinds[self.source.kind in DEVICE_KINDS, self.target.kind in DEVICE_KINDS]


class Outside:
    """What lies outside the targets of a trial: bytes that nothing may change, whatever a copy does.

    Read and compared like a block; the targets themselves read as they were before.
    """

    def __init__(self, trial: Trial) -> None:
        self.kind = trial.target.kind
        self._trial = trial

    def read(self) -> Bytes:
        """The target block as it is, except for the targets of the transfers."""
        got = self._trial.target.read()
        nothing, everything = np.zeros_like(got), np.ones_like(self._trial.data)
        inside = self._trial.plan.image(nothing, everything) == 1
        return np.where(inside, self._trial.before, got)

    def expected(self) -> Bytes:
        """The target block as it was."""
        return self._trial.before


Trials: TypeAlias = "Trial | Sequence[Trial]"
Kinds: TypeAlias = "str | int | Sequence[str | int] | None"
"""The kind of every call; several take turns; None is the kind that names the trial's direction."""


class Copies:
    """Makes, runs and judges trials on the surface under test."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect) -> None:
        self.acl = acl
        self.case = case
        self.memory = memory
        self.expect = expect

    @staticmethod
    def listed(trials: Trials) -> Sequence[Trial]:
        """One trial or several, as a sequence."""
        return [trials] if isinstance(trials, Trial) else trials

    # Making trials

    def between(
        self,
        source: str,
        target: str,
        counts: Sequence[int] = COUNTS,
        skews: Skews = ODD,
        spare: int = 0,
        seed: int = 1,
    ) -> Trial:
        """A trial between blocks of two kinds of memory, one transfer for each count."""
        return self.of_plan(source, target, spread(counts, skews), spare, seed)

    def of_plan(
        self, source: str, target: str, plan: Plan | PlanePlan, spare: int = 0, seed: int = 1
    ) -> Trial:
        """A trial of a plan between new blocks of two kinds of memory."""
        from_block = self.memory.of(source, plan.source_size)
        return self.over(from_block, self.memory.of(target, plan.target_size), plan, spare, seed)

    def over(
        self, source: Block, target: Block, plan: Plan | PlanePlan, spare: int = 0, seed: int = 1
    ) -> Trial:
        """A trial of a plan between two blocks; the source is filled, the target stays as it is."""
        data = pattern(source.size, seed)
        source.write(data)
        return Trial(source, target, plan, data, target.expected(), spare=spare)

    def whole(self, source: str, target: str, counts: Sequence[int] = COUNTS) -> list[Trial]:
        """For each count a trial that copies all of one block to all of another, with no guards of ours."""
        trials = []
        for count in counts:
            blocks = [self.memory.of(kind, count, guard=0) for kind in (source, target)]
            trials.append(self.over(*blocks, Plan((Transfer(0, 0, count),), count, count)))
        return trials

    def among(self, sources: Sequence[str], targets: Sequence[str], **options: Any) -> list[Trial]:
        """A trial for every pair of these kinds of memory that the product has."""
        return [
            self.between(source, target, **options)
            for source, target in product(sources, targets)
            if self.memory.supports(source) and self.memory.supports(target)
        ]

    def level(self, sources: Sequence[str], targets: Sequence[str]) -> list[Trial]:
        """As `among`, with windows that are unaligned by the same distance on both sides."""
        return self.among(sources, targets, counts=LEVEL_COUNTS, skews=LEVEL)

    def bulk(self, source: str, target: str) -> Trial:
        """A trial of one transfer that is large enough to be handed on in pieces."""
        plan = spread([BULK])
        data = pattern(plan.source_size)
        from_block = self.memory.of(source, plan.source_size).write(data)
        to_block = self.memory.of(target, plan.target_size)
        return Trial(from_block, to_block, plan, data, np.broadcast_to(np.uint8(FILL), plan.target_size))

    def far_too_long(self) -> Trial:
        """A trial whose count is 4 GiB above the destMax of 64, which is what 32 bits of it say."""
        plan = Plan((Transfer(0, 0, 4 * KIB * MIB + 64),), 64, 64)
        return self.of_plan(self.queued_end, "device", plan, spare=-4 * KIB * MIB)

    def both_ways(self, counts: Sequence[int], seed: int) -> list[Trial]:
        """A trial from pageable memory to the device and one back, with bytes of their own for every seed."""
        return [
            self.between("pageable", "device", counts, seed=2 * seed + 1),
            self.between("device", "pageable", counts, seed=2 * seed + 2),
        ]

    def same_side(self, counts: Sequence[int], seed: int) -> list[Trial]:
        """A trial inside the device and one inside pageable memory, with bytes of their own per seed."""
        return [
            self.between("device", "device", counts, seed=2 * seed + 1),
            self.between("pageable", "pageable", counts, seed=2 * seed + 2),
        ]

    def queued(self, **options: Any) -> list[Trial]:
        """A trial for every direction that an asynchronous copy must know in this product and version."""
        hosts = self.queued_hosts
        options = {"skews": ALIGNED, **options}
        across = self.among(hosts, ["device"], **options) + self.among(["device"], hosts, **options)
        return [*across, self.between("device", "device", **options)]

    @property
    def queued_hosts(self) -> list[str]:
        """The kinds of host memory that asynchronous copies take: pageable memory since 8.3."""
        kinds = ["pinned", "registered", *(["pageable"] if self.since(8, 3) else [])]
        return [kind for kind in kinds if self.memory.supports(kind)]

    @property
    def queued_end(self) -> str:
        """The kind of host memory that suits an asynchronous copy best; device memory where none does."""
        return (self.queued_hosts or ["device"])[0]

    def since(self, major: int, minor: int) -> bool:
        """Whether the version whose promises hold is this one or a later one."""
        return tuple(int(part) for part in self.case.profile.cann.split(".")[:2]) >= (major, minor)

    def on_shared_memory(self) -> list[Trial]:
        """A trial for every direction that a form with one memory turns into a copy inside the device.

        Host to host is named by the documents since 8.3 only.
        """
        across = [("pinned", "device"), ("device", "pinned"), ("device", "device")]
        pairs = [*across, ("pinned", "pinned")] if self.since(8, 3) else across
        return [self.between(source, target, skews=ALIGNED) for source, target in pairs]

    def again(self, trial: Trial, seed: int = 2) -> Trial:
        """The transfers of a trial once more, its source filled with other bytes."""
        return self.over(trial.source, trial.target, trial.plan, seed=seed)

    def rewriting(self, first: str, second: str, count: int = 64 * KIB) -> tuple[Trial, Trial]:
        """Two trials from two kinds of memory to the same place: what the later one copies must stay."""
        plan = spread([count])
        target = self.memory.device(plan.target_size)
        blocks = [self.memory.of(kind, plan.source_size) for kind in (first, second)]
        one, other = (self.over(block, target, plan, seed=seed) for seed, block in enumerate(blocks, 1))
        return one, other

    def out_of(self, source: Block, target: str) -> Trial:
        """A trial from memory that is filled and must not be written, from several offsets to its end."""
        offsets = [offset for offset in (0, 1, 3, 4097) if offset < source.size]
        places, size = windows([source.size - offset for offset in offsets], ODD[1])
        moves = [Transfer(at, to, source.size - at) for at, to in zip(offsets, places, strict=True)]
        block = self.memory.of(target, size)
        return Trial(source, block, Plan(tuple(moves), source.size, size), source.read(), block.expected())

    def into(self, source: str, target: Block) -> Trial:
        """A trial from new memory into memory that is there already, to odd offsets."""
        plan = spread((1, 63, 4097), ODD)
        return self.over(
            self.memory.of(source, plan.source_size),
            target.fill(FILL),
            Plan(plan.transfers, plan.source_size, target.size),
        )

    def onto_themselves(self, kinds: Sequence[str], count: int) -> list[Trial]:
        """For every kind of memory a trial whose source and target are the same bytes of one block."""
        return [self.shifted(kind, count, by=0) for kind in kinds if self.memory.supports(kind)]

    def shifted(self, kind: str, count: int, by: int) -> Trial:
        """A trial inside one block, the target `by` bytes behind the source."""
        block = self.memory.of(kind, count + by + 128)
        data = pattern(block.size)
        block.write(data)
        return Trial(block, block, Plan((Transfer(64, 64 + by, count),), block.size, block.size), data, data)

    def to_peer(
        self,
        peer: Peer,
        counts: Sequence[int] = COUNTS,
        skews: Skews = ODD,
        policy: str = "ACL_MEM_MALLOC_HUGE_FIRST",
    ) -> Trial:
        """A trial from device 0 to a second device."""
        plan = spread(counts, skews)
        here = self.memory.device(plan.source_size, policy=policy)
        return self.over(here, peer.memory(plan.target_size, policy), plan)

    def from_peer(
        self,
        peer: Peer,
        counts: Sequence[int] = COUNTS,
        skews: Skews = ODD,
        policy: str = "ACL_MEM_MALLOC_HUGE_FIRST",
    ) -> Trial:
        """A trial from a second device to device 0."""
        plan = spread(counts, skews)
        here = self.memory.device(plan.target_size, policy=policy)
        return self.over(peer.memory(plan.source_size, policy), here, plan, seed=2)

    def through_peer(self, peer: Peer, count: int = 64 * KIB + 1) -> tuple[Trial, Trial]:
        """A trial to a second device and one that takes what the first has put there back."""
        plan = Plan((Transfer(64, 64, count),), count + 128, count + 128)
        there = self.over(self.memory.device(plan.source_size), peer.memory(plan.target_size), plan)
        target = self.memory.device(plan.target_size)
        return there, Trial(there.target, target, plan, there.image, target.expected())

    # Running them

    def submit(self, api: str, trials: Trials, kinds: Kinds = None, **stream: Any) -> None:
        """Make every transfer by a call of its own; `stream=` where the function has one."""
        for trial in self.listed(trials):
            turns = trial.direction if kinds is None else kinds
            named = cycle([turns] if isinstance(turns, str | int) else turns)
            for arguments, kind in zip(trial.arguments, named, strict=False):
                trial.results.append(self.acl.call(api, **arguments, kind=kind, **stream))

    def run(self, api: str, trials: Trials, kinds: Kinds = None, **stream: Any) -> None:
        """Make every transfer and wait for the stream, where there is one."""
        self.submit(api, trials, kinds, **stream)
        if "stream" in stream:
            self.settle(stream["stream"])

    def settle(self, stream: int | None) -> None:
        """Wait for a stream; it must say that all its work went well."""
        self.expect.success(self.acl.call("aclrtSynchronizeStream", stream=stream))

    def submit_from_one_place(self, api: str, trial: Trial, kind: str, **stream: Any) -> None:
        """Make every transfer of a trial out of one and the same block, which is rewritten before each."""
        moves = trial.plan.arguments(0, 0)
        desk = self.memory.of(trial.source.kind, max(move["count"] for move in moves))
        for move, arguments in zip(moves, trial.arguments, strict=True):
            desk.fill(FILL).write(trial.data[move["src"] :][: move["count"]])
            trial.results.append(self.acl.call(api, **{**arguments, "src": desk.ptr}, kind=kind, **stream))
        desk.fill(FILL)

    def run_onto_a_stack(self, api: str) -> Trial:
        """From the device to the stack of a thread, which makes the call; the target keeps what arrived."""

        def work() -> Trial:
            trial = self.into("device", thread_stack(8 * KIB))
            self.run(api, trial)
            kept = self.memory.pageable(trial.target.size).write(trial.target.read())
            return replace(trial, target=kept)

        return elsewhere(self.acl, work)

    def overwrite(self, trials: Trials) -> None:
        """Put other bytes into every source."""
        for trial in self.listed(trials):
            trial.source.write(~trial.data)

    def run_together(self, api: str, groups: Sequence[Sequence[Trial]], rounds: int = 1) -> None:
        """Every group of trials in a thread of its own, all at the same time, several times over."""
        together(self.acl, [partial(self.run, api, [*group] * rounds) for group in groups])

    def submit_together(self, api: str, groups: Sequence[Sequence[Trial]], **stream: Any) -> None:
        """Every group of trials in a thread of its own, all at the same time."""
        together(self.acl, [partial(self.submit, api, group, **stream) for group in groups])

    def time_out(self, stream: int) -> None:
        """Wait for a held stream for 10 ms, which must not succeed; blocked where there is no such wait."""
        self.case.needs("aclrtSynchronizeStreamWithTimeout")
        answer = self.acl.call("aclrtSynchronizeStreamWithTimeout", stream=stream, timeout=10)
        self.expect.true("the wait for a held stream has timed out", not answer.ok)

    @contextmanager
    def released_soon(self, hold: Hold) -> Iterator[None]:
        """Another thread releases the hold a little later; the block may wait for it."""
        timer = soon(self.acl, hold.release)
        try:
            yield
        finally:
            timer.join()

    # Judging them

    def expect_accepted(self, trials: Trials) -> None:
        """Every call succeeded."""
        for trial in self.listed(trials):
            self.expect.true("a trial made calls", bool(trial.results))
            for result in trial.results:
                self.expect.success(result)

    def expect_moved(self, trials: Trials) -> None:
        """Every call succeeded and every target holds exactly the transfers."""
        self.expect_accepted(trials)
        for trial in self.listed(trials):
            self.expect_image(trial, trial.target.read())

    def expect_bulk_moved(self, trial: Trial) -> None:
        """As `expect_moved`, for blocks that are too large to be held several times over."""
        self.expect_accepted(trial)
        for start in range(0, trial.target.size, MIB):
            before = trial.before[start : start + MIB]
            want = trial.plan.image(before, trial.data, start)
            got = trial.target.read(start, want.size)
            self.expect.data(got, want, f"the {trial.target.kind} target from +{start} on")

    def expect_moved_alone(self, trials: Trials) -> None:
        """As `expect_moved`, and the sources are as they were."""
        self.expect_moved(trials)
        self.expect_sources_untouched(trials)

    def expect_image(self, trial: Trial, got: Bytes) -> None:
        """What was read from the target is exactly the transfers."""
        kind, place = trial.target.kind, trial.plan.place
        self.expect.data(got, trial.image, lambda wrong: f"the {kind} target: {place(wrong)}")

    def expect_sources_untouched(self, trials: Trials) -> None:
        """Every source holds what it held before it was copied."""
        self.expect_accepted(trials)
        for trial in self.listed(trials):
            self.expect.data(trial.source, trial.data, f"the {trial.source.kind} source")

    def expect_refused(self, trials: Trials, rule: str | None = None) -> None:
        """Every call was refused, and nothing has changed on either side."""
        for trial in self.listed(trials):
            for result in trial.results:
                self.expect.refused(result, unchanged=(trial.source, trial.target), rule=rule)

    def expect_moved_or_refused(self, trials: Trials) -> None:
        """Each trial's one call was refused and changed nothing, or it succeeded and the data is right."""
        self.expect_only_target_changed(trials)
        for trial in self.listed(trials):
            self.expect.data_or_refused(trial.results[0], trial.target, trial.image)

    def expect_only_target_changed(self, trials: Trials) -> None:
        """What the calls answered is recorded; nothing outside the targets of the transfers has changed."""
        for trial in self.listed(trials):
            self.expect.true("a trial made calls", bool(trial.results))
            for result in trial.results:
                self.expect.observed(result, corrupted=[Outside(trial)])

    def expect_deferred(self, trials: Trials, hold: Hold) -> None:
        """The calls came back while the stream is held and nothing was copied; once released, all is."""
        self.expect_accepted(trials)
        self.expect_unfinished(hold.stream)
        self.let_others_run(hold)
        for trial in self.listed(trials):
            self.expect.data(trial.target, trial.before, "the target while its stream is held")
        hold.release()
        self.settle(hold.stream)
        self.expect_moved(trials)

    def expect_done_at_return(self, trials: Trials, stream: int | None) -> None:
        """The calls have returned, so the stream is complete and every target holds exactly the transfers."""
        self.expect_accepted(trials)
        self.expect_finished(stream)
        self.expect_moved(trials)

    def expect_observed_after(self, trials: Trials, stream: int | None) -> None:
        """What calls and synchronisation answered is recorded; outside the targets nothing changed."""
        self.expect.observed(self.acl.call("aclrtSynchronizeStream", stream=stream))
        self.expect_only_target_changed(trials)

    def expect_moved_for_another_thread(self, trials: Trials) -> None:
        """Another thread that reads the targets at once finds exactly the transfers."""
        self.expect_accepted(trials)
        for trial in self.listed(trials):
            self.expect_image(trial, elsewhere(self.acl, trial.target.read))

    def expect_alike(self, first: Sequence[Trial], second: Sequence[Trial]) -> None:
        """Trial by trial, two ways to copy gave the same codes and the same bytes."""
        for one, other in zip(first, second, strict=True):
            codes = [result.code for result in one.results]
            self.expect.true("the codes of both", [result.code for result in other.results], codes)
            self.expect.data(other.target, one.target)

    def let_others_run(self, hold: Hold) -> None:
        """Wait for what may have been put on the default stream instead of the held one."""
        if hold.stream is not None and self.case.supports("aclrtSynchronizeDevice"):
            self.settle(None)

    def expect_unfinished(self, stream: int | None) -> None:
        """The stream says that it has work to do, where the product can say so."""
        if self.case.supports("aclrtStreamQuery"):
            self.expect.true("the stream is not complete", self.status(stream), "ACL_STREAM_STATUS_NOT_READY")

    def expect_finished(self, stream: int | None) -> None:
        """The stream says that all its work is done, where the product can say so."""
        if self.case.supports("aclrtStreamQuery"):
            self.expect.true("the stream is complete", self.status(stream), "ACL_STREAM_STATUS_COMPLETE")

    def status(self, stream: int | None) -> str:
        """What aclrtStreamQuery says, by name."""
        answer = self.expect.success(self.acl.call("aclrtStreamQuery", stream=stream))
        names = self.case.contract.enums["aclrtStreamStatus"].values
        return next((name for name, value in names.items() if value == answer.status), str(answer.status))
