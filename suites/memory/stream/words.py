"""Words in device memory that streams write and wait for, and claims about both."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from harness.device import require
from harness.device.blocks import CopyAccess
from harness.plugin import Block, BlockKind, Bytes, Case, Expect, Hold, Memory
from suites.memory.copy.peers import Peer
from suites.memory.stream.conditions import EQ, HIGH, LATER, ONES, Condition

WRITE, WAIT = "aclrtValueWrite", "aclrtValueWait"

WORD = 8
"""Bytes of a value."""

PAGE = 4096
"""Bytes of a page."""

VALUES = {0: 0x1122334455667788, 8: 0, 64: ONES, 2040: HIGH, 2056: 0xFFFFFFFF, 4088: 1 << 32}
"""Values by their offset in a page: beside each other, in the middle, and at both ends."""

_LINE = 64
_GRACE_S = 0.01
"""How long a stream that must be held is watched."""

_PATIENCE_S = 5.0
"""Within this time a stream must go on that is free to."""

_POLL_S = 0.0002
_DONE = 1


def as_bytes(value: int) -> bytes:
    """A value as it lies in memory."""
    return value.to_bytes(WORD, "little")


def image(before: Bytes, values: Mapping[int, int]) -> Bytes:
    """What memory holds when each value was written at its offset."""
    after: Bytes = before.copy()
    for offset, value in values.items():
        after[offset : offset + WORD] = np.frombuffer(as_bytes(value), np.uint8)
    return after


@dataclass(frozen=True)
class Waiting:
    """A stream that was told to wait, and a word that it writes when it goes on."""

    condition: Condition
    call: Any
    stream: int
    word: int
    marker: int


class Words:
    """Values written and waited for on streams of the surface under test."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self._waits: list[tuple[int | None, int, int]] = []
        """Stream, address and value of every wait so far."""

    # What a case needs

    def word(self, value: int = 0) -> Block:
        """A word of device memory with bytes before and after it that must stay."""
        return self._memory.device(WORD).write(as_bytes(value))

    def page(self, seed: int = 1, kind: BlockKind = "device") -> Block:
        """4096 bytes of device memory whose every byte is known."""
        return self.known(self._memory.of(kind, PAGE), seed)

    def known(self, block: Block, seed: int = 1) -> Block:
        """A block whose every byte is known from then on."""
        return block.write(np.random.default_rng(seed).integers(0, 256, block.size, np.uint8))

    def value(self, block: Block, offset: int = 0) -> int:
        """What a word holds."""
        return int.from_bytes(block.read(offset, WORD).tobytes(), "little")

    # Calls

    def write(self, block: Block, values: Mapping[int, int], stream: int | None) -> list[Any]:
        """The answers to writing each value at its offset in a block."""
        return [
            self._acl.call(WRITE, devAddr=block.at(offset), value=value, flag=0, stream=stream)
            for offset, value in values.items()
        ]

    def write_there(self, peer: Peer, block: Block, values: Mapping[int, int]) -> list[Any]:
        """The answers to writing each value on a stream of the second device, and to waiting there for what
        each word then holds; the stream is through.
        """
        with peer.current():
            stream = int(self._must("aclrtCreateStream").stream)
            results = self.write(block, values, stream)
            self._must("aclrtSynchronizeStream", stream=stream)
            for address in map(block.at, values):
                args = {"value": self._word(address), "flag": EQ, "stream": stream}
                results.append(self._acl.call(WAIT, devAddr=address, **args))
            self._must("aclrtSynchronizeStream", stream=stream)
            self._must("aclrtDestroyStream", stream=stream)
        return results

    def write_in_turn(self, word: Block, values: Sequence[int], stream: int | None) -> list[Any]:
        """The answers to writing all values to one word, one after the other."""
        return [
            self._acl.call(WRITE, devAddr=word.ptr, value=value, flag=0, stream=stream) for value in values
        ]

    def fill(self, word: Block, byte: int, stream: int) -> None:
        """Queue a fill of a word."""
        args = {"maxCount": WORD, "value": byte, "count": WORD, "stream": stream}
        self._must("aclrtMemsetAsync", devPtr=word.ptr, **args)

    def copy(self, target: Block, source: Block, stream: int | None) -> None:
        """Queue a copy of a word, inside the device."""
        kind = "ACL_MEMCPY_DEVICE_TO_DEVICE"
        args = {"destMax": WORD, "count": WORD, "kind": kind, "stream": stream}
        self._must("aclrtMemcpyAsync", dst=target.ptr, src=source.ptr, **args)

    def wait(self, word: Block, value: int, mode: str, stream: int | None) -> Any:
        """The answer to telling a stream to wait."""
        return self._told_to_wait(word.ptr, value, mode, stream)

    def wait_on_streams(self, word: Block, value: int, mode: str, streams: int) -> list[Waiting]:
        """Fresh streams that all wait for the same."""
        condition = Condition(self.value(word), value, then=value)
        markers = self._memory.device(streams * _LINE).fill(0)
        return [self._queued(mode, condition, word.ptr, markers.at(n * _LINE)) for n in range(streams)]

    def wait_on_one_word(self, mode: str, conditions: Sequence[Condition]) -> list[Waiting]:
        """For each condition two streams that wait for it on the one word that all share; the last one first,
        in turn.
        """
        turns = [*reversed(conditions)] * 2
        word, markers = self.word(conditions[0].memory), self._memory.device(len(turns) * _LINE).fill(0)
        return [
            self._queued(mode, condition, word.ptr, markers.at(number * _LINE))
            for number, condition in enumerate(turns)
        ]

    def wait_behind(self, hold: Hold, mode: str) -> tuple[Any, Block, Condition]:
        """A wait on the stream that is held, for what its word fulfils now and not later: the answer, the
        word and the condition.
        """
        memory, condition = LATER[mode]
        word = self.word(memory)
        return self.wait(word, condition.value, mode, hold.stream), word, condition

    def queue(self, mode: str, conditions: Sequence[Condition], kind: BlockKind = "device") -> list[Waiting]:
        """For each condition a stream that waits for it and then writes a word of its own."""
        words, markers = (self._memory.of(kind, len(conditions) * _LINE).fill(0) for _ in range(2))
        for number, condition in enumerate(conditions):
            words.write(as_bytes(condition.memory), number * _LINE)
        return [
            self._queued(mode, condition, words.at(number * _LINE), markers.at(number * _LINE))
            for number, condition in enumerate(conditions)
        ]

    def queue_one(self, mode: str, memory: int, value: int, kind: BlockKind = "device") -> Waiting:
        """A stream that waits for a condition that does not hold."""
        (waiting,) = self.queue(mode, [Condition(memory, value, then=value)], kind)
        return waiting

    def wait_in_turn(self, flags: Sequence[Block], mode: str, stream: int, word: Block) -> list[Any]:
        """The answers to telling one stream to wait for 1 in each flag, and to count up a word after each."""
        results = []
        for number, flag in enumerate(flags, 1):
            results.append(self.wait(flag, 1, mode, stream))
            results += self.write_in_turn(word, [number], stream)
        return results

    def chain(self, word: Block, mode: str, numbers: Sequence[int]) -> list[Any]:
        """For each number, the last one first, a stream that waits for it and then writes the next number."""
        results = []
        for number in reversed(numbers):
            stream = self._case.resources.stream()
            results.append(self.wait(word, number, mode, stream))
            results += self.write_in_turn(word, [number + 1], stream)
        return results

    # Claims

    def expect_written(
        self, results: Sequence[Any], block: Block, values: Mapping[int, int], stream: int | None
    ) -> None:
        """The writes were accepted; once the stream is through, the values and nothing else have changed."""
        before = block.expected()
        self.expect_accepted(results)
        self.settle(stream)
        self._expect.data(block, image(before, values), "the memory round the values")

    def expect_written_there(self, results: Sequence[Any], block: Block, values: Mapping[int, int]) -> None:
        """The calls were accepted, and the values and nothing else have changed."""
        self.expect_accepted(results)
        self._expect.data(block, image(block.expected(), values), "the memory round the values")

    def expect_value(self, results: Sequence[Any], word: Block, value: int, stream: int | None) -> None:
        """The calls were accepted; once the stream is through, the word holds this value."""
        self.expect_written(results, word, {0: value}, stream)

    def expect_deferred(self, results: Sequence[Any], word: Block, value: int, hold: Hold) -> None:
        """The calls came back while their stream is held, and the word changes once that is released."""
        self.expect_accepted(results)
        self.expect_held(hold.stream)
        time.sleep(_GRACE_S)
        self._expect.unchanged(word, where="while its stream is held")
        hold.release()
        self.expect_value(results, word, value, hold.stream)

    def expect_gone_on(self, waiting: Sequence[Waiting]) -> None:
        """Streams whose condition holds have gone on and others have not, until their word is as they
        want.
        """
        self.expect_accepted([each.call for each in waiting])
        held = [each for each in waiting if each.condition.then is not None]
        self._expect_through([each for each in waiting if each.condition.then is None])
        time.sleep(_GRACE_S)
        self._expect_waiting(held)
        self._write_from_another_stream({each.word: each.condition.then or 0 for each in held})
        self._expect_through(held)
        for each in waiting:
            condition = each.condition
            left = condition.memory if condition.then is None else condition.then
            self._expect.true("a word after the wait", self._word(each.word), left)

    def expect_held_through(self, waiting: Waiting, values: Sequence[int], then: int) -> None:
        """The stream stays where it is while its word takes these values, and goes on with the last one."""
        self.expect_accepted([waiting.call])
        for value in values:
            self._write_from_another_stream({waiting.word: value})
            time.sleep(_GRACE_S / 4)
            self._expect_waiting([waiting])
        self._write_from_another_stream({waiting.word: then})
        self._expect_through([waiting])

    def expect_released_together(
        self, waiting: Sequence[Waiting], word: Block, value: int, stream: int
    ) -> None:
        """All streams wait, and one write of another stream lets all of them go on."""
        self.expect_accepted([each.call for each in waiting])
        time.sleep(_GRACE_S)
        self._expect_waiting(waiting)
        self.expect_value(self.write_in_turn(word, [value], stream), word, value, stream)
        self._expect_through(waiting)

    def expect_released_one_by_one(self, waiting: Sequence[Waiting], conditions: Sequence[Condition]) -> None:
        """All streams wait on one word; each condition in turn lets its own ones go on and no others."""
        self.expect_accepted([each.call for each in waiting])
        left = list(waiting)
        for condition in conditions:
            time.sleep(_GRACE_S)
            self._expect_waiting(left)
            self._write_from_another_stream({left[0].word: condition.then or 0})
            self._expect_through([each for each in left if each.condition == condition])
            left = [each for each in left if each.condition != condition]
        self._expect.true("streams that no condition has let go on", left, [])

    def expect_held_until(self, result: Any, word: Block, value: int, stream: int | None) -> None:
        """The call came back, its stream is not complete, and goes on once the host has written the value."""
        self._expect.success(result)
        time.sleep(_GRACE_S)
        self.expect_held(stream)
        word.write(as_bytes(value))
        self.expect_through(stream)

    def expect_done_meanwhile(self, result: Any, work: Mapping[int | None, tuple[Block, int]]) -> None:
        """The call succeeded, and each of these streams gets through and has written its value."""
        self._expect.success(result)
        for stream, (block, value) in work.items():
            self.expect_through(stream)
            self._expect.true("the value that was written meanwhile", self.value(block), value)

    def expect_turns(self, results: Sequence[Any], flags: Sequence[Block], stream: int, word: Block) -> None:
        """The stream stops at each of these flags in turn until it is set, and is through after the last."""
        self.expect_accepted(results)
        for number, flag in enumerate(flags):
            time.sleep(_GRACE_S / 2)
            self._expect.true("flags the stream has passed", self.value(word), number)
            flag.write(as_bytes(1))
            self._until(partial(self._at_least, word, number + 1))
        self.expect_through(stream)

    def expect_released_by(self, result: Any, stream: int, release: Callable[[], None]) -> None:
        """The call succeeded, its stream waits, and goes on once something has changed the word."""
        self._expect.success(result)
        time.sleep(_GRACE_S)
        self.expect_held(stream)
        release()
        self.expect_through(stream)

    def expect_held_after(self, result: Any, word: Block, condition: Condition, hold: Hold) -> None:
        """The condition held when the call was made, but does not when the stream comes to it."""
        self._expect.success(result)
        word.write(as_bytes(condition.memory))
        hold.release()
        self.expect_held_until(result, word, condition.then or 0, hold.stream)

    def expect_chain(self, results: Sequence[Any], word: Block, first: int, last: int) -> None:
        """Nothing goes on before the first number is written; then the word reaches the last one."""
        self.expect_accepted(results)
        time.sleep(_GRACE_S)
        self._expect.unchanged(word, where="before the first number")
        word.write(as_bytes(first))
        self._until(partial(self._reached, word, last))
        self._expect.true("the last number", self.value(word), last)

    def expect_accepted(self, results: Sequence[Any]) -> None:
        """Every call succeeded."""
        self._expect.true("calls were made", len(results) > 0)
        for result in results:
            self._expect.success(result)

    def expect_held(self, stream: int | None) -> None:
        """The stream says that it has work to do."""
        self._expect.true("the stream is not complete", self._complete(stream), False)

    def expect_through(self, stream: int | None) -> None:
        """The stream gets through its work."""
        self._until(lambda: self._complete(stream))
        self._expect.true("the stream is complete", self._complete(stream))

    def settle(self, stream: int | None) -> None:
        """Wait for a stream."""
        self._expect.success(self._acl.call("aclrtSynchronizeStream", stream=stream))

    def let_go(self) -> None:
        """Whatever has failed, no stream is left waiting."""
        for stream, address, value in self._waits:
            # Not even the comparison may be the right one.
            for word in (value, 0, ONES, ONES - 1):
                if not self._complete(stream):
                    self._put(address, word)
                    self._until(partial(self._complete, stream), limit=_GRACE_S)

    def _told_to_wait(self, address: int, value: int, mode: str, stream: int | None) -> Any:
        result = self._acl.call(WAIT, devAddr=address, value=value, flag=mode, stream=stream)
        self._waits.append((stream, address, value))
        return result

    def _queued(self, mode: str, condition: Condition, word: int, marker: int) -> Waiting:
        stream = self._case.resources.stream()
        call = self._told_to_wait(word, condition.value, mode, stream)
        self._must(WRITE, devAddr=marker, value=_DONE, flag=0, stream=stream)
        return Waiting(condition, call, stream, word, marker)

    def _expect_through(self, waiting: Sequence[Waiting]) -> None:
        for each in waiting:
            self._until(partial(self._complete, each.stream))
            gone_on = self._complete(each.stream), self._marked(each)
            self._expect.true(f"the stream goes on with {each.condition}", gone_on, (True, True))

    def _expect_waiting(self, waiting: Sequence[Waiting]) -> None:
        for each in waiting:
            gone_on = self._complete(each.stream), self._marked(each)
            self._expect.true(f"the stream goes on with {each.condition}", gone_on, (False, False))

    def _write_from_another_stream(self, values: Mapping[int, int]) -> None:
        stream = self._case.resources.stream()
        for address, value in values.items():
            self._must(WRITE, devAddr=address, value=value, flag=0, stream=stream)
        self._must("aclrtSynchronizeStream", stream=stream)

    def _put(self, address: int, value: int) -> None:
        data = np.frombuffer(as_bytes(value), np.uint8)
        args = {"destMax": WORD, "count": WORD, "kind": "ACL_MEMCPY_HOST_TO_DEVICE"}
        self._case.engine.c.call("aclrtMemcpy", dst=address, src=data.ctypes.data, **args)

    def _marked(self, waiting: Waiting) -> bool:
        return self._word(waiting.marker) == _DONE

    def _word(self, address: int) -> int:
        found = CopyAccess(self._case.engine.c).read(address, WORD)
        return int.from_bytes(found.tobytes(), "little")

    def _at_least(self, word: Block, value: int) -> bool:
        return self.value(word) >= value

    def _reached(self, word: Block, value: int) -> bool:
        return self.value(word) == value

    def _complete(self, stream: int | None) -> bool:
        """Whether a stream says that it is complete."""
        return int(self._must("aclrtStreamQuery", stream=stream).status) == 0

    def _until(self, holds: Callable[[], bool], limit: float = _PATIENCE_S) -> None:
        """Wait until something holds, but not for ever."""
        end = time.monotonic() + limit
        while not holds() and time.monotonic() < end:
            time.sleep(_POLL_S)

    def _must(self, api: str, **args: Any) -> Any:
        return require(self._case.engine.c.call(api, **args), "preparing values")
