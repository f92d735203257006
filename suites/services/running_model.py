"""A small model that is loaded and can be run: what dumps and subscriptions tell of."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.models import program
from harness.plugin import Case, Memory, Resources

_BYTES = 1024
"""Bytes of the model's input and of its output."""


class RunningModel:
    """The model `identity`, loaded in the current context; unloaded at the end of what took it.

    Only the reference device can be given a model that no compiler has made; elsewhere the case is blocked.
    """

    def __init__(self, case: Case, resources: Resources) -> None:
        if case.engine.library.control is None:
            case.expect.blocked("no model: one has to be compiled for the device")
        self._call = case.engine.c.call
        memory = resources.memory()
        self.name = "identity"
        self.id = self._load(memory, resources)
        self._input = self._dataset(memory, resources)
        self._output = self._dataset(memory, resources)

    def run(self) -> None:
        """Run it once, to the end."""
        answer = self._call("aclmdlExecute", modelId=self.id, input=self._input, output=self._output)
        require(answer, "running a model")

    def _load(self, memory: Memory, resources: Resources) -> int:
        written = program(self.name).write()
        file = memory.pageable(len(written)).write(written)
        loaded = self._call("aclmdlLoadFromMem", model=file, modelSize=file.size)
        identity = int(require(loaded, "loading a model").modelId)
        resources.afterwards("aclmdlUnload", modelId=identity)
        return identity

    def _dataset(self, memory: Memory, resources: Resources) -> int:
        block = memory.device(_BYTES)
        buffer: Any = self._call("aclCreateDataBuffer", data=block, size=_BYTES).value
        dataset: Any = self._call("aclmdlCreateDataset").value
        # The last one is given back first: the dataset before its buffer.
        resources.afterwards("aclDestroyDataBuffer", dataBuffer=buffer)
        resources.afterwards("aclmdlDestroyDataset", dataset=dataset)
        added = self._call("aclmdlAddDatasetBuffer", dataset=dataset, dataBuffer=buffer)
        require(added, "filling a dataset")
        return int(dataset)
