"""Allocators of streams: descriptors, registrations, and what the query must tell about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect, Memory
from suites.memory.allocator.hooks import OBJECT, OUTPUTS, Hooks
from suites.threads import together

QUERY = "aclrtAllocatorGetByStream"
REGISTER = "aclrtAllocatorRegister"
UNREGISTER = "aclrtAllocatorUnregister"
CREATE = "aclrtAllocatorCreateDesc"
DESTROY = "aclrtAllocatorDestroyDesc"

_FIRST_OBJECT = 0x5EED_0000


@dataclass
class Descriptor:
    """A descriptor and what was put into it."""

    handle: int
    obj: int
    hooks: Hooks

    def value(self, setter: str) -> int:
        """What a setter was given, as the query tells it."""
        return self.obj if setter == OBJECT else self.hooks.address(setter)

    def argument(self, setter: str) -> dict[str, Any]:
        """What a setter is given, by parameter name."""
        return dict(self.hooks.settings(self.obj))[setter]


class Allocators:
    """Makes descriptors and registrations on the surface under test, and judges them.

    pyACL puts objects and functions of its own between Python and C and has no query: what is registered is
    asked in C there, and only the descriptor can be compared.
    """

    def __init__(self, acl: Any, case: Case, expect: Expect, memory: Memory) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._memory = memory
        self._made = 0

    # Making

    def complete(self, without: Sequence[str] = (), obj: int | None = None) -> Descriptor:
        """A descriptor with an object and callbacks of its own, some setters left out."""
        self._made += 1
        hooks = Hooks(self._case.engine.library)
        handle = int(require(self._acl.call(CREATE), "making a descriptor").value)
        made = Descriptor(handle, _FIRST_OBJECT + 64 * self._made if obj is None else obj, hooks)
        for setter, value in hooks.settings(made.obj):
            if setter not in without:
                self._needed(setter, allocatorDesc=handle, **value)
        return made

    def other_values(self, of: Descriptor) -> Descriptor:
        """Another object and other callbacks for the same descriptor; nothing is set."""
        self._made += 1
        return Descriptor(of.handle, _FIRST_OBJECT + 64 * self._made, Hooks(self._case.engine.library))

    def replaced(self, descriptor: Descriptor) -> Descriptor:
        """Put another object and other callbacks into a descriptor; what is in it now."""
        other = self.other_values(descriptor)
        for setter, value in other.hooks.settings(other.obj):
            self._needed(setter, allocatorDesc=descriptor.handle, **value)
        return other

    def registered(self, stream: int, obj: int | None = None) -> Descriptor:
        """The descriptor of an allocator that was registered for a stream."""
        made = self.complete(obj=obj)
        self.register(stream, made)
        return made

    def register(self, stream: int, descriptor: Descriptor) -> None:
        """Register an allocator for a stream; it must succeed."""
        self._needed(REGISTER, stream=stream, allocatorDesc=descriptor.handle)

    def destroy(self, descriptor: Descriptor) -> Any:
        """The answer to destroying a descriptor."""
        return self._acl.call(DESTROY, allocatorDesc=descriptor.handle)

    def destroyed_stream(self, allocator: bool) -> int:
        """The handle of a stream that is no more; with `allocator`, one was registered for it."""
        stream = self._case.resources.stream()
        if allocator:
            self.registered(stream)
        self._case.resources.forget(stream)
        require(self._case.engine.c.call("aclrtDestroyStream", stream=stream), "destroying the stream")
        return stream

    def streams(self, count: int) -> list[int]:
        """So many streams."""
        return [self._case.resources.stream() for _ in range(count)]

    def times(self, count: int, api: str, **args: Any) -> list[Any]:
        """The answers to the same call made several times."""
        return [self._acl.call(api, **args) for _ in range(count)]

    def work(self, stream: int) -> list[Any]:
        """The answers to every ordinary memory call on a stream, the wait for it included."""
        call, size = self._acl.call, 4096
        made = call("aclrtMalloc", size=size, policy="ACL_MEM_MALLOC_HUGE_FIRST")
        host = self._memory.pinned(size)
        ends = {"dst": made.devPtr, "destMax": size, "src": host.ptr, "count": size}
        results = [
            made,
            call("aclrtMemsetAsync", devPtr=made.devPtr, maxCount=size, value=1, count=size, stream=stream),
            call("aclrtMemcpyAsync", **ends, kind="ACL_MEMCPY_HOST_TO_DEVICE", stream=stream),
            *self._pool_work(stream),
            call("aclrtSynchronizeStream", stream=stream),
        ]
        return [*results, call("aclrtFree", devPtr=made.devPtr)]

    def rounds_in_threads(self, threads: int, rounds: int) -> list[str]:
        """Threads that register, query and unregister, each for a stream of its own; what went wrong."""
        jobs = [
            self._rounds(stream, (self.complete(), self.complete()), rounds)
            for stream in self.streams(threads)
        ]
        return [problem for problems in together(self._acl, jobs) for problem in problems]

    @property
    def thread_rounds(self) -> int:
        """How often each of several threads goes round."""
        return 30 if self._case.engine.library.control is not None else 1000

    def told(self, result: Any, descriptor: Descriptor) -> str:
        """Which outputs of a query are what was registered, in words."""
        same = [
            output for setter, output in OUTPUTS.items() if result.outputs[output] == descriptor.value(setter)
        ]
        return f"still told: {', '.join(same) or 'nothing'}"

    # Judging

    def expect_descriptor(self, result: Any) -> None:
        """A descriptor was given that is not null, and can be destroyed."""
        self._expect.true("a descriptor that is not null", result.ok and result.value != 0)
        self._expect.success(self._acl.call(DESTROY, allocatorDesc=result.value))

    def expect_descriptors_differ(self, results: Sequence[Any]) -> None:
        """Every call gave a descriptor of its own, and each can be destroyed."""
        handles = {result.value for result in results}
        self._expect.true("different descriptors", len(handles), len(results))
        for result in results:
            self.expect_descriptor(result)

    def expect_comes_back(self, result: Any, setter: str, stream: int, given: Descriptor) -> None:
        """The setter succeeded; where there are registrations, its value and the others come back."""
        self._expect.success(result)
        if self._case.supports(REGISTER):
            self._expect.success(self._acl.call(REGISTER, stream=stream, allocatorDesc=given.handle))
            self.expect_registered(stream, given, but={setter: given})

    def expect_registered(
        self, stream: int, descriptor: Descriptor, but: dict[str, Descriptor] | None = None, unset: str = ""
    ) -> None:
        """The query tells descriptor, object and callbacks of this allocator for the stream.

        `but` names where single settings come from instead; what `unset` was never given may be anything.
        """
        self.expect_told(self._query(stream), descriptor, but, unset)

    def expect_told(
        self, result: Any, descriptor: Descriptor, but: dict[str, Descriptor] | None = None, unset: str = ""
    ) -> None:
        """The query has told descriptor, object and callbacks of this allocator; as `expect_registered`."""
        self._expect.success(result)
        self._expect.true("the descriptor", result.allocatorDesc, descriptor.handle)
        for setter, output in OUTPUTS.items():
            if setter != unset and self._acl.name == "c":
                wanted = (but or {}).get(setter, descriptor).value(setter)
                self._expect.true(output, result.outputs[output], wanted)

    def expect_all_registered(self, streams: Sequence[int], descriptors: Sequence[Descriptor]) -> None:
        """Every stream has its own allocator."""
        for stream, descriptor in zip(streams, descriptors, strict=True):
            self.expect_registered(stream, descriptor)

    def expect_not_registered(self, stream: int) -> None:
        """The query finds no allocator for the stream."""
        self._expect.true("no allocator is found", not self._query(stream).ok)

    def expect_removed_at_once(self, stream: int) -> None:
        """One call removes what is registered for the stream."""
        self._expect.success(self._acl.call(UNREGISTER, stream=stream))
        self.expect_not_registered(stream)

    def expect_registered_anew(self, stream: int) -> None:
        """An allocator can be registered for the stream, is told, and removed by one call."""
        self.expect_registered(stream, self.registered(stream))
        self.expect_removed_at_once(stream)

    def expect_uncalled(self, results: Sequence[Any], descriptor: Descriptor) -> None:
        """Every call succeeded, and none has reached a callback of the allocator."""
        for result in results:
            self._expect.success(result)
        self._expect.true("callbacks that were called", dict(descriptor.hooks.calls), {})

    def expect_reaches(self, result: Any, descriptor: Descriptor) -> None:
        """Each callback that was told, called once, reaches its own function and no other."""
        self._expect.success(result)
        descriptor.hooks.call_all({setter: result.outputs[output] for setter, output in OUTPUTS.items()})
        wanted = {setter: 1 for setter in OUTPUTS if setter != OBJECT}
        self._expect.true("how often each was called", dict(descriptor.hooks.calls), wanted)

    def expect_all_success(self, results: Sequence[Any]) -> None:
        """Every call succeeded."""
        for result in results:
            self._expect.success(result)

    def _query(self, stream: int) -> Any:
        return self._acl.call(QUERY, stream=stream)

    def _needed(self, api: str, **args: Any) -> Any:
        return require(self._acl.call(api, **args), "preparing an allocator")

    def _pool_work(self, stream: int) -> list[Any]:
        if not self._case.supports("aclrtMemPoolMallocAsync"):
            return []
        call = self._case.engine.c.call
        props = {
            "allocType": "ACL_MEM_ALLOCATION_TYPE_PINNED",
            "handleType": "ACL_MEM_HANDLE_TYPE_NONE",
            "location": {"id": 0, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"},
        }
        pool = call("aclrtMemPoolCreate", poolProps=props)
        self._case.resources.afterwards("aclrtMemPoolDestroy", memPool=pool.memPool)
        made = call("aclrtMemPoolMallocAsync", size=4096, memPool=pool.memPool, stream=stream)
        return [pool, made, call("aclrtMemPoolFreeAsync", ptr=made.ptr, stream=stream)]

    def _rounds(
        self, stream: int, pair: tuple[Descriptor, Descriptor], rounds: int
    ) -> Callable[[], list[str]]:
        def work() -> list[str]:
            problems = []
            for number in range(rounds):
                wanted = pair[number % 2]
                registered = self._acl.call(REGISTER, stream=stream, allocatorDesc=wanted.handle)
                told = self._query(stream)
                if not (registered.ok and told.ok and told.allocatorDesc == wanted.handle):
                    problems.append(f"round {number}: {registered!r}, {told!r} instead of {wanted.handle:#x}")
                if number % 3 and not self._acl.call(UNREGISTER, stream=stream).ok:
                    problems.append(f"round {number}: not unregistered")
                if number % 3 and self._query(stream).ok:
                    problems.append(f"round {number}: still registered")
            return problems

        return work
