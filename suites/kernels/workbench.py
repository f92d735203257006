"""What kernel cases arrange on the C surface: loaded binaries, kernels, their arguments."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from harness.device import require
from harness.device.blocks import CopyAccess
from harness.models.kernels import ADDRESS, KERNELS
from harness.plugin import Block, Case, Models, Resources

ADD, FILL, MARK = "aclcts_add", "aclcts_fill", "aclcts_mark"
SCALE, TRAP, SIMT_MARK = "aclcts_scale", "aclcts_trap", "aclcts_simt_mark"

_ELF_FLAGS_AT = 48
_NO_PRODUCT = 0x7FFF

CPU_FROM_DATA = 2
"""How a binary for the device's own processor is loaded from memory."""


@dataclass(frozen=True)
class Room:
    """Host memory of the caller for an argument list: for its handle, and for the arguments."""

    handle: Block
    data: Block


class KernelBench:
    """Binaries and kernels; what is made here is given back at the end."""

    def __init__(self, case: Case, resources: Resources) -> None:
        self._case, self._resources = case, resources
        self._models = Models(case, resources)
        self.memory = resources.memory()
        self._call = case.engine.c.call

    def must(self, api: str, /, **args: Any) -> Any:
        """A call of the C surface that has to succeed; DeviceError where it does not."""
        return require(self._call(api, **args), "arranging a case with kernels")

    @property
    def there(self) -> bool:
        """Whether the product loads kernels at all."""
        return self._case.supports("aclrtBinaryLoad")

    # Binaries

    def path(self, name: str = "kernels") -> str:
        """The file of a binary; the case is blocked where there is none."""
        return str(self._models.binary(name))

    def folder(self) -> str:
        """A folder of the case's own."""
        return str(self._models.folder())

    def file_with(self, data: bytes) -> str:
        """A file with these bytes."""
        return str(self._models.crafted(data, "crafted.o"))

    def image(self, name: str = "kernels") -> bytes:
        """The bytes of a binary."""
        return self._models.binary(name).read_bytes()

    def image_of_no_product(self) -> bytes:
        """A binary whose header names a product that nobody makes."""
        image = bytearray(self.image())
        struct.pack_into("<I", image, _ELF_FLAGS_AT, _NO_PRODUCT)
        return bytes(image)

    def data(self, image: bytes | None = None) -> Block:
        """The bytes of a binary, or others, where a program has them before it loads them."""
        image = self.image() if image is None else image
        return self.memory.host(len(image)).write(image)

    def described(self, block: Block, size: int | None = None) -> int:
        """A binary object over a block."""
        args = {"data": block, "dataLen": block.size if size is None else size}
        made = int(self.must("aclrtCreateBinary", **args).value)
        self._resources.afterwards("aclrtDestroyBinary", binary=made)
        return made

    def loaded(self) -> int:
        """A loaded binary of the AI cores."""
        made = int(self.must("aclrtBinaryLoadFromFile", binPath=self.path(), options=None).binHandle)
        return self.took_binary(made)

    def loaded_from_memory(self) -> int:
        """The same, in the way whose kernels go with aclrtLaunchKernel."""
        made = int(self.must("aclrtBinaryLoad", binary=self.described(self.data())).binHandle)
        return self.took_binary(made)

    def loaded_lazily(self) -> int:
        """A loaded binary whose bytes are not yet on the device."""
        option = {"type": "ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD", "value": {"isLazyLoad": 1}}
        args = {"binPath": self.path(), "options": {"options": [option], "numOpt": 1}}
        return self.took_binary(int(self.must("aclrtBinaryLoadFromFile", **args).binHandle))

    def loaded_for_cpu(self) -> int:
        """A loaded binary of the device's own processor."""
        self._case.needs("aclrtBinaryLoadFromData")
        option = {"type": "ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE", "value": {"cpuKernelMode": CPU_FROM_DATA}}
        data = self.data(self.image("cpu_kernels"))
        args = {"data": data, "length": data.size, "options": {"options": [option], "numOpt": 1}}
        return self.took_binary(int(self.must("aclrtBinaryLoadFromData", **args).binHandle))

    def took_binary(self, handle: int) -> int:
        """The call under test has loaded this binary; gives it back."""
        self._resources.afterwards("aclrtBinaryUnLoad", binHandle=handle)
        return handle

    def gives_back(self, result: Any) -> None:
        """A binary that the call under test may have loaded goes at the end."""
        if result.ok:
            self.took_binary(int(result.binHandle))

    # Kernels

    def kernel(self, name: str = FILL, binary: int = 0) -> int:
        """A kernel of a binary, or of one loaded for it."""
        found = self.must("aclrtBinaryGetFunction", binHandle=binary or self.loaded(), kernelName=name)
        return int(found.funcHandle)

    def argument_list(self, kernel: int, values: Sequence[bytes] = ()) -> int:
        """An argument list in the library's memory with these values."""
        made = int(self.must("aclrtKernelArgsInit", funcHandle=kernel).argsHandle)
        for value in values:
            self.append(made, value)
        return made

    def append(self, arguments: int, value: bytes) -> int:
        """Append a value; the handle of the parameter."""
        args = {"param": self.value(value), "paramSize": len(value)}
        return int(self.must("aclrtKernelArgsAppend", argsHandle=arguments, **args).paramHandle)

    def placeholder(self, arguments: int) -> int:
        """Append a placeholder; the handle of the parameter."""
        return int(self.must("aclrtKernelArgsAppendPlaceHolder", argsHandle=arguments).paramHandle)

    def append_all(self, arguments: int, values: Sequence[bytes]) -> None:
        """Append values one after the other."""
        for value in values:
            self.append(arguments, value)

    def update(self, arguments: int, parameter: int, value: bytes) -> None:
        """Give a parameter another value."""
        args = {"param": self.value(value), "paramSize": len(value)}
        self.must("aclrtKernelArgsParaUpdate", argsHandle=arguments, paramHandle=parameter, **args)

    def put_behind(self, arguments: int, placeholder: int, data: bytes) -> None:
        """Write what a placeholder points at into the memory that the library gives for it."""
        args = {"argsHandle": arguments, "paramHandle": placeholder, "dataSize": len(data)}
        place = int(self.must("aclrtKernelArgsGetPlaceHolderBuffer", **args).bufferAddr)
        ctypes.memmove(place, data, len(data))

    def room_for(self, kernel: int, size: int) -> Room:
        """Memory of exactly the sizes that the queries tell for a list of so many bytes of arguments."""
        handle = int(self.must("aclrtKernelArgsGetHandleMemSize", funcHandle=kernel).memSize)
        asked = self.must("aclrtKernelArgsGetMemSize", funcHandle=kernel, userArgsSize=size)
        return Room(self.memory.host(handle), self.memory.host(int(asked.actualArgsSize)))

    def finalised(self, arguments: int) -> int:
        """Close an argument list; gives it back."""
        self.must("aclrtKernelArgsFinalize", argsHandle=arguments)
        return arguments

    def value(self, value: bytes) -> Block:
        """A value in host memory."""
        return self.memory.host(len(value)).write(value)

    def there_is(self, place: int, size: int) -> Block:
        """Device memory that the library has told of."""
        return Block("device", int(place), size, 0, CopyAccess(self._case.engine.c), lambda: None)

    def ask_sync_address(self, times: int) -> None:
        """Ask for the address by which cores synchronise."""
        for _ in range(times):
            self.must("aclrtGetHardwareSyncAddr")

    def on_device(self, data: bytes) -> Block:
        """Bytes in device memory."""
        return self.memory.device(len(data)).write(data)

    def waiting(self, stream: int) -> Callable[[], Any]:
        """How to wait for a stream."""
        return partial(self._call, "aclrtSynchronizeStream", stream=stream)


def address(block: Block | int) -> bytes:
    """An address as a kernel gets it."""
    return struct.pack("<Q", int(getattr(block, "ptr", block)))


def word(number: int) -> bytes:
    """A number as a kernel gets it."""
    return struct.pack("<I", number)


def packed(name: str, *values: bytes) -> bytes:
    """All arguments of a kernel, one behind the other as they lie in memory."""
    kernel = KERNELS[name]
    out = bytearray(kernel.offsets()[-1] + ADDRESS)
    for offset, value in zip(kernel.offsets(), values, strict=True):
        out[offset : offset + len(value)] = value
    return bytes(out)
