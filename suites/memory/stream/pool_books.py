"""What a case holds of memory pools: noted call by call, given back in the right order."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from harness.device import DeviceError, require
from suites.tracked import Caller


class PoolBooks:
    """The pools and blocks that live, by the calls that made them and gave them back."""

    def __init__(self) -> None:
        self.pools: set[int] = set()
        self.blocks: dict[int, int | None] = {}
        """Start of a block -> the stream it was asked for on."""
        self._lenient = False

    def outcome_open(self) -> None:
        """The call under test may leave things in a state in which giving them back is refused."""
        self._lenient = True

    def note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Take down a call; one that failed, or was given nowhere to put its answer, changes nothing."""
        if not result.ok:
            return
        if api == "aclrtMemPoolCreate":
            if "memPool" in result.outputs:
                self.pools.add(result.outputs["memPool"])
        elif api == "aclrtMemPoolDestroy":
            self.pools.discard(_int(args["memPool"]))
        elif api == "aclrtMemPoolMallocAsync":
            # A request for nothing may succeed and leave the address alone.
            if "ptr" in result.outputs and not result.untouched("ptr"):
                self.blocks[result.outputs["ptr"]] = args["stream"]
        elif api == "aclrtMemPoolFreeAsync":
            self.blocks.pop(_int(args["ptr"]), None)
        elif api == "aclrtFree":
            self.blocks.pop(_int(args["devPtr"]), None)

    def give_back(self, caller: Caller) -> None:
        """Free the blocks on their streams, wait for these, and destroy the pools; unless the outcome is
        open, DeviceError for the first call that fails.

        Whatever fails, everything is tried.
        """
        problems = [problem for step in self._steps(caller) if (problem := _tried(step)) is not None]
        self.pools.clear()
        self.blocks.clear()
        if problems and not self._lenient:
            raise problems[0]

    def _steps(self, caller: Caller) -> list[Callable[[], None]]:
        calls: list[tuple[str, dict[str, Any]]] = []
        for start, stream in self.blocks.items():
            calls.append(("aclrtMemPoolFreeAsync", {"ptr": start, "stream": stream}))
        for stream in dict.fromkeys(self.blocks.values()):
            calls.append(("aclrtSynchronizeStream", {"stream": stream}))
        for pool in self.pools:
            calls.append(("aclrtMemPoolDestroy", {"memPool": pool}))
        return [partial(_call, caller, api, args) for api, args in calls]


def _int(value: Any) -> int:
    return operator.index(getattr(value, "ptr", value))


def _call(caller: Caller, api: str, args: dict[str, Any]) -> None:
    require(caller.call(api, **args), "giving a memory pool back")


def _tried(step: Callable[[], None]) -> DeviceError | None:
    try:
        step()
    except DeviceError as error:
        return error
    return None
