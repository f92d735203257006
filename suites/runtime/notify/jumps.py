"""A model with labels, and work behind each of them."""

from __future__ import annotations

from typing import Any

from harness.plugin import Case, Memory
from suites.runtime.desk import Desk
from suites.runtime.stream.built import BuiltModel

_LABELS = 3


class Jumps:
    """Three streams of a model that begin with a label and then fill a block, and one that jumps."""

    def __init__(self, case: Case, memory: Memory, desk: Desk, model: BuiltModel) -> None:
        self._memory = memory
        self._model = model
        self.stream = model.stream()
        self._blocks = [memory.device(64).fill(0) for _ in range(_LABELS)]
        labels = [int(desk.must("aclrtCreateLabel").label) for _ in range(_LABELS)]
        for label, block in zip(labels, self._blocks, strict=True):
            case.resources.afterwards("aclrtDestroyLabel", label=label)
            behind = model.stream(head=False)
            desk.must("aclrtSetLabel", label=label, stream=behind)
            desk.fill(block, 1, behind)
        made = desk.must("aclrtCreateLabelList", labels=labels, num=_LABELS).labelList
        case.resources.afterwards("aclrtDestroyLabelList", labelList=made)
        self._list = int(made)

    def arguments(self, index: int) -> dict[str, Any]:
        """The arguments of the jump to the label of this index."""
        word = self._memory.device(4).write(index.to_bytes(4, "little"))
        return {"ptr": word, "maxValue": _LABELS, "labelList": self._list, "stream": self.stream}

    def run(self) -> Any:
        """Run the model."""
        return self._model.run()

    def ran(self) -> list[int]:
        """The labels behind which work was done."""
        return [number for number, block in enumerate(self._blocks) if (block.read() == 1).all()]
