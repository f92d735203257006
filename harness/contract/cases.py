"""The language of a rule's `cases`: a valid call with some arguments replaced, and what must follow.

A case is `{"set": {PATH: VALUE, ...}, "expect": ..., "outputs": {...}, "partial": true, "note": ...}`.

PATH    a C parameter (`dst`), or a place inside it: `attrs[0].rsv[15]`, `prop.location.id`, `dsts[2]`.
        An index one past the end of the recipe's list appends a copy of its last element first.
        Replacements happen in the order written; setting a member of a union drops its other members.
VALUE   null (NULL), an integer, a list of these, or an expression in a string: `+ - *`, parentheses, decimal
        and 0x numbers, KiB MiB GiB TiB PiB EiB (`4*GiB+1`), SIZE_MAX UINT32_MAX INT32_MIN and their kin,
        every enumerator, macro and return code of the contract, and `@names`.
@name   the valid call's own value (`@ptr+1`, `@sizes[1]`), or one of the extras every recipe offers (EXTRAS).
expect  success, error or unspecified; left out, the rule's own outcome.
outputs what out parameters hold after the call; `return` is what a function without a code gives back.
partial the refused call may have written some of its blocks before, so they are not compared.

The valid call ("recipe") of a function is written beside the suites. The cases assume these:

aclrtMemcpy, ...Async, ...AsyncWithCondition
    dst a device block of 64 bytes, destMax 64, src 64 bytes of pinned host memory (pageable on IPV350, which
    has no pinned memory), count 64, kind HOST_TO_DEVICE.
aclrtMemcpyBatch, ...Async, ...V2, ...AsyncV2
    4 host to device pieces of 64 bytes: dsts, srcs, destMaxs, sizes lists of 4; attrs one entry {dstLoc
    device 0, srcLoc host 0, rsv zero}; attrsIndexes [0]; numAttrs 1.
aclrtMemcpy2d, ...Async
    dst device, dpitch 16, src pinned, spitch 16, width 8, height 4, kind HOST_TO_DEVICE; blocks of 64 bytes.
aclrtGetMemcpyDescSize, aclrtSetMemcpyDesc, aclrtMemcpyAsyncWithDesc
    kind INNER_DEVICE_TO_DEVICE; desc a device block with 64 bytes to spare; two device blocks; count 64;
    config NULL.
aclrtMemcpyAsyncWithOffset
    dst and src device slots holding the addresses of device blocks of 256 bytes; destMax 256,
    dstDataOffset 128, count 64, srcDataOffset 64, kind INNER_DEVICE_TO_DEVICE.
aclrtMemset, ...Async; aclrtMemsetD32, ...Async
    a device block of 64 bytes, filled completely.
aclrtMalloc..., aclrtMallocHost...
    size 4096, policy HUGE_FIRST, cfg one attribute {MODULE_ID, 33}.
aclrtFree..., aclrtHostUnregister, aclrtReleaseMemAddress, aclrtUnmapMem, aclrtFreePhysical
    a fresh object of the right kind.
aclrtMemFlush, aclrtMemInvalidate
    64 bytes of a cached block.
aclrtGetMemInfo ACL_HBM_MEM; aclrtGetMemUsageInfo device 0, 8 entries; aclrtCheckMemType a device block, DEV.
aclrtHostRegister, ...V2
    64 KiB at a 4 KiB aligned pinned address with 4 KiB more behind it, MAPPED.
aclrtHostGetDevicePointer a registered block, flag 0; aclrtHostMemMapCapabilities device 0, STARS.
aclrtMallocPhysical, aclrtMemGetAllocationGranularity
    prop {NONE, PINNED, ACL_HBM_MEM_HUGE, device 0, reserve 0}; size one granule; MINIMUM.
aclrtReserveMemAddress size one granule, the rest 0; aclrtReserveMemAddressNoUCMemory 1 GiB at 50 TiB.
aclrtMapMem, aclrtMemMapNoAccess
    a reservation of two granules, size one granule, a fresh handle of one granule, offset and flags 0.
aclrtMemExportToShareableHandle... a fresh handle, NONE or DEFAULT, flags 0.
aclrtMemSetPidToShareableHandle... an export with flags 0, the own process id, pidNum 1.
aclrtMemImportFromShareableHandle... an export of another process, device 0, DEFAULT, flags 0.
aclrtMemSetAccess, aclrtMemGetAccess, aclrtMemRetainAllocationHandle
    a mapping of one granule; one descriptor {READWRITE, device 0, rsv zero}; location device 0.
aclrtMemGetAllocationPropertiesFromHandle a fresh handle; aclrtMemGetAddressRange a device block.
aclrtMemMapSelectedLink a reservation, a mapped reservation of the same size, linkIdx 0.
aclrtMemAllocManaged 2 MiB; aclrtMemManagedAdvise device 0 preferred by 2 MiB of a fresh block of 4 MiB
aclrtMemManagedGetAttr, ...Attrs
    READ_MOSTLY of a fresh block of 2 MiB, 4 bytes wanted and 64 there.
aclrtMemManagedPrefetchAsync 2 MiB of a block of 4 MiB to device 0
aclrtMemManagedPrefetchBatchAsync
    ptrs and sizes lists of 4 pieces of 2 MiB, prefetchLocs {device 0, host}, prefetchLocIdxs [0, 2].
aclrtMemP2PMap a block of device 0 for device 1, access enabled; aclrtPointerGetAttributes a device block
aclrtCmoAsync, ...WithDesc, aclrtCmoSetDesc PREFETCH of a device block of 4096 bytes
aclrtCmoAsyncWithBarrier, aclrtCmoWaitBarrier
    INVALID with barrier 1 on a stream bound to a model; taskInfo one barrier.
aclrtAllocatorSet...ToDesc a fresh descriptor and any value or callback
aclrtAllocatorRegister @stream and a complete descriptor
aclrtAllocatorGetByStream, aclrtAllocatorUnregister @stream with a registration
aclCreateDataBuffer, aclUpdateDataBuffer, aclGetDataBuffer... 64 bytes of device memory; updated to 128 bytes
aclCreateTensorDesc, aclGetTensorDesc... 2 x 3 int32 in NHWC; index 1, or 0 of an array
aclGetTensorDescDimRange dims {16, -1} with bounds for both, index 0, dimRangeNum 2
aclSetTensor...Shape 5 dims for 4; ...Range two pairs; aclSetTensorConst 16 bytes
aclmdlGetDesc... a static model; aclmdlGetInput..., aclmdlGetOutput... index 1 of two int32 tensors
aclmdlGetDynamic..., aclmdlGetInputDynamic... a model of that kind, index -1, gearCount 3
aclmdlSetDynamic..., aclmdlSetInputDynamicDims the second gear, in a dataset with room for 8-byte numbers
aclmdlSetAIPP... parameters for two pictures, batchIndex 0, switches on, pictures of 256 x 256
aclmdlSetInputAIPP, aclmdlSetAIPPByInputIndex parameters that suit the model, and the index of their input
aclmdlGetAippType, aclmdlGetFirstAippInfo index 0 of a model with dynamic, with static preprocessing
aclopExecute..., aclopCreateHandle, aclopExecWithHandle a loaded addition of two vectors of 8 floats
aclopCompile..., aclGenGraphAndDumpForOp the same addition, not loaded
aclSetCompileopt, aclGetCompileopt... ACL_OP_DEBUG_LEVEL "0"; ACL_OP_JIT_COMPILE into 64 bytes
aclblas... a loaded product of 16 x 32 and 32 x 16 halves or bytes, or of a vector of 32; alpha 2, beta 3
acltdt...Item, ...Dataset a tensor of 2 x 3 floats in host memory
acltdt...Channel... a fresh name, capacity 4
acltdtEnqueueData, acltdtDequeueData 64 bytes, with 64 bytes of 128 for the user when they enter
acltdt...Queue... fresh objects: a depth of 16, a route from 1 to 2, lists of one route, queries by source
acltdt...Buf... a buffer of 4096 bytes, a chain of two, all 96 bytes of the user
aclprof... device 0 with ACL_PROF_TASK_TIME; marks while markers are collected; records of one run of a model
acldump... exception dump on, one tensor of 64 bytes
aclrtSnapShot... the own process in the state the step needs
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from harness.contract.errors import ContractError
from harness.contract.model import ArgumentCase, CaseExpectation, CaseValue, Function, Rule

if TYPE_CHECKING:
    from harness.contract.lookup import Contract

# Offered to every case beside the recipe's own values; blocks hold 4096 bytes and are 64-byte aligned.
EXTRAS: Mapping[str, str] = {
    "pinned_block": "page-locked host memory (aclrtMallocHost)",
    "pinned_block2": "a second one",
    "device_block": "memory of device 0 (aclrtMalloc)",
    "device_block2": "a second one",
    "pageable_block": "ordinary host memory",
    "pageable_block2": "a second one",
    "freed_device_block": "the address of a device block that was freed",
    "reserved_block": "a reservation of a granule or more without a mapping",
    "stream": "a live stream",
    "other_stream": "another live stream, fresh",
    "event": "a live event, never recorded",
    "other_event": "another one",
    "captured_stream": "a stream that is being captured",
    "captured_instance": "an instance that a capture has made",
    "built_instance": "an instance that was built stream by stream",
    "unfinished_instance": "an instance that is still being built",
    "device_count": "the number of devices",
    "granularity": "the smallest physical allocation in bytes",
    **{f"slot_{number}": f"the address of 8 bytes on the host that hold {number}" for number in range(9)},
    **{f"slot_minus_{number}": f"the same for -{number}" for number in (1, 2)},
}

_UNITS = {name: 1 << (10 * power) for power, name in enumerate(("KiB", "MiB", "GiB", "TiB", "PiB", "EiB"), 1)}
_LIMITS = {
    "SIZE_MAX": 2**64 - 1,
    "UINT8_MAX": 2**8 - 1,
    "UINT16_MAX": 2**16 - 1,
    "UINT32_MAX": 2**32 - 1,
    "UINT64_MAX": 2**64 - 1,
    "INT32_MAX": 2**31 - 1,
    "INT32_MIN": -(2**31),
    "INT64_MAX": 2**63 - 1,
    "INT64_MIN": -(2**63),
}
CONSTANTS: Mapping[str, int] = {**_UNITS, **_LIMITS}

RETURN = "return"
"""The name under `outputs` of what a function without a code gives back; no parameter can be called so."""

_LONGEST = 200
_DEEPEST = 16
_LARGEST = 2**64

Resolver = Callable[[str], int]
Step: TypeAlias = "str | int"
Path: TypeAlias = tuple[Step, ...]


class CaseError(ContractError):
    """A case is malformed, names something unknown, or does not fit the recipe it is applied to."""


class Token(NamedTuple):
    kind: str
    text: str


class Node(NamedTuple):
    """One node of a parsed expression: a number, a name, an @name, or an operation on two others."""

    kind: str
    number: int = 0
    name: str = ""
    left: Node | None = None
    right: Node | None = None


_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})(?![0-9A-Za-z_])"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|@(?P<at>[A-Za-z_][A-Za-z_0-9]*(?:\[[0-9]{1,6}\]|\.[A-Za-z_][A-Za-z_0-9]*)*)"
    r"|(?P<sign>[-+*()]))",
    re.ASCII,
)
_PATH = re.compile(r"([A-Za-z_]\w*)((?:\[[0-9]{1,6}\]|\.[A-Za-z_]\w*)*)", re.ASCII)
_STEP = re.compile(r"\[([0-9]+)\]|\.(\w+)", re.ASCII)


@lru_cache(maxsize=4096)
def parse_path(text: str) -> Path:
    """The steps of a path: `attrs[0].rsv[15]` -> ("attrs", 0, "rsv", 15); CaseError where malformed."""
    match = _PATH.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise CaseError(f"{_shown(text)} is not a path such as dst, dsts[2] or prop.location.id")
    steps: list[Step] = [match[1]]
    for index, field in _STEP.findall(match[2]):
        steps.append(int(index) if index else field)
    return tuple(steps)


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> Node:
    """The tree of an expression; CaseError where malformed, too long or too deep."""
    if len(text) > _LONGEST:
        raise CaseError(f"{_shown(text)} is longer than {_LONGEST} characters")
    return _Parser(text).parse()


class _Parser:
    """Recursive descent over + - * and parentheses."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.position = 0

    def parse(self) -> Node:
        node = self._sum(0)
        if self.position != len(self.tokens):
            raise self._error(f"unexpected {self.tokens[self.position].text}")
        return node

    def _tokens(self) -> list[Token]:
        tokens = []
        position = 0
        end = len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None or match.lastgroup is None:
                raise self._error(f"unexpected {self.text[position:].strip()[:8]}")
            tokens.append(Token(match.lastgroup, match[match.lastgroup]))
            position = match.end()
        return tokens

    def _error(self, what: str) -> CaseError:
        return CaseError(f"{_shown(self.text)} is not an expression: {what}")

    def _sign(self, signs: str) -> str | None:
        if self.position < len(self.tokens):
            token = self.tokens[self.position]
            if token.kind == "sign" and token.text in signs:
                self.position += 1
                return token.text
        return None

    def _sum(self, depth: int) -> Node:
        node = self._product(depth)
        while sign := self._sign("+-"):
            node = Node(sign, left=node, right=self._product(depth))
        return node

    def _product(self, depth: int) -> Node:
        node = self._factor(depth)
        while self._sign("*"):
            node = Node("*", left=node, right=self._factor(depth))
        return node

    def _factor(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self._error(f"nested deeper than {_DEEPEST}")
        if self._sign("-"):
            return Node("-", left=Node("number"), right=self._factor(depth + 1))
        if self._sign("("):
            node = self._sum(depth + 1)
            if not self._sign(")"):
                raise self._error("a ( is never closed")
            return node
        if self.position == len(self.tokens):
            raise self._error("ends too early")
        token = self.tokens[self.position]
        if token.kind == "sign":
            raise self._error(f"unexpected {token.text}")
        self.position += 1
        if token.kind == "number":
            return Node("number", number=int(token.text, 16 if token.text[:2] in ("0x", "0X") else 10))
        return Node(token.kind, name=token.text)


def evaluate(contract: Contract, value: CaseValue, resolve: Resolver) -> int | list[int | None] | None:
    """What a VALUE stands for; `resolve` gives the integer behind an @name (without the @).

    Raises CaseError for a malformed expression, an unknown name, or a result beyond 64 bits.
    """
    if isinstance(value, list):
        return [_evaluate_one(contract, item, resolve) for item in value]
    return _evaluate_one(contract, value, resolve)


def _evaluate_one(contract: Contract, value: int | str | None, resolve: Resolver) -> int | None:
    if value is None:
        return None
    if isinstance(value, int):
        return _bounded(value, str(value))
    return _compute(contract, parse_expression(value), resolve, value)


def _compute(contract: Contract, node: Node, resolve: Resolver, text: str) -> int:
    if node.kind == "number":
        return node.number
    if node.kind == "name":
        return _named(contract, node.name)
    if node.kind == "at":
        try:
            return resolve(node.name)
        except KeyError:
            raise CaseError(f"{_shown(text)}: nothing is known as @{node.name}") from None
    assert node.left is not None
    assert node.right is not None
    left = _compute(contract, node.left, resolve, text)
    right = _compute(contract, node.right, resolve, text)
    if node.kind == "*":
        return _bounded(left * right, text)
    return _bounded(left + right if node.kind == "+" else left - right, text)


def _named(contract: Contract, name: str) -> int:
    found = CONSTANTS.get(name)
    return found if found is not None else contract.value(name)


def _bounded(number: int, text: str) -> int:
    if not -_LARGEST < number < _LARGEST:
        raise CaseError(f"{_shown(text)} does not fit 64 bits")
    return number


def expectation(rule: Rule, case: ArgumentCase) -> CaseExpectation:
    """The outcome of a case: its own, else the rule's; a rule about data counts as success."""
    if case.expect is not None:
        return case.expect
    return "success" if rule.expect == "data" else rule.expect


def arguments(
    contract: Contract, api: str, case: ArgumentCase, args: Mapping[str, Any], resolve: Resolver
) -> dict[str, Any]:
    """A copy of a recipe's arguments with the case's replacements; `args` itself stays as it was.

    `args` are by C parameter name: ints, None, enumerator names, dicts for structs, lists for arrays, things
    with `.ptr`. `resolve` is asked for @names that are no argument of the recipe; KeyError means unknown.
    Raises CaseError where a path does not fit what the recipe passes.
    """
    function = contract.function(api)
    changed = {name: _copy(value) for name, value in args.items()}

    def resolved(name: str) -> int:
        head, *steps = parse_path(name)
        if head in args:
            return _as_int(contract, name, _descend(args[str(head)], steps, name))
        return resolve(name)

    for text, value in case.set.items():
        _replace(contract, function, changed, parse_path(text), evaluate(contract, value, resolved))
    return changed


def _copy(value: Any) -> Any:
    """Copies the containers; buffers and callables stay the same objects."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in value]
    return value


def _descend(value: Any, steps: list[Step], name: str) -> Any:
    for step in steps:
        value = _inside(value, step)
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            raise CaseError(f"@{name}: the recipe passes nothing there") from None
    return value


def _as_int(contract: Contract, name: str, value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, str):
        return contract.value(value)
    value = getattr(value, "ptr", value)
    if not isinstance(value, int):
        raise CaseError(f"@{name}: the recipe passes no number there")
    return value


def _inside(value: Any, step: Step) -> Any:
    """A pointer to one struct may be given as the struct or as a list of one."""
    if isinstance(step, str) and isinstance(value, list) and len(value) == 1:
        return value[0]
    if isinstance(step, int) and isinstance(value, dict):
        return [value]
    return value


def _replace(contract: Contract, function: Function, args: dict[str, Any], path: Path, value: Any) -> None:
    shape = _Shape.of_param(contract, function, str(path[0]))
    container: Any = args
    shown = _path_text(path)
    for position, step in enumerate(path):
        if position:
            container = _inside(container, step)
            if isinstance(step, int) and isinstance(container, list) and 0 < len(container) == step:
                container.append(_copy(container[-1]))
            if isinstance(step, str) and isinstance(container, dict) and shape.is_union:
                for other in [key for key in container if key != step]:
                    del container[other]
            shape = shape.step(step, shown)
        if position == len(path) - 1:
            break
        try:
            container = container[step]
        except (KeyError, IndexError, TypeError):
            raise CaseError(f"{shown}: the recipe of {function.name} passes nothing there") from None
    last = path[-1]
    fits = isinstance(container, dict) if isinstance(last, str) else isinstance(container, list)
    if not fits or (isinstance(last, int) and last >= len(container)):
        raise CaseError(f"{shown}: the recipe of {function.name} passes nothing there")
    container[last] = value


class _Shape(NamedTuple):
    """A C type as far as paths need it: the innermost type, pointers to go through, and a fixed length."""

    contract: Contract
    base: str
    pointers: int
    length: int | None = None

    @classmethod
    def of_type(cls, contract: Contract, text: str, array: tuple[int, ...] = ()) -> _Shape:
        bare = re.sub(r"\b(?:const|struct|enum|union)\b", " ", text)
        pointers = bare.count("*") + bare.count("[")
        base = re.sub(r"\*|\[\w*\]", " ", bare).strip()
        return cls(contract, base, pointers + len(array), array[0] if array else None)

    @classmethod
    def of_param(cls, contract: Contract, function: Function, name: str) -> _Shape:
        param = function.param(name)
        if param is None:
            raise CaseError(f"{function.name} has no parameter {name}")
        return cls.of_type(contract, param.type)

    @classmethod
    def of_return(cls, contract: Contract, function: Function) -> _Shape:
        if function.returns in ("aclError", "void"):
            raise CaseError(f"{function.name} gives back no value")
        return cls.of_type(contract, function.returns)

    @property
    def is_union(self) -> bool:
        struct = self.contract.structs.get(self.base)
        return struct is not None and struct.kind == "union"

    @property
    def takes_null(self) -> bool:
        typedef = self.contract.typedefs.get(self.base)
        handle = typedef is not None and typedef.kind in ("handle", "callback")
        return handle or (self.pointers > 0 and self.length is None)

    @property
    def takes_list(self) -> bool:
        return self.pointers > 0

    def step(self, step: Step, shown: str) -> _Shape:
        """The type one step further; CaseError where there is none."""
        if isinstance(step, int):
            if not self.pointers:
                raise CaseError(f"{shown}: a {self.base} has no elements")
            if self.length is not None and step >= self.length:
                raise CaseError(f"{shown}: the array ends at [{self.length - 1}]")
            return _Shape(self.contract, self.base, self.pointers - 1)
        struct = self.contract.structs.get(self.base)
        field = struct.field(step) if struct is not None and self.pointers <= 1 else None
        if field is None:
            raise CaseError(f"{shown}: {self.base} has no field {step}")
        return _Shape.of_type(self.contract, field.type, field.array)


def problems(contract: Contract, rule: Rule) -> list[str]:
    """What is wrong with a rule's cases, one line each: paths, names and values that cannot be."""
    found: list[str] = []
    seen: list[object] = []
    for number, case in enumerate(rule.cases):
        where = f"field cases[{number}]"
        content = (case.set, case.expect)
        if content in seen:
            found.append(f"{where}: the same case as an earlier one")
        seen.append(content)
        if not case.set:
            found.append(f"{where}.set: empty: the valid call itself is the control, not a case")
        for group, entries in (("set", case.set), ("outputs", case.outputs)):
            for text, value in entries.items():
                try:
                    _check_entry(contract, rule, group, text, value)
                except ContractError as error:
                    found.append(f"{where}.{group}.{text}: {error}")
    return found


def _check_entry(contract: Contract, rule: Rule, group: str, text: str, value: CaseValue) -> None:
    function = contract.function(rule.api)
    path = parse_path(text)
    param = function.param(str(path[0]))
    if group == "outputs" and text == RETURN:
        shape = _Shape.of_return(contract, function)
    else:
        shape = _Shape.of_param(contract, function, str(path[0]))
    if group == "outputs" and param is not None and param.direction == "in":
        raise CaseError(f"{param.name} is no output")
    for step in path[1:]:
        shape = shape.step(step, text)
    if value is None and not shape.takes_null:
        raise CaseError(f"a {shape.base} cannot be NULL")
    if isinstance(value, list) and not shape.takes_list:
        raise CaseError(f"a {shape.base} takes no list")

    def known(name: str) -> int:
        head, *steps = parse_path(name)
        if function.param(str(head)) is not None:
            inner = _Shape.of_param(contract, function, str(head))
            for step in steps:
                inner = inner.step(step, f"@{name}")
        elif head not in EXTRAS or steps:
            raise KeyError(name)
        return 0

    evaluate(contract, value, known)


def _path_text(path: Path) -> str:
    head, *rest = path
    return str(head) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
