"""Launches of kernels on a stream, with their arguments passed in each way, and what they have to do."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.plugin import Block, Case, Expect
from suites.kernels.workbench import ADD, FILL, KernelBench, address, packed, word

LEFT, RIGHT = (1.0, 2.0, 3.0, 4.5), (10.0, 20.0, 30.0, 40.0)
FACTOR = 2.5
UNTOUCHED = 0xEE


class Launches:
    """Kernels on one stream; calls under test go to the surface under test, all others to the C surface."""

    def __init__(self, acl: Any, case: Case, expect: Expect, kernels: KernelBench, stream: int) -> None:
        self._acl, self._case, self._expect = acl, case, expect
        self._kernels, self.stream = kernels, stream

    # What kernels work on

    def floats(self, numbers: Sequence[float]) -> Block:
        """Numbers in device memory."""
        return self._kernels.on_device(as_bytes(numbers))

    def target(self, words: int = len(LEFT)) -> Block:
        """Room for the result in device memory."""
        return self._kernels.memory.device(4 * words)

    def sum_of(self, target: Block) -> tuple[bytes, ...]:
        """The arguments of a kernel that adds LEFT and RIGHT."""
        return address(target), address(self.floats(LEFT)), address(self.floats(RIGHT)), word(len(LEFT))

    def fill_of(self, target: Block, number: int) -> tuple[bytes, ...]:
        """The arguments of a kernel that fills the whole target with a number."""
        return address(target), word(number), word(target.size // 4)

    # Launches

    def ready(self, name: str, values: Sequence[bytes], blocks: int = 1) -> dict[str, Any]:
        """Everything of an aclrtLaunchKernel: the kernel, and its arguments in device memory."""
        data = self._kernels.on_device(packed(name, *values))
        kernel = self._kernels.kernel(name, self._kernels.loaded_from_memory())
        arguments = {"argsData": data, "argsSize": data.size}
        return {"funcHandle": kernel, "numBlocks": blocks, **arguments, "stream": self.stream}

    def on_device(self, name: str, values: Sequence[bytes], blocks: int = 1) -> Any:
        """The answer to a launch with the arguments in device memory."""
        return self._acl.aclrtLaunchKernel(**self.ready(name, values, blocks))

    def unconfigured(self, name: str, values: Sequence[bytes]) -> Any:
        """The answer to the newer launch with the arguments in device memory, without a configuration."""
        launch = {**self.ready(name, values), "funcHandle": self._kernels.kernel(name)}
        return self._acl.aclrtLaunchKernelV2(**launch, cfg=None)

    def in_list(self, kernel: int, arguments: int) -> Any:
        """The answer to a launch with an argument list."""
        args = {"numBlocks": 1, "stream": self.stream, "cfg": None, "argsHandle": arguments, "reserve": None}
        return self._acl.call("aclrtLaunchKernelWithConfig", funcHandle=kernel, **args)

    def on_host(self, name: str, data: bytes, places: Sequence[dict[str, int]] = ()) -> Any:
        """The answer to a launch with the arguments in host memory, and placeholders among them."""
        block = self._kernels.value(data)
        args = {"hostArgs": block, "argsSize": block.size, "placeHolderNum": len(places)}
        args["placeHolderArray"] = [*places] if places or self._case.surface == "pyacl" else None
        kernel = self._kernels.kernel(name)
        launch = {"funcHandle": kernel, "numBlocks": 1, "stream": self.stream, "cfg": None}
        return self._acl.call("aclrtLaunchKernelWithHostArgs", **launch, **args)

    def in_array(self, name: str, values: Sequence[bytes]) -> Any:
        """The answer to a launch with a pointer to each argument."""
        args = [self._kernels.value(value) for value in values]
        launch = {"func": self._kernels.kernel(name), "numBlocks": 1, "stream": self.stream, "cfg": None}
        return self._acl.call("aclrtLaunchKernelWithArgsArray", **launch, args=args)

    def of_no_kernel(self, api: str) -> Any:
        """The answer to a launch of a block of zeros in the place of a kernel."""
        target = self.target()
        data = self._kernels.on_device(packed(FILL, *self.fill_of(target, 7)))
        host = self._kernels.value(packed(FILL, *self.fill_of(target, 7)))
        args: dict[str, Any] = {"argsData": data, "argsSize": data.size}
        if api == "aclrtLaunchKernelWithHostArgs":
            places: Any = [] if self._case.surface == "pyacl" else None
            args = {"hostArgs": host, "argsSize": host.size, "placeHolderArray": places, "placeHolderNum": 0}
        if api != "aclrtLaunchKernel":
            args["cfg"] = None
        zeros = self._kernels.memory.pageable(4096).fill(0)
        return self._acl.call(api, funcHandle=zeros.ptr, numBlocks=1, stream=self.stream, **args)

    def fail(self, kernel: int) -> None:
        """Launch a kernel that fails and wait until it has."""
        data = self._kernels.on_device(bytes(8))
        args = {"numBlocks": 1, "argsData": data, "argsSize": data.size, "cfg": None, "stream": self.stream}
        self._kernels.must("aclrtLaunchKernelV2", funcHandle=kernel, **args)
        self.waited()

    # Around launches

    def wait(self) -> None:
        """Wait for the stream."""
        self._kernels.must("aclrtSynchronizeStream", stream=self.stream)

    def waited(self) -> Any:
        """The answer to waiting for the stream."""
        return self._case.engine.c.call("aclrtSynchronizeStream", stream=self.stream)

    def copy(self, target: Block, source: Block) -> None:
        """Queue a copy inside the device."""
        args = {"dst": target, "destMax": target.size, "src": source, "count": source.size}
        self._kernels.must("aclrtMemcpyAsync", **args, kind="ACL_MEMCPY_DEVICE_TO_DEVICE", stream=self.stream)

    def recorded(self, launch: Mapping[str, Any]) -> int:
        """The model that a capture of a launch leaves; the launch has to succeed."""
        self._case.needs("aclmdlRICaptureBegin", "aclmdlRICaptureEnd", "aclmdlRIExecuteAsync")
        mode = "ACL_MODEL_RI_CAPTURE_MODE_RELAXED"
        self._kernels.must("aclmdlRICaptureBegin", stream=self.stream, mode=mode)
        result = self._acl.aclrtLaunchKernel(**launch)
        model = int(self._kernels.must("aclmdlRICaptureEnd", stream=self.stream).modelRI)
        self._case.resources.afterwards("aclmdlRIDestroy", modelRI=model)
        self._expect.success(result)
        return model

    def replay(self, model: int, times: int) -> None:
        """Run a model so many times and wait."""
        for _ in range(times):
            self._kernels.must("aclmdlRIExecuteAsync", modelRI=model, stream=self.stream)
        self.wait()

    # Claims

    def expect_sum(self, result: Any, target: Block) -> None:
        """The launch succeeded, and the kernel adds LEFT and RIGHT."""
        self._expect.success(result)
        self.wait()
        sums = [left + right for left, right in zip(LEFT, RIGHT, strict=True)]
        self.expect_floats(target, sums)

    def expect_floats(self, target: Block, numbers: Sequence[float]) -> None:
        """The target holds these numbers."""
        self._expect.data(target, as_bytes(numbers), "the target of the kernel")

    def expect_words(self, target: Block, number: int, words: int = 0) -> None:
        """The target holds a number in so many words, or in all, and is as before behind them."""
        words = words or target.size // 4
        rest = bytes([UNTOUCHED]) * (target.size - 4 * words)
        self._expect.data(target, struct.pack("<I", number) * words + rest, "the target of the kernel")


def as_bytes(numbers: Sequence[float]) -> bytes:
    """Floats as they lie in memory."""
    return np.array(numbers, "<f4").tobytes()


__all__ = ["ADD", "FACTOR", "LEFT", "RIGHT", "Launches", "as_bytes"]
