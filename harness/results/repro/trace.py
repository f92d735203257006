"""From the calls of a record to a program: which values are the same memory, handle or variable."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from harness.contract import Contract, ContractError, Function, Param
from harness.results.records import Call, CaseRecord
from harness.results.repro.memory import extents, given_memory, host_areas
from harness.results.repro.values import (
    Area,
    Array,
    Callback,
    Inside,
    Null,
    Number,
    Output,
    Program,
    ReproError,
    Room,
    Step,
    Struct,
    Text,
    Value,
    Variable,
    Wild,
)

KEPT_CALLS = 200
JOURNAL_CALLS = 63
"""How many calls a record holds at most, and one of a dead process: the first and last, and the last ones."""

_ADDRESS = re.compile(r"0x[0-9a-f]+")
_MORE = re.compile(r"… \d+ more")
_BYTES = re.compile(r"(\d+) bytes")
_PLAUSIBLE = 1 << 40
_ROOM = 4096
CONTEXT = "context"


def program_of(case: CaseRecord, contract: Contract, bare: bool = False) -> Program:
    """The program that makes the calls of a case again; with `bare`, nothing is set up before them.

    Raises ReproError where the record has no calls, or one that cannot be repeated from what it says.
    """
    if not case.calls:
        raise ReproError(f"{case.id}: the record has no calls; only cases that are not good keep them")
    return _Tracer(case, contract, bare).program()


class _Tracer:
    def __init__(self, case: CaseRecord, contract: Contract, bare: bool) -> None:
        self._case = case
        self._contract = contract
        self._calls = _in_order(case.calls)
        self._sets_up = not bare and all(call.function != "aclInit" for call in self._calls)
        self._areas: list[Area] = []
        self._live: list[Area] = []
        self._handles: dict[int, str] = {}
        self._wants_context = False
        self._variables = 0

    def program(self) -> Program:
        for call in self._calls:
            if call.function not in self._contract.functions:
                raise ReproError(f"{self._case.id}: {call.function} is no function of the contract")
        known = [given for call in self._calls if (given := given_memory(call)) is not None]
        self._areas = host_areas(self._host_uses(known))
        self._live = list(self._areas)
        threads = {
            thread: number for number, thread in enumerate(dict.fromkeys(c.thread for c in self._calls))
        }
        steps = [self._step(number, call, threads[call.thread]) for number, call in enumerate(self._calls)]
        _order(steps, self._calls)
        return Program(
            case_id=self._case.id,
            areas=self._areas,
            steps=steps,
            threads=len(threads),
            whole=len(self._calls) < (KEPT_CALLS if self._calls[0].start_ns else JOURNAL_CALLS),
            sets_up=self._sets_up,
            wants_context=self._wants_context,
        )

    # --- memory of the program's own ---------------------------------------------------------------------

    def _host_uses(self, known: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Where the trace points at host memory that no call of it gave: (address, bytes)."""
        uses = []
        outputs = {
            address
            for call in self._calls
            for param in self._contract.function(call.function).params
            if "out" in param.direction
            for address in _addresses(call.args.get(param.name))
        }
        for call in self._calls:
            function = self._contract.function(call.function)
            for param in function.params:
                if param.direction == "out" and not _is_memory(param):
                    continue
                if self._is_handle(param.type):
                    continue
                for address, size in extents(call, param, _addresses(call.args.get(param.name))):
                    inside = any(base <= address <= base + length for base, length in known)
                    if address >= _PLAUSIBLE and not inside and address not in outputs:
                        uses.append((address, size))
        return uses

    # --- steps ---------------------------------------------------------------------------------------------

    def _step(self, number: int, call: Call, thread: int) -> Step:
        function = self._contract.function(call.function)
        args = [
            self._argument(number, call, param, call.args[param.name])
            for param in function.params
            if param.name in call.args
        ]
        for param in function.params:
            if param.type != "..." and param.name not in call.args and param.direction != "out":
                raise ReproError(f"{self._case.id}: the record of {call.function} lacks {param.name}")
        step = Step(
            number=number,
            function=call.function,
            args=args,
            thread=thread,
            code=call.code,
            returned=call.returned,
            result=call.name if function.returns != "aclError" else "",
            facts={name: value for name, value in call.args.items() if isinstance(value, int)},
        )
        self._take_memory(step, call)
        self._take_handles(step, call, function)
        return step

    def _argument(self, number: int, call: Call, param: Param, value: Any) -> Value:
        where = f"{self._case.id}: call {number + 1}, {call.function}, {param.name}"
        if value == "NULL" or value is None:
            return Null()
        writes = "out" in param.direction and not _is_memory(param) and not self._given(param)
        if writes:
            return self._output(number, param, value, where)
        return self._value(value, param.type, f"{param.name}_{number + 1}", where)

    def _given(self, param: Param) -> bool:
        return param.direction == "out" and self._contract.given_by_caller(param)

    def _output(self, number: int, param: Param, value: Any, where: str) -> Value:
        name = f"{param.name}_{number + 1}"
        element = _pointee(param.type)
        if isinstance(value, list):
            shown = [entry for entry in value if not _is_more(entry)]
            length = len(shown) + sum(int(re.sub(r"\D", "", entry)) for entry in value if _is_more(entry))
            return Array(name, element, (Number(0),) * length, written=True)
        if element in ("char", "void") or _BYTES.fullmatch(str(value)):
            return Room(name, _ROOM)
        first = None
        if param.direction == "inout" and isinstance(value, int | str) and value != "untouched":
            first = self._value(value, element, name, where)
        return Output(name, element, first)

    def _value(self, value: Any, type_: str, name: str, where: str) -> Value:
        if value == "NULL" or value is None:
            return Null()
        if isinstance(value, bool | int | float):
            if "*" not in type_:
                return Number(value)
            # What the address was of: the recorder looked behind it.
            element = _pointee(type_)
            return Array(name, "uint64_t" if element == "void" else element, (Number(value),))
        if isinstance(value, dict):
            return self._struct(value, type_, name, where)
        if isinstance(value, list):
            return self._array(value, type_, name, where)
        return self._from_text(str(value), type_, name, where)

    def _from_text(self, value: str, type_: str, name: str, where: str) -> Value:
        if _ADDRESS.fullmatch(value):
            return self._address(int(value, 16), type_)
        if value == "callback":
            return Callback(type_.replace("const ", "").strip())
        if value == "untouched":
            return Output(name, _pointee(type_))
        if value.removeprefix("b")[:1] in ("'", '"'):
            try:
                found = ast.literal_eval(value)
                return Text(found if isinstance(found, str) else found.decode("utf-8", "replace"))
            except (ValueError, SyntaxError):
                raise ReproError(f"{where}: the text is not whole in the record") from None
        if size := _BYTES.fullmatch(value):
            return Room(name, int(size[1]))
        if value.isdigit() and "*" in type_:
            return Wild(int(value)) if int(value) else Null()
        try:
            number = self._contract.value(value)
        except ContractError:
            if value.lstrip("-").isdigit():
                return Number(int(value))
            raise ReproError(f"{where}: {value!r} cannot be made again") from None
        return Number(number, value if self._in_headers(value) else "")

    def _address(self, address: int, type_: str) -> Value:
        handle = self._handles.get(address)
        if handle is not None:
            return Variable(handle)
        if self._is_handle(type_):
            if type_ == "aclrtContext" and self._sets_up:
                self._wants_context = True
                return Variable(CONTEXT)
            return Wild(address)
        for area in reversed(self._live):
            if area.holds(address):
                return Inside(area.name, address - area.base)
        return Wild(address)

    def _struct(self, value: dict[str, Any], type_: str, name: str, where: str) -> Struct:
        base = type_.replace("const", "").replace("*", "").replace("[]", "").strip()
        fields = list(self._fields(value, base, "", name, where))
        return Struct(name, base, tuple(fields), by_address="*" in type_ or "[" in type_)

    def _fields(self, value: dict[str, Any], base: str, path: str, name: str, where: str) -> Any:
        struct = self._contract.structs.get(base)
        for field_name, entry in value.items():
            field = struct.field(field_name) if struct is not None else None
            type_ = field.type if field is not None else ""
            inner = f"{path}.{field_name}" if path else field_name
            place = f"{where}.{field_name}"
            if isinstance(entry, dict):
                yield from self._fields(entry, type_, inner, name, place)
            elif isinstance(entry, list):
                for index, each in enumerate(entry):
                    if _is_more(each):
                        raise ReproError(f"{where}.{field_name}: the array is not whole in the record")
                    if isinstance(each, dict):
                        yield from self._fields(each, type_, f"{inner}[{index}]", name, place)
                    elif each not in (0, "NULL", None):
                        yield f"{inner}[{index}]", self._value(each, type_, f"{name}_{field_name}", place)
            elif entry not in (0, "NULL", None, "''"):
                yield inner, self._value(entry, type_, f"{name}_{field_name}", place)

    def _array(self, value: list[Any], type_: str, name: str, where: str) -> Array:
        if any(_is_more(entry) for entry in value):
            raise ReproError(f"{where}: the array is not whole in the record, which keeps 16 elements")
        element = _pointee(type_)
        values = tuple(
            self._value(entry, element, f"{name}_{index}", where) for index, entry in enumerate(value)
        )
        return Array(name, element, values)

    # --- what a step gives ------------------------------------------------------------------------------

    def _take_memory(self, step: Step, call: Call) -> None:
        given = given_memory(call)
        if given is None:
            return
        base, size = given
        kind = "pinned" if "Host" in call.function else "device"
        output = next(value for value in step.args if isinstance(value, Output))
        area = Area(output.name, "pinned" if kind == "pinned" else "device", base, size, step.number)
        self._areas.append(area)
        # A new block may lie where an old one was.
        self._live = [old for old in self._live if old.base + old.size <= base or base + size <= old.base]
        self._live.append(area)
        step.made = area.name

    def _take_handles(self, step: Step, call: Call, function: Function) -> None:
        for value, param in zip(step.args, (p for p in function.params if p.name in call.args), strict=True):
            seen = call.args[param.name]
            if not isinstance(value, Output) or value.name == step.made or not isinstance(seen, str):
                continue
            if _ADDRESS.fullmatch(seen):
                self._handles[int(seen, 16)] = value.name
        if function.returns != "aclError" and _ADDRESS.fullmatch(call.name):
            step.gave = f"given_{step.number + 1}"
            self._handles[int(call.name, 16)] = step.gave

    def _is_handle(self, type_: str) -> bool:
        base = type_.replace("const", "").replace("*", "").replace("[]", "").strip()
        found = self._contract.typedefs.get(base)
        if found is None or found.kind not in ("handle", "opaque_struct"):
            return False
        return "*" not in type_ if found.kind == "handle" else True

    def _in_headers(self, name: str) -> bool:
        """Whether the headers have the name; some enumerators stand in documents only."""
        for enum in self._contract.enums.values():
            if name in enum.values:
                return name not in enum.doc_only_values
        return True


