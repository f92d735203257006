"""Calls that take a model from a file or from memory: their arguments, and files and images that are none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from harness.models import envelope
from harness.plugin import Case
from suites.models.workbench import Workbench

FILE_APIS = (
    "aclmdlLoadFromFile",
    "aclmdlLoadFromFileWithMem",
    "aclmdlLoadFromFileWithQ",
    "aclmdlQuerySize",
    "aclmdlBundleLoadFromFile",
    "aclmdlBundleInitFromFile",
    "aclmdlBundleQueryInfoFromFile",
)
PLAIN_FILE_APIS = ("aclmdlLoadFromFile", "aclmdlLoadFromFileWithMem", "aclmdlQuerySize")
MEMORY_APIS = ("aclmdlLoadFromMem", "aclmdlLoadFromMemWithMem", "aclmdlQuerySizeFromMem")
QUEUE_APIS = ("aclmdlLoadFromFileWithQ", "aclmdlLoadFromMemWithQ")

MODEL = "affine"

_PATH = {"aclmdlQuerySize": "fileName", "aclmdlBundleQueryInfoFromFile": "fileName"}
_NO_MEMORY = {"workPtr": None, "workSize": 0, "weightPtr": None, "weightSize": 0}
_FIRST_SIZE_AT = envelope.HEADER_BYTES + 24
_COUNT_AT = envelope.HEADER_BYTES


class Files:
    """Arguments for every call that reads a model, and what stands in the model's place."""

    def __init__(self, case: Case, workbench: Workbench) -> None:
        self.case = case
        self.workbench = workbench
        self.models = workbench.models

    def at(self, api: str, path: Path | str) -> dict[str, Any]:
        """The arguments of a call that takes a model from this path."""
        return {_PATH.get(api, "modelPath"): str(path), **self._others(api)}

    def holding(self, api: str, image: bytes) -> dict[str, Any]:
        """The arguments of a call that takes these bytes, from a file or from host memory."""
        if "Mem" not in api.removesuffix("WithMem"):
            return self.at(api, self.models.crafted(image))
        block = self.workbench.memory.pageable(len(image), fill=0) if image else None
        if block is not None:
            block.write(image)
        return {"model": block, "modelSize": len(image), **self._others(api)}

    def image(self, name: str = MODEL) -> bytes:
        """The bytes of a valid model."""
        return self.models.image(name)

    def _others(self, api: str) -> dict[str, Any]:
        if api.endswith("WithMem"):
            return _NO_MEMORY
        if api.endswith("WithQ"):
            return self.workbench.queues()
        if api.startswith("aclmdlBundleInit"):
            return {"varWeightPtr": None, "varWeightSize": 0}
        if api == "aclmdlBundleQueryInfoFromFile":
            return {"queryInfo": self.workbench.bundle_query()}
        return {}

    def missing(self) -> Path:
        """A path in an existing folder where no file is."""
        return self.models.folder() / "missing.om"

    def renamed(self, name: str) -> Path:
        """A valid model under another name."""
        return self.models.crafted(self.image(), name)

    def linked(self) -> Path:
        """A symbolic link to a valid model."""
        link = self.models.folder() / "link.om"
        link.symlink_to(self.models.file(MODEL))
        return link

    def with_weights(self, name: str) -> Path:
        """A copy of a model and of the weights beside it."""
        source = self.models.file(name)
        copy = self.models.folder() / "copy"
        shutil.copytree(source.parent, copy)
        return copy / source.name

    def unreadable(self) -> Path:
        """A valid model that its owner may not read; the owner is not root, whom nothing stops."""
        file = self.renamed("unreadable.om")
        file.chmod(0)
        return file


def truncated(image: bytes, kept: str) -> bytes:
    """A model cut off: all but its last byte, half of it, or its header alone."""
    return {"all but one": image[:-1], "half": image[: len(image) // 2], "header": image[:256]}[kept]


def with_partition_count(image: bytes, count: int) -> bytes:
    """A model whose table says that there are so many partitions."""
    return image[:_COUNT_AT] + count.to_bytes(4, "little") + image[_COUNT_AT + 4 :]


def with_first_partition_size(image: bytes, size: int) -> bytes:
    """A model whose table says that its first partition has so many bytes."""
    return image[:_FIRST_SIZE_AT] + size.to_bytes(8, "little") + image[_FIRST_SIZE_AT + 8 :]


def with_rubbish_graph(image: bytes) -> bytes:
    """A model whose first partition is full of 0xFF."""
    count = int.from_bytes(image[_COUNT_AT : _COUNT_AT + 4], "little")
    size = int.from_bytes(image[_FIRST_SIZE_AT : _FIRST_SIZE_AT + 8], "little")
    start = _COUNT_AT + 8 + 24 * count
    return image[:start] + b"\xff" * size + image[start + size :]


def rubbish(size: int) -> bytes:
    """Bytes that are no model, always the same."""
    return np.random.default_rng(size).bytes(size)


def flipped(image: bytes, bit: int) -> bytes:
    """A model with one bit changed."""
    changed = bytearray(image)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def sample_of_bits(image: bytes, count: int = 256) -> list[int]:
    """Bits all over a model, half of them in its header and table; always the same."""
    chosen = np.random.default_rng(7)
    head = min(len(image), 512) * 8
    first = chosen.choice(head, min(count // 2, head), replace=False)
    return [int(bit) for bit in [*first, *chosen.integers(0, len(image) * 8, count - len(first))]]


def survivors(load: Callable[[bytes], Any], give_back: Callable[[Any], Any], images: Iterable[bytes]) -> int:
    """How many of these images load; each that does is given back."""
    count = 0
    for image in images:
        result = load(image)
        if result.ok:
            count += 1
            give_back(result)
    return count
