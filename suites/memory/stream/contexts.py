"""A second context of the device that a case works on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness.device import require
from harness.plugin import Case


class OtherContext:
    """A context of device 0 beside the case's own; a context manager that destroys it."""

    def __init__(self, case: Case) -> None:
        case.needs("aclrtCreateContext", "aclrtDestroyContext")
        self._call = case.engine.c.call
        self._home = 0
        self._context = 0

    def __enter__(self) -> OtherContext:
        self._home = int(self._must("aclrtGetCurrentContext").context)
        self._context = int(self._must("aclrtCreateContext", deviceId=0).context)
        self._go(self._home)
        return self

    def __exit__(self, *_: object) -> None:
        self._must("aclrtDestroyContext", context=self._context)
        self._go(self._home)

    @contextmanager
    def current(self) -> Iterator[None]:
        """It is current inside the block, the case's own after it."""
        self._go(self._context)
        try:
            yield
        finally:
            self._go(self._home)

    def _go(self, context: int) -> None:
        self._must("aclrtSetCurrentContext", context=context)

    def _must(self, api: str, **args: Any) -> Any:
        return require(self._call(api, **args), "preparing a second context")
