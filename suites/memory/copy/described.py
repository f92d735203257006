"""Copies inside one device that device memory describes: by a descriptor, or by slots with addresses."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

from harness.device import pattern
from harness.plugin import Block, Case, Expect, Memory
from suites.memory.copy.copies import Copies, Trial
from suites.memory.copy.kinds import D2H, H2D, INNER
from suites.memory.copy.layout import ALIGNED, BORDER, Plan, Transfer


class DescribedCopies(Copies):
    """Makes, runs and judges trials through descriptors and through pointer slots, on one stream."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> None:
        super().__init__(acl, case, memory, expect)
        self.stream = stream
        self.launched: list[Any] = []
        """What every launch of a descriptor answered."""

    # Descriptors

    def descriptor(self) -> Block:
        """Device memory of the size the library asks for, for one descriptor."""
        answer = self.expect.success(self.acl.call("aclrtGetMemcpyDescSize", kind=INNER))
        return self.memory.device(answer.descSize)

    def described(self, count: int, seed: int = 1) -> Trial:
        """A trial of one transfer inside the device, with bytes around it that must stay."""
        return self.between("device", "device", [count], ALIGNED, seed=seed)

    def set(self, descriptor: Block, trial: Trial, **given: Any) -> Any:
        """Write the one transfer of a trial into a descriptor."""
        [move] = trial.arguments
        arguments = {"srcAddr": move["src"], "dstAddr": move["dst"], "count": move["count"], "config": None}
        own = {"desc": descriptor.ptr, **arguments}
        return self.acl.call("aclrtSetMemcpyDesc", kind=INNER, **{**own, **given})

    def written(self, trial: Trial) -> Block:
        """A descriptor that holds the one transfer of a trial."""
        descriptor = self.descriptor()
        self.expect.success(self.set(descriptor, trial))
        return descriptor

    def launch(self, descriptor: Block | int, *trials: Trial, stream: int | None = None) -> Any:
        """Queue what a descriptor describes; the answer belongs to these trials."""
        on = self.stream if stream is None else stream
        result = self.acl.call("aclrtMemcpyAsyncWithDesc", desc=descriptor, kind=INNER, stream=on)
        self.launched.append(result)
        for trial in trials:
            trial.results.append(result)
        return result

    def run_described(self, descriptor: Block, trial: Trial, stream: int | None = None) -> None:
        """Queue what a descriptor describes and wait for the stream."""
        self.launch(descriptor, trial, stream=stream)
        self.settle(self.stream if stream is None else stream)

    def rerun(self, descriptor: Block, trials: list[Trial]) -> None:
        """Set a descriptor to every trial in turn, each time run and waited for."""
        for trial in trials:
            self.expect.success(self.set(descriptor, trial))
            self.run_described(descriptor, trial)

    def expect_harmless(self, bystander: Block) -> None:
        """What the launches and the wait for them answered is recorded; the bystander is as it was."""
        waited = self.acl.call("aclrtSynchronizeStream", stream=self.stream)
        for result in (*self.launched, waited):
            self.expect.observed(result, corrupted=[bystander])

    def launch_each(self, trials: list[Trial]) -> None:
        """Queue every trial through a descriptor of its own, all in one block, then wait for the stream."""
        size = self.expect.success(self.acl.call("aclrtGetMemcpyDescSize", kind=INNER)).descSize
        step = -(-size // BORDER) * BORDER
        block = self.memory.device(step * len(trials))
        for place, trial in enumerate(trials):
            self.expect.success(self.set(block, trial, desc=block.at(place * step)))
        for place, trial in enumerate(trials):
            self.launch(block.at(place * step), trial)
        self.settle(self.stream)

    def relay(self, launches: int, count: int) -> Relay:
        """A descriptor whose source changes, in stream order, between launches."""
        step = -(-count // 64) * 64
        source, target = self.memory.pinned(launches * step), self.memory.pinned(launches * step)
        source.write(pattern(source.size))
        trial = self.described(count)
        return Relay(trial, self.written(trial), source, target, launches, step)

    def run_relay(self, relay: Relay) -> None:
        """Before each launch new bytes go into the source, behind it the target is read; all are queued."""
        [move] = relay.trial.arguments
        ends = {"count": move["count"], "destMax": move["count"], "stream": self.stream}
        copy = "aclrtMemcpyAsync"
        for number in range(relay.launches):
            place = number * relay.step
            fresh = self.acl.call(copy, dst=move["src"], src=relay.source.at(place), kind=H2D, **ends)
            launched = self.launch(relay.descriptor, relay.trial)
            kept = self.acl.call(copy, dst=relay.target.at(place), src=move["dst"], kind=D2H, **ends)
            relay.results += [fresh, launched, kept]
        self.settle(self.stream)

    def expect_relayed(self, relay: Relay) -> None:
        """Every launch was accepted and copied what its source held at that moment."""
        for result in relay.results:
            self.expect.success(result)
        moves = [Transfer(n * relay.step, n * relay.step, relay.count) for n in range(relay.launches)]
        plan = Plan(tuple(moves), relay.source.size, relay.target.size)
        self.expect_image(
            Trial(relay.source, relay.target, plan, relay.source.expected(), relay.target.expected()),
            relay.target.read(),
        )

    # Pointer slots

    def slots(self, *blocks: Block) -> list[int]:
        """Where the addresses of blocks lie side by side in device memory, eight bytes each."""
        made = self.memory.device(8 * len(blocks))
        made.write(struct.pack(f"<{len(blocks)}Q", *(block.ptr for block in blocks)))
        return [made.at(8 * place) for place in range(len(blocks))]

    def shifted_pair(self, *moves: Transfer, size: int = 8192) -> Trial:
        """A trial of these transfers between two device blocks; the calls are given their offsets."""
        return self.of_plan("device", "device", Plan(moves, size, size))

    def submit_shifted(self, trial: Trial, stream: int | None) -> None:
        """Make every transfer by a call with the slots of both blocks and the two offsets."""
        target, source = self.slots(trial.target, trial.source)
        for move in trial.plan.transfers:
            trial.results.append(
                self.acl.call(
                    "aclrtMemcpyAsyncWithOffset",
                    dst=target,
                    destMax=trial.target.size,
                    dstDataOffset=move.target,
                    src=source,
                    count=move.count,
                    srcDataOffset=move.source,
                    kind=INNER,
                    stream=stream,
                )
            )


@dataclass
class Relay:
    """What `run_relay` needs and what its calls answered."""

    trial: Trial
    descriptor: Block
    source: Block
    target: Block
    launches: int
    step: int
    results: list[Any] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Bytes of one launch."""
        [move] = self.trial.plan.transfers
        return move.count
