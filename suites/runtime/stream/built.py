"""Streams that are bound to a model which is built stream by stream."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Case

PERSISTENT = "ACL_STREAM_PERSISTENT"
_HEAD = "ACL_MODEL_STREAM_FLAG_HEAD"
_DEFAULT = "ACL_MODEL_STREAM_FLAG_DEFAULT"
_FOREVER = -1


class BuiltModel:
    """A model under construction with persistent streams; the first of them starts when it runs."""

    def __init__(self, case: Case, at_end: Any) -> None:
        """Begin the model; DeviceError where that fails. Everything is given back at the end."""
        case.needs("aclmdlRIBuildBegin", "aclrtCreateStreamWithConfig")
        self._call = case.engine.c.call
        self.streams: list[int] = []
        self._model = int(self._must("aclmdlRIBuildBegin", flag=0).modelRI)
        at_end(self._give_back)

    def stream(self, head: bool | None = None) -> int:
        """A persistent stream bound to the model; the first one is a head unless told otherwise."""
        return self.bind(self.loose(), head)

    def loose(self) -> int:
        """A persistent stream that is to be bound."""
        return int(self._must("aclrtCreateStreamWithConfig", priority=0, flag=PERSISTENT).stream)

    def bind(self, stream: int, head: bool | None = None) -> int:
        """Bind a persistent stream to the model; the first one is a head unless told otherwise."""
        first = not self.streams if head is None else head
        self.streams.append(stream)
        flag = _HEAD if first else _DEFAULT
        self._must("aclmdlRIBindStream", modelRI=self._model, stream=stream, flag=flag)
        return stream

    def run(self) -> Any:
        """End the first stream and the model, and run it; the answer comes when it has run."""
        self._must("aclmdlRIEndTask", modelRI=self._model, stream=self.streams[0])
        self._must("aclmdlRIBuildEnd", modelRI=self._model, reserve=None)
        return self._call("aclmdlRIExecute", modelRI=self._model, timeout=_FOREVER)

    def unbind(self, stream: int) -> None:
        """Take a stream out of the model."""
        self._must("aclmdlRIUnbindStream", modelRI=self._model, stream=stream)

    def forget(self, stream: int, destroyed: Any) -> Any:
        """Forget a stream where the call under test has destroyed it; gives its answer back."""
        if destroyed.ok:
            self.streams.remove(stream)
        return destroyed

    def _give_back(self) -> None:
        for stream in self.streams:
            self.unbind(stream)
        self._must("aclmdlRIDestroy", modelRI=self._model)
        for stream in self.streams:
            self._must("aclrtDestroyStream", stream=stream)

    def _must(self, api: str, **args: Any) -> Any:
        return require(self._call(api, **args), "preparing a model")