def _in_order(calls: Sequence[Call]) -> list[Call]:
    """The calls as they were started; a dead process's journal has no times, but is in order."""
    if all(call.start_ns for call in calls):
        return sorted(calls, key=lambda call: call.start_ns)
    return list(calls)


def _order(steps: Sequence[Step], calls: Sequence[Call]) -> None:
    """Which steps of other threads had ended when one began."""
    for step, call in zip(steps, calls, strict=True):
        step.waits_for = tuple(
            before.number
            for before, was in zip(steps[: step.number], calls, strict=False)
            if before.thread != step.thread and (not call.start_ns or was.end_ns <= call.start_ns)
        )


def _is_memory(param: Param) -> bool:
    """Whether the parameter is the address of memory whose type nobody knows."""
    return param.type.replace("const ", "").strip() == "void *"


def _is_more(entry: Any) -> bool:
    return isinstance(entry, str) and _MORE.fullmatch(entry) is not None


def _pointee(type_: str) -> str:
    """What a pointer or array type points at."""
    bare = type_.strip()
    if bare.endswith("[]"):
        return bare[:-2].strip().removesuffix("const").strip()
    if "[" in bare:
        return bare.partition("[")[0].strip()
    bare = bare.removesuffix("const").strip()
    if bare.endswith("*"):
        inner = bare[:-1].strip()
        return inner.removeprefix("const ").strip() if "*" not in inner else inner
    return bare


def _addresses(value: Any) -> list[int]:
    """Every address in a decoded argument."""
    if isinstance(value, str):
        return [int(value, 16)] if _ADDRESS.fullmatch(value) else []
    if isinstance(value, list):
        return [address for entry in value for address in _addresses(entry)]
    if isinstance(value, dict):
        return [address for entry in value.values() for address in _addresses(entry)]
    return []
