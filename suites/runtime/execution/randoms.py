"""Random numbers that the device makes."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.plugin import Block, Case, Expect, Memory

COUNTER_BYTES = 16
MEAN, DEVIATION, NEAR = 3.0, 2.0, 0.05

UNIFORM, NORMAL = "UNIFORM_DIS", "NORMAL_DIS"

_NUMBER, _FLOAT = "<Q", "<f"
_ROOM = 64


class Randoms:
    """Floats made on one stream; blocked where the device makes none."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> None:
        self._acl, self._case, self._memory, self._expect = acl, case, memory, expect
        self._stream = stream

    def target(self, count: int) -> Block:
        """Room for so many floats."""
        return self._memory.device(4 * count)

    def task(
        self, target: Block, distribution: str = UNIFORM, first: float = 0, second: float = 1, seed: int = 1
    ) -> Block:
        """The description of a task that fills the target: uniform between two numbers, or normal with a mean
        and a deviation.
        """
        return self.counted_task(
            target, self._memory.device(_ROOM).fill(0), distribution, first, second, seed
        )

    def counter(self) -> Block:
        """The counter of a task, which begins at 0, and not a byte more."""
        return self._memory.device(COUNTER_BYTES).fill(0)

    def counted_task(
        self,
        target: Block,
        counter: Block,
        distribution: str = UNIFORM,
        first: float = 0,
        second: float = 1,
        seed: int = 1,
    ) -> Block:
        """The same, with a counter of the caller's."""
        names = ("min", "max") if distribution == UNIFORM else ("mean", "stddev")
        chosen = dict(zip(names, (_value(_FLOAT, first), _value(_FLOAT, second)), strict=True))
        union = {"uniformDisInfo" if distribution == UNIFORM else "normalDisInfo": chosen}
        info = {
            "dataType": "ACL_FLOAT",
            "randomNumFuncParaInfo": {
                "funcType": f"ACL_RT_RANDOM_NUM_FUNC_TYPE_{distribution}",
                "paramInfo": union,
            },
            "randomParaAddr": self._memory.device(_ROOM).fill(0),
            "randomResultAddr": target,
            "randomCounterAddr": counter,
            "randomSeed": _value(_NUMBER, seed),
            "randomNum": _value(_NUMBER, target.size // 4),
        }
        library = self._case.engine.library
        made = library.types.struct("aclrtRandomNumTaskInfo")()
        library.values.fill(made, info, [], "a task of random numbers")
        return self._memory.pageable(len(bytes(made))).write(bytes(made))

    def make(self, task: Block) -> Any:
        """The answer to putting a task on the stream; its numbers are there if it succeeded."""
        result = self._acl.aclrtRandomNumAsync(taskInfo=task, stream=self._stream, reserve=None)
        if result.ok:
            self._expect.success(self._case.engine.c.call("aclrtSynchronizeStream", stream=self._stream))
        return result

    def drawn(self, count: int, seed: int) -> bytes:
        """So many uniform numbers, with a counter that begins at 0; the call has to succeed."""
        target = self.target(count)
        self._expect.success(self.make(self.task(target, seed=seed)))
        return target.read().tobytes()

    def expect_between(self, target: Block, low: float, high: float) -> None:
        """Every number lies in the range."""
        numbers = _floats(target)
        inside = np.isfinite(numbers) & (numbers >= low) & (numbers <= high)
        self._expect.true("numbers outside the range", int((~inside).sum()), 0)

    def expect_varied(self, target: Block) -> None:
        """The numbers are not all the same."""
        self._expect.true("different numbers", bool(np.unique(_floats(target)).size > 1), True)

    def expect_mean(self, target: Block, mean: float) -> None:
        """The numbers have about this mean."""
        self._expect.within("the mean", float(_floats(target).mean()), mean - NEAR, mean + NEAR)

    def expect_moments(self, target: Block) -> None:
        """The numbers have about the asked mean and deviation."""
        numbers = _floats(target).astype(np.float64)
        self._expect.within("the mean", float(numbers.mean()), MEAN - NEAR, MEAN + NEAR)
        self._expect.within("the deviation", float(numbers.std()), DEVIATION - NEAR, DEVIATION + NEAR)


def _value(form: str, number: float) -> dict[str, Any]:
    data = struct.pack(form, number)
    return {"isAddr": 0, "valueOrAddr": [*data, *bytes(8 - len(data))], "size": len(data)}


def _floats(block: Block) -> npt.NDArray[np.float32]:
    return block.read().view("<f4")
