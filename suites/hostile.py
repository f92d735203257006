"""Hostile values: what no document says anything about, in the place of one argument of a valid call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from harness.contract import Param, Rule
from harness.device import DeviceError
from harness.plugin import Case, RuleCases, RuleCheck
from suites.recipes import Bench, Call, all_recipes

Maker: TypeAlias = Callable[[int, Bench], int]
"""Makes a hostile value from the valid one."""

_ADDRESSES: Mapping[str, Maker] = {
    "address 1": lambda valid, bench: 1,
    "an odd address": lambda valid, bench: valid + 1,
    "a freed address": lambda valid, bench: bench.extra("freed_device_block"),
    "a foreign address": lambda valid, bench: bench.extra("pageable_block"),
}
# Small structures in host memory that the call itself reads.
_READ_AT_ONCE = ("shareableHandle",)
_BITS = {"size_t": 64, "uint64_t": 64, "int64_t": 64, "uint32_t": 32, "int32_t": 32}
_LARGEST = "the largest value"
_SIGNED = ("int64_t", "int32_t")


def run_hostile_values(api: str, acl: Any, case: Case, each_rule: RuleCases) -> None:
    """For each rule, every hostile value in the place of each argument that the rule replaces."""
    params = {param.name: param for param in case.contract.function(api).params}
    for rule in each_rule:
        with each_rule.judge(rule, tolerant=True) as check:
            for name in replaced_arguments(rule):
                for what, maker in hostile_values(params[name]).items():
                    _try_value(acl, case, check, name, what, maker)
                    # The next value starts from nothing; what is wrong now is only noted, as after the rule.
                    check.expect.observations += check.resources.settle()
            check.expect.observed("the library is alive")


def replaced_arguments(rule: Rule) -> list[str]:
    """The parameters that a rule's cases replace, each once, wherever inside they do so."""
    heads = (path.split("[")[0].split(".")[0] for each in rule.cases for path in each.set)
    return list(dict.fromkeys(heads))


def hostile_values(param: Param) -> dict[str, Maker]:
    """What may take the place of a plain address or number; nothing for handles, structs and callbacks.

    A wild handle or struct pointer is dereferenced by any library: that would test the processor.
    """
    if (
        param.type in ("void *", "const void *")
        and param.direction == "in"
        and param.name not in _READ_AT_ONCE
    ):
        return dict(_ADDRESSES)
    bits = _BITS.get(param.type)
    if bits is None:
        return {}
    largest = 2 ** (bits - 1) - 1 if param.type in _SIGNED else 2**bits - 1
    return {
        "1": lambda valid, bench: 1,
        _LARGEST: lambda valid, bench: largest,
        "the sign turned": lambda valid, bench: -valid % 2**bits,
    }


def _try_value(acl: Any, case: Case, check: RuleCheck, name: str, what: str, maker: Maker) -> None:
    """One hostile value in a valid call of its own; the answer is noted."""
    bench = Bench(case, check.resources)
    call = all_recipes()[check.rule.api](bench)
    given = call.args.get(name)
    valid = getattr(given, "ptr", given)
    # What the longest wait of all does is known: it lasts.
    if not isinstance(valid, int) or (name == call.waits and what == _LARGEST):
        return
    call.args = {**call.args, name: maker(valid, bench)}
    check.expect.argument = f"{name} = {what}"
    try:
        result = call.make(acl, check.rule.api)
    except TypeError:
        # The number is the length of an output that nobody can make.
        return
    check.expect.observed(f"{name} = {what}: {result.name or result.value}")
    if result.ok:
        _finish(call, result, check)


def _finish(call: Call, result: Any, check: RuleCheck) -> None:
    """Wait for an accepted call and undo it; what goes wrong is noted, for nothing is promised."""
    try:
        if call.settle is not None:
            call.settle()
        if call.undo is not None:
            call.undo(result)
    except DeviceError as error:
        check.expect.observations.append(str(error))
