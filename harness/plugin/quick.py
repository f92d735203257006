"""The short way through a case's phases, for cases that nobody but this plugin has business with.

pytest calls a dozen hooks around each of the three phases and makes a report of each; a case that passes
without a word needs none of that, and there are thousands. What they would have done is done here once:
output is captured, exceptions in threads are collected, and where anything went wrong pytest makes its
reports as always.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import pytest

from harness.plugin.outcome import Mess
from harness.plugin.phases import PHASES_KEY
from harness.plugin.supply import Supplies, Supply

_PHASE_HOOKS = (
    "pytest_runtest_setup",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_fixture_setup",
    "pytest_fixture_post_finalizer",
)
# Plugins whose part in the phases is done here, or concerns other kinds of items only.
_ACCOUNTED_FOR = frozenset(
    {
        "runner",
        "capturemanager",
        "logging-plugin",
        "skipping",
        "threadexception",
        "unraisableexception",
        "benchmark",
        "hypothesispytest",
        "fixtures",
        "setupplan",
        "setuponly",
    }
)
_COLLECTORS = ("threadexception", "unraisableexception")
# Fixtures that live on reports or on the logging hooks.
_NEEDING_HOOKS = frozenset({"caplog", "tmp_path", "benchmark"})
_NEEDING_MARKS = frozenset({"skip", "skipif", "xfail"})


class QuickWay:
    """Runs the phases of cases that need no more than that."""

    def __init__(self, config: pytest.Config) -> None:
        manager = config.pluginmanager
        self._capture: Any = manager.get_plugin("capturemanager")
        self._collectors: list[Callable[[pytest.Item], None]] = [
            plugin.pytest_runtest_call
            for name in _COLLECTORS
            if (plugin := manager.get_plugin(name)) is not None
        ]
        strangers = {
            impl.plugin_name for name in _PHASE_HOOKS for impl in getattr(config.hook, name).get_hookimpls()
        } - _ACCOUNTED_FOR
        self._supplies = Supplies()
        self._open = not strangers and not shows_or_logs(config)

    def suits(self, item: pytest.Item) -> bool:
        """Whether an item needs nothing that only pytest's hooks give."""
        return (
            self._open
            and isinstance(item, pytest.Function)
            and _NEEDING_HOOKS.isdisjoint(item.fixturenames)
            and not any(mark.name in _NEEDING_MARKS for mark in item.iter_markers())
        )

    def run(self, item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.CallInfo[None]]:
        """Set up, call and tear down; how each phase has ended."""
        state: Any = item.session._setupstate
        supply = self._supplies.of(item)
        os.environ["PYTEST_CURRENT_TEST"] = item.nodeid.replace("\0", "(null)")
        captured = self._capture.item_capture("call", item) if self._capture else contextlib.nullcontext()
        with captured:
            calls = [self._phase(item, "setup", lambda: _set_up(item, state, supply))]
            if calls[0].excinfo is None:
                calls.append(self._phase(item, "call", lambda: self._call(item)))
            calls.append(self._phase(item, "teardown", lambda: _tear_down(state, nextitem, supply)))
        del os.environ["PYTEST_CURRENT_TEST"]
        return calls

    def _call(self, item: pytest.Item) -> None:
        item.runtest()
        for collect in self._collectors:
            collect(item)

    def _phase(self, item: pytest.Item, when: Any, do: Callable[[], None]) -> pytest.CallInfo[None]:
        call = pytest.CallInfo.from_call(do, when=when, reraise=(pytest.exit.Exception, KeyboardInterrupt))
        item.stash[PHASES_KEY].note(item.config, call)
        return call


def _set_up(item: pytest.Item, state: Any, supply: Supply | None) -> None:
    __tracebackhide__ = True
    failure = supply.give() if supply is not None else None
    state.setup(item)
    if failure is not None:
        raise failure


def _tear_down(state: Any, nextitem: pytest.Item | None, supply: Supply | None) -> None:
    __tracebackhide__ = True
    wrong = supply.end() if supply is not None else []
    try:
        state.teardown_exact(nextitem)
    except pytest.exit.Exception:
        raise
    except Exception as error:
        wrong.append(error)
    if len(wrong) == 1:
        raise wrong[0]
    if wrong:
        raise Mess("; ".join(map(str, wrong))) from wrong[0]


def debugs(config: pytest.Config) -> bool:
    """Whether the user wants a debugger; options of a plugin that was blocked (`-p no:`) are not there."""
    return any(getattr(config.option, name, False) for name in ("usepdb", "trace"))


def shows_or_logs(config: pytest.Config) -> bool:
    """Whether the user wants to see set-ups, a debugger or live logs, which only the long way has."""
    option = config.option
    if getattr(option, "setupshow", False) or debugs(config):
        return True
    if not config.pluginmanager.has_plugin("logging-plugin"):
        return False
    return bool(
        config.getini("log_cli") or option.log_file or config.getini("log_file") or option.log_cli_level
    )
