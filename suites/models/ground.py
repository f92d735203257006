"""What every arrangement of a model case rests on: calls that must succeed, contexts, device memory."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Case, Models, Resources

_SLACK_BYTES = 64 << 20
_LARGEST_PIECE = 32 << 30
_HOARD_PIECE = 16 << 20


class Hoard:
    """Device memory taken so that little is left."""

    def __init__(self, c: Any) -> None:
        self._c = c
        self._taken: list[int] = []

    def fill(self, piece: int) -> None:
        """Take memory in ever smaller pieces down to `piece` bytes, until there is no more."""
        size = _LARGEST_PIECE
        while size >= piece:
            made = self._c.call("aclrtMalloc", size=size, policy="ACL_MEM_MALLOC_HUGE_FIRST")
            if made.ok:
                self._taken.append(int(made.devPtr))
            else:
                size //= 2

    def give_back(self) -> None:
        """Free everything that is held."""
        while self._taken:
            require(self._c.call("aclrtFree", devPtr=self._taken.pop()), "freeing a hoard")


class Ground:
    """The case, its models and its memory; everything is given back by its owner."""

    def __init__(self, case: Case, resources: Resources) -> None:
        self.case = case
        self.models = Models(case, resources)
        self.memory = resources.memory()
        self._c = case.engine.c
        self._resources = resources
        self._destroyed: set[int] = set()

    def call(self, api: str, /, **args: Any) -> Any:
        """A call of the C surface that must succeed."""
        return require(self._c.call(api, **args), "preparing a model")

    def hoard(self) -> Hoard:
        """Nearly all device memory, so that the model `large` does not fit."""
        hoard = Hoard(self._c)
        self._resources.at_end(hoard.give_back)
        hoard.fill(_HOARD_PIECE)
        return hoard

    def context(self, device: int = 0) -> int:
        """A context of a device beside the case's own; the case's own stays current."""
        home = int(self.call("aclrtGetCurrentContext").context)
        made = int(self.call("aclrtCreateContext", deviceId=device).context)
        self._resources.at_end(lambda: self._destroy_context(made))
        self.go(home)
        return made

    def home(self) -> int:
        """The context that is current."""
        return int(self.call("aclrtGetCurrentContext").context)

    def go(self, context: int) -> None:
        """Make a context current."""
        self.call("aclrtSetCurrentContext", context=context)

    def destroy_context(self, context: int) -> None:
        """Destroy a context before the end."""
        self.call("aclrtDestroyContext", context=context)
        self._destroyed.add(context)

    def free_memory(self) -> int:
        """Free bytes of device memory."""
        told = (self._c.call("aclrtGetMemInfo", attr=attr) for attr in ("ACL_HBM_MEM", "ACL_DDR_MEM"))
        return next(int(info.free) for info in told if info.ok and info.total)

    @property
    def slack(self) -> int:
        """Bytes by which free memory may be off: none on the reference device, which nobody else uses."""
        return 0 if self.case.engine.library.control is not None else _SLACK_BYTES

    def _destroy_context(self, context: int) -> None:
        if context not in self._destroyed:
            self.destroy_context(context)
