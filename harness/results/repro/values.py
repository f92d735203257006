"""What a program that repeats a trace is made of, in no language yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

AreaKind = Literal["device", "pinned", "host"]
"""Memory of the device, host memory that the library gave, and host memory of the program itself."""


@dataclass
class Area:
    """Memory that calls of the trace point into. `base` is where it was; `size` its bytes, as far as known.

    An area of the kind `host` is the program's own; the others are made by the step `made_by`.
    """

    name: str
    kind: AreaKind
    base: int
    size: int
    made_by: int | None = None

    def holds(self, address: int) -> bool:
        """Whether an address lies in it, or right behind its end."""
        return self.base <= address <= self.base + self.size


@dataclass(frozen=True)
class Number:
    """A number; `name` is the enumerator or macro it stands for, where it has one."""

    value: int | float
    name: str = ""


@dataclass(frozen=True)
class Null:
    """No address."""


@dataclass(frozen=True)
class Variable:
    """What an earlier step wrote into a variable: a handle or an address."""

    name: str


@dataclass(frozen=True)
class Inside:
    """An address in an area."""

    area: str
    offset: int


@dataclass(frozen=True)
class Wild:
    """An address that nothing in the trace gave: passed as it was."""

    address: int


@dataclass(frozen=True)
class Text:
    """A text of C."""

    text: str


@dataclass(frozen=True)
class Callback:
    """A function of the program that returns at once."""

    type: str


@dataclass(frozen=True)
class Room:
    """A buffer of the program's own for an output."""

    name: str
    size: int


@dataclass(frozen=True)
class Output:
    """A variable that the call writes; `first` is what it holds before, where the call reads it too."""

    name: str
    type: str
    first: Value | None = None


@dataclass(frozen=True)
class Struct:
    """A struct by value or address: fields by path (`location.id`)."""

    name: str
    type: str
    fields: tuple[tuple[str, Value], ...]
    by_address: bool = True


@dataclass(frozen=True)
class Array:
    """An array of the program's own; `written` says that the call fills it."""

    name: str
    type: str
    values: tuple[Value, ...]
    written: bool = False


Value: TypeAlias = (
    "Number | Null | Variable | Inside | Wild | Text | Callback | Room | Output | Struct | Array"
)


@dataclass
class Step:
    """One call: its arguments in C's order, and how it ended.

    `made` is the area a successful call gave; `gave` the variable of a function that returns an address.
    """

    number: int
    function: str
    args: list[Value]
    thread: int
    code: int | None
    returned: bool
    result: str = ""
    gave: str = ""
    made: str = ""
    waits_for: tuple[int, ...] = ()
    facts: dict[str, int] = field(default_factory=dict)


@dataclass
class Program:
    """A trace as a program: its memory and its steps."""

    case_id: str
    areas: list[Area]
    steps: list[Step]
    threads: int
    whole: bool
    sets_up: bool
    wants_context: bool


class ReproError(Exception):
    """A trace that no program can repeat; the text is one line that says why."""
