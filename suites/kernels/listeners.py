"""Functions that hear of the failing kernels of one binary."""

from __future__ import annotations

from typing import Any

from harness.plugin import Case
from suites.kernels.launches import Launches
from suites.kernels.workbench import TRAP, KernelBench


class Listeners:
    """Two functions that note when they are called and with what data, and one that asks for the kernel."""

    def __init__(self, case: Case, kernels: KernelBench, launches: Launches) -> None:
        self._kernels, self._launches = kernels, launches
        self.binary = kernels.loaded()
        self.calls: list[tuple[str, int]] = []
        """Who was called, with what data."""
        self.answer: Any = None
        """The answer of aclrtGetFuncHandleFromExceptionInfo inside a function."""
        self._acl: Any = None
        callback = case.engine.library.callback
        self.first = callback("aclrtOpExceptionCallback", lambda info, user: self._heard("first", user))
        self.second = callback("aclrtOpExceptionCallback", lambda info, user: self._heard("second", user))
        self.asking = callback("aclrtOpExceptionCallback", lambda info, user: self._ask(info))

    def set(self, function: Any, data: int | None = None) -> None:
        """Set a function of the binary."""
        args = {"callback": function, "userData": data}
        self._kernels.must("aclrtBinarySetExceptionCallback", binHandle=self.binary, **args)

    def ask(self, acl: Any) -> None:
        """Let the function of the binary ask this surface for the failing kernel."""
        self._acl = acl
        self.set(self.asking)

    def fail(self) -> int:
        """Let a kernel of the binary fail; its handle."""
        kernel = self._kernels.kernel(TRAP, self.binary)
        self._launches.fail(kernel)
        return kernel

    def _heard(self, who: str, data: int | None) -> None:
        self.calls.append((who, int(data or 0)))

    def _ask(self, info: int) -> None:
        self.answer = self._acl.call("aclrtGetFuncHandleFromExceptionInfo", info=info)
