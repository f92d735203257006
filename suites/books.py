"""What a case or a process holds: taken down call by call, and given back at the end."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, TypeAlias

from harness.device import DeviceError, require
from suites.tracked import Caller

Debt: TypeAlias = "tuple[str, dict[str, Any]]"
"""A call that gives something back: the function, and its arguments by C parameter names."""


class Books(ABC):
    """What lives, by the calls that made it and gave it back; subclasses know which calls these are."""

    doing: ClassVar[str]
    """What giving back is called where a call of it fails."""

    def __init__(self) -> None:
        self._lenient = False

    def outcome_open(self) -> None:
        """The call under test may leave things in a state in which giving them back is refused."""
        self._lenient = True

    def note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Take down a call; one that failed, or was given nowhere to put its answer, changes nothing."""
        if result.ok:
            self._note(api, args, result)

    def give_back(self, caller: Caller) -> None:
        """Give back all that is left; unless the outcome is open, DeviceError for the first call that fails.

        Whatever fails, everything is tried.
        """
        debts, problems = list(self._debts()), []
        self._forget()
        for api, args in debts:
            try:
                require(caller.call(api, **args), self.doing)
            except DeviceError as error:
                problems.append(error)
        if problems and not self._lenient:
            raise problems[0]

    @abstractmethod
    def _note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Take down a call that succeeded."""

    @abstractmethod
    def _debts(self) -> Iterable[Debt]:
        """What gives back all that is left, nothing before what still uses it."""

    @abstractmethod
    def _forget(self) -> None:
        """Nothing is left."""


def number_of(value: Any) -> int:
    """An address or handle, given as a number or as a block."""
    pointer = getattr(value, "ptr", None)
    return operator.index(value if pointer is None else pointer)
