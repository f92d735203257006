"""Blocks: what is written can be read, and a byte written outside is found."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.device import GUARD_BYTE, GUARD_SIZE, Block, Blocks, DeviceError, GuardViolation, pattern


class FakeDevice:
    """Host memory that plays the device; refuses a function named in `refuses`, and counts what is alive."""

    def __init__(self) -> None:
        self.memory: dict[int, Any] = {}
        self.registered: set[int] = set()
        self.refuses = ""

    def call(self, api: str, /, **args: Any) -> Any:
        if api == self.refuses:
            return SimpleNamespace(api=api, ok=False, code=207001, name="ACL_ERROR_RT_MEMORY_ALLOCATION")
        outputs = getattr(self, api)(**args) or {}
        return SimpleNamespace(api=api, ok=True, code=0, name="ACL_SUCCESS", **outputs)

    def _allocate(self, size: int) -> int:
        buffer = (ctypes.c_uint8 * (size + 64))()
        address = -(-ctypes.addressof(buffer) // 64) * 64
        self.memory[address] = buffer
        return address

    def aclrtMalloc(self, size: int, policy: Any) -> dict[str, int]:
        return {"devPtr": self._allocate(size)}

    def aclrtMallocHost(self, size: int) -> dict[str, int]:
        return {"hostPtr": self._allocate(size)}

    def aclrtFree(self, devPtr: int) -> None:
        del self.memory[devPtr]

    def aclrtFreeHost(self, hostPtr: int) -> None:
        del self.memory[hostPtr]

    def aclrtHostRegisterV2(self, ptr: int, size: int, flag: Any) -> None:
        assert ptr % 4096 == 0
        assert size % 4096 == 0
        self.registered.add(ptr)

    def aclrtHostUnregister(self, ptr: int) -> None:
        self.registered.remove(ptr)

    def aclrtMemset(self, devPtr: int, maxCount: int, value: int, count: int) -> None:
        ctypes.memset(devPtr, value, count)

    def aclrtMemcpy(self, dst: int, destMax: int, src: int, count: int, kind: Any) -> None:
        ctypes.memmove(dst, src, count)


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice()


KINDS = ("device", "pinned", "pageable", "registered")


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest, device: FakeDevice) -> Callable[[int], Block]:
    maker: Callable[[int], Block] = getattr(Blocks(device), request.param)
    return maker


@pytest.mark.parametrize("size", [1, 63, 64, 4097])
def test_a_new_block_is_aligned_full_of_ee_and_guarded(make: Callable[[int], Block], size: int) -> None:
    block = make(size)
    assert (block.size, block.ptr % 64) == (size, 0)
    assert block.guard >= GUARD_SIZE
    assert block.read().tolist() == [0xEE] * size
    block.check_guards()


def test_what_was_written_is_read_and_expected(make: Callable[[int], Block]) -> None:
    block = make(1000).write(pattern(1000, 3))
    block.write(b"\x01\x02\x03", offset=500)
    wanted = pattern(1000, 3).copy()
    wanted[500:503] = [1, 2, 3]
    assert np.array_equal(block.read(), wanted)
    assert np.array_equal(block.expected(), wanted)
    assert block.read(499, 5).tolist() == [wanted[499], 1, 2, 3, wanted[503]]
    assert block.fill(7).expected().tolist() == [7] * 1000
    block.check_guards()


@pytest.mark.parametrize(
    ("distance", "where"), [(-1, "1 bytes before its start"), (100, "0 bytes past its end")]
)
def test_a_byte_written_outside_is_found(make: Callable[[int], Block], distance: int, where: str) -> None:
    block = make(100)
    ctypes.memset(block.ptr + distance, 0x11, 1)
    with pytest.raises(GuardViolation, match=f"1 guard bytes .* {where} .*0x11"):
        block.check_guards()


def test_blocks_are_given_back_once(device: FakeDevice) -> None:
    blocks = Blocks(device)
    made = [getattr(blocks, kind)(100) for kind in KINDS]
    for block in made:
        assert block.owned
        block.free()
        block.free()
        assert not block.owned
    assert device.memory == {}
    assert device.registered == set()


def test_a_forgotten_block_is_not_freed(device: FakeDevice) -> None:
    block = Blocks(device).device(8)
    block.forget()
    block.free()
    assert len(device.memory) == 1


@pytest.mark.parametrize("api", ["aclrtMalloc", "aclrtMemset", "aclrtMemcpy"])
def test_a_refused_call_is_named(device: FakeDevice, api: str) -> None:
    device.refuses = api
    with pytest.raises(DeviceError, match=rf"{api} returned 207001 \(ACL_ERROR_RT_MEMORY_ALLOCATION\)"):
        Blocks(device).device(8).read()


def test_the_host_may_look_only_into_host_memory(device: FakeDevice) -> None:
    blocks = Blocks(device)
    pinned = blocks.pinned(16)
    pinned.view()[3] = 9
    assert pinned.read()[3] == 9
    with pytest.raises(TypeError, match="cannot look into a device block"):
        blocks.device(16).view()


@pytest.mark.parametrize(("offset", "size"), [(0, 17), (16, 1), (-1, 1)])
def test_writing_past_a_block_is_refused(device: FakeDevice, offset: int, size: int) -> None:
    with pytest.raises(ValueError, match="do not fit a block of 16"):
        Blocks(device).pinned(16).write(bytes(size), offset)


def test_patterns_tell_place_and_seed() -> None:
    whole = pattern(200_000, 5)
    assert len(whole) == 200_000
    assert np.array_equal(pattern(1000, 5), whole[:1000])
    for shift in (1, 16, 64, 4096, 65536):
        assert np.mean(whole[shift:] == whole[:-shift]) < 0.02
    assert np.mean(whole == pattern(200_000, 6)) < 0.02


@pytest.mark.parametrize("size", [1000, 70_000, 2 << 20, (2 << 20) + 1])
def test_patterns_are_shared_and_never_look_like_untouched_memory(size: int) -> None:
    data = pattern(size, 4)
    assert len(data) == size
    assert np.array_equal(data[:1000], pattern(1000, 4))
    assert not np.isin(data, (GUARD_BYTE, 0)).any()
    with pytest.raises(ValueError, match="read-only"):
        data[0] = 1
