"""The claims a test can make; each one that does not hold is told in terms of the rule it breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np

from harness.contract import Contract, Rule
from harness.device import Block, Bytes, Profile
from harness.plugin.outcome import Blocked, RuleViolation, strongest
from harness.results import Verdict

_MANY_BYTES = 1 << 16

Data: TypeAlias = "Block | Bytes | bytes | bytearray | memoryview"


class Expect:
    """Knows the rules a case covers. Every method makes one claim; with `rule`, about that one of the rules.

    A claim that does not hold raises RuleViolation: rule, function, argument, what was expected, what was
    observed, the document, and how to run just this again.
    """

    def __init__(
        self, rules: Sequence[Rule], contract: Contract, profile: Profile, again: Callable[[], str] = str
    ) -> None:
        self._rules = tuple(rules)
        self._contract = contract
        self._profile = profile
        self._again = again
        self.claims = 0
        """How many claims were made; a case without one shows nothing."""
        self.verdict: Verdict | None = None
        """The verdict where it is neither pass nor fail."""
        self.observations: list[str] = []
        self.argument = ""
        """The argument under test, named in the message of a violation."""

    def success(self, result: Any, *, rule: str | None = None) -> Any:
        """The call returned 0; gives the result back."""
        __tracebackhide__ = True
        self._claim(rule)
        if not result.ok:
            self._violated(rule, "success", told(result))
        self._check_slots(result, rule)
        if unwritten := getattr(result, "unwritten", ()):
            self._violated(rule, "what the call gives back", f"{', '.join(unwritten)} not written")
        return result

    def refused(self, result: Any, *, unchanged: Iterable[Block] = (), rule: str | None = None) -> Any:
        """The call returned an error, and the blocks hold what the harness last put there; gives the result
        back.

        The code is compared only where a document names it for the rule.
        """
        __tracebackhide__ = True
        self._claim(rule)
        wanted = self._one(rule).doc_error
        if result.ok:
            self._violated(rule, f"an error{f' ({wanted})' if wanted else ''}", told(result))
        if wanted is not None and result.code is not None and result.code != self._contract.value(wanted):
            self._violated(rule, wanted, told(result))
        self._check_slots(result, rule)
        for block in unchanged:
            self._same(block, "after the refused call", rule)
        return result

    def code(self, result: Any, name: str, *, rule: str | None = None) -> Any:
        """The call returned the code of this name, such as "ACL_ERROR_RT_PARAM_INVALID"; gives the result
        back.
        """
        __tracebackhide__ = True
        self._claim(rule)
        if result.code != self._contract.value(name):
            self._violated(rule, f"{name} ({self._contract.value(name)})", told(result))
        return result

    def data(
        self,
        actual: Data,
        expected: Data | int,
        where: str | Callable[[int], str] = "",
        *,
        width: int = 0,
        pitch: int = 0,
        rule: str | None = None,
    ) -> None:
        """Byte for byte, `actual` is `expected`: a block, an array, bytes, or one byte value for all of it.

        `where` says in words what it is about, or does so when told the first byte that is wrong. `width`
        (and `pitch`, where rows are padded) let the message name row and column.
        """
        __tracebackhide__ = True
        self._claim(rule)
        got = as_bytes(actual)
        want = np.full(got.size, expected, np.uint8) if isinstance(expected, int) else as_bytes(expected)
        if got.size != want.size:
            about = "" if callable(where) else _of(where)
            self._violated(rule, f"{want.size} bytes{about}", f"{got.size} bytes")
        if not _same_bytes(got, want):
            about = _of(where(_first_difference(got, want)) if callable(where) else where)
            self._violated(rule, f"the expected bytes{about}", difference(got, want, pitch or width))

    def unchanged(self, *blocks: Block, where: str = "", rule: str | None = None) -> None:
        """Every block holds what the harness last put there."""
        __tracebackhide__ = True
        self._claim(rule)
        for block in blocks:
            self._same(block, where, rule)

    def true(self, claim: str, observed: Any, expected: Any = True, *, rule: str | None = None) -> None:
        """`observed` equals `expected`; `claim` says in words what that means."""
        __tracebackhide__ = True
        self._claim(rule)
        if observed != expected:
            wanted = claim if expected is True else f"{claim}: {expected!r}"
            self._violated(rule, wanted, repr(observed))

    def within(
        self, claim: str, observed: float, low: float, high: float, *, rule: str | None = None
    ) -> None:
        """`low` <= `observed` <= `high`; `claim` says in words what that means, with the unit."""
        __tracebackhide__ = True
        self._claim(rule)
        if not low <= observed <= high:
            self._violated(rule, f"{claim}: {low:g} to {high:g}", f"{observed:g}")

    def observed(self, outcome: Any, *, corrupted: Iterable[Block] = (), rule: str | None = None) -> None:
        """The documents leave this open: record the outcome (a result or a text), whatever it is.

        The blocks in `corrupted` have nothing to do with the call and must hold what the harness last put
        there.
        """
        __tracebackhide__ = True
        self._claim(rule)
        text = outcome if isinstance(outcome, str) else told(outcome)
        for block in corrupted:
            self._same(block, f"after {text}", rule, strength="must")
        self._remark(Verdict.OBSERVED, text)

    def unsupported(
        self,
        result: Any,
        *,
        works: bool | None = None,
        unchanged: Iterable[Block] = (),
        rule: str | None = None,
    ) -> None:
        """The product does not support the call: it is refused and changes nothing, or it is noted that it
        works.

        `works` says whether a function without a code did its work.
        """
        __tracebackhide__ = True
        self._claim(rule)
        if result.ok if works is None else works:
            if self._one(rule).strength == "must" and self._one(rule).expect == "error":
                self._violated(rule, "a refusal: not supported here", told(result))
            self._remark(Verdict.WORKS_THOUGH_UNSUPPORTED, told(result))
            return
        for block in unchanged:
            self._same(block, "after the refused call", rule)
        self._remark(Verdict.REFUSED_AS_DOCUMENTED, told(result))

    def data_or_refused(
        self, result: Any, actual: Block, expected: Data | int, where: str = "", *, rule: str | None = None
    ) -> None:
        """Either the call succeeded and the bytes are right, or it was refused and the block is as it was."""
        __tracebackhide__ = True
        if not result.ok:
            self.unchanged(actual, where="after the refused call", rule=rule)
        else:
            self.data(actual, expected, where, rule=rule)
        self._remark(Verdict.OBSERVED, told(result))

    def blocked(self, reason: str) -> NoReturn:
        """The case cannot be tried here; say why."""
        __tracebackhide__ = True
        raise Blocked(reason)

    def conclude(self) -> tuple[Verdict, str]:
        """The verdict and reason where nothing was violated."""
        if not self.claims:
            return Verdict.FAIL, "error in the test: it claimed nothing"
        if self.verdict is not None:
            return self.verdict, ""
        return (Verdict.OBSERVED if strongest(self._rules) == "observed" else Verdict.PASS), ""

    def _claim(self, rule: str | None) -> None:
        self.claims += 1
        if rule is not None:
            self._one(rule)

    def _remark(self, verdict: Verdict, text: str) -> None:
        if self.verdict is None or verdict.severity < self.verdict.severity:
            self.verdict = verdict
        self.observations.append(text)

    def _one(self, rule: str | None) -> Rule:
        if rule is not None:
            for candidate in self._rules:
                if candidate.id == rule:
                    return candidate
            raise ValueError(
                f"rule {rule!r} is not one this case covers: {[known.id for known in self._rules]}"
            )
        return self._rules[0]

    def _same(self, block: Block, where: str, rule: str | None, strength: str | None = None) -> None:
        __tracebackhide__ = True
        got, want = block.read(), block.expected()
        if not _same_bytes(got, want):
            about = f"the {block.kind} block unchanged{f' {where}' if where else ''}"
            self._violated(rule, about, difference(got, want), strength)

    def _check_slots(self, result: Any, rule: str | None) -> None:
        __tracebackhide__ = True
        overrun = getattr(result, "overrun", ())
        if overrun:
            self._violated(rule, "no write behind an output", f"{', '.join(overrun)} overrun", "must")

    def _violated(
        self, rule: str | None, expected: str, observed: str, strength: str | None = None
    ) -> NoReturn:
        __tracebackhide__ = True
        rules = self._rules if rule is None else (self._one(rule),)
        first = rules[0]
        lines = [
            f"{', '.join(each.id for each in rules)} - {first.api} on {self._profile}",
            f"  promise:  {first.rule}",
            f"  argument: {self.argument}" if self.argument else "",
            f"  expected: {expected}",
            f"  observed: {observed}",
            f"  document: {first.doc}",
            f"  again:    {again}" if (again := self._again()) else "",
        ]
        raise RuleViolation("\n".join(line for line in lines if line), strength or strongest(rules))


def told(result: Any) -> str:
    """What a call gave back, in words."""
    if result.code is None:
        return f"{result.api} returned {result.value!r}"
    return f"{result.api} returned {result.code} ({result.name})"


def _same_bytes(one: Bytes, other: Bytes) -> bool:
    """Whether two arrays of bytes are equal; the larger ones are compared eight bytes at a time."""
    if one.size != other.size:
        return False
    many = one.size // 8 * 8 if one.size >= _MANY_BYTES else 0
    if many:
        one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
        if not np.array_equal(one[:many].view(np.uint64), other[:many].view(np.uint64)):
            return False
    return np.array_equal(one[many:], other[many:])


def _first_difference(got: Bytes, want: Bytes) -> int:
    """The first byte in which two arrays of one length differ."""
    return int(np.argmax(got != want))


def as_bytes(data: Data) -> Bytes:
    """Any kind of data as an array of bytes."""
    if isinstance(data, Block):
        return data.read()
    if isinstance(data, bytes | bytearray | memoryview):
        return np.frombuffer(data, np.uint8)
    return np.ascontiguousarray(data).view(np.uint8).reshape(-1)


def difference(got: Bytes, want: Bytes, row: int = 0) -> str:
    """Where two arrays of one length differ first, and how much; with `row` bytes a row, by row and
    column.
    """
    wrong = np.flatnonzero(got != want)
    first = int(wrong[0])
    place = f"byte {first}" + (f" (row {first // row}, column {first % row})" if row else "")
    shown = slice(first, first + 8)
    return (
        f"{wrong.size} of {got.size} bytes differ, the first at {place}: "
        f"{got[shown].tobytes().hex(' ')} instead of {want[shown].tobytes().hex(' ')}"
    )


def _of(where: str) -> str:
    return f" in {where}" if where else ""
