"""Functions that aclInit and aclFinalize call, and what they were told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harness.binding import Library
from harness.device import require

OTHER = "ACL_REG_TYPE_OTHER"
MODEL = "ACL_REG_TYPE_ACL_MODEL"
TYPES = (
    MODEL,
    "ACL_REG_TYPE_ACL_OP_EXECUTOR",
    "ACL_REG_TYPE_ACL_OP_CBLAS",
    "ACL_REG_TYPE_ACL_OP_COMPILER",
    "ACL_REG_TYPE_ACL_TDT_CHANNEL",
    "ACL_REG_TYPE_ACL_TDT_QUEUE",
    "ACL_REG_TYPE_ACL_DVPP",
    "ACL_REG_TYPE_ACL_RETR",
    OTHER,
)
TAG = 0x1234
"""What a function is registered with; it is never dereferenced."""


@dataclass
class Function:
    """A C function and the arguments of its calls, in order."""

    pointer: Any = None
    calls: list[tuple[Any, ...]] = field(default_factory=list)


class Registrations:
    """Makes and registers functions; `when` is "Init" or "Finalize"."""

    def __init__(self, acl: Any, library: Library) -> None:
        self._acl = acl
        self._library = library

    def function(self, when: str, answer: int = 0) -> Function:
        """A function that answers with this code."""
        made = Function()

        def called(*args: Any) -> int:
            made.calls.append(args)
            return answer

        made.pointer = self._library.callback(f"acl{when}CallbackFunc", called)
        return made

    def register(self, when: str, function: Function, kind: str = OTHER) -> Any:
        """The answer to registering a function."""
        api = f"acl{when}CallbackRegister"
        return self._acl.call(api, type=kind, cbFunc=function.pointer, userData=TAG)

    def unregister(self, when: str, function: Function, kind: str = OTHER) -> Any:
        """The answer to unregistering a function."""
        return self._acl.call(f"acl{when}CallbackUnRegister", type=kind, cbFunc=function.pointer)

    def registered(self, when: str, answer: int = 0) -> Function:
        """A function that is registered for any purpose."""
        made = self.function(when, answer)
        require(self.register(when, made), "registering a function")
        return made

    def of_every_type(self, when: str) -> dict[str, Function]:
        """A function for each type; what a library refuses is left out."""
        made = {kind: self.function(when) for kind in TYPES}
        return {kind: one for kind, one in made.items() if self.register(when, one, kind).ok}


def told_ran(functions: dict[str, Function]) -> str:
    """Which types were called, in words."""
    ran = [kind for kind, function in functions.items() if function.calls]
    return f"called: {', '.join(ran) or 'none'}"
