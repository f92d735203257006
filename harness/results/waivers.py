"""Waivers: known failures that somebody answers for until a date (docs/qualification.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import msgspec

from harness.contract import Contract, ContractError, matches
from harness.contract.versions import parse_range
from harness.results.errors import ResultsError
from harness.results.records import CaseRecord, Header, Waived
from harness.results.verdicts import Verdict

_HELD = frozenset({Verdict.PASS, Verdict.REFUSED_AS_DOCUMENTED, Verdict.OBSERVED})
"""What a case that a waiver excuses ends with when there is nothing left to excuse."""

ProblemKind = Literal["expired", "unmatched", "unexpected"]


class Waiver(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One known failure: whose, why, where it is told of, and until when it may stay.

    Exactly one of `rule` and `id` says what fails; both are patterns with * and ?, `id` of case ids.
    `products` and `driver` (a version range) say where; a host whose driver is not known is in no range.
    """

    owner: str
    reason: str
    link: str
    expires: date
    rule: str = ""
    id: str = ""
    products: tuple[str, ...] = ()
    driver: str = "all"

    @property
    def pattern(self) -> str:
        """What the waiver is known by: its rule or id pattern."""
        return self.rule or self.id

    def is_about(self, case_id: str, rules: Iterable[str], product: str) -> bool:
        """Whether it names the case, on this product."""
        if self.products and product not in self.products:
            return False
        if self.id:
            # A case id is full of brackets, which are no pattern here.
            return fnmatchcase(case_id, self.id.replace("[", "[[]"))
        return any(fnmatchcase(rule, self.rule) for rule in rules)

    def serves(self, driver: str) -> bool:
        """Whether the driver's version is in its range."""
        if self.driver == "all":
            return True
        try:
            return matches(self.driver, driver)
        except ContractError:
            return False


class _File(msgspec.Struct, forbid_unknown_fields=True):
    waiver: list[dict[str, Any]] = []


@dataclass(frozen=True)
class WaiverProblem:
    """Why a waiver fails the run: its date is over, it names nothing that was run, or all of it holds."""

    kind: ProblemKind
    waiver: Waiver

    @property
    def told(self) -> str:
        """The problem in words, and what to do."""
        if self.kind == "expired":
            return f"expired on {self.waiver.expires}; {self.waiver.owner} fixes it or says why it may stay"
        if self.kind == "unmatched":
            return "names no case of this run; mend or remove it"
        return "what it excuses holds now; remove it"


@dataclass(frozen=True)
class Waivers:
    """The waivers of one file, on one day, for one driver."""

    entries: tuple[Waiver, ...] = ()
    today: date = field(default_factory=date.today)
    driver: str = ""

    def excuse(self, case_id: str, rules: Sequence[str], product: str, verdict: Verdict) -> Waived | None:
        """The excuse for a case that ended badly, or None where nobody answers for it today."""
        for waiver in self.entries:
            if (
                self.today <= waiver.expires
                and waiver.serves(self.driver)
                and waiver.is_about(case_id, rules, product)
            ):
                return Waived(
                    verdict=verdict,
                    pattern=waiver.pattern,
                    owner=waiver.owner,
                    reason=waiver.reason,
                    link=waiver.link,
                    expires=waiver.expires.isoformat(),
                )
        return None


class WaiverUse:
    """What the cases of a run make of its waivers: shown every case, it tells which waivers fail the run."""

    def __init__(self, waivers: Waivers) -> None:
        self._waivers = waivers
        self._named: set[Waiver] = set()
        self._needed: set[Waiver] = set()
        self._held: set[Waiver] = set()

    def see(self, case: CaseRecord) -> None:
        """Take in one case."""
        for waiver in self._waivers.entries:
            if waiver.is_about(case.id, case.rules, case.product):
                self._named.add(waiver)
                if case.verdict in _HELD:
                    self._held.add(waiver)
                elif case.verdict is not Verdict.BLOCKED:
                    self._needed.add(waiver)

    def problems(
        self, header: Header, chosen: frozenset[str] | None, whole: bool = True
    ) -> list[WaiverProblem]:
        """The waivers that fail the run.

        A waiver for other products or drivers has nothing to say here, nor has one of rules that were not
        `chosen` (None: every rule counts). `whole` is false for a run of some cases only, of which a waiver
        may well name none.
        """
        found = []
        for waiver in self._waivers.entries:
            if not self._belongs(waiver, header, chosen):
                continue
            if waiver.expires < self._waivers.today:
                found.append(WaiverProblem("expired", waiver))
            elif waiver not in self._named:
                if whole:
                    found.append(WaiverProblem("unmatched", waiver))
            elif waiver in self._held and waiver not in self._needed:
                found.append(WaiverProblem("unexpected", waiver))
        return found

    def _belongs(self, waiver: Waiver, header: Header, chosen: frozenset[str] | None) -> bool:
        if waiver.products and set(waiver.products).isdisjoint(header.products):
            return False
        if not waiver.serves(self._waivers.driver):
            return False
        if chosen is None or waiver in self._named:
            return True
        return any(fnmatchcase(rule, waiver.rule) for rule in chosen)


def read_waivers(file: Path, contract: Contract) -> tuple[Waiver, ...]:
    """The waivers of a TOML file.

    Raises ResultsError naming file, waiver and what is wrong: no TOML, an unknown or missing field, a date
    that is none, a product or range the contract does not know, a pattern that no rule matches.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ResultsError(file, f"cannot be read ({error.strerror})") from None
    return parse_waivers(content, file, contract)


def parse_waivers(content: bytes, file: Path | str, contract: Contract) -> tuple[Waiver, ...]:
    """As `read_waivers`, for a text that is read already."""
    try:
        entries = msgspec.toml.decode(content, type=_File).waiver
    except UnicodeDecodeError:
        raise ResultsError(file, "not a waiver file: it is no UTF-8") from None
    except msgspec.ValidationError as error:
        raise ResultsError(file, f"not a waiver file: {error}; each waiver is a [[waiver]] table") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise ResultsError(file, f"not a waiver file: {str(error) or 'nested too deeply'}") from None
    return tuple(_waiver(entry, number, file, contract) for number, entry in enumerate(entries, start=1))


def _waiver(entry: dict[str, Any], number: int, file: Path | str, contract: Contract) -> Waiver:
    def wrong(what: str) -> ResultsError:
        return ResultsError(file, f"waiver {number} ({entry.get('rule') or entry.get('id') or '?'}): {what}")

    try:
        waiver = msgspec.convert(entry, Waiver)
    except msgspec.ValidationError as error:
        raise wrong(str(error)) from None
    for name in ("owner", "reason", "link"):
        if not getattr(waiver, name).strip():
            raise wrong(f"{name} is empty")
    if bool(waiver.rule) == bool(waiver.id):
        raise wrong("give either rule or id")
    if waiver.rule and not any(fnmatchcase(rule, waiver.rule) for rule in contract.rules):
        raise wrong("no rule of the contract matches; `aclcts rules` lists them")
    for product in waiver.products:
        if product not in contract.products:
            raise wrong(f"no such product: {product}; there are {', '.join(contract.products)}")
    try:
        parse_range(waiver.driver)
    except ContractError as error:
        raise wrong(f"driver: {error}") from None
    return waiver
