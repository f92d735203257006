"""Copies while a stream is being captured, and what a replay of the captured graph does with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from harness.binding import InOut
from harness.plugin import Case, Expect
from suites.memory.copy.copies import Copies, Outside, Trial, Trials

GLOBAL = "ACL_MODEL_RI_CAPTURE_MODE_GLOBAL"
RELAXED = "ACL_MODEL_RI_CAPTURE_MODE_RELAXED"

CAPTURE = ("aclmdlRICaptureBegin", "aclmdlRICaptureEnd")
"""The functions that every test with a capture uses."""


@dataclass
class Graph:
    """What a capture has recorded: the stream, what the end of the capture answered, and the model."""

    stream: int
    ended: Any = None
    model: int = 0


class Captures:
    """Captures streams and replays what was recorded."""

    def __init__(self, acl: Any, case: Case, expect: Expect, copies: Copies) -> None:
        self.acl = acl
        self.case = case
        self.expect = expect
        self._copies = copies

    @contextmanager
    def recording(self, stream: int, mode: str = GLOBAL) -> Iterator[Graph]:
        """The stream is captured inside the block; what the end of the capture answers is noted."""
        self.expect.success(self.acl.call("aclmdlRICaptureBegin", stream=stream, mode=mode))
        graph = Graph(stream)
        try:
            yield graph
        finally:
            graph.ended = self.acl.call("aclmdlRICaptureEnd", stream=stream)
            self.expect.observations.append(f"the end of the capture answered {graph.ended.name}")
            graph.model = graph.ended.modelRI if graph.ended.ok else 0
            if graph.model:
                self.case.resources.afterwards("aclmdlRIDestroy", modelRI=graph.model)

    @contextmanager
    def relaxed(self) -> Iterator[None]:
        """This thread may make synchronous calls inside the block, whatever the mode of the capture."""
        before = self._exchange(RELAXED)
        try:
            yield
        finally:
            self._exchange(before)

    def _exchange(self, mode: int | str) -> int:
        number = self.case.contract.value(mode) if isinstance(mode, str) else mode
        exchange = self.acl.call("aclmdlRICaptureThreadExchangeMode", mode=InOut(number))
        return int(self.expect.success(exchange).mode)

    def replay(self, graph: Graph) -> None:
        """Run what was recorded and wait for it."""
        self.expect_ended(graph)
        self.expect.success(self.acl.call("aclmdlRIExecuteAsync", modelRI=graph.model, stream=graph.stream))
        self._copies.settle(graph.stream)

    def expect_replay_observed(self, graph: Graph, trial: Trial) -> None:
        """What a replay and the wait for it answer is recorded; outside the targets nothing changes."""
        self.expect_ended(graph)
        started = self.acl.call("aclmdlRIExecuteAsync", modelRI=graph.model, stream=graph.stream)
        waited = self.acl.call("aclrtSynchronizeStream", stream=graph.stream)
        self.expect.observed(f"the replay answered {started.name}, the wait {waited.name}")
        self.expect.observed(started, corrupted=[Outside(trial)])

    def expect_ended(self, graph: Graph) -> None:
        """The capture ended well and left a model."""
        self.expect.success(graph.ended)
        self.expect.true("there is a model", graph.model != 0)

    def expect_only_recorded(self, trials: Trials) -> None:
        """The calls succeeded and copied nothing yet, nor has the default stream got anything to copy."""
        self._copies.expect_accepted(trials)
        if self.case.has_default_stream:
            self._copies.settle(None)
        for trial in self._copies.listed(trials):
            self.expect.data(trial.target, trial.before, "the target before the replay")

    def expect_replayed(self, trials: Trials) -> None:
        """The targets hold what the sources hold now."""
        for trial in self._copies.listed(trials):
            want = trial.plan.image(trial.before, trial.source.expected())
            self.expect.data(trial.target, want, "the target after the replay")

    def expect_refused_or_spoilt(self, trials: Sequence[Trial], graph: Graph) -> None:
        """The calls were refused, or the capture did not end well; in either case nothing was copied."""
        for trial in trials:
            refused = all(not result.ok for result in trial.results)
            self.expect.true("refused, or a capture that fails", refused or not graph.ended.ok)
            self.expect.data(trial.target, trial.before, "the target of a copy that cannot be captured")
