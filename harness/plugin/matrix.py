"""Which cases a test makes: one for each profile and surface that one of its rules applies to."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pytest

from harness.contract import Contract, Rule, rule_prefix
from harness.device import Profile, UsageError
from harness.plugin.marks import RuleFilter
from harness.plugin.settings import Settings

CASE = "case"
"""The fixture that every case takes, directly or through another one."""

_NAMING_RULES = ("covers", "covers_each", "covers_rules")
_FEATURES = frozenset({"product", "form"})


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of the matrix: what a case runs as, and the rules that hold there."""

    profile: Profile
    surface: str
    api: str
    rules: tuple[Rule, ...]
    derived: bool = False

    def __str__(self) -> str:
        return f"{self.profile}-{self.surface}"


class Matrix:
    """The hooks that turn a test function into its cases."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._supports = lru_cache(maxsize=None)(self._is_supported)

    @property
    def _contract(self) -> Contract:
        return self._settings.contract

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrise a test that takes `case`, or a fixture over it, over the matrix."""
        if CASE not in metafunc.fixturenames:
            if any(metafunc.definition.get_closest_marker(name) for name in _NAMING_RULES):
                raise pytest.Collector.CollectError(
                    f"{metafunc.definition.nodeid}: the test names rules but takes no fixture over `case`"
                )
            return
        try:
            rows, each = self._rows(metafunc.definition)
        except UsageError as error:
            raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {error}") from None
        if each:
            ids = [f"{api}-{cell}" for api, cell in rows]
            metafunc.parametrize(("api", CASE), rows, ids=ids, indirect=[CASE])
        else:
            metafunc.parametrize(
                CASE, [cell for _, cell in rows], ids=[str(cell) for _, cell in rows], indirect=True
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out tests that apply nowhere, and run what belongs to one profile together within a file."""
        cells = [cell_of(item) for item in items]
        done = self._settings.done
        left_out = {
            item
            for item, cell in zip(items, cells, strict=True)
            if cell is not None and (not cell.rules or item.nodeid in done)
        }
        if self._settings.tier == "smoke":
            left_out |= set(items) - _smoke(items)
        if left_out:
            config.hook.pytest_deselected(items=list(left_out))
            items[:] = [item for item in items if item not in left_out]
        if any(cell is not None for cell in cells):
            order = {profile: number for number, profile in enumerate(self._settings.target.profiles)}
            items[:] = _grouped(items, order)
            if self._settings.shuffle is not None:
                random.Random(self._settings.shuffle).shuffle(items)

    def _rows(self, definition: pytest.Function) -> tuple[list[tuple[str, Cell]], bool]:
        allowed = self._allowed_surfaces(definition)
        derived = definition.get_closest_marker("covers_rules")
        if derived is not None:
            which, apis = derived.args
            rows = list(self._derived_rows(which, apis, allowed, derived.kwargs["once"]))
            return rows or [("none", self._nowhere())], True
        fixed, each, uses = self._named_rules(definition)
        apis = list(dict.fromkeys(api for api, _ in each)) or [""]
        rows = [
            (api, cell)
            for api in apis
            for cell in self._cells(api, fixed + [rule for of, rule in each if of == api], uses, allowed)
        ]
        return rows or [("none", self._nowhere())], bool(each)

    def _named_rules(
        self, definition: pytest.Function
    ) -> tuple[list[Rule], list[tuple[str, Rule]], tuple[str, ...]]:
        """The rules every case covers, those of one function each, and the other functions the test uses."""
        fixed: list[Rule] = []
        each: list[tuple[str, Rule]] = []
        uses: list[str] = []
        marks = 0
        for mark in definition.iter_markers():
            if mark.name == "covers":
                fixed += [self._rule(rule_id) for rule_id in mark.args]
            elif mark.name == "covers_each":
                each += self._siblings(*mark.args)
            else:
                continue
            marks += 1
            uses += mark.kwargs.get("uses", ())
        if not marks:
            raise UsageError("the test takes `case` but names no rule; put @covers on it")
        for api in uses:
            if api not in self._contract.functions:
                raise UsageError(f"uses: the contract knows no function {api!r}")
        return fixed, each, tuple(uses)

    def _rule(self, rule_id: str) -> Rule:
        found = self._contract.rules.get(rule_id)
        if found is None:
            raise UsageError(f"covers: the contract has no rule {rule_id!r}")
        return found

    def _siblings(self, slug: str, *apis: str) -> list[tuple[str, Rule]]:
        for api in apis:
            if api not in self._contract.functions:
                raise UsageError(f"covers_each: the contract knows no function {api!r}")
        rules = self._contract.rules
        found = [(api, rules[key]) for api in apis if (key := f"{rule_prefix(api)}.{slug}") in rules]
        if not found:
            raise UsageError(f"covers_each: none of the functions has a rule {slug!r}")
        return found

    def _cells(
        self, api: str, rules: Sequence[Rule], uses: tuple[str, ...], allowed: Sequence[str]
    ) -> Iterator[Cell]:
        wanted = self._settings.rules
        if wanted is not None and not any(rule.id in wanted for rule in rules):
            return
        for profile in self._settings.target.profiles:
            applying = tuple(rule for rule in rules if self._applies(rule, profile))
            if not applying or (wanted is not None and not any(rule.id in wanted for rule in applying)):
                continue
            for surface in allowed:
                if surface == "c" or self._in_pyacl((*(rule.api for rule in applying), *uses)):
                    yield Cell(profile, surface, api or applying[0].api, applying)

    def _derived_rows(
        self, which: RuleFilter, apis: Iterable[str], allowed: Sequence[str], once: bool
    ) -> Iterator[tuple[str, Cell]]:
        wanted = self._settings.rules
        for api in apis:
            rules = [rule for rule in self._contract.promised(api) if wanted is None or rule.id in wanted]
            for profile in self._settings.target.profiles if rules else ():
                supported = self._supports(api, profile.product, profile.form)
                picked = tuple(
                    rule for rule in rules if _holds(rule, profile) and which(rule, profile, supported)
                )
                if once:
                    rules = [rule for rule in rules if rule not in picked]
                for surface in allowed if picked else ():
                    if surface == "c" or self._in_pyacl((api,)):
                        yield api, Cell(profile, surface, api, picked, derived=True)

    def _applies(self, rule: Rule, profile: Profile) -> bool:
        """A promise about behaviour holds only where the function is supported at all."""
        if not _holds(rule, profile):
            return False
        return rule.type in _FEATURES or self._supports(rule.api, profile.product, profile.form)

    def _is_supported(self, api: str, product: str, form: str) -> bool:
        return self._contract.supports(api, product, form)

    def _in_pyacl(self, apis: Iterable[str]) -> bool:
        return all(self._contract.pyacl_of(api) is not None for api in apis)

    def _allowed_surfaces(self, definition: pytest.Function) -> list[str]:
        mark = definition.get_closest_marker("surfaces")
        return [name for name in self._settings.surfaces if mark is None or name in mark.args]

    def _nowhere(self) -> Cell:
        return Cell(self._settings.target.profiles[0], "c", "", ())


def _smoke(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """One case of each function on each profile: the first that needs no process of its own, on C if any."""
    best: dict[tuple[str, Profile], tuple[bool, bool, int]] = {}
    for number, item in enumerate(items):
        cell = cell_of(item)
        if cell is not None and cell.rules:
            place = (item.get_closest_marker("isolated") is not None, cell.surface != "c", number)
            key = (cell.api, cell.profile)
            best[key] = min(best.get(key, place), place)
    return {items[number] for _, _, number in best.values()}


def _holds(rule: Rule, profile: Profile) -> bool:
    return rule.applies(profile.product, profile.form, profile.cann)


def cell_of(item: pytest.Item) -> Cell | None:
    """The cell an item runs in, or None where it is no case."""
    callspec: Any = getattr(item, "callspec", None)
    cell = callspec.params.get(CASE) if callspec is not None else None
    return cell if isinstance(cell, Cell) else None


def rules_of(item: pytest.Item) -> tuple[str, ...]:
    """The ids of the rules an item covers where it runs; empty for an item that is no case."""
    cell = cell_of(item)
    return tuple(rule.id for rule in cell.rules) if cell is not None else ()


def _grouped(items: list[pytest.Item], order: dict[Profile, int]) -> list[pytest.Item]:
    """The items in their order, but each file's cases by profile: changing the profile costs an
    initialisation.
    """
    files: dict[object, int] = {}

    def place(item: pytest.Item) -> tuple[int, int]:
        cell = cell_of(item)
        number = files.setdefault(item.path, len(files))
        return number, order.get(cell.profile, -1) if cell is not None else -1

    return sorted(items, key=place)
