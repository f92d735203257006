"""Batch copies: the same trials, all transfers of one in a single call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from harness.binding import InOut
from harness.plugin import Case, Expect, Memory
from suites.memory.copy.batches import HOST, SIZE_MAX, Batch, Entries, Piece, entry, on_device
from suites.memory.copy.copies import DEVICE_KINDS, Copies, Outside, Trial, Trials
from suites.memory.copy.layout import ALIGNED, BORDER, KIB, Plan, Skews, Transfer, spread
from suites.memory.copy.peers import Peer

COUNTS = (1, 3, 31, 32, 33, 63, 64, 65, 4095, 4096, 4097, 128 * KIB, 5, 77, 64 * KIB + 1, 1 * KIB)
"""Sixteen pieces of 1 byte to 128 KiB."""


class BatchCopies(Copies):
    """Makes, runs and judges batches; the asynchronous functions get `stream`."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> None:
        super().__init__(acl, case, memory, expect)
        self.stream = stream

    def pieces(
        self, source: str, target: str, counts: Sequence[int] = COUNTS, skews: Skews = ALIGNED
    ) -> Trial:
        """A trial whose transfers are the pieces of one batch."""
        return self.between(source, target, counts, skews)

    def each_way(self, counts: Sequence[int], hosts: Sequence[str] = ("pinned", "pageable")) -> list[Trial]:
        """A trial to the device and one from it for each of these kinds of host memory."""
        there = [self.pieces(host, "device", counts) for host in hosts]
        return [*there, *(self.pieces("device", host, counts) for host in hosts)]

    def from_one_source(self, source: str, target: str, count: int, targets: int) -> Trial:
        """A trial whose pieces all take the same bytes, each to a place of its own."""
        plan = spread([count] * targets)
        moves = tuple(replace(move, source=BORDER) for move in plan.transfers)
        return self.of_plan(source, target, replace(plan, transfers=moves))

    nothing = Piece(0, 0, 0)
    """An entry that a call would refuse if it looked at it."""

    @staticmethod
    def cut(trial: Trial, pieces: int) -> Trial:
        """The trial without the pieces behind these first ones."""
        return replace(trial, plan=replace(trial.plan, transfers=trial.plan.transfers[:pieces]))

    def both(self, there: Trial, back: Trial) -> Batch:
        """One batch of the pieces of two trials, each with its own true entry."""
        first, second = pieces_of(there), pieces_of(back)
        return Batch([*first, *second], {0: self.entry_of(there), len(first): self.entry_of(back)})

    def interleaved(self, trials: Sequence[Trial]) -> Batch:
        """One batch of the pieces of several trials in turn, under the entry that is true for all of them."""
        turns = zip(*map(pieces_of, trials), strict=True)
        return Batch([piece for turn in turns for piece in turn], {0: self.entry_of(trials[0])})

    def on_two_devices(self, trial: Trial, peer: Peer) -> Batch:
        """The batch of a trial whose last target is replaced by memory of a second device."""
        *first, last = pieces_of(trial)
        other = replace(last, target=peer.memory(last.size).ptr)
        entries = {0: entry(HOST, on_device(0)), len(first): entry(HOST, on_device(peer.device))}
        return Batch([*first, other], entries)

    def roomy(self, trial: Trial, spare: int) -> Batch:
        """The batch of a trial whose destMaxs say more than the pieces need."""
        return replace(self.batch(trial), spare=spare)

    def rivals(self, count: int) -> Trial:
        """A trial of two pieces from different sources to the same target."""
        offsets = (64, 64 + 2 * count)
        plan = Plan(tuple(Transfer(offset, 64, count) for offset in offsets), 64 + 4 * count, 128 + count)
        return self.of_plan("pinned", "device", plan)

    def batch(self, trial: Trial, entries: Entries | None = None) -> Batch:
        """The arguments of a trial; without `entries` one entry says for all pieces where the blocks are."""
        return Batch(pieces_of(trial), entries if entries is not None else {0: self.entry_of(trial)})

    @staticmethod
    def entry_of(trial: Trial) -> dict[str, Any]:
        """The attribute entry that is true for a trial's blocks."""
        sides = [
            on_device(0) if block.kind in DEVICE_KINDS else HOST for block in (trial.source, trial.target)
        ]
        return entry(*sides)

    @staticmethod
    def wrong_entry(trial: Trial) -> dict[str, Any]:
        """An entry that calls the target of a trial the other side."""
        true = BatchCopies.entry_of(trial)
        return {**true, "dstLoc": HOST if true["dstLoc"] != HOST else on_device(0)}

    @staticmethod
    def wrong_source(trial: Trial) -> dict[str, Any]:
        """An entry that calls the source of a trial the other side."""
        true = BatchCopies.entry_of(trial)
        return {**true, "srcLoc": HOST if true["srcLoc"] != HOST else on_device(0)}

    @staticmethod
    def wrong_device(trial: Trial) -> dict[str, Any]:
        """An entry that is true but for the number of the device."""
        true = BatchCopies.entry_of(trial)
        return {**true, **{side: on_device(1) for side in ("srcLoc", "dstLoc") if true[side] != HOST}}

    def launch(self, api: str, trial: Trial, batch: Batch | None = None, **given: Any) -> Any:
        """Make one call for a batch; failIndex is preset to 7 where the function has one."""
        arguments = {**(batch or self.batch(trial)).arguments, **given}
        if self.takes(api, "failIndex"):
            arguments.setdefault("failIndex", InOut(7))
        if self.takes(api, "stream"):
            arguments.setdefault("stream", self.stream)
        trial.results.append(self.acl.call(api, **arguments))
        return trial.results[-1]

    def copy(self, api: str, trial: Trial, batch: Batch | None = None, **given: Any) -> None:
        """Make one call for a batch and wait for its stream, where the function takes one."""
        self.launch(api, trial, batch, **given)
        if self.takes(api, "stream"):
            self.settle(given.get("stream", self.stream))

    def copy_on(self, api: str, trial: Trial, stream: int, batch: Batch) -> None:
        """Make one call for a batch; on this stream, which is waited for, where the function takes one."""
        self.copy(api, trial, batch, **({"stream": stream} if self.takes(api, "stream") else {}))

    def to_peer_from(self, source: str, peer: Peer) -> Trial:
        """A trial from host memory to a second device whose transfers are the pieces of one batch."""
        plan = spread(COUNTS)
        return self.over(self.memory.of(source, plan.source_size), peer.memory(plan.target_size), plan)

    def copy_each(self, api: str, trials: Sequence[Trial], **given: Any) -> None:
        """Make one call for each of several batches."""
        for trial in trials:
            self.copy(api, trial, **given)

    def copy_described(
        self, api: str, trials: Sequence[Trial], piece: int, wrong: Callable[[Trial], dict[str, Any]]
    ) -> None:
        """Make one call for each of several batches; the entry of this piece is wrong, no other."""
        for trial in trials:
            true = self.entry_of(trial)
            entries = {0: true, piece: wrong(trial), piece + 1: true}
            last = len(trial.plan.transfers) - 1
            self.copy(api, trial, self.batch(trial, {at: entries[at] for at in entries if at <= last}))

    def copy_interleaved(self, api: str, trials: Sequence[Trial]) -> None:
        """Make one call for the pieces of several trials in turn."""
        first, *others = trials
        self.copy(api, first, self.interleaved(trials))
        for other in others:
            other.results += first.results

    def takes(self, api: str, parameter: str) -> bool:
        """Whether a function has a parameter of this name."""
        return self.case.contract.function(api).param(parameter) is not None

    def expect_copied(self, trials: Trials) -> None:
        """The calls succeeded without naming a piece, and every piece, and nothing else, arrived."""
        self.expect_moved_alone(trials)
        self.expect_blamed(trials, SIZE_MAX)

    def expect_blamed(self, trials: Trials, piece: int) -> None:
        """failIndex names this piece, where the function reports one."""
        for trial in self.listed(trials):
            for result in trial.results:
                if self.takes(result.api, "failIndex"):
                    self.expect.true("failIndex", result.failIndex, piece)

    def expect_piece_refused(self, trials: Trials, piece: int) -> None:
        """The calls were refused because of one piece, which was not copied; earlier ones may have been."""
        for trial in self.listed(trials):
            for result in trial.results:
                self.expect.refused(result)
            self.expect_blamed(trial, piece)
            kept = trial.plan.transfers[piece]
            window = slice(kept.target, kept.target + kept.count)
            self.expect.data(
                trial.target.read()[window], trial.before[window], f"the target of piece {piece}"
            )

    def expect_batch_refused(self, trial: Trial, piece: int = SIZE_MAX) -> None:
        """The call was refused, failIndex says `piece`, and nothing was copied."""
        self.expect_refused(trial)
        self.expect_blamed(trial, piece)

    def expect_a_direction_refused(self, there: Trial, back: Trial) -> None:
        """The one call for both trials was refused; whatever it copied before, nothing else has changed."""
        for result in there.results:
            self.expect.refused(result)
        for trial in (there, back):
            self.expect.unchanged(Outside(trial), where="outside the pieces")

    def expect_both_moved_or_refused(self, there: Trial, back: Trial) -> None:
        """The one call for both trials was refused, or both are right; which one is recorded."""
        [result] = there.results
        back.results.append(result)
        self.expect_only_target_changed([there, back])
        if result.ok:
            self.expect_moved([there, back])

    def expect_one_rival(self, trial: Trial) -> None:
        """Every byte of the shared target comes from one of the two sources; nothing else is written."""
        self.expect_only_target_changed(trial)
        self.expect_accepted(trial)
        first, second = trial.plan.transfers
        got = trial.target.read()[first.target : first.target + first.count]
        sources = [trial.data[move.source : move.source + move.count] for move in (first, second)]
        fits = (got == sources[0]) | (got == sources[1])
        self.expect.true("every byte comes from one of the two sources", bool(fits.all()))

    def repertoire(self) -> list[Attempt]:
        """Valid batches in both directions, and batches with one thing wrong each."""
        made = [Attempt(self.pieces(*sides)) for sides in (("pinned", "device"), ("device", "pinned"))]
        for change in CHANGES:
            trial = self.pieces("pinned", "device", [64] * 4)
            true, wrong = self.entry_of(trial), self.wrong_entry(trial)
            made.append(Attempt(trial, change(self.batch(trial).arguments, true, wrong)))
        return made

    def run_repertoire(self, api: str, attempts: Sequence[Attempt]) -> None:
        """Make every call of a repertoire and wait for the stream, where the function takes one."""
        for attempt in attempts:
            self.copy(api, attempt.trial, **attempt.given)

    def expect_same_classes(self, first: Sequence[Attempt], second: Sequence[Attempt]) -> None:
        """Attempt by attempt both answered the same class of code, and what was accepted arrived in both."""
        for one, other in zip(first, second, strict=True):
            [was], [now] = one.trial.results, other.trial.results
            classes = [self.case.contract.error_class(result.code) for result in (was, now)]
            self.expect.true(f"the class of {was.name}", classes[1], classes[0])
            if was.ok:
                self.expect_moved([one.trial, other.trial])


