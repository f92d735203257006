"""Objects of services and operators: which call makes one, which ends it, how a case's own go at its end."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from harness.device import DeviceError, require
from harness.plugin import Case
from suites.tracked import Caller, Tracked


class Ending(NamedTuple):
    """The function that ends an object, and the parameter that names it."""

    api: str
    name: str


HANDLE_MAKERS = (
    "aclopCreateHandle",
    "aclopCreateHandleForCast",
    *(f"aclblasCreateHandleFor{each}" for each in ("GemmEx", "GemvEx", "Hgemm", "Hgemv", "S8gemm", "S8gemv")),
)
"""Who makes a handle of an operator."""

_DESTROY_CHANNEL = Ending("acltdtDestroyChannel", "handle")
ENDINGS = {
    "acltdtCreateDataItem": Ending("acltdtDestroyDataItem", "dataItem"),
    "acltdtCreateDataset": Ending("acltdtDestroyDataset", "dataset"),
    "acltdtCreateChannel": _DESTROY_CHANNEL,
    "acltdtCreateChannelWithCapacity": _DESTROY_CHANNEL,
    "acltdtCreateQueue": Ending("acltdtDestroyQueue", "qid"),
    "acltdtCreateQueueAttr": Ending("acltdtDestroyQueueAttr", "attr"),
    "acltdtCreateQueueRoute": Ending("acltdtDestroyQueueRoute", "route"),
    "acltdtCreateQueueRouteList": Ending("acltdtDestroyQueueRouteList", "routeList"),
    "acltdtCreateQueueRouteQueryInfo": Ending("acltdtDestroyQueueRouteQueryInfo", "info"),
    "acltdtAllocBuf": Ending("acltdtFreeBuf", "buf"),
    "acltdtCopyBufRef": Ending("acltdtFreeBuf", "buf"),
    "aclprofCreateConfig": Ending("aclprofDestroyConfig", "profilerConfig"),
    "aclprofCreateSubscribeConfig": Ending("aclprofDestroySubscribeConfig", "profSubscribeConfig"),
    "aclprofCreateStamp": Ending("aclprofDestroyStamp", "stamp"),
    "aclprofCreateStepInfo": Ending("aclprofDestroyStepInfo", "stepinfo"),
    "aclopCreateAttr": Ending("aclopDestroyAttr", "attr"),
    "aclCreateGraphDumpOpt": Ending("aclDestroyGraphDumpOpt", "graphDumpOpt"),
    "acllogRegisterCallback": Ending("acllogUnregisterCallback", "callback"),
    **dict.fromkeys(HANDLE_MAKERS, Ending("aclopDestroyHandle", "handle")),
}
"""Who makes an object, and how it ends."""

_OUTPUTS = {
    "acltdtCreateQueue": "qid",
    "acltdtAllocBuf": "buf",
    "acltdtCopyBufRef": "newBuf",
    "acllogRegisterCallback": "callbackHandle",
    **dict.fromkeys(HANDLE_MAKERS, "handle"),
}
"""The makers that give their object back through an output, and not as their result."""

_ENDED_BY = {ending.api: ending.name for ending in ENDINGS.values()}


def made_by(api: str, result: Any) -> int | None:
    """The object that a call has made, or None where it has made none."""
    if api not in ENDINGS:
        return None
    if api not in _OUTPUTS:
        return int(result.value) or None
    succeeded = result.ok if result.code is not None else result.value == 0
    return int(result.outputs[_OUTPUTS[api]]) if succeeded and _OUTPUTS[api] in result.outputs else None


class Objects:
    """The objects that live, in the order in which they were made."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int], Ending] = {}

    def __len__(self) -> int:
        return len(self._held)

    def note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Take down a call; one that failed, or was given nothing, changes nothing."""
        made = made_by(api, result)
        if made is not None:
            self._held[ENDINGS[api].api, made] = ENDINGS[api]
        elif api in _ENDED_BY and result.ok and args[_ENDED_BY[api]] is not None:
            self._held.pop((api, operator.index(args[_ENDED_BY[api]])), None)

    def forget(self, api: str, thing: int) -> None:
        """The object went along with another one, and not through the call that ends it."""
        self._held.pop((api, thing), None)

    def give_back(self, caller: Caller) -> None:
        """End all that is left, the last one first; DeviceError for the first call that fails.

        Whatever fails, everything is tried.
        """
        problems = []
        for (_, thing), ending in reversed(self._held.items()):
            try:
                answer = caller.call(ending.api, **{ending.name: thing})
                if answer.code is not None:
                    require(answer, "giving back what the case has made")
            except DeviceError as error:
                problems.append(error)
        self._held.clear()
        if problems:
            raise problems[0]


def tracked(case: Case, objects: Objects) -> Tracked:
    """The surface of a case, with everything made through it given back at the end of the case.

    What the surface lacks is called in C.
    """
    c = case.engine.c
    case.resources.at_end(lambda: objects.give_back(c))
    return Tracked(case.engine.surface(case.surface), c, objects)
