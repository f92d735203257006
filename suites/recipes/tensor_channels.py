"""Valid calls of chapter 17: tensors, datasets and the channels that carry them."""

from __future__ import annotations

from suites.recipes import Bench, Call, recipe
from suites.recipes.transfer_means import Means, tensor
from suites.services.names import fresh_name


@recipe("acltdtCreateDataItem")
def create_data_item(bench: Bench) -> Call:
    """2 x 3 floats in host memory."""
    return Means(bench).call("acltdtCreateDataItem", tensor(bench.memory.pageable(24)))


@recipe("acltdtGetDataAddrFromItem")
def get_data_address(bench: Bench) -> Call:
    """An item."""
    return Call({"dataItem": Means(bench).item()})


@recipe("acltdtGetDimsFromItem")
def get_dims(bench: Bench) -> Call:
    """An item of two dims, and room for as many."""
    means = Means(bench)
    dims = bench.memory.pageable(16)
    return Call({"dataItem": means.item(), "dims": dims, "dimNum": 2}, watch=(dims,))


@recipe("acltdtGetSliceInfoFromItem")
def get_slice_info(bench: Bench) -> Call:
    """An item."""
    return Call({"dataItem": Means(bench).item()})


@recipe("acltdtAddDataItem")
def add_data_item(bench: Bench) -> Call:
    """An item for an empty dataset."""
    means = Means(bench)
    item = means.item()
    return Call({"dataset": means.dataset(), "dataItem": item})


@recipe("acltdtGetDataItem")
def get_data_item(bench: Bench) -> Call:
    """The only item of a dataset."""
    means = Means(bench)
    return Call({"dataset": means.dataset(means.item()), "index": 0})


@recipe("acltdtGetDatasetName")
def of_dataset(bench: Bench) -> Call:
    """A dataset of one item."""
    means = Means(bench)
    return Call({"dataset": means.dataset(means.item())})


@recipe("acltdtDestroyDataItem")
def destroy_data_item(bench: Bench) -> Call:
    """An item."""
    means = Means(bench)
    return means.call("acltdtDestroyDataItem", {"dataItem": means.item()})


@recipe("acltdtDestroyDataset")
def destroy_dataset(bench: Bench) -> Call:
    """A dataset."""
    means = Means(bench)
    return means.call("acltdtDestroyDataset", {"dataset": means.dataset()})


@recipe("acltdtCreateChannel")
def create_channel(bench: Bench) -> Call:
    """A name that nobody uses."""
    return Means(bench).call("acltdtCreateChannel", {"deviceId": 0, "name": fresh_name()})


@recipe("acltdtCreateChannelWithCapacity")
def create_channel_with_capacity(bench: Bench) -> Call:
    """A name that nobody uses, for four messages."""
    args = {"deviceId": 0, "name": fresh_name(), "capacity": 4}
    return Means(bench).call("acltdtCreateChannelWithCapacity", args)


@recipe("acltdtSendTensor")
def sendtensor(bench: Bench) -> Call:
    """One tensor for a channel."""
    means = Means(bench)
    return Call({"handle": means.channel(), "dataset": means.dataset(means.item()), "timeout": 1000})


@recipe("acltdtReceiveTensor")
def receivetensor(bench: Bench) -> Call:
    """What was sent before; tried first only where a channel is known to be read back from the host."""
    means = Means(bench)
    channel = means.channel()
    bench.call("acltdtSendTensor", handle=channel, dataset=means.dataset(means.item()), timeout=1000)
    settled = bench.case.engine.library.control is not None
    return Call({"handle": channel, "dataset": means.dataset(), "timeout": 1000}, control=settled)


@recipe("acltdtStopChannel", "acltdtCleanChannel", "acltdtQueryChannelSize")
def of_channel(bench: Bench) -> Call:
    """A channel."""
    return Call({"handle": Means(bench).channel()})


@recipe("acltdtDestroyChannel")
def destroy_channel(bench: Bench) -> Call:
    """A channel that was stopped."""
    means = Means(bench)
    channel = means.channel()
    bench.call("acltdtStopChannel", handle=channel)
    return means.call("acltdtDestroyChannel", {"handle": channel})
