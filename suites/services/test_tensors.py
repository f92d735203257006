"""Items and datasets: what a program sends through a tensor channel."""

from __future__ import annotations

from harness.plugin import covers, pattern
from suites.services.tensors import BYTES


@covers("tdt_create_data_item.tensor")
def test_item(acl, tensors, expect):
    """An item keeps type, dims, data pointer and size."""
    data = tensors.data(seed=1)
    item = tensors.item(data)
    expect.true("the item refers to the data", tensors.address_of(item), data.ptr)
    tensors.expect_tensor(item, seed=1)


@covers("tdt_create_data_item.data_not_copied")
def test_data_not_copied(acl, tensors, expect):
    """Data that change after the item was made are the item's; when it is gone, they are still there."""
    data = tensors.data(seed=1)
    item = tensors.item(data)
    data.write(pattern(BYTES, 2))
    expect.data(tensors.bytes_of(item), pattern(BYTES, 2), "the item's data")
    expect.success(acl.acltdtDestroyDataItem(dataItem=item))
    expect.unchanged(data)


@covers("tdt_get_tensor_type_from_item.null_item")
def test_type_of_null(acl, expect, case):
    """NULL has the undefined type."""
    kind = acl.acltdtGetTensorTypeFromItem(dataItem=None).value
    expect.true("the undefined type", kind, case.contract.value("ACL_TENSOR_DATA_UNDEFINED"))


@covers("tdt_get_data_type_from_item.null_item")
def test_element_type_of_null(acl, expect, case):
    """NULL has the undefined data type."""
    kind = acl.acltdtGetDataTypeFromItem(dataItem=None).value
    expect.true("the undefined data type", kind, case.contract.value("ACL_DT_UNDEFINED"))


@covers("tdt_get_data_size_from_item.null_item")
def test_size_of_null(acl, expect):
    """NULL has no data."""
    expect.true("0 bytes", acl.acltdtGetDataSizeFromItem(dataItem=None).value, 0)


@covers("tdt_get_dim_num_from_item.null_item")
def test_dims_of_null(acl, expect):
    """NULL has no dims."""
    expect.true("0 dims", acl.acltdtGetDimNumFromItem(dataItem=None).value, 0)


@covers("tdt_create_dataset.returns_object")
def test_dataset(acl, tensors, expect):
    """A new dataset is empty."""
    expect.true("no items", acl.acltdtGetDatasetSize(dataset=tensors.dataset()).value, 0)


@covers("tdt_get_dataset_size.null_dataset")
def test_size_of_no_dataset(acl, expect):
    """NULL has no items."""
    expect.true("no items", acl.acltdtGetDatasetSize(dataset=None).value, 0)


@covers("tdt_add_data_item.order")
def test_order(acl, tensors, expect):
    """Items keep the order in which they are added."""
    items = [tensors.item(tensors.data(seed)) for seed in (1, 2, 3)]
    dataset = tensors.dataset(*items)
    expect.true("the items in order", tensors.items_of(dataset, 3), items)


@covers("tdt_add_data_item.mixed_memory")
def test_mixed_memory(acl, case, tensors, memory, expect):
    """Device data are not added to host data."""
    if case.shares_memory:
        expect.blocked("host and device use the same memory")
    on_host, on_device = tensors.item(tensors.data()), tensors.item(memory.device(BYTES))
    result = acl.acltdtAddDataItem(dataset=tensors.dataset(on_host), dataItem=on_device)
    expect.refused(result)


@covers("tdt_add_data_item.received_dataset")
def test_received_dataset(acl, tensors, channels, expect):
    """Nothing is added to a dataset that came out of a channel."""
    channel = channels.make()
    channels.send(channel)
    received = channels.receive(channel)
    expect.refused(acl.acltdtAddDataItem(dataset=received, dataItem=tensors.end()))
