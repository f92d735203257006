"""What a case holds of memory pools: noted call by call, given back in the right order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from suites.books import Books, Debt, number_of


class PoolBooks(Books):
    """The pools and blocks that live, by the calls that made them and gave them back."""

    doing = "giving a memory pool back"

    def __init__(self) -> None:
        super().__init__()
        self.pools: set[int] = set()
        self.blocks: dict[int, int | None] = {}
        """Start of a block -> the stream it was asked for on."""

    def _note(self, api: str, args: dict[str, Any], result: Any) -> None:
        if api == "aclrtMemPoolCreate":
            if "memPool" in result.outputs:
                self.pools.add(result.outputs["memPool"])
        elif api == "aclrtMemPoolDestroy":
            self.pools.discard(number_of(args["memPool"]))
        elif api == "aclrtMemPoolMallocAsync":
            # A request for nothing may succeed and leave the address alone.
            if "ptr" in result.outputs and not result.untouched("ptr"):
                self.blocks[result.outputs["ptr"]] = args["stream"]
        elif api == "aclrtMemPoolFreeAsync":
            self.blocks.pop(number_of(args["ptr"]), None)
        elif api == "aclrtFree":
            self.blocks.pop(number_of(args["devPtr"]), None)

    def _debts(self) -> Iterator[Debt]:
        for start, stream in self.blocks.items():
            yield "aclrtMemPoolFreeAsync", {"ptr": start, "stream": stream}
        for stream in dict.fromkeys(self.blocks.values()):
            yield "aclrtSynchronizeStream", {"stream": stream}
        for pool in self.pools:
            yield "aclrtMemPoolDestroy", {"memPool": pool}

    def _forget(self) -> None:
        self.pools.clear()
        self.blocks.clear()
