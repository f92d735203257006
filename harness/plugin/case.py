"""A case while it runs: what it may use, what it has taken, and what must be given back."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from harness.contract import Contract, Rule
from harness.device import Block, BlockKind, Blocks, DeviceError, Engine, GuardViolation, Profile, require
from harness.models import OwnShelf, Shelf
from harness.plugin.expect import Expect
from harness.plugin.matrix import Cell
from harness.plugin.outcome import Blocked, Mess

_NEEDS: dict[BlockKind, tuple[str, ...]] = {
    "device": (),
    "pageable": (),
    "pinned": ("aclrtMallocHost",),
    "registered": ("aclrtHostRegisterV2",),
    "managed": ("aclrtMemAllocManaged",),
    "vmm": ("aclrtReserveMemAddress", "aclrtMallocPhysical", "aclrtMapMem"),
}
_HOLD_LIMIT_S = 60.0
_VALUE_WAIT_EQUAL = "ACL_STREAM_WAIT_VALUE_EQ"


@dataclass
class Case:
    """One run of one test for one product, form and surface.

    `profile` (product, form, cann), `surface` ("c" or "pyacl"), `api` and `rules` are what it runs for;
    `shelf` has the model files.
    """

    cell: Cell
    engine: Engine
    again: Callable[[], str] = str
    given: dict[str, Any] = field(default_factory=dict)
    shelf: Shelf = field(default_factory=OwnShelf)
    expect: Expect = field(init=False)
    resources: Resources = field(init=False)
    records: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.expect = Expect(self.cell.rules, self.contract, self.profile, self.again)
        self.resources = Resources(self)

    @property
    def profile(self) -> Profile:
        """Product, form and CANN version."""
        return self.cell.profile

    @property
    def surface(self) -> str:
        """The name of the surface under test."""
        return self.cell.surface

    @property
    def api(self) -> str:
        """The C function under test."""
        return self.cell.api

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that the test covers and that hold here."""
        return self.cell.rules

    @property
    def contract(self) -> Contract:
        """The contract."""
        return self.engine.contract

    def supports(self, api: str) -> bool:
        """Whether the documents list a C function as supported here."""
        return self.contract.supports(api, self.profile.product, self.profile.form)

    def needs(self, *apis: str) -> None:
        """The case is blocked where one of these C functions is not supported."""
        for api in apis:
            if not self.supports(api):
                raise Blocked(f"{api} is not supported on {self.profile}")

    @property
    def has_default_stream(self) -> bool:
        """Whether a context has a default stream, which the null stream stands for."""
        return self.supports("aclrtCtxGetCurrentDefaultStream")

    @property
    def shares_memory(self) -> bool:
        """Whether host and device use the same memory, so that the host may read device addresses."""
        return self.profile.form != "EP"


class Memory:
    """Blocks of memory for a case: with guard bands, filled with 0xEE, checked and freed after it.

    A kind the product does not support makes the case blocked.
    """

    def __init__(self, case: Case, owner: Resources) -> None:
        self._case = case
        self._owner = owner
        self._blocks = Blocks(case.engine.c)

    def device(self, size: int, **options: Any) -> Block:
        """Device memory; options: fill, guard, policy."""
        return self._make("device", size, options)

    def pinned(self, size: int, **options: Any) -> Block:
        """Host memory of aclrtMallocHost; options: fill, guard."""
        return self._make("pinned", size, options)

    def pageable(self, size: int, **options: Any) -> Block:
        """Plain host memory; options: fill, guard."""
        return self._make("pageable", size, options)

    def host(self, size: int, **options: Any) -> Block:
        """Pinned host memory where the product has it, else pageable."""
        kind: BlockKind = "pinned" if self.supports("pinned") else "pageable"
        return self._make(kind, size, options)

    def registered(self, size: int, **options: Any) -> Block:
        """Registered host memory, aligned to a page; options: fill, guard, flag."""
        return self._make("registered", size, options)

    def managed(self, size: int, **options: Any) -> Block:
        """Managed memory; options: fill, guard."""
        return self._make("managed", size, options)

    def vmm(self, size: int, **options: Any) -> Block:
        """Device memory mapped by hand; options: fill, guard, device."""
        return self._make("vmm", size, options)

    def of(self, kind: BlockKind, size: int, **options: Any) -> Block:
        """A block of a kind given by name."""
        return self._make(kind, size, options)

    def supports(self, kind: BlockKind) -> bool:
        """Whether the product has this kind of memory."""
        return all(self._case.supports(api) for api in _NEEDS[kind])

    def _make(self, kind: BlockKind, size: int, options: dict[str, Any]) -> Block:
        for api in _NEEDS[kind]:
            if not self._case.supports(api):
                raise Blocked(f"no {kind} memory on {self._case.profile}: {api} is not supported")
        fill = options.pop("fill", None)
        if options.get("guard") is True:
            del options["guard"]
        block: Block = getattr(self._blocks, kind)(size, **options)
        self._owner.blocks.append(block)
        return block if fill is None else block.fill(fill)


