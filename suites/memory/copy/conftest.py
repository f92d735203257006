"""Fixtures of the copy suites: each gives one way of making copies and the claims that go with it."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness.device import pattern, require
from harness.plugin import Block, Case, Expect, Memory, settings_of
from suites.memory.copy.batching import BatchCopies
from suites.memory.copy.captures import Captures
from suites.memory.copy.chains import Chain, Relay
from suites.memory.copy.copies import Copies
from suites.memory.copy.described import DescribedCopies
from suites.memory.copy.fills import Fills
from suites.memory.copy.foreign import mapped_file, shared_pages, stack_bytes
from suites.memory.copy.huge import HugeCopy
from suites.memory.copy.layout import KIB, MIB
from suites.memory.copy.pitched import PitchedCopies
from suites.memory.copy.processes import Victim, imported_block
from suites.memory.stream.contexts import OtherContext


@pytest.fixture
def copies(acl: Any, case: Case, memory: Memory, expect: Expect) -> Copies:
    """Linear copies between blocks of any kind of memory."""
    return Copies(acl, case, memory, expect)


@pytest.fixture
def pitched(acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> PitchedCopies:
    """Copies of rows between blocks of any kind of memory; the asynchronous ones go on one stream."""
    return PitchedCopies(acl, case, memory, expect, stream)


@pytest.fixture
def batches(acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> BatchCopies:
    """Batches of copies between blocks of any kind of memory; the asynchronous ones go on one stream."""
    return BatchCopies(acl, case, memory, expect, stream)


@pytest.fixture
def described(acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> DescribedCopies:
    """Copies that are described in device memory, on one stream."""
    return DescribedCopies(acl, case, memory, expect, stream)


@pytest.fixture
def fills(acl: Any, case: Case, memory: Memory, expect: Expect, copies: Copies) -> Fills:
    """Fills of blocks of any kind of memory."""
    return Fills(acl, case, memory, expect, copies)


@pytest.fixture
def stream_of(case: Case, stream: int) -> Callable[[str], dict[str, int]]:
    """`**stream_of(api)`: the stream, for a function that takes one, and nothing for one that does not."""
    return lambda api: {"stream": stream} if case.contract.function(api).param("stream") else {}


@pytest.fixture
def default_stream(case: Case, expect: Expect) -> None:
    """The null stream, which stands for the default stream; blocked where the product has none."""
    if not case.has_default_stream:
        expect.blocked("a context has no default stream")


@pytest.fixture
def captures(acl: Any, case: Case, expect: Expect, copies: Copies) -> Captures:
    """Captures of streams, and replays of what was recorded."""
    return Captures(acl, case, expect, copies)


@pytest.fixture
def chains(acl: Any, memory: Memory, expect: Expect, copies: Copies) -> Callable[..., Chain]:
    """`chains(links=…, count=…)`: copies from host to host through the same two device blocks."""

    def make(links: int, count: int) -> Chain:
        end = copies.queued_end
        source, target = memory.of(end, links * (count + 64)), memory.of(end, links * (count + 64))
        source.write(pattern(source.size))
        first, second = memory.device(count), memory.device(count)
        return Chain(acl, expect, source, first, second, target, count, links, on_host=end != "device")

    return make


@pytest.fixture
def stack_memory() -> Block:
    """Bytes on the stack of the process: its arguments and its environment. Not to be written."""
    return stack_bytes()


@pytest.fixture
def file_memory() -> Iterator[Block]:
    """A private read-only mapping of a file of three pages and a bit."""
    with mapped_file(pattern(3 * mmap.PAGESIZE + 77).tobytes()) as block:
        yield block


@pytest.fixture
def shared_memory() -> Iterator[Block]:
    """A shared mapping of a file of three pages and a bit, to be written."""
    with shared_pages(3 * mmap.PAGESIZE + 77) as block:
        yield block


@pytest.fixture
def spare_host_memory() -> Iterator[Callable[[int], int]]:
    """`spare_host_memory(size)`: the address of pages that cost nothing until they are touched."""
    kept: list[Any] = []

    def make(size: int) -> int:
        kept.append((ctypes.c_char * size).from_buffer(mmap.mmap(-1, size)))
        return ctypes.addressof(kept[-1])

    yield make
    kept.clear()


@pytest.fixture
def unmapped_range(acl: Any, afterwards: Callable[..., None]) -> int:
    """An address that is reserved and has no memory behind it."""
    reserve = acl.call("aclrtReserveMemAddress", size=2 * MIB, alignment=0, expectPtr=None, flags=0)
    address = int(require(reserve, "reserving addresses").virPtr)
    afterwards("aclrtReleaseMemAddress", virPtr=address)
    return address


@pytest.fixture
def huge_copy(case: Case, expect: Expect) -> Iterator[HugeCopy]:
    """A copy of more than 4 GiB through few pages; blocked where the product has no virtual memory."""
    with HugeCopy(case, expect) as made:
        yield made


@pytest.fixture
def faults(pytestconfig: pytest.Config) -> list[str]:
    """The faults that a reference device shall have in other processes, too."""
    named = settings_of(pytestconfig).fault
    return named.split(",") if named else []


@pytest.fixture
def imported(case: Case, faults: list[str]) -> Iterator[int]:
    """The address of device memory that another process has exported."""
    with imported_block(case, faults) as address:
        yield address


@pytest.fixture
def victim(case: Case, faults: list[str]) -> Iterator[Victim]:
    """A process of its own for calls that may end or hang it."""
    made = Victim(case, faults)
    yield made
    made.end()


@pytest.fixture
def destroyed_stream(case: Case) -> int:
    """The handle of a stream that has been destroyed."""
    stream = case.resources.stream()
    case.resources.forget(stream)
    require(case.engine.c.call("aclrtDestroyStream", stream=stream), "destroying the stream")
    return stream


@pytest.fixture
def fork_and_leave() -> Callable[[], None]:
    """Fork, let the child exit at once without cleaning up, and wait for it."""

    def fork() -> None:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    return fork


@pytest.fixture
def relays(acl: Any, case: Case, memory: Memory, expect: Expect) -> Callable[[str], Relay]:
    """`relays(kind)`: a fill and two copies that hand its bytes on through memory of this kind."""
    case.needs("aclrtMemsetAsync")

    def make(kind: str) -> Relay:
        first, last = memory.device(8 * KIB), memory.device(8 * KIB)
        return Relay(acl, expect, first, memory.of(kind, 8 * KIB), last)  # type: ignore[arg-type]

    return make


@pytest.fixture
def stream_of_another_context(acl: Any, case: Case) -> Iterator[int]:
    """A stream of a context that the program has made itself, which is current in the test."""
    with OtherContext(case) as other, other.current():
        made = int(require(acl.call("aclrtCreateStream"), "making a stream").stream)
        yield made
        require(acl.call("aclrtDestroyStream", stream=made), "destroying the stream")
