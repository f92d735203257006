"""A stream that is bound to a model, as cache operations with barriers need it."""

from __future__ import annotations

from typing import Any

from harness.device import require
from suites.tracked import Caller

_FOREVER = -1


class BoundStream:
    """A model that is built stream by stream, and the one stream that is bound to it."""

    def __init__(self, caller: Caller) -> None:
        """Begin the model and bind a fresh stream; DeviceError where that fails."""
        self._call = caller.call
        self.stream = int(
            self._must("aclrtCreateStreamWithConfig", priority=0, flag="ACL_STREAM_PERSISTENT").stream
        )
        self._model = int(self._must("aclmdlRIBuildBegin", flag=0).modelRI)
        self._must(
            "aclmdlRIBindStream", modelRI=self._model, stream=self.stream, flag="ACL_MODEL_STREAM_FLAG_HEAD"
        )

    def run(self) -> Any:
        """End the model and run it; the answer, which comes when the model has run."""
        self._must("aclmdlRIEndTask", modelRI=self._model, stream=self.stream)
        self._must("aclmdlRIBuildEnd", modelRI=self._model, reserve=None)
        return self._call("aclmdlRIExecute", modelRI=self._model, timeout=_FOREVER)

    def give_back(self) -> None:
        """Destroy the model and the stream."""
        self._must("aclmdlRIUnbindStream", modelRI=self._model, stream=self.stream)
        self._must("aclmdlRIDestroy", modelRI=self._model)
        self._must("aclrtDestroyStream", stream=self.stream)

    def _must(self, api: str, **args: Any) -> Any:
        return require(self._call(api, **args), "preparing a model")
