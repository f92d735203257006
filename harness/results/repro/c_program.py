"""A trace as one standalone C file, which compiles with CANN's headers or ours alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.contract import Contract
from harness.results.records import CaseRecord, Header
from harness.results.repro.telling import (
    Does,
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

_HERE = Path(__file__).parent
# What acl.h includes by itself.
_INCLUDED = frozenset({"acl_rt.h", "acl_base_rt.h", "acl_base_mdl.h", "acl_mdl.h", "acl_op.h"})
_DEADLINE_S = 60
_INT_MAX = 2**31 - 1
_PAGE = 4096
_ENDS = {"": "ENDS_IN_ORDER", "crash": "ENDS_WITH_A_CRASH", "hang": "ENDS_WITH_A_HANG"}


def c_source(program: Program, case: CaseRecord, header: Header, contract: Contract) -> str:
    """The text of the C file; ReproError where the trace has what C cannot say again."""
    return _Writer(program, case, header, contract).text()


class _Writer:
    def __init__(self, program: Program, case: CaseRecord, header: Header, contract: Contract) -> None:
        self._program = program
        self._case = case
        self._header = header
        self._contract = contract
        self._areas = {area.name: area for area in program.areas}
        self._declared: dict[str, str] = {}
        self._callbacks: dict[str, str] = {}
        self._threaded = program.threads > 1

    def text(self) -> str:
        bodies = [list(self._step(step)) for step in self._program.steps]
        if self._program.wants_context:
            self._declared[CONTEXT] = f"aclrtContext {CONTEXT}"
        declared = [self._area(area) for area in self._program.areas]
        declared += [f"static {declaration};" for declaration in self._declared.values()]
        parts = [
            self._head(),
            (_HERE / "runtime.c").read_text(encoding="utf-8"),
            (_HERE / "threads.c").read_text(encoding="utf-8") if self._threaded else "",
            f"/* --- this case {'-' * 90} */\n",
            "\n".join(declared) + "\n",
            *(self._callback(type_, name) for type_, name in self._callbacks.items()),
            self._main(bodies),
        ]
        return "\n".join(part for part in parts if part)

    def _head(self) -> str:
        files = dict.fromkeys(self._contract.function(step.function).header for step in self._program.steps)
        told = comment(self._program, self._case, self._header, "c")
        lines = ["/*", *(f" * {line}".rstrip() for line in told), " */", "#define _GNU_SOURCE"]
        if self._threaded:
            lines.append("#include <pthread.h>")
        lines += [
            f"#include <{name}.h>" for name in ("signal", "stdint", "stdio", "stdlib", "string", "unistd")
        ]
        lines += ["", '#include "acl/acl.h"']
        lines += [f'#include "acl/{file}"' for file in files if file not in _INCLUDED]
        lines += ["", f"#define DEADLINE_S {_DEADLINE_S}", f"#define MOST_AREAS {len(self._areas) + 1}"]
        if self._threaded:
            lines.append(f"#define THREADS {self._program.threads}")
        lines.append(f"#define RECORDED_END {_ENDS[ends_with(self._case)]}")
        lines.append(f"#define RECORDED_BYTES {int(shows_bytes(self._case))}")
        return "\n".join(lines) + "\n"

    def _area(self, area: Area) -> str:
        on_device = int(area.kind == "device")
        return f'static struct area area_{area.name} = {{"{area.name}", {on_device}, {area.size}, 0, 0, 0}};'

    def _callback(self, type_: str, name: str) -> str:
        """A function of the type that returns at once, with nothing."""
        facts = self._contract.typedefs.get(type_)
        if facts is None or facts.kind != "callback":
            raise ReproError(f"{self._case.id}: a callback of the type {type_} cannot be made")
        params = [f"{param.type} {param.name}" for param in facts.params]
        unused = " ".join(f"(void){param.name};" for param in facts.params)
        gives = "" if facts.returns == "void" else " return 0;"
        return f"static {facts.returns} {name}({', '.join(params) or 'void'}) {{ {unused}{gives} }}\n"

    # --- main --------------------------------------------------------------------------------------------

    def _main(self, bodies: list[list[str]]) -> str:
        lines: list[str] = []
        inside = ["watch();", *self._set_up(lines)]
        inside += [line for area in self._program.areas if area.kind == "host" for line in _own(area)]
        if self._threaded:
            inside += self._schedule(bodies, lines)
        else:
            inside += [line for body in bodies for line in body]
        if waits_at_the_end(self._program):
            inside.append("(void)aclrtSynchronizeDevice();")
        inside += [f"look_into(&area_{area.name});" for area in self._program.areas]
        inside.append("return conclude();")
        return (
            "\n".join([*lines, "int main(void) {", *(f"    {line}".rstrip() for line in inside), "}"]) + "\n"
        )

    def _set_up(self, functions: list[str]) -> Iterator[str]:
        device = ['prepared("aclrtSetDevice", aclrtSetDevice(0));']
        if self._program.wants_context:
            device.append(f'prepared("aclrtGetCurrentContext", aclrtGetCurrentContext(&{CONTEXT}));')
        if self._program.sets_up:
            yield 'prepared("aclInit", aclInit(NULL));'
        if self._threaded:
            yield "start_workers();"
            if self._program.sets_up:
                functions.append(_function("set_device", device))
                yield "start(0, set_device);"
                yield "wait_for(0);"
        elif self._program.sets_up:
            yield from device

    def _schedule(self, bodies: list[list[str]], functions: list[str]) -> Iterator[str]:
        """The steps on their threads; one waits for those that had ended when it began in the record."""
        under_way: dict[int, int] = {}
        for step, body in zip(self._program.steps, bodies, strict=True):
            functions.append(_function(f"step_{step.number + 1}", body))
            for thread, number in list(under_way.items()):
                if thread == step.thread or number in step.waits_for:
                    yield f"wait_for({thread});"
                    del under_way[thread]
            yield f"start({step.thread}, step_{step.number + 1});"
            under_way[step.thread] = step.number
        for thread in under_way:
            yield f"wait_for({thread});"

    # --- steps -------------------------------------------------------------------------------------------

    def _step(self, step: Step) -> Iterator[str]:
        function = self._contract.function(step.function)
        before: list[str] = []
        types = [param.type for param in function.params]
        args = [
            self._expression(value, type_, before) for value, type_ in zip(step.args, types, strict=False)
        ]
        yield ""
        yield from before
        freed = step.args[0] if frees_memory(step) else None
        if isinstance(freed, Inside):
            yield f"give_up(&area_{freed.area});"
        if (value := gate_value(self._program, step)) is not None:
            yield f"put({args[2]}, {_number(value)});"
        call = f"{step.function}({', '.join(args)})"
        if function.returns == "aclError":
            yield from self._judged(step, call, args)
        elif function.returns == "void":
            yield f"{call};"
        elif step.gave:
            self._declared[step.gave] = f"{_plain(function.returns)} {step.gave}"
            yield f"{step.gave} = {call};"
        else:
            wanted = step.result if step.result.lstrip("-").isdigit() and "*" not in function.returns else ""
            yield (
                f'compare({step.number + 1}, "{step.function}", (long long){call}, {wanted}LL);'
                if wanted
                else f"(void){call};"
            )

    def _judged(self, step: Step, call: str, args: list[str]) -> Iterator[str]:
        """A call whose code is compared, and what it does to memory where it succeeds."""
        does = list(self._effects(step, args))
        recorded = step.code if step.returned and step.code is not None else -1
        yield "{"
        yield f"    aclError code = {call};"
        yield f'    compare({step.number + 1}, "{step.function}", code, {recorded});'
        if does:
            yield "    if (code == 0) {"
            yield from (f"        {line}" for line in does)
            yield "    }"
        yield "}"

    def _effects(self, step: Step, args: list[str]) -> Iterator[str]:
        if step.made:
            yield f"take(&area_{step.made}, {step.made});"
        for does in effects(self._program, step):
            yield from self._effect(does, step, args)

    def _effect(self, does: Does, step: Step, args: list[str]) -> Iterator[str]:
        given = [args[position] for position in does.positions]
        if does.effect == "moved":
            yield f"moved({', '.join(given)});"
        elif does.effect == "rows":
            yield f"moved_rows({', '.join(given)});"
        elif does.effect == "pieces":
            yield f"moved_pieces({', '.join(given)});"
        elif does.effect == "number":
            yield f"numbered({', '.join(given)});"
        elif does.effect == "filled":
            yield f"filled({', '.join(given)});"
        else:
            for place in _places(step.args[does.positions[0]]):
                yield f"unknown({_inside(place, self._areas)});"

    # --- arguments ---------------------------------------------------------------------------------------

    def _expression(self, value: Value, type_: str, before: list[str]) -> str:
        """The C expression of a value; what must be said before the call is put on `before`."""
        if isinstance(value, Null):
            return "NULL"
        if isinstance(value, Number):
            return value.name or _number(value.value)
        if isinstance(value, Variable):
            return value.name
        if isinstance(value, Inside):
            return _inside(value, self._areas)
        if isinstance(value, Wild):
            return f"(void *)(uintptr_t){value.address:#x}ULL"
        if isinstance(value, Text):
            return _quoted(value.text)
        if isinstance(value, Callback):
            return self._callbacks.setdefault(value.type, f"callback_{len(self._callbacks) + 1}")
        if isinstance(value, Room):
            self._declared[value.name] = f"char {value.name}[{value.size}]"
            return value.name
        if isinstance(value, Output):
            self._declared[value.name] = f"{_plain(value.type)} {value.name}"
            if value.first is not None:
                before.append(f"{value.name} = {self._expression(value.first, value.type, before)};")
            return f"&{value.name}"
        if isinstance(value, Struct):
            return self._struct(value, before)
        return self._array(value, before)

    def _struct(self, value: Struct, before: list[str]) -> str:
        self._declared[value.name] = f"{value.type} {value.name}"
        before += self._assigned(value, value.name, before)
        return f"&{value.name}" if value.by_address else value.name

    def _assigned(self, value: Struct, place: str, before: list[str]) -> list[str]:
        lines = []
        for path, entry in value.fields:
            if isinstance(entry, Text):
                lines.append(f"strcpy({place}.{path}, {_quoted(entry.text)});")
            else:
                lines.append(f"{place}.{path} = {self._expression(entry, '', before)};")
        return lines

    def _array(self, value: Array, before: list[str]) -> str:
        self._declared[value.name] = f"{_plain(value.type)} {value.name}[{max(len(value.values), 1)}]"
        for index, entry in enumerate(() if value.written else value.values):
            place = f"{value.name}[{index}]"
            if isinstance(entry, Struct):
                before += self._assigned(entry, place, before)
            else:
                before.append(f"{place} = {self._expression(entry, value.type, before)};")
        return value.name


def _own(area: Area) -> Iterator[str]:
    """Memory of the program itself, as far into its page as the recorded one was."""
    place = area.base % _PAGE
    yield "{"
    yield f"    unsigned char *pages = aligned_alloc({_PAGE}, {-(-(area.size + place) // _PAGE) * _PAGE});"
    yield f"    take(&area_{area.name}, pages == NULL ? NULL : pages + {place});"
    yield "}"


def _function(name: str, body: list[str]) -> str:
    lines = "\n".join(f"    {line}".rstrip() for line in body if line)
    return f"static void {name}(void) {{\n{lines}\n}}\n"


def _inside(value: Inside, areas: dict[str, Area]) -> str:
    area = areas[value.area]
    if area.kind == "host":
        return f"(void *)(area_{area.name}.base + {value.offset})"
    return f"(void *)((char *){area.name} + {value.offset})" if value.offset else area.name


def _places(value: Value) -> list[Inside]:
    if isinstance(value, Struct):
        return [place for _, entry in value.fields for place in _places(entry)]
    if isinstance(value, Array):
        return [place for entry in value.values for place in _places(entry)]
    return [value] if isinstance(value, Inside) else []


def _number(value: int | float) -> str:
    if isinstance(value, float) or -_INT_MAX <= value <= _INT_MAX:
        return repr(value)
    return f"{value}ULL" if value > 0 else f"({value + 1}LL - 1)"


def _quoted(text: str) -> str:
    """A C string literal of the text's bytes; an octal escape is never longer than three digits."""
    plain = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "replace")
    )
    return f'"{plain}"'


def _plain(type_: str) -> str:
    """A type that a variable can have which is assigned later."""
    bare = type_.strip().removesuffix("const").strip()
    return bare.removeprefix("const ") if "*" not in bare else bare
