"""Device memory shared by key: blocks of this process and of others, their keys, and claims about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.device import DeviceError, pattern, require
from harness.plugin import Block, Bytes, Case, Expect, RuleViolation
from suites.memory.ipc.books import KeyBooks, key_text
from suites.memory.virtual.properties import GRANULE, MIB
from suites.memory.virtual.space import viewer
from suites.partners import Outfit, Partner, outfit_of
from suites.tracked import Caller, Tracked

EXPORT, ADMIT, IMPORT, CLOSE = (
    "aclrtIpcMemGetExportKey",
    "aclrtIpcMemSetImportPid",
    "aclrtIpcMemImportByKey",
    "aclrtIpcMemClose",
)

KEY_SIZE = 65
"""Bytes of a key with its closing zero: what the documents ask for."""

LISTED = "ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT"
ANYBODY = "ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION"
"""Flags of an export: only listed processes may import, or all."""

PLAIN = "ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT"
PEER = "ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS"
"""Flags of an import: access between the two devices stays as it is, or is enabled."""

HUGE, HUGE_PEER = "ACL_MEM_MALLOC_HUGE_ONLY", "ACL_MEM_MALLOC_HUGE_ONLY_P2P"
LINK = "ACL_RT_IPC_MEM_ATTR_ACCESS_LINK"
D2D, D2H, H2D = "ACL_MEMCPY_DEVICE_TO_DEVICE", "ACL_MEMCPY_DEVICE_TO_HOST", "ACL_MEMCPY_HOST_TO_DEVICE"
DEFAULT = "ACL_MEMCPY_DEFAULT"

_SIZES = (GRANULE, 3 * GRANULE, 2 * GRANULE)
_SLACK = 32 * MIB
"""Bytes by which a figure of free memory may be off on hardware, whose driver keeps pools of its own."""


@dataclass(frozen=True)
class Shared:
    """A block of device memory and the key that leads to it."""

    block: Block
    key: str

    def altered(self, place: int | None = None) -> Shared:
        """The same block under a key with one other character, the middle one or that of a place."""
        at = len(self.key) // 2 if place is None else place
        other = "0" if self.key[at] != "0" else "1"
        return replace(self, key=self.key[:at] + other + self.key[at + 1 :])

    def altered_keys(self) -> list[str]:
        """Keys with one other character: the last, the middle or the first one."""
        return [self.altered(place).key for place in (len(self.key) - 1, None, 0)]


@dataclass(frozen=True)
class Imported:
    """The answer to an import, and the memory it leads to where it succeeded."""

    call: Any
    block: Block | None

    @property
    def there(self) -> Block:
        """The memory; DeviceError where the import failed."""
        require(self.call, "importing memory")
        assert self.block is not None
        return self.block


class Sharer:
    """Allocates and shares device memory in the process a caller stands for; every call must succeed."""

    def __init__(self, caller: Caller, view: Callable[[int, int], Block]) -> None:
        """`view(address, size)` gives a block through which device memory of that process is reached."""
        self._caller = caller
        self.view = view

    def call(self, api: str, /, **args: Any) -> Any:
        """A call that must succeed."""
        return require(self._caller.call(api, **args), "preparing shared memory")

    def block(self, size: int = GRANULE, seed: int = 0, policy: str = HUGE) -> Block:
        """Fresh device memory in huge pages, filled with the bytes of a seed."""
        start = int(self.call("aclrtMalloc", size=size, policy=policy).devPtr)
        return self.view(start, size).write(pattern(size, seed))

    def key_of(self, block: Block, flags: str = ANYBODY) -> str:
        """A key of a block, made now."""
        asked = {"devPtr": block.ptr, "size": block.size, "len": KEY_SIZE, "flags": flags}
        return key_text(self.call(EXPORT, **asked).key)

    def shared(self, size: int = GRANULE, seed: int = 0, flags: str = ANYBODY, policy: str = HUGE) -> Shared:
        """A fresh block with its key."""
        block = self.block(size, seed, policy)
        return Shared(block, self.key_of(block, flags))

    def shared_again(self, former: Shared, flags: str = ANYBODY) -> Shared:
        """The same block with a key that is made now."""
        return Shared(former.block, self.key_of(former.block, flags))

    def give_up(self, shared: Shared, free: bool = True) -> None:
        """Close a key, and free its block."""
        self.call(CLOSE, key=shared.key)
        if free:
            self.call("aclrtFree", devPtr=shared.block.ptr)

    def imported(self, shared: Shared, flags: str = PLAIN) -> Block:
        """The memory behind a key of another process."""
        size = shared.block.size
        return self.view(int(self.call(IMPORT, key=shared.key, flags=flags).devPtr), size)

    def fetched(self, block: Block) -> Bytes:
        """What memory holds, copied on a stream into a block of this process's own device first."""
        own, stream = self.block(block.size), int(self.call("aclrtCreateStream").stream)
        sizes = {"destMax": own.size, "count": own.size}
        self.call("aclrtMemcpyAsync", dst=own.ptr, src=block.ptr, kind=D2D, stream=stream, **sizes)
        self.call("aclrtSynchronizeStream", stream=stream)
        return own.read()

    def sent(self, block: Block, data: Bytes) -> None:
        """Put bytes into memory from a block of this process's own device, on a stream."""
        own, stream = self.block(block.size), int(self.call("aclrtCreateStream").stream)
        own.write(data)
        sizes = {"destMax": own.size, "count": own.size}
        self.call("aclrtMemcpyAsync", dst=block.ptr, src=own.ptr, kind=D2D, stream=stream, **sizes)
        self.call("aclrtSynchronizeStream", stream=stream)


