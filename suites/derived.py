"""How the tests that are derived from the contract make their calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.binding import AbsentFunction
from harness.contract import ArgumentCase, Rule
from harness.contract.cases import RETURN, CaseError, arguments, expectation
from harness.device import DeviceError
from harness.plugin import Case, Resources, RuleCases, RuleCheck, RuleViolation, told
from suites.recipes import Bench, Call, all_recipes


def run_argument_cases(api: str, acl: Any, case: Case, each_rule: RuleCases) -> None:
    """Judge the argument rules of one function, after a valid call has shown that the recipe works here."""
    failed = control_failure(api, acl, case)
    for rule in each_rule:
        with each_rule.judge(rule) as check:
            if failed:
                raise RuleViolation(f"{rule.id} - the control call failed: {failed}")
            for number, argument_case in enumerate(rule.cases):
                if number > 0:
                    _give_back(check)
                with check.where_expressible():
                    _run_case(acl, case, check, argument_case)


def control_failure(api: str, acl: Any, case: Case) -> str:
    """What is wrong with the recipe's own call, or nothing."""
    resources = Resources(case)
    call = all_recipes()[api](Bench(case, resources))
    problem = _control_problem(api, acl, call) if call.control else ""
    return "; ".join(filter(None, [problem, *resources.settle()]))


def _control_problem(api: str, acl: Any, call: Call) -> str:
    result = call.make(acl, api)
    return _finish(call, result) if _worked(call, result) else told(result)


def _worked(call: Call, result: Any) -> bool:
    """Whether a valid call has done its work; a function without a code shows it by other means."""
    return call.worked(result) if call.worked is not None else bool(result.ok)


def _run_case(acl: Any, case: Case, check: RuleCheck, argument_case: ArgumentCase) -> None:
    """One valid call with the case's replacements; everything it took is given back before the next one."""
    rule, expect = check.rule, check.expect
    bench = Bench(case, check.resources)
    call = all_recipes()[rule.api](bench)

    def resolve(name: str) -> int:
        value = call.extras[name] if name in call.extras else bench.extra(name)
        return int(getattr(value, "ptr", value))

    call.args = arguments(case.contract, rule.api, argument_case, call.args, resolve)
    expect.argument = ", ".join(f"{path} = {value}" for path, value in argument_case.set.items())
    result = call.make(acl, rule.api)
    watched = () if argument_case.partial else tuple(call.watch)
    outcome = expectation(rule, argument_case)
    if outcome == "error":
        refused_sooner_or_later(check, call, result, watched)
    elif RETURN in argument_case.outputs:
        _finish(call, result)
    elif outcome == "success":
        expect.success(result)
        expect.true("the call can be finished and undone", _finish(call, result), "")
    else:
        expect.observed(result)
        _finish(call, result)
    for name, value in argument_case.outputs.items():
        wanted = arguments_value(case, value, lambda word: _own(call, word, resolve))
        if name == RETURN:
            expect.true("what the function gives back", _number(result.value), _number(wanted))
        else:
            expect.true(f"{name} afterwards", result.outputs.get(name), wanted)


def _number(value: Any) -> Any:
    """A value with NULL as the number it is."""
    return 0 if value is None else value


def _give_back(check: RuleCheck) -> None:
    """Give back what a case has taken before the next one takes its own; DeviceError where that fails."""
    problems = check.resources.settle()
    if problems:
        raise DeviceError("; ".join(problems))


def _own(call: Call, name: str, resolve: Callable[[str], int]) -> int:
    """The value that the valid call gives a parameter, or an extra."""
    value = call.args.get(name)
    return int(value) if isinstance(value, int) else resolve(name)


def refused_sooner_or_later(check: RuleCheck, call: Call, result: Any, watched: Any) -> None:
    """Refused by the call itself; where it accepted, it is undone before the violation is told."""
    if result.ok:
        _finish(call, result)
    check.expect.refused(result, unchanged=watched)


def arguments_value(case: Case, value: Any, resolve: Any) -> Any:
    """What an expected output stands for."""
    from harness.contract.cases import evaluate

    return evaluate(case.contract, value, resolve)


def _finish(call: Call, result: Any) -> str:
    """Wait for an accepted call and undo it; what went wrong."""
    if not result.ok:
        return ""
    waited = call.settle() if call.settle is not None else None
    problem = "" if waited is None or waited.ok else f"{waited.api} returned {waited.code} ({waited.name})"
    try:
        undone = call.undo(result) if call.undo is not None else None
    except (DeviceError, TypeError, ValueError) as error:
        # What undoes a valid call need not undo what was never valid; that it was accepted is the news.
        return problem or f"what was accepted cannot be undone ({error})"
    if undone is not None and not getattr(undone, "ok", True):
        problem = problem or f"{undone.api} returned {undone.code} ({undone.name})"
    return problem


def run_unsupported(api: str, acl: Any, case: Case, each_rule: RuleCases) -> None:
    """Judge the rules that say a function is not supported here, with a valid call of it."""
    for rule in each_rule:
        with each_rule.judge(rule) as check:
            call = all_recipes()[api](Bench(case, check.resources))
            _call_unsupported(acl, case, check, rule, call)


def _call_unsupported(acl: Any, case: Case, check: RuleCheck, rule: Rule, call: Call) -> None:
    if not acl.has(rule.api):
        raise AbsentFunction(rule.api, "the library")
    result = call.make(acl, rule.api)
    works = _worked(call, result)
    problem = _finish(call, result)
    if case.contract.function(rule.api).returns == "void" and call.worked is None:
        check.expect.observed("the function gives back nothing, and nothing else shows what it did")
    else:
        check.expect.unsupported(result, works=works, unchanged=() if works else call.watch)
    if problem:
        check.expect.observations.append(problem)


__all__ = ["CaseError", "control_failure", "run_argument_cases", "run_unsupported"]