@dataclass
class Attempt:
    """A trial and the arguments that its batch is called with instead of the true ones."""

    trial: Trial
    given: dict[str, Any] = field(default_factory=dict)


Entry: TypeAlias = dict[str, Any]
CHANGES: tuple[Callable[[dict[str, Any], Entry, Entry], dict[str, Any]], ...] = (
    lambda batch, true, wrong: {"attrs": [true, true], "attrsIndexes": [0, 2], "numAttrs": 2},
    lambda batch, true, wrong: {"attrs": [wrong]},
    lambda batch, true, wrong: {"attrsIndexes": [1]},
    lambda batch, true, wrong: {"attrs": [true, true], "attrsIndexes": [0, 0], "numAttrs": 2},
    lambda batch, true, wrong: {"attrs": [true, true], "attrsIndexes": [0, 4], "numAttrs": 2},
    lambda batch, true, wrong: {"attrs": [{**true, "rsv": [0] * 15 + [1]}]},
    lambda batch, true, wrong: {"destMaxs": [64, 64, 64, 63]},
    lambda batch, true, wrong: {"numBatches": 0},
    lambda batch, true, wrong: {"numAttrs": 0},
    lambda batch, true, wrong: {"sizes": None},
)
"""What an attempt changes in the arguments of a valid batch; the first change leaves it valid."""


def pieces_of(trial: Trial) -> list[Piece]:
    """The transfers of a trial by addresses."""
    return [
        Piece(trial.target.at(move.target), trial.source.at(move.source), move.count)
        for move in trial.plan.transfers
    ]
