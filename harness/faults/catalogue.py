"""The catalogue of faults: data, checked against the contract."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from harness.contract import Contract

CATALOGUE = Path(__file__).parent / "data"
FIELD_DEFECTS = Path(__file__).parent / "field_defects.json"

T = TypeVar("T")


class FaultError(Exception):
    """A fault that does not exist, a broken catalogue, or a fault run that could not be made; one line."""


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way in which the reference device can break its promises.

    `sentence` says what it does wrong; `breaks` lists every rule that no longer holds with it; `field` the
    ids of the defects seen in the field that it stands for.
    """

    sentence: str
    breaks: tuple[str, ...]
    field: tuple[str, ...] = ()


class FieldDefect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A class of defects that was seen in the field: its kind, and what is seen of it."""

    kind: str
    seen: str


def load_field_defects(file: Path = FIELD_DEFECTS) -> dict[str, FieldDefect]:
    """The classes of field defects that must have a fault, by id; FaultError naming what is wrong."""
    return _decode(file, dict[str, FieldDefect])


def load_faults(contract: Contract, folder: Path = CATALOGUE) -> dict[str, Fault]:
    """Every fault by name, from the folder's files, one an area of the reference device.

    FaultError naming file, fault and what is wrong.
    """
    files = sorted(folder.glob("*.json"))
    if not files:
        raise FaultError(f"{folder}: no catalogue of faults (*.json) there")
    faults: dict[str, Fault] = {}
    for file in files:
        for name, fault in _read(contract, file).items():
            if name in faults:
                raise FaultError(f"{file}: fault {name} stands in another file as well")
            faults[name] = fault
    return faults


def _decode(file: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except OSError as error:
        raise FaultError(f"{file}: cannot be read ({error.strerror})") from None
    except msgspec.MsgspecError as error:
        raise FaultError(f"{file}: {error}") from None


def _read(contract: Contract, file: Path) -> dict[str, Fault]:
    faults = _decode(file, dict[str, Fault])
    for name, fault in faults.items():
        if not fault.breaks:
            raise FaultError(f"{file}: fault {name} breaks no rule; what is it for?")
        for rule in fault.breaks:
            if rule not in contract.rules:
                raise FaultError(f"{file}: fault {name} breaks {rule!r}, which the contract does not have")
    return faults


def faults_of(rule: str, faults: dict[str, Fault]) -> list[str]:
    """The names of the faults that break a rule."""
    return [name for name, fault in faults.items() if rule in fault.breaks]
