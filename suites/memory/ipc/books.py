"""What a process holds of memory that is shared by key: noted call by call, given back in the right order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from suites.books import Books, Debt, number_of


class KeyBooks(Books):
    """The blocks, keys, imports and streams of a process, by the calls that made them and gave them back."""

    doing = "giving shared memory back"

    def __init__(self) -> None:
        super().__init__()
        self.blocks: set[int] = set()
        """Start of every live block of aclrtMalloc."""
        self.exported: set[str] = set()
        """Keys of this process that are open."""
        self.imported: Counter[str] = Counter()
        """Key of another process -> how often it was imported and not closed."""
        self.streams: set[int] = set()

    def _note(self, api: str, args: dict[str, Any], result: Any) -> None:
        if api == "aclrtMalloc":
            self.blocks.add(result.outputs["devPtr"])
        elif api == "aclrtFree":
            self.blocks.discard(number_of(args["devPtr"]))
        elif api == "aclrtIpcMemGetExportKey":
            if key := _key(result.outputs.get("key", args.get("key"))):
                self.exported.add(key)
        elif api == "aclrtIpcMemImportByKey":
            if "devPtr" in result.outputs:
                self.imported[_key(args["key"])] += 1
        elif api == "aclrtIpcMemClose":
            self._closed(_key(args["key"]))
        elif api == "aclrtCreateStream":
            self.streams.add(result.outputs["stream"])

    def _closed(self, key: str) -> None:
        # A process that has imported its own key closes the import first.
        if self.imported[key] > 0:
            self.imported[key] -= 1
        else:
            self.exported.discard(key)

    def _debts(self) -> Iterator[Debt]:
        for key in (*self.imported.elements(), *self.exported):
            yield "aclrtIpcMemClose", {"key": key}
        for start in self.blocks:
            yield "aclrtFree", {"devPtr": start}
        for stream in self.streams:
            yield "aclrtDestroyStream", {"stream": stream}

    def _forget(self) -> None:
        for held in (self.blocks, self.exported, self.imported, self.streams):
            held.clear()


def key_text(buffer: bytes) -> str:
    """The key in a buffer: its characters up to the zero byte at the end."""
    return buffer.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _key(value: Any) -> str:
    """A key given as a text, as bytes, or as a block that holds it; empty for none."""
    if value is None or isinstance(value, str):
        return value or ""
    return key_text(value.read().tobytes() if hasattr(value, "read") else bytes(value))
