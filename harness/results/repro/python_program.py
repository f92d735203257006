"""A trace as one standalone pyACL script, which runs with Huawei's `acl` module or ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.contract import Contract, PyAclFunction
from harness.results.records import CaseRecord, Header
from harness.results.repro.telling import (
    comment,
    effects,
    ends_with,
    frees_memory,
    gate_value,
    shows_bytes,
    waits_at_the_end,
)
from harness.results.repro.trace import CONTEXT
from harness.results.repro.values import (
    Callback,
    Inside,
    Null,
    Number,
    Output,
    Program,
    ReproError,
    Step,
    Text,
    Value,
    Variable,
    Wild,
)

_RUNTIME = Path(__file__).with_name("runtime.py")
_PAGE = 4096


def python_source(program: Program, case: CaseRecord, header: Header, contract: Contract) -> str:
    """The text of the script.

    Raises ReproError, naming the call, where pyACL has no function for it or takes its arguments in a way of
    its own, and for a case that ended its process or ran on several threads: the C program shows those.
    """
    if ends_with(case) or program.threads > 1:
        raise ReproError(f"{case.id}: a crash, a hang or several threads are shown by the C program only")
    return _Writer(program, case, header, contract).text()


class _Writer:
    def __init__(self, program: Program, case: CaseRecord, header: Header, contract: Contract) -> None:
        self._program = program
        self._case = case
        self._header = header
        self._contract = contract
        self._areas = {area.name: area for area in program.areas}

    def text(self) -> str:
        body = [line for step in self._program.steps for line in self._step(step)]
        told = comment(self._program, self._case, self._header, "python")
        runtime = _RUNTIME.read_text(encoding="utf-8").split('"""', 2)[2].lstrip()
        return "\n".join(
            [
                "#!/usr/bin/env python3",
                '"""' + "\n".join(line.rstrip() for line in told),
                '"""',
                "",
                runtime,
                "",
                "# --- this case " + "-" * 90,
                "",
                *self._set_up(),
                *body,
                "",
                f"conclude({shows_bytes(self._case)}, {waits_at_the_end(self._program)})",
                "",
            ]
        )

    def _set_up(self) -> Iterator[str]:
        if self._program.sets_up:
            yield 'prepared("acl.init", acl.init())'
            yield 'prepared("acl.rt.set_device", acl.rt.set_device(0))'
        if self._program.wants_context:
            yield f"{CONTEXT}, code = acl.rt.get_context()"
            yield 'prepared("acl.rt.get_context", code)'
        for area in self._program.areas:
            if area.kind == "host":
                yield f'{area.name} = own("{area.name}", {area.base % _PAGE}, {area.size})'

    def _step(self, step: Step) -> Iterator[str]:
        name = self._contract.pyacl_of(step.function)
        if name is None:
            raise self._impossible(step, "pyACL has no such function")
        function = self._contract.pyacl[name]
        given = [value for value in step.args if not isinstance(value, Output)]
        outputs = [value for value in step.args if isinstance(value, Output)]
        least = len(function.args) - len(function.optional)
        if not least <= len(given) <= len(function.args) or len(function.returns) != len(outputs) + 1:
            raise self._impossible(step, f"{name} takes its arguments in a way of its own")
        args = [self._expression(value, step) for value in given]
        yield ""
        freed = step.args[0] if frees_memory(step) else None
        if isinstance(freed, Inside):
            yield f"give_up({freed.area})"
        if (value := gate_value(self._program, step)) is not None:
            yield f"put({self._expression(step.args[2], step)}, {value})"
        yield from self._call(step, function, name, args, outputs)

    def _call(
        self, step: Step, function: PyAclFunction, name: str, args: list[str], outputs: list[Output]
    ) -> Iterator[str]:
        call = f"{name}({', '.join(args)})"
        if function.returns[-1] != "ret" or step.code is None:
            if not step.gave:
                raise self._impossible(step, f"{name} gives no return code")
            yield f"{step.gave} = {call}"
            return
        yield f"{', '.join([*(output.name for output in outputs), 'code'])} = {call}"
        yield f'compare({step.number + 1}, "{name}", code, {step.code})'
        does = list(self._effects(step))
        if does:
            yield "if code == 0:"
            yield from (f"    {line}" for line in does)

    def _effects(self, step: Step) -> Iterator[str]:
        if step.made:
            area = self._areas[step.made]
            yield f'take("{area.name}", {area.name}, {area.size}, on_device={area.kind == "device"})'
        for does in effects(self._program, step):
            given = [self._expression(step.args[position], step) for position in does.positions]
            words = {"moved": "moved", "rows": "moved_rows", "filled": "filled", "number": "numbered"}
            yield f"{words.get(does.effect, 'unknown')}({', '.join(given)})"

    def _expression(self, value: Value, step: Step) -> str:
        if isinstance(value, Null):
            return "0"
        if isinstance(value, Number):
            return f"{value.value}"
        if isinstance(value, Variable):
            return value.name
        if isinstance(value, Inside):
            return f"{value.area} + {value.offset}" if value.offset else value.area
        if isinstance(value, Wild):
            return f"{value.address:#x}"
        if isinstance(value, Text):
            return ascii(value.text)
        if isinstance(value, Callback):
            return "nothing"
        raise self._impossible(step, "a struct or an array cannot be said in pyACL from a trace")

    def _impossible(self, step: Step, why: str) -> ReproError:
        return ReproError(
            f"{self._case.id}: call {step.number + 1}, {step.function}: {why}; take the C program"
        )
