"""Handing a case its fixtures without pytest's own machinery, which costs more than most of them do.

What pytest would do is done here in the same order: a fixture after those it asks for, generators ended the
last one first. A case with a fixture that is anything but a function of other fixtures is left to pytest.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import pytest
from _pytest.outcomes import OutcomeException
from _pytest.python import get_direct_param_fixture_func

from harness.plugin.case import Case, tidy
from harness.plugin.matrix import Cell
from harness.plugin.models import shelf_for
from harness.plugin.outcome import Mess
from harness.plugin.phases import CASE_KEY, PHASES_KEY, engine_of
from harness.plugin.settings import settings_of

_ROOT = "case"
# Where the root fixture, which every other one of a case comes after, is defined.
_HOME = "harness.plugin.fixtures"


def case_life(item: Any, cell: Cell) -> Iterator[Case]:
    """A case from its beginning, with the device ready, to its end, when the device has been looked over.

    Mess where it has left something behind.
    """
    engine, settings = engine_of(item.config), settings_of(item.config)
    if "bare" in item.fixturenames:
        engine.configure(cell.profile)
    else:
        engine.enter(cell.profile)
    made = Case(cell, engine, partial(settings.again, item.config, [item.nodeid]))
    made.shelf = shelf_for(engine, settings.models)
    item.stash[CASE_KEY] = made
    yield made
    if item.stash[PHASES_KEY].lost_process:
        raise Mess("the device was not waited for")
    tidy(made, made.resources)


class Step(NamedTuple):
    """One fixture of a plan: called with the fixtures that its parameters name."""

    name: str
    function: Callable[..., Any]
    needs: tuple[str, ...]
    ends: bool
    """Whether it is a generator, which has something to do at the end."""


class Supply:
    """The fixtures of one case, and the case itself: given before it, ended after it."""

    def __init__(self, item: Any, plan: tuple[Step, ...]) -> None:
        self._item = item
        self._plan = plan
        self._endings: list[Iterator[Any]] = []

    def give(self) -> BaseException | None:
        """Add the case and every fixture of the plan to the item's, until one fails; what kept it from it."""
        __tracebackhide__ = True
        values = self._item.funcargs
        try:
            values[_ROOT] = self._begin(case_life(self._item, self._item.callspec.params[_ROOT]))
            for name, function, needs, ends in self._plan:
                made = function(**{need: values[need] for need in needs})
                values[name] = self._begin(made) if ends else made
        except pytest.exit.Exception:
            raise
        except (Exception, OutcomeException) as failure:
            # Or pytest would go on with them.
            for name in (_ROOT, *(step.name for step in self._plan)):
                values.setdefault(name, None)
            return failure
        return None

    def end(self) -> list[BaseException]:
        """End the generators, the last one first; what went wrong."""
        found: list[BaseException] = []
        while self._endings:
            ending = self._endings.pop()
            try:
                next(ending)
            except StopIteration:
                continue
            except pytest.exit.Exception:
                raise
            except (Exception, OutcomeException) as error:
                found.append(error)
            else:
                found.append(RuntimeError(f"the fixture {ending!r} has more than one yield"))
        return found

    def _begin(self, ending: Iterator[Any]) -> Any:
        """The first step of a generator. One that fails there has nothing to end."""
        made = next(ending)
        self._endings.append(ending)
        return made


class Supplies:
    """The plans of all test functions, each made once."""

    def __init__(self) -> None:
        self._plans: dict[int, tuple[Step, ...] | None] = {}

    def of(self, item: Any) -> Supply | None:
        """Hand an item its parameters; what hands it the rest, or None where pytest has to."""
        item.funcargs.update(_parameters(item))
        known = id(item._fixtureinfo)
        if known not in self._plans:
            self._plans[known] = _plan(item)
        plan = self._plans[known]
        return Supply(item, plan) if plan is not None else None


def _parameters(item: Any) -> Mapping[str, Any]:
    """The parameters of a test, of each of which pytest makes a fixture; and the request."""
    definitions = item._fixtureinfo.name2fixturedefs
    found = {
        name: value
        for name, value in item.callspec.params.items()
        if name in definitions and definitions[name][-1].func is get_direct_param_fixture_func
    }
    if "request" in item.fixturenames:
        found["request"] = item._request
    return found


def _plan(item: Any) -> tuple[Step, ...] | None:
    """The steps to an item's fixtures after the root and the parameters; None where pytest has to do it."""
    definitions = item._fixtureinfo.name2fixturedefs
    there = {_ROOT, *item.funcargs} - {"request"}
    steps: list[Step] = []

    def reach(name: str) -> bool:
        if name in there:
            return True
        if name not in definitions:
            return False
        made = definitions[name][-1]
        plain = made.scope == "function" and made.params is None and name not in item.callspec.params
        function = made.func
        if not plain or inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            return False
        if name in made.argnames or not all(reach(need) for need in made.argnames):
            return False
        there.add(name)
        steps.append(Step(name, function, tuple(made.argnames), inspect.isgeneratorfunction(function)))
        return True

    asked = item._fixtureinfo.argnames
    named = [name for name in item.fixturenames if name != "request"]
    ours = _ROOT in definitions and definitions[_ROOT][-1].func.__module__ == _HOME
    suits = ours and item.cls is None and "request" not in asked
    return tuple(steps) if suits and all(map(reach, named)) else None
