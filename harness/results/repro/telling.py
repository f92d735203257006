"""What a program that repeats a trace says about itself, and what its calls do to memory."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Literal

from harness.results.records import CaseRecord, Header
from harness.results.repro.values import Array, Inside, Number, Program, Step, Struct, Value
from harness.results.reproduce import reproduce_line
from harness.results.verdicts import Verdict

Effect = Literal["moved", "rows", "pieces", "filled", "number", "unknown"]

# Calls that take an address and leave the bytes behind it alone.
_HARMLESS = (
    "Get",
    "Query",
    "Register",
    "Synchronize",
    "Destroy",
    "SetAccess",
    "MapMem",
    "Unmap",
    "Advise",
    "Wait",
)
_LINE = 1_000
_REASON_LINES = 12
_MOST = 100_000


@dataclass(frozen=True)
class Does:
    """What a successful call does to memory, and the positions of the arguments that say so."""

    effect: Effect
    positions: tuple[int, ...]


_KNOWN: dict[str, Does] = {
    "aclrtMemcpy": Does("moved", (0, 2, 3)),
    "aclrtMemcpyAsync": Does("moved", (0, 2, 3)),
    "aclrtMemcpy2d": Does("rows", (0, 1, 2, 3, 4, 5)),
    "aclrtMemcpy2dAsync": Does("rows", (0, 1, 2, 3, 4, 5)),
    "aclrtMemcpyBatch": Does("pieces", (0, 2, 3, 4)),
    "aclrtMemcpyBatchV2": Does("pieces", (0, 2, 3, 4)),
    "aclrtMemcpyBatchAsync": Does("pieces", (0, 2, 3, 4)),
    "aclrtMemcpyBatchAsyncV2": Does("pieces", (0, 2, 3, 4)),
    "aclrtValueWrite": Does("number", (0, 1)),
    "aclrtMemset": Does("filled", (0, 2, 3)),
    "aclrtMemsetAsync": Does("filled", (0, 2, 3)),
}


def effects(program: Program, step: Step) -> list[Does]:
    """What the step does to memory; a call that nobody models makes what it points at unknown."""
    known = _KNOWN.get(step.function)
    captured = any("Capture" in before.function for before in program.steps[: step.number])
    if known is not None and not (captured and step.function.endswith("Async")):
        return [known]
    if any(word in step.function for word in _HARMLESS) or frees_memory(step):
        return []
    return [Does("unknown", (position,)) for position, value in enumerate(step.args) if _points(value)]


def waits_at_the_end(program: Program) -> bool:
    """Whether the program may wait for the device at its end: no call made a stream wait for something."""
    return not any("Wait" in step.function for step in program.steps)


def gate_value(program: Program, step: Step) -> int | None:
    """The number that a stream waits for at the place the step copies to, or None where nobody waits there.

    A record does not hold the bytes that were copied; these are the ones that let the stream go on.
    """
    if step.function not in ("aclrtMemcpy", "aclrtMemcpyAsync") or not isinstance(step.args[2], Inside):
        return None
    for before in reversed(program.steps[: step.number]):
        if before.function == "aclrtValueWait" and before.args[0] == step.args[0]:
            awaited = before.args[1]
            return int(awaited.value) if isinstance(awaited, Number) else None
    return None


def frees_memory(step: Step) -> bool:
    """Whether the step gives memory of the library back: its first argument is the start of an area."""
    gives_back = "Free" in step.function or "Release" in step.function
    first = step.args[0] if step.args else None
    return gives_back and isinstance(first, Inside) and first.offset == 0


def ends_with(case: CaseRecord) -> Literal["", "crash", "hang"]:
    """How the recorded process ended: in order, in a crash, or not at all."""
    if case.verdict is Verdict.CRASH:
        return "crash"
    return "hang" if case.verdict is Verdict.HANG else ""


def shows_bytes(case: CaseRecord) -> bool:
    """Whether the case failed because of bytes in memory, not of a return code."""
    return any(words in case.reason for words in ("bytes differ", "guard bytes"))


def comment(
    program: Program, case: CaseRecord, header: Header, language: Literal["c", "python"]
) -> list[str]:
    """What the program is, and how to build and run it; safe to stand in a comment."""
    environment = []
    if header.target.kind == "reference":
        environment.append(f"ACLREF_PROFILE=product={case.product};form={case.form};cann={case.cann}")
        if fault := header.options.get("fault"):
            environment.append(f"ACLREF_FAULT={fault}")
        if header.seed is not None:
            environment.append(f"ACLREF_SEED={header.seed}")
    variables = " ".join(shlex.quote(word) for word in environment)
    if language == "c":
        where = "-I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64"
        run = [f"Build: cc repro.c {where} -lascendcl -lpthread -o repro"]
    else:
        run = []
    program_line = "./repro" if language == "c" else "python3 repro.py"
    run.append(f"Run:   {f'{variables} {program_line}'.strip()}")
    missing = (
        [] if program.whole else ["The record does not hold all calls of the case; some may be missing."]
    )
    return [
        *_harmless(f"{case.verdict}: {case.id}"),
        *_harmless(case.reason, _REASON_LINES),
        "",
        *_harmless(f"Library: {header.target.label}; CANN {case.cann}; {case.profile}"),
        *_harmless(f"Again:   {reproduce_line(case, header)}"),
        "",
        *_harmless("\n".join(run), 4),
        "It prints every call with its return code, and what is not as it must be in the memory it used.",
        "Exit status: 0 where it shows what was recorded, 1 where it does not, 2 where it cannot be run.",
        *missing,
    ]


def _harmless(text: str, lines: int = 3) -> list[str]:
    """Text that may hold anything, as lines that cannot end a comment; a backslash at an end would go on."""
    kept = []
    for line in text[:_MOST].splitlines()[:lines]:
        printable = "".join(char if char.isprintable() else "?" for char in line.rstrip()[:_LINE])
        kept.append(
            printable.replace("*/", "* /").replace("/*", "/ *").replace('"""', "'''").replace("\\", "/")
        )
    return kept


def _points(value: Value) -> bool:
    if isinstance(value, Struct):
        return any(_points(entry) for _, entry in value.fields)
    if isinstance(value, Array):
        return any(map(_points, value.values))
    return isinstance(value, Inside)
