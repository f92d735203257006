"""A case's end as a result record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from harness.binding import Recorder
from harness.device import CASE_STARTS
from harness.plugin.matrix import Cell
from harness.results import CaseRecord, Verdict, Waived, calls_from, first_cause
from harness.results.text import clean

WITHOUT_EVIDENCE = frozenset({Verdict.PASS, Verdict.REFUSED_AS_DOCUMENTED, Verdict.BLOCKED})
"""Verdicts whose records need no calls and no log."""
_LOG_LIMIT = 16_384
_CALLS_KEPT = 200
# The first ones make what all others use.
_FIRST_CALLS_KEPT = 50
_ADDRESSES = 1 << 40

Excuse = Callable[[str, Sequence[str], str, Verdict], "Waived | None"]
"""Asks who answers for a case: id, rules, product and verdict."""


def record(
    item_id: str,
    cell: Cell,
    verdict: Verdict,
    *,
    rules: Iterable[str] | None = None,
    reason: str = "",
    observed: str = "",
    duration: float = 0.0,
    calls: Iterable[dict[str, Any]] = (),
    error_text: str = "",
    log: str = "",
    excuse: Excuse | None = None,
) -> dict[str, Any]:
    """One case's record as JSON values; calls, error text and log are kept only where the verdict is not
    good. With `excuse`, a bad verdict that somebody answers for is `waived`.
    """
    named = list(rules) if rules is not None else [rule.id for rule in cell.rules]
    waived = excuse(item_id, named, cell.profile.product, verdict) if excuse is not None else None
    good = verdict in WITHOUT_EVIDENCE
    kept = [] if good else calls_from(_kept(list(calls)))
    made = CaseRecord(
        id=item_id,
        rules=named,
        api=cell.api,
        surface=cell.surface,
        product=cell.profile.product,
        form=cell.profile.form,
        cann=cell.profile.cann,
        verdict=Verdict.WAIVED if waived is not None else verdict,
        reason=reason,
        observed=observed,
        duration_s=round(duration, 6),
        first_cause=first_cause(kept),
        calls=kept,
        error_text="" if good else error_text,
        log="" if good else log[-_LOG_LIMIT:],
        waived=waived,
    )
    built: dict[str, Any] = msgspec.to_builtins(made)
    return built


def legible(text: str) -> str:
    """What a library has written, fit for a terminal: the last part of it, without control sequences."""
    lost = len(text) - _LOG_LIMIT
    plain = clean(text[-_LOG_LIMIT:], _LOG_LIMIT)
    return f"… {lost} characters before\n{plain}" if lost > 0 else plain


def _kept(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls that a record holds: of many the first and the last ones."""
    if len(calls) <= _CALLS_KEPT:
        return calls
    return calls[:_FIRST_CALLS_KEPT] + calls[_FIRST_CALLS_KEPT - _CALLS_KEPT :]


def recorded_calls(recorder: Recorder) -> list[dict[str, Any]]:
    """The calls of a recorder as a record has them."""
    return [_recorded(call) for call in recorder.snapshot()]


def _recorded(call: dict[str, Any]) -> dict[str, Any]:
    return {
        "function": call["function"],
        "args": call["args"],
        "code": call["code"],
        "name": "" if call["result"] is None else str(call["result"]),
        "thread": call["thread"],
        "start_ns": call["start_ns"],
        "end_ns": call["end_ns"],
    }


def journalled_calls(entries: list[dict[str, Any]], parameters: Any) -> list[dict[str, Any]]:
    """The last case's entries of a dead process's journal as a record has them; times are not known."""
    starts = [number for number, entry in enumerate(entries) if entry["function"] == CASE_STARTS]
    entries = entries[starts[-1] + 1 :] if starts else entries
    return [
        {
            "function": entry["function"],
            "args": dict(zip(parameters(entry["function"]), map(_shown, entry["args"]), strict=False)),
            "code": entry["code"],
            "returned": not entry["unfinished"],
            "thread": entry["thread"],
            "start_ns": 0,
            "end_ns": 0,
        }
        for entry in entries
    ]


def _shown(argument: str) -> str:
    """A number that can only be an address in hexadecimal, anything else as it is."""
    return hex(int(argument)) if argument.isdigit() and int(argument) >= _ADDRESSES else argument


def trace(calls: Iterable[dict[str, Any]], limit: int = 30) -> str:
    """The last calls of a record, a line each."""
    listed = list(calls)
    lines = [f"… {len(listed) - limit} calls before"] if len(listed) > limit else []
    for call in listed[-limit:]:
        args = ", ".join(f"{name}={value}" for name, value in call.get("args", {}).items())
        code, name = call.get("code"), call.get("name", "")
        came_back = f"{code} {name}".strip() if code is not None else name or "void"
        if not call.get("returned", True):
            came_back = "(did not return)"
        lines.append(f"{call['function']}({args}) -> {came_back}")
    return "\n".join(lines)
