"""Valid calls of chapter 17: buffers that processes share, and chains of them."""

from __future__ import annotations

from suites.recipes import Bench, Call, recipe
from suites.recipes.transfer_means import BUFFER_BYTES, Means


@recipe("acltdtAllocBuf")
def allocate_buffer(bench: Bench) -> Call:
    """4096 bytes."""
    return Means(bench).call("acltdtAllocBuf", {"size": BUFFER_BYTES, "type": "ACL_TDT_NORMAL_MEM"})


@recipe("acltdtFreeBuf")
def free_buffer(bench: Bench) -> Call:
    """A buffer."""
    means = Means(bench)
    return means.call("acltdtFreeBuf", {"buf": means.buffer()})


@recipe("acltdtGetBufData", "acltdtGetBufDataLen")
def of_buffer(bench: Bench) -> Call:
    """A buffer."""
    return Call({"buf": Means(bench).buffer()})


@recipe("acltdtSetBufDataLen")
def set_buffer_length(bench: Bench) -> Call:
    """64 of its bytes are in use."""
    return Call({"buf": Means(bench).buffer(), "len": 64})


@recipe("acltdtSetBufUserData", "acltdtGetBufUserData")
def buffer_user_data(bench: Bench) -> Call:
    """All of the user's bytes."""
    data = bench.memory.pageable(128)
    return Call({"buf": Means(bench).buffer(), "dataPtr": data, "size": 96, "offset": 0}, watch=(data,))


@recipe("acltdtCopyBufRef")
def copy_reference(bench: Bench) -> Call:
    """A second reference."""
    means = Means(bench)
    return means.call("acltdtCopyBufRef", {"buf": means.buffer()})


class _Chain:
    """A head and one more buffer, whose end is the head's once it is appended."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self.head, self.other = means.buffer(), means.buffer()

    def appended(self) -> None:
        """The other buffer goes with the head from now on."""
        self._means.objects.forget("acltdtFreeBuf", self.other)

    def append(self) -> None:
        """Append the other buffer."""
        self._means.bench.call("acltdtAppendBufChain", headBuf=self.head, buf=self.other)
        self.appended()


@recipe("acltdtAppendBufChain")
def append_to_chain(bench: Bench) -> Call:
    """A second buffer."""
    chain = _Chain(Means(bench))
    return Call({"headBuf": chain.head, "buf": chain.other}, undo=lambda result: chain.appended())


@recipe("acltdtGetBufChainNum")
def count_chain(bench: Bench) -> Call:
    """A chain of two buffers."""
    chain = _Chain(Means(bench))
    chain.append()
    return Call({"headBuf": chain.head})


@recipe("acltdtGetBufFromChain")
def get_from_chain(bench: Bench) -> Call:
    """The head of a chain of two buffers."""
    chain = _Chain(Means(bench))
    chain.append()
    return Call({"headBuf": chain.head, "index": 0})