class Resources:
    """What a case, or one step of it, has taken through the fixtures."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._call = case.engine.c.call
        self.blocks: list[Block] = []
        self._holds: list[Hold] = []
        self._first: list[Callable[[], None]] = []
        self._endings: list[Callable[[], None]] = []
        self._handles: dict[int, Callable[[], None]] = {}
        self._streams: list[int] = []

    def memory(self) -> Memory:
        """The memory factory whose blocks are given back here."""
        return Memory(self._case, self)

    def afterwards(self, api: str, /, **args: Any) -> None:
        """Call this when everything is given back, the last one first; it must succeed."""
        self._endings.append(lambda: self._end(api, args))

    def at_end(self, step: Callable[[], None]) -> None:
        """Do this when everything is given back, the last one first; DeviceError says what went wrong."""
        self._endings.append(step)

    def before_waiting(self, step: Callable[[], None]) -> None:
        """Do this at the end, before the device is waited for, the last one first: while a stream is being
        captured nobody can wait.
        """
        self._first.append(step)

    def stream(self) -> int:
        """A stream of device 0, destroyed at the end."""
        if self._case.supports("aclrtCreateStream") or not self._case.supports("aclrtCreateStreamV2"):
            handle = self._made("aclrtCreateStream", "stream", "aclrtDestroyStream")
        else:
            config = self._call("aclrtCreateStreamConfigHandle").value
            handle = self._made("aclrtCreateStreamV2", "stream", "aclrtDestroyStream", handle=config)
            self._end("aclrtDestroyStreamConfigHandle", {"handle": config})
        self._streams.append(handle)
        return handle

    def event(self) -> int:
        """An event, destroyed at the end."""
        return self._made("aclrtCreateEvent", "event", "aclrtDestroyEvent")

    def forget(self, handle: int) -> None:
        """The case has destroyed this stream or event itself."""
        self._handles.pop(handle, None)

    def hold(self, stream: int | None) -> Hold:
        """Hold a stream: what is put on it from now on waits until the hold is released."""
        hold = Hold(self._case, stream)
        self._holds.append(hold)
        return hold

    def settle(self) -> list[str]:
        """Wait for the device, check guards, give everything back; what was found wrong, in words."""
        found: list[str] = []
        for step in reversed(self._first):
            found += _tried(step)
        for hold in reversed(self._holds):
            found += _tried(hold.release)
        problem = self._case.engine.pending_error()
        found += [problem] if problem else []
        for stream in () if self._case.supports("aclrtSynchronizeDevice") else self._streams:
            if stream in self._handles:
                found += _tried(partial(self._end, "aclrtSynchronizeStream", {"stream": stream}))
        for block in self.blocks:
            if block.owned:
                found += _tried(block.check_guards)
        handles = [*self._handles.values()]
        holds = [hold.finish for hold in self._holds]
        blocks = [block.free for block in self.blocks]
        for give_back in (*reversed(self._endings), *reversed(holds), *reversed(handles), *reversed(blocks)):
            found += _tried(give_back)
        self.blocks, self._holds, self._endings, self._first = [], [], [], []
        self._handles, self._streams = {}, []
        return found

    def _made(self, create: str, output: str, destroy: str, **args: Any) -> int:
        self._case.needs(create)
        handle = int(require(self._call(create, **args), f"creating a {output}")[output])
        self._handles[handle] = lambda: self._end(destroy, {output: handle})
        return handle

    def _end(self, api: str, args: dict[str, Any]) -> None:
        require(self._call(api, **args), "cleaning up")


class Hold:
    """Holds a stream until `release`: by a value in device memory it waits for, or by a callback that
    waits.
    """

    def __init__(self, case: Case, stream: int | None) -> None:
        self._call = case.engine.c.call
        self.stream = stream
        self._released = False
        if case.supports("aclrtValueWait"):
            self._let_go, self._finish = self._by_value(case)
        elif case.supports("aclrtLaunchHostFunc"):
            self._let_go, self._finish = self._by_host_function()
        elif case.supports("aclrtLaunchCallback") and case.supports("aclrtSubscribeReport"):
            self._let_go, self._finish = self._by_callback()
        else:
            raise Blocked(f"no documented way to hold a stream on {case.profile}")

    def release(self) -> None:
        """Let the stream go on; does not wait for it. Harmless when it does already."""
        if not self._released:
            self._released = True
            self._let_go()

    def finish(self) -> None:
        """Give back what the hold needed; the stream has been waited for."""
        self._finish()

    def _by_value(self, case: Case) -> tuple[Callable[[], None], Callable[[], None]]:
        word = Blocks(case.engine.c).device(8, guard=0).fill(0)
        try:
            require(
                self._call(
                    "aclrtValueWait", devAddr=word.ptr, value=1, flag=_VALUE_WAIT_EQUAL, stream=self.stream
                ),
                "holding a stream",
            )
        except DeviceError:
            word.free()
            raise

        def release() -> None:
            word.write((1).to_bytes(8, "little"))

        return release, word.free

    def _by_host_function(self) -> tuple[Callable[[], None], Callable[[], None]]:
        go = threading.Event()

        def wait(args: int) -> None:
            go.wait(_HOLD_LIMIT_S)

        require(self._call("aclrtLaunchHostFunc", stream=self.stream, fn=wait, args=None), "holding a stream")
        return go.set, go.set

    def _by_callback(self) -> tuple[Callable[[], None], Callable[[], None]]:
        go, done = threading.Event(), threading.Event()
        thread = threading.Thread(target=self._process_reports, args=(done,), name="report", daemon=True)
        thread.start()
        doing = "holding a stream"

        def wait(user: int) -> None:
            go.wait(_HOLD_LIMIT_S)

        def finish() -> None:
            go.set()
            self._call("aclrtUnSubscribeReport", threadId=thread.ident, stream=self.stream)
            done.set()
            thread.join(_HOLD_LIMIT_S)

        require(self._call("aclrtSubscribeReport", threadId=thread.ident, stream=self.stream), doing)
        require(
            self._call(
                "aclrtLaunchCallback",
                fn=wait,
                userData=None,
                blockType="ACL_CALLBACK_BLOCK",
                stream=self.stream,
            ),
            doing,
        )
        return go.set, finish

    def _process_reports(self, done: threading.Event) -> None:
        while not done.is_set():
            self._call("aclrtProcessReport", timeout=20)


def _tried(step: Callable[[], None]) -> list[str]:
    """What went wrong in one step of giving things back, in words."""
    try:
        step()
    except (DeviceError, GuardViolation) as error:
        return [str(error)]
    return []


def tidy(case: Case, resources: Resources) -> None:
    """Give back what was taken and see that nothing is left; Mess, with all of it, where something is."""
    found = resources.settle()
    engine = case.engine
    found += [str(error) for error in engine.library.callback_errors]
    engine.library.callback_errors.clear()
    found += engine.library.overruns
    engine.library.overruns.clear()
    if engine.initialised:
        context = engine.restore_context()
        found += [context] if context else []
        found += [f"left behind: {leak}" for leak in engine.leaks()]
    if found:
        raise Mess("; ".join(dict.fromkeys(found)))


@contextlib.contextmanager
def held(resources: Resources, stream: int | None) -> Iterator[Hold]:
    """A hold that is released at the end of the block at the latest."""
    hold = resources.hold(stream)
    try:
        yield hold
    finally:
        hold.release()
