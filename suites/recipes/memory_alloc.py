"""Valid calls of chapters 11-01 and 11-08: allocation, release, questions about memory, host memory."""

from __future__ import annotations

import mmap
from typing import Any

from harness.plugin import Block, pattern
from suites.memory.alloc.sizes import APPLICATION
from suites.memory.holdings import Holdings
from suites.memory.virtual.space import viewer
from suites.recipes import Bench, Call, recipe
from suites.tracked import Tracked

SIZE = 4096
REGISTERED_SIZE = 64 * 1024
ENTRIES = 8
MAPPED = "ACL_HOST_REG_MAPPED"


class Means:
    """Memory for one call: what the recipe has taken, and what the call takes, is given back."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._holdings = Holdings()
        self.tracked = Tracked(bench.case.engine.c, bench.case.engine.c, self._holdings)
        bench.at_end(lambda: self._holdings.give_back(self.tracked))

    def call(self, api: str, args: dict[str, Any], *watch: Block) -> Call:
        """A call whose effects are taken down and undone."""
        call = Call(args, watch=watch)
        call.undo = lambda result: self._holdings.note(api, call.args, result)
        return call

    def needed(self, api: str, **args: Any) -> Any:
        """A call that must succeed, made in C."""
        result = self.tracked.call(api, **args)
        assert result.ok, f"{api} returned {result.name}"
        return result

    def device(self, api: str = "aclrtMalloc") -> Block:
        """A filled device block that the call may release; of aclrtMalloc where there is no such function."""
        source = api if self.bench.case.supports(api) else "aclrtMalloc"
        made = self.needed(source, size=SIZE, policy="ACL_MEM_MALLOC_HUGE_FIRST")
        return _filled(viewer(self.bench.case.engine.c)(made.devPtr, SIZE))

    def host(self) -> int:
        """The address of a host block that the call may release; pageable where there is no other."""
        if not self.bench.case.supports("aclrtMallocHost"):
            return self.bench.memory.pageable(SIZE).ptr
        return int(self.needed("aclrtMallocHost", size=SIZE).hostPtr)

    def pages(self) -> tuple[int, Block]:
        """The first page border in a host block with room for one registration and a page, and the block."""
        block = _filled(self.bench.memory.host(REGISTERED_SIZE + 2 * mmap.PAGESIZE))
        return -(-block.ptr // mmap.PAGESIZE) * mmap.PAGESIZE, block

    def registered(self) -> tuple[int, Block]:
        """A registered range, its device pointer included, where the product knows registrations."""
        start, block = self.pages()
        if self.bench.case.supports("aclrtHostRegisterV2"):
            self.needed("aclrtHostRegisterV2", ptr=start, size=REGISTERED_SIZE, flag=MAPPED)
        return start, block


def _filled(block: Block) -> Block:
    return block.write(pattern(block.size, 1))


def _malloc(api: str, bench: Bench, **more: Any) -> Call:
    return Means(bench).call(api, {"size": SIZE, "policy": "ACL_MEM_MALLOC_HUGE_FIRST", **more})


@recipe("aclrtMalloc")
def malloc(bench: Bench) -> Call:
    """4096 bytes."""
    return _malloc("aclrtMalloc", bench)


@recipe("aclrtMallocAlign32")
def malloc_align32(bench: Bench) -> Call:
    """4096 bytes."""
    return _malloc("aclrtMallocAlign32", bench)


@recipe("aclrtMallocCached")
def malloc_cached(bench: Bench) -> Call:
    """4096 bytes."""
    return _malloc("aclrtMallocCached", bench)


@recipe("aclrtMallocWithCfg")
def malloc_with_cfg(bench: Bench) -> Call:
    """4096 bytes in the name of the application."""
    return _malloc("aclrtMallocWithCfg", bench, cfg=APPLICATION)


@recipe("aclrtMallocForTaskScheduler")
def malloc_for_task_scheduler(bench: Bench) -> Call:
    """4096 bytes in the name of the application."""
    return _malloc("aclrtMallocForTaskScheduler", bench, cfg=APPLICATION)


@recipe("aclrtMallocHost")
def malloc_host(bench: Bench) -> Call:
    """4096 bytes."""
    return Means(bench).call("aclrtMallocHost", {"size": SIZE})


@recipe("aclrtMallocHostWithCfg")
def malloc_host_with_cfg(bench: Bench) -> Call:
    """4096 bytes in the name of the application."""
    return Means(bench).call("aclrtMallocHostWithCfg", {"size": SIZE, "cfg": APPLICATION})


def _free(api: str, bench: Bench) -> Call:
    means = Means(bench)
    block = means.device()
    return means.call(api, {"devPtr": block.ptr}, block)


@recipe("aclrtFree")
def free(bench: Bench) -> Call:
    """A device block that nothing uses."""
    return _free("aclrtFree", bench)


@recipe("aclrtFreeWithDevSync")
def free_with_dev_sync(bench: Bench) -> Call:
    """A device block that nothing uses."""
    return _free("aclrtFreeWithDevSync", bench)


def _free_host(api: str, bench: Bench) -> Call:
    means = Means(bench)
    return means.call(api, {"hostPtr": means.host()})


@recipe("aclrtFreeHost")
def free_host(bench: Bench) -> Call:
    """A host block that nothing uses."""
    return _free_host("aclrtFreeHost", bench)


@recipe("aclrtFreeHostWithDevSync")
def free_host_with_dev_sync(bench: Bench) -> Call:
    """A host block that nothing uses."""
    return _free_host("aclrtFreeHostWithDevSync", bench)


def _cache(api: str, bench: Bench) -> Call:
    means = Means(bench)
    block = means.device("aclrtMallocCached")
    return means.call(api, {"devPtr": block.ptr, "size": 64}, block)


@recipe("aclrtMemFlush")
def mem_flush(bench: Bench) -> Call:
    """64 bytes of a cached block."""
    return _cache("aclrtMemFlush", bench)


@recipe("aclrtMemInvalidate")
def mem_invalidate(bench: Bench) -> Call:
    """64 bytes of a cached block."""
    return _cache("aclrtMemInvalidate", bench)


@recipe("aclrtGetMemInfo")
def get_mem_info(bench: Bench) -> Call:
    """All memory of the current device."""
    return Call({"attr": "ACL_HBM_MEM"})


@recipe("aclrtGetMemUsageInfo")
def get_mem_usage_info(bench: Bench) -> Call:
    """The eight components of device 0 that hold most."""
    return Call({"deviceId": 0, "inputNum": ENTRIES})


@recipe("aclrtCheckMemType")
def check_mem_type(bench: Bench) -> Call:
    """Whether a device block is device memory."""
    block = _filled(bench.memory.device(SIZE, guard=0))
    args = {"addrList": [block.ptr], "size": 1, "memType": "ACL_RT_MEM_TYPE_DEV", "reserve": 0}
    return Call(args, watch=(block,))


@recipe("aclrtHostRegister")
def host_register(bench: Bench) -> Call:
    """64 KiB of a host block, with a device pointer."""
    means = Means(bench)
    start, block = means.pages()
    args = {"ptr": start, "size": REGISTERED_SIZE, "type": "ACL_HOST_REGISTER_MAPPED"}
    return means.call("aclrtHostRegister", args, block)


@recipe("aclrtHostRegisterV2")
def host_register_v2(bench: Bench) -> Call:
    """64 KiB of a host block, with a device pointer."""
    means = Means(bench)
    start, block = means.pages()
    args = {"ptr": start, "size": REGISTERED_SIZE, "flag": MAPPED}
    return means.call("aclrtHostRegisterV2", args, block)


@recipe("aclrtHostGetDevicePointer")
def host_get_device_pointer(bench: Bench) -> Call:
    """The start of a registered range."""
    means = Means(bench)
    start, block = means.registered()
    return means.call("aclrtHostGetDevicePointer", {"pHost": start, "flag": 0}, block)


@recipe("aclrtHostUnregister")
def host_unregister(bench: Bench) -> Call:
    """A registered range."""
    means = Means(bench)
    start, block = means.registered()
    return means.call("aclrtHostUnregister", {"ptr": start}, block)


@recipe("aclrtHostMemMapCapabilities")
def host_mem_map_capabilities(bench: Bench) -> Call:
    """The task scheduler of device 0."""
    return Call({"deviceId": 0, "hacType": "ACL_RT_HAC_TYPE_STARS"})