class Process(Partner):
    """Another process that shares memory by key."""

    def __init__(self, outfit: Outfit) -> None:
        super().__init__(outfit, KeyBooks())
        self.memory = Sharer(self, self.view)
        """Device memory of that process."""

    def take(self, shared: Shared, flags: str = PLAIN) -> Imported:
        """Import a key there."""
        result = self.call(IMPORT, key=shared.key, flags=flags)
        return Imported(result, self.view(result.devPtr, shared.block.size) if result.ok else None)

    def export(self, address: int, size: int) -> Any:
        """The answer to exporting an address there."""
        return self.call(EXPORT, devPtr=address, size=size, len=KEY_SIZE, flags=ANYBODY)

    def shut(self, shared: Shared) -> Any:
        """The answer to closing a key there."""
        return self.call(CLOSE, key=shared.key)

    def told(self, doing: Callable[[], Any]) -> str:
        """What something in that process has given or how it has ended the process, in words."""
        return told(doing)


class Keys(Sharer):
    """What a case shares by key on the surface under test, and claims about where the keys lead."""

    def __init__(self, acl: Tracked, books: KeyBooks, case: Case, expect: Expect) -> None:
        """`acl` notes its calls in the books."""
        super().__init__(acl, viewer(case.engine.c))
        self._acl = acl
        self._books = books
        self._case = case
        self._expect = expect
        self.exact = case.engine.library.control is not None
        """Whether figures of free memory are exact: on the reference device, which nobody else uses."""

    # Other processes

    def process(self, device: int | None = 0) -> Process:
        """Another process, with a device set or none; it gives everything back when the case ends."""
        made = Process(outfit_of(self._case, self._case.surface, device))
        self._case.resources.at_end(made.close)
        return made

    def processes(self, count: int) -> list[Process]:
        """Other processes."""
        return [self.process() for _ in range(count)]

    def outcome_open(self) -> None:
        """The call under test may leave things in a state in which giving them back is refused."""
        self._books.outcome_open()

    # Calls under test

    def export(
        self, block: Block, flags: str | int = ANYBODY, offset: int = 0, size: int | None = None
    ) -> Any:
        """The answer to exporting a block, or the `size` bytes from `offset` on."""
        length = block.size if size is None else size
        return self._acl.call(EXPORT, devPtr=block.at(offset), size=length, len=KEY_SIZE, flags=flags)

    def exports(self, blocks: Sequence[Block]) -> list[Any]:
        """The answers to exporting several blocks."""
        return [self.export(block) for block in blocks]

    def admit(self, key: str, others: Sequence[Process], count: int | None = None) -> Any:
        """The answer to listing processes for a key; `count` is num where it is not their number.

        A longer list is filled with this process's own id.
        """
        pids = [other.bare_id for other in others]
        number = len(pids) if count is None else count
        pids = [self._own_id()] * (number - len(pids)) + pids
        return self._acl.call(ADMIT, key=key, pid=pids, num=number)

    def take_key(self, key: str, flags: str | int = PLAIN) -> Any:
        """The answer to importing a key."""
        return self._acl.call(IMPORT, key=key, flags=flags)

    def take(self, shared: Shared, flags: str | int = PLAIN) -> Imported:
        """Import a key of another process."""
        result = self.take_key(shared.key, flags)
        return Imported(result, self.view(result.devPtr, shared.block.size) if result.ok else None)

    def close(self, key: str) -> Any:
        """The answer to closing a key."""
        return self._acl.call(CLOSE, key=key)

    def shared_of_sizes(self) -> list[Shared]:
        """Blocks of three sizes with their keys, each filled with the bytes of its number as a seed."""
        return [self.shared(size, seed) for seed, size in enumerate(_SIZES)]

    def peer_policy(self) -> str:
        """The policy of memory that a process on another device may import: 310p has one for that."""
        return HUGE_PEER if self._case.profile.product == "310p" else HUGE

    # Claims

    def expect_key(self, result: Any, block: Block) -> None:
        """A key was given: a text that is not empty, ends inside its buffer, and can be closed."""
        buffer = self._expect.success(result).key
        self._expect.true("a key that is not empty", key_text(buffer) != "")
        if self._acl.has(EXPORT) and self._acl.name == "c":
            self._expect.true("a zero byte at the end of the key", b"\0" in buffer)
        self._expect.success(self.close(key_text(buffer)))
        self.expect_usable(block, block.expected())

    def expect_different_keys(self, results: Sequence[Any]) -> None:
        """Every export succeeded, and no two keys are the same."""
        keys = {key_text(self._expect.success(result).key) for result in results}
        self._expect.true("different keys", len(keys), len(results))

    def expect_readable(self, imported: Imported, data: Bytes) -> None:
        """The import succeeded and shows these bytes."""
        self._expect.success(imported.call)
        self._expect.data(imported.there, data, "the memory as the importer sees it")

    def expect_taken_by(self, shared: Shared, others: Sequence[Process]) -> None:
        """Each of the other processes imports the key and sees the block."""
        for other in others:
            self.expect_readable(other.take(shared), shared.block.expected())

    def expect_taken_here(self, shared: Shared) -> None:
        """This process imports the key and sees the block."""
        self.expect_readable(self.take(shared), shared.block.expected())

    def expect_only_second_accepted(self, taken: Sequence[Imported]) -> None:
        """The first and the third import were refused, the second one was not."""
        before, accepted, after = taken
        self._expect.success(accepted.call)
        refused = not before.call.ok, not after.call.ok
        self._expect.true("a process that is not listed is refused", refused, (True, True))

    def expect_usable(self, block: Block, holds: Bytes) -> None:
        """A block, of whichever process, holds these bytes and keeps others that are written to it."""
        self._expect.data(block, holds, "the memory")
        block.write(~holds)
        self._expect.data(block, ~holds, "the memory after it was written")

    def expect_same_memory(self, imported: Imported, shared: Shared) -> None:
        """The import succeeded; each side reads what either has written, wherever in the block."""
        self.expect_readable(imported, shared.block.expected())
        for seed, (writer, reader) in enumerate(
            [(imported.there, shared.block), (shared.block, imported.there)], 3
        ):
            data = pattern(shared.block.size, seed)
            writer.write(data)
            self._expect.data(reader, data, "what the other side reads")

    def expect_same_memory_of_all(self, shared: Shared, others: Sequence[Process]) -> None:
        """All processes import the key, and what each of them writes is what all read."""
        views = [shared.block, *(other.take(shared).there for other in others)]
        for seed, writer in enumerate(views, 3):
            data = pattern(shared.block.size, seed)
            writer.write(data)
            for reader in views:
                self._expect.data(reader, data, "what another process has written")

    def expect_same_memory_on_streams(self, imported: Imported, shared: Shared, importer: Sharer) -> None:
        """The import succeeded, and the importer reads and writes the block with copies on a stream."""
        self._expect.success(imported.call)
        data = shared.block.expected()
        self._expect.data(importer.fetched(imported.there), data, "what the importer has copied")
        importer.sent(imported.there, ~data)
        self._expect.data(shared.block, ~data, "what the exporter reads")

    def expect_each_taken_by(self, several: Sequence[Shared], other: Process) -> None:
        """One process imports all keys, and each leads to its own block."""
        self.expect_all_readable([other.take(shared) for shared in several], several)

    def expect_all_readable(self, imported: Sequence[Imported], several: Sequence[Shared]) -> None:
        """Every import succeeded and shows its own block."""
        for each, shared in zip(imported, several, strict=True):
            self.expect_readable(each, shared.block.expected())

    def expect_taken_and_closed(self, shared: Shared, rounds: int) -> None:
        """The key is imported and closed again and again, and shows the start of the block each time."""
        start = shared.block.expected()[:4096]
        for _ in range(rounds):
            taken = self.take(shared)
            self._expect.success(taken.call)
            self._expect.data(taken.there.read(0, start.size), start, "the start of the memory")
            self._expect.success(self.close(shared.key))

    def expect_all_refused(self, results: Sequence[Any]) -> None:
        """Every call was refused."""
        self._expect.true("calls were made", len(results) > 0)
        for result in results:
            self._expect.refused(result)

    def expect_succeeded(self, results: Sequence[Any]) -> None:
        """Every call succeeded."""
        self._expect.true("calls were made", len(results) > 0)
        for result in results:
            self._expect.success(result)

    def expect_refused_or_apart(self, result: Any, other: Block, exported: Block) -> None:
        """Where a piece of a page was exported after all, its importer reaches it and nothing of another
        block.
        """
        if not result.ok:
            self._expect.refused(result)
            return
        importer = self.process()
        seen = importer.take(Shared(exported, key_text(result.key))).there
        self._expect.data(seen, exported.expected(), "the piece that was exported")
        place = importer.view(seen.ptr + other.ptr - exported.ptr, other.size)
        self._expect.true("another block is in reach", _holds(place, other.expected()), False)

    def expect_missing(self, before: int, size: int) -> None:
        """So many bytes are missing from what was free before: exactly, or on hardware within a slack."""
        slack = 0 if self.exact else _SLACK
        missing = before - self.free_memory()
        self._expect.within("bytes missing from the free memory", missing, size - slack, size + slack)

    # Answers in words

    def told_copy(self, imported: Imported, shared: Shared, importer: Process) -> str:
        """What a copy on a stream of the importer gives, in words."""
        return told(lambda: _compared(importer.memory.fetched(imported.there), shared))

    def told_content(self, seen: Block, shared: Shared) -> str:
        """What memory of another process shows at the moment, in words."""
        return told(lambda: _compared(seen.read(), shared))

    def free_memory(self) -> int:
        """Bytes of free device memory."""
        answers = [self.call("aclrtGetMemInfo", attr=f"ACL_{kind}_MEM") for kind in ("HBM", "DDR")]
        return next(int(answer.free) for answer in answers if answer.total)

    def _own_id(self) -> int:
        return int(self.call("aclrtDeviceGetBareTgid").pid)


def told(doing: Callable[[], Any]) -> str:
    """What something has given, or why it has not, in words."""
    try:
        result = doing()
    except (RuleViolation, DeviceError) as error:
        return str(error)
    return result if isinstance(result, str) else f"{result.api} returned {result.code} ({result.name})"


def _compared(seen: Bytes, shared: Shared) -> str:
    return "the block's bytes" if seen.tobytes() == shared.block.expected().tobytes() else "other bytes"


def _holds(block: Block, data: Bytes) -> bool:
    """Whether memory can be read and holds these bytes."""
    try:
        return block.read().tobytes() == data.tobytes()
    except DeviceError:
        return False
