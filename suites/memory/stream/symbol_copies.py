"""Copies between the host and device variables, in windows of them, and claims about both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from harness.device import require
from harness.plugin import Block, BlockKind, Bytes, Case, Expect, Hold, Memory, pattern
from suites.memory.copy.copies import Copies
from suites.memory.copy.peers import Peer
from suites.memory.stream.variables import BYTES, LARGE, Variable, Variables
from suites.memory.virtual.properties import MIB, overlaps

FROM = ("aclrtMemcpyFromSymbol", "aclrtMemcpyFromSymbolAsync")
TO = ("aclrtMemcpyToSymbol", "aclrtMemcpyToSymbolAsync")
SYNC, ASYNC = (FROM[0], TO[0]), (FROM[1], TO[1])
EVERY = (*FROM, *TO)

DEFAULT = "ACL_MEMCPY_DEFAULT"
_KINDS = range(8)
_SIZE_MAX = 2**64 - 1


@dataclass(frozen=True)
class Window:
    """`count` bytes of a variable from `offset` on."""

    offset: int
    count: int

    def __str__(self) -> str:
        return f"{self.count} bytes at offset {self.offset}"


WINDOWS = (Window(8, 16), Window(0, 1), Window(1, 7), Window(5, 31))
"""Windows of a variable of 37 bytes, none of which ends with it."""


def to_the_end(size: int) -> tuple[Window, ...]:
    """Windows that end where a variable of this size ends."""
    return Window(0, size), Window(size - 4, 4), Window(size - 1, 1)


def past_the_end(size: int) -> tuple[Window, ...]:
    """Windows that leave a variable of this size."""
    return Window(0, size + 1), Window(size, 1), Window(1, size), Window(size - 1, 2), Window(2**32, 1)


LARGE_WINDOWS = (Window(0, 4 * MIB), Window(4097, 3 * MIB + 5))
"""Windows of a variable of 4 MiB: all of it, and most of it from an odd place on."""

WRAPPING = Window(_SIZE_MAX, 2)
"""A window whose end is past the last address there is."""


def copied(variable: Bytes, host: Bytes, window: Window, reads: bool) -> tuple[Bytes, Bytes]:
    """Variable and host memory after a copy of a window out of the variable (reads), or into it."""
    variable, host = variable.copy(), host.copy()
    inside = variable[window.offset : window.offset + window.count]
    if reads:
        host[: window.count] = inside
    else:
        inside[:] = host[: window.count]
    return variable, host


def own_kind(api: str) -> str:
    """The kind that names the direction of a function."""
    return "ACL_MEMCPY_DEVICE_TO_HOST" if api in FROM else "ACL_MEMCPY_HOST_TO_DEVICE"


@dataclass
class Trial:
    """A window of a variable, host memory beside it, and what the copy has answered."""

    window: Window
    variable: Block
    host: Block
    result: Any
    after: tuple[Bytes, Bytes] | None = None
    """What variable and host memory held after it, where others followed."""

    def look(self) -> tuple[Bytes, Bytes]:
        """What variable and host memory hold."""
        return self.after or (self.variable.read(), self.host.read())

    def images(self, reads: bool) -> tuple[Bytes, Bytes]:
        """What variable and host memory hold when the copy was made."""
        return copied(self.variable.expected(), self.host.expected(), self.window, reads)


class SymbolCopies:
    """Makes and judges copies of device variables on the surface under test."""

    def __init__(
        self,
        acl: Any,
        case: Case,
        memory: Memory,
        expect: Expect,
        copies: Copies,
        variables: Variables,
        stream: int,
    ) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self._copies = copies
        self._variables = variables
        self._stream = stream

    @property
    def variable(self) -> Variable:
        """The variable of the copies."""
        return self._variables.named(BYTES)

    # Copies

    def copy(
        self,
        api: str,
        window: Window,
        kind: str | int | None = None,
        host: BlockKind = "pinned",
        name: str = BYTES,
        there: Block | None = None,
        **replaced: Any,
    ) -> Trial:
        """One copy of a window, into or out of host memory of this kind; `there` is the variable's memory
        where that is not the first device's, `replaced` are other arguments.
        """
        variable = self._variables.named(name)
        block = there or self._variables.block(name, pattern(variable.size, 1))
        room = self._memory.of(host, window.count + 1).write(pattern(window.count + 1, 2))
        args: dict[str, Any] = {
            "symbol": variable.symbol,
            "count": window.count,
            "offset": window.offset,
            "kind": own_kind(api) if kind is None else kind,
        }
        args.update({"dst": room.ptr, "dstMax": window.count} if api in FROM else {"src": room.ptr})
        if api in ASYNC:
            args["stream"] = self._stream
        return Trial(window, block, room, self._acl.call(api, **{**args, **replaced}))

    def copies(
        self, api: str, windows: Sequence[Window], kind: str | None = None, host: BlockKind = "pinned"
    ) -> list[Trial]:
        """Copies of several windows, one after the other, each looked at before the next."""
        trials = []
        for window in windows:
            trials.append(self.copy(api, window, kind, host))
            self._copies.settle(self._stream)
            trials[-1].after = trials[-1].look()
        return trials

    def copy_there(self, api: str, peer: Peer) -> tuple[Trial, Block]:
        """A copy of the second device's variable, made while that is current and waited for, and the first
        device's variable, which holds other bytes.
        """
        home = self._variables.block(BYTES, pattern(self.variable.size, 3))
        there = self._variables.block(BYTES, pattern(self.variable.size, 1), caller=peer)
        with self._there(api, peer) as stream:
            trial = self.copy(api, WINDOWS[0], host="pageable", there=there, **stream)
        return trial, home

    def copies_to_the_end(self, api: str) -> list[Trial]:
        """Copies of windows that end where the variable ends."""
        return self.copies(api, to_the_end(self.variable.size))

    def copies_past_the_end(self, api: str) -> list[Trial]:
        """Copies of windows that leave the variable."""
        return [self.copy(api, window) for window in past_the_end(self.variable.size)]

    def copies_of_other_kinds(self, api: str) -> list[Trial]:
        """Copies with every kind that the direction does not have."""
        allowed = {self._case.contract.value(name) for name in (own_kind(api), DEFAULT)}
        return [self.copy(api, WINDOWS[0], kind) for kind in _KINDS if kind not in allowed]

    def large_copy(self, api: str, host: BlockKind, window: Window = LARGE_WINDOWS[1]) -> Trial:
        """A copy of a large window."""
        return self.copy(api, window, host=host, name=LARGE)

    def large_copies_beside_work(self, api: str, host: BlockKind) -> list[Trial]:
        """Copies of large windows while the device works on a stream, each looked at as soon as it has
        returned.
        """
        busy, trials = self._memory.device(2 * self._variables.named(LARGE).size), []
        for window in LARGE_WINDOWS:
            self._queue_work(busy)
            trial = self.large_copy(api, host, window)
            trial.after = trial.look()
            trials.append(trial)
        self._copies.settle(self._stream)
        return trials

    @contextmanager
    def _there(self, api: str, peer: Peer) -> Iterator[dict[str, int]]:
        """The second device is current: the argument that puts a copy on a stream of it, which is waited for;
        none where the function takes no stream.
        """
        if api in SYNC:
            with peer.current():
                yield {}
            return
        with peer.stream() as stream:
            yield {"stream": stream}
            require(self._acl.call("aclrtSynchronizeStream", stream=stream), "waiting for a stream")

    # Claims

    def expect_copied(self, api: str, trials: Sequence[Trial]) -> None:
        """Every copy succeeded and moved its window, and nothing round it has changed on either side."""
        self._expect.true("copies were made", len(trials) > 0)
        for trial in trials:
            self._expect.argument = str(trial.window)
            self._expect.success(trial.result)
            self._expect_images(api, trial)

    def expect_copied_alone(self, api: str, trial: Trial, home: Block) -> None:
        """The copy succeeded and moved its window, and the first device's variable is as it was."""
        self.expect_copied(api, [trial])
        self._expect.unchanged(home, where="on the first device")

    def expect_refused(self, trials: Sequence[Trial]) -> None:
        """Every copy was refused and has changed nothing."""
        self._expect.true("copies were tried", len(trials) > 0)
        for trial in trials:
            self._expect.argument = str(trial.window)
            self._expect.refused(trial.result, unchanged=[trial.variable, trial.host])

    def expect_not_accepted(self, trial: Trial) -> None:
        """The copy gave an error, whichever, and has changed nothing."""
        self._expect.true("the copy is accepted", trial.result.ok, False)
        self._expect.unchanged(trial.variable, trial.host)

    def expect_deferred(self, api: str, trial: Trial, hold: Hold) -> None:
        """The call came back while its stream is held and nothing was copied; once released, all is."""
        self._expect.success(trial.result)
        self._copies.expect_unfinished(hold.stream)
        self._expect.unchanged(trial.variable, trial.host, where="while the stream is held")
        hold.release()
        self._copies.settle(hold.stream)
        self._expect_images(api, trial)

    def expect_done_at_return(self, api: str, trial: Trial) -> None:
        """The call came back with the stream complete and the window copied."""
        self._expect.success(trial.result)
        self._copies.expect_finished(self._stream)
        self._expect_images(api, trial)

    def expect_observed(self, api: str, trial: Trial) -> None:
        """What the call gave is recorded; where it succeeded, the window is copied in the end."""
        self._expect.observed(trial.result)
        if trial.result.ok:
            self._acl.call("aclrtSynchronizeDevice")
            self._expect_images(api, trial)

    def _queue_work(self, block: Block, copies: int = 8) -> None:
        half, kind = block.size // 2, "ACL_MEMCPY_DEVICE_TO_DEVICE"
        args = {"destMax": half, "count": half, "kind": kind, "stream": self._stream}
        for _ in range(copies):
            self._acl.call("aclrtMemcpyAsync", dst=block.ptr, src=block.at(half), **args)

    def _expect_images(self, api: str, trial: Trial) -> None:
        sides = zip(("the variable", "host memory"), trial.look(), trial.images(api in FROM), strict=True)
        for where, seen, wanted in sides:
            self._expect.data(seen, wanted, where)


class SymbolClaims:
    """Claims about where variables are."""

    def __init__(self, expect: Expect, variables: Variables) -> None:
        self._expect = expect
        self._variables = variables

    def expect_initial(self, result: Any, name: str) -> None:
        """An address was given that is not null and shows what the variable begins as."""
        self._expect.true("an address that is not null", self._expect.success(result).devPtr != 0)
        block = self._variables.block(name)
        self._expect.true("the address of the variable", result.devPtr, block.ptr)
        self._expect.unchanged(block, where="at first")

    def expect_apart(self, blocks: Sequence[Block]) -> None:
        """The variables do not overlap, and each holds its own bytes."""
        self._expect.true("variables that overlap", overlaps([(each.ptr, each.size) for each in blocks]), [])
        self._expect.unchanged(*blocks)

    def expect_same(self, results: Sequence[Any], output: str) -> None:
        """Every call gave the same."""
        given = {self._expect.success(result)[output] for result in results}
        self._expect.true("answers that differ", len(given), 1)
