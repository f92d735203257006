"""Pitched copies: the same trials through the functions that copy rows, on one stream where they take one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harness.device import pattern
from harness.plugin import Block, Case, Expect, Memory
from suites.memory.copy.copies import Copies, Kinds, Trial, Trials
from suites.memory.copy.kinds import D2H, H2D
from suites.memory.copy.planes import SKEWS, PlanePlan, Shape


@dataclass
class Rounds:
    """Planes that go through one device block, one after the other, each read back as a whole in between."""

    shape: Shape
    sources: list[Block]
    device: Block
    targets: list[Block]
    results: list[Any] = field(default_factory=list)


class PitchedCopies(Copies):
    """Makes, runs and judges pitched trials; the asynchronous function gets `stream`."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> None:
        super().__init__(acl, case, memory, expect)
        self.stream = stream

    def submit(self, api: str, trials: Trials, kinds: Kinds = None, **stream: Any) -> None:
        """Make every copy by a call of its own, on the stream where the function takes one."""
        if self.takes_stream(api):
            stream = {"stream": self.stream, **stream}
        super().submit(api, trials, kinds, **stream)

    def run(self, api: str, trials: Trials, kinds: Kinds = None, **stream: Any) -> None:
        """Make every copy and wait for the stream, where the function takes one."""
        self.submit(api, trials, kinds, **stream)
        if self.takes_stream(api):
            self.settle(self.stream)

    def takes_stream(self, api: str) -> bool:
        """Whether a function has a parameter for a stream."""
        return self.case.contract.function(api).param("stream") is not None

    def planes(self, source: str, target: str, *shapes: Shape) -> list[Trial]:
        """A trial of one copy for each shape, between blocks of two kinds of memory."""
        return [self.of_plan(source, target, PlanePlan(shape)) for shape in shapes]

    def planes_each_way(self, *shapes: Shape) -> list[Trial]:
        """Trials of the shapes to the device, from it, and inside it."""
        sides = (("pinned", "device"), ("device", "pinned"), ("device", "device"))
        return [trial for source, target in sides for trial in self.planes(source, target, *shapes)]

    def skewed_planes(self, source: str, target: str, *shapes: Shape) -> list[Trial]:
        """As `planes`, source and target each so and so far behind a border; a trial for each of `SKEWS`."""
        plans = [PlanePlan(shape, skews=skews) for shape in shapes for skews in SKEWS]
        return [self.of_plan(source, target, plan) for plan in plans]

    def tight_planes(self, source: str, target: str, *shapes: Shape) -> list[Trial]:
        """As `planes`, in blocks whose first and last bytes are copied, with nothing of ours around them."""
        trials = []
        for plan in (PlanePlan(shape, tight=True) for shape in shapes):
            from_block = self.memory.of(source, plan.source_size, guard=0)
            to_block = self.memory.of(target, plan.target_size, guard=0)
            trials.append(self.over(from_block, to_block, plan))
        return trials

    def rewriting_plane(self, first: str, second: str, shape: Shape) -> tuple[Trial, Trial]:
        """Two trials from two kinds of memory to the same rows: what the later one copies must stay."""
        plan = PlanePlan(shape)
        target = self.memory.device(plan.target_size)
        blocks = [self.memory.of(kind, plan.source_size) for kind in (first, second)]
        one, other = (self.over(block, target, plan, seed=seed) for seed, block in enumerate(blocks, 1))
        return one, other

    def positions(self, trial: Trial, kind: str) -> list[int]:
        """The arguments of the asynchronous function in the order of its parameters."""
        given = {**trial.arguments[0], "kind": self.case.contract.value(kind), "stream": self.stream}
        return [given[param.name] for param in self.case.contract.function("aclrtMemcpy2dAsync").params]

    def there_and_back(self, shape: Shape, rounds: int) -> Rounds:
        """Sources of different bytes, one device block, and a target for each round."""
        sources = [self.memory.pinned(shape.source_size) for _ in range(rounds)]
        for seed, source in enumerate(sources):
            source.write(pattern(source.size, seed))
        device = self.memory.device(shape.target_size)
        targets = [self.memory.pinned(shape.target_size) for _ in range(rounds)]
        return Rounds(shape, sources, device, targets)

    def submit_rounds(self, api: str, rounds: Rounds) -> None:
        """Queue rows to the device and a linear copy of the whole block back, for every source in turn."""
        shape, device = rounds.shape, rounds.device
        for source, target in zip(rounds.sources, rounds.targets, strict=True):
            there = self.acl.call(
                api,
                dst=device.ptr,
                dpitch=shape.dpitch,
                src=source.ptr,
                spitch=shape.spitch,
                width=shape.width,
                height=shape.height,
                kind=H2D,
                stream=self.stream,
            )
            back = self.acl.call(
                "aclrtMemcpyAsync",
                dst=target.ptr,
                destMax=target.size,
                src=device.ptr,
                count=device.size,
                kind=D2H,
                stream=self.stream,
            )
            rounds.results += [there, back]

    def expect_rounds_kept(self, rounds: Rounds) -> None:
        """Every copy was accepted and every target holds the rows of its own source."""
        for result in rounds.results:
            self.expect.success(result)
        for source, target in zip(rounds.sources, rounds.targets, strict=True):
            want = rounds.shape.image(target.expected(), source.expected())
            self.expect.data(target, want, "what came back", width=rounds.shape.dpitch)

    def expect_unsupported(self, trials: Trials) -> None:
        """The calls are not supported: refused without effect, or noted to work."""
        for trial in self.listed(trials):
            self.expect.unsupported(trial.results[0], unchanged=(trial.source, trial.target))

    def expect_right_in_the_end(self, trial: Trial) -> None:
        """What the target holds before the synchronisation is recorded; after it the rows are right."""
        early = trial.target.read()
        state = "were" if (early == trial.image).all() else "were not yet"
        self.settle(self.stream)
        self.expect_moved(trial)
        self.expect.observed(f"the rows {state} there before the synchronisation")

    def expect_plain_zero(self, answer: object, trial: Trial) -> None:
        """pyACL answered the integer 0, and the rows are right."""
        self.expect.true("one integer, 0", (type(answer), answer), (int, 0))
        self.expect_image(trial, trial.target.read())
