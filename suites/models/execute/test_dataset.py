"""Datasets: buffers in order, and shapes that go with them."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.models.execute.runs import MODEL

MANY = 20
"""Buffers of a dataset: more than libraries keep in one piece."""


@covers("create_dataset.returns_object")
def test_create(acl, expect, afterwards):
    """A new dataset is empty."""
    result = acl.aclmdlCreateDataset()
    afterwards("aclmdlDestroyDataset", dataset=result.value)
    expect.true("an object", bool(result.value))
    expect.true("buffers", acl.aclmdlGetDatasetNumBuffers(dataset=result.value).value, 0)


@covers("create_dataset.needs_no_device")
@isolated("no device is set")
def test_create_without_device(initialised_only, expect):
    """A dataset can be made and destroyed before any device is set."""
    result = initialised_only.aclmdlCreateDataset()
    expect.true("an object", bool(result.value))
    expect.success(initialised_only.aclmdlDestroyDataset(dataset=result.value))


@covers("destroy_dataset.keeps_buffers")
def test_destroy_keeps_buffers(acl, expect, memory, workbench):
    """Destroying a dataset leaves its buffers and their memory alone."""
    block = memory.device(256).fill(0x5A)
    buffer = workbench.buffer(block.ptr, 256)
    dataset = workbench.passing_dataset([buffer])
    expect.success(acl.aclmdlDestroyDataset(dataset=dataset))
    told = (
        acl.aclGetDataBufferAddr(dataBuffer=buffer).value,
        acl.aclGetDataBufferSizeV2(dataBuffer=buffer).value,
    )
    expect.true("address and size", told, (block.ptr, 256))
    expect.unchanged(block)


@covers("destroy_dataset.drops_tensor_descs")
def test_destroy_drops_descriptions(acl, expect, runs):
    """Descriptions that a dataset holds go with it, whatever became of those they were made from."""
    expect.success(acl.aclmdlDestroyDataset(dataset=runs.described_dataset((2, 4))))


@covers("add_dataset_buffer.order", "add_dataset_buffer.same_pointer")
def test_order(acl, expect, memory, workbench):
    """Buffers come back in the order they were added, the very objects."""
    block = memory.device(64 * MANY)
    buffers = [workbench.buffer(block.at(64 * number), 64) for number in range(MANY)]
    dataset = workbench.dataset()
    added = [acl.aclmdlAddDatasetBuffer(dataset=dataset, dataBuffer=buffer).ok for buffer in buffers]
    told = [acl.aclmdlGetDatasetBuffer(dataset=dataset, index=index).value for index in range(MANY)]
    expect.true("all are added", all(added))
    expect.true("the buffers", told, buffers)


@covers("add_dataset_buffer.duplicate")
def test_duplicate(acl, expect, memory, workbench):
    """A buffer that is added twice makes two entries."""
    buffer = workbench.buffer(memory.device(64).ptr, 64)
    dataset = workbench.dataset([buffer])
    expect.success(acl.aclmdlAddDatasetBuffer(dataset=dataset, dataBuffer=buffer))
    expect.true("buffers", acl.aclmdlGetDatasetNumBuffers(dataset=dataset).value, 2)


@covers("add_dataset_buffer.count_grows")
def test_count(acl, expect, memory, workbench):
    """The count grows by one with each buffer."""
    buffers = [workbench.buffer(memory.device(64).ptr, 64) for _ in range(2)]
    dataset, told = workbench.dataset(), []
    for buffer in buffers:
        told.append(acl.aclmdlGetDatasetNumBuffers(dataset=dataset).value)
        acl.aclmdlAddDatasetBuffer(dataset=dataset, dataBuffer=buffer)
    told.append(acl.aclmdlGetDatasetNumBuffers(dataset=dataset).value)
    expect.true("counts", told, [0, 1, 2])


@covers("set_dataset_tensor_desc.null_desc_clears")
def test_description_taken_away(acl, expect, memory, runs, workbench):
    """NULL takes a description away."""
    dataset = workbench.dataset([workbench.buffer(memory.device(64).ptr, 64)])
    runs.describe(dataset, 0, (2, 4))
    expect.success(acl.aclmdlSetDatasetTensorDesc(dataset=dataset, tensorDesc=None, index=0))
    expect.true("no description", acl.aclmdlGetDatasetTensorDesc(dataset=dataset, index=0).value, 0)


@covers("set_dataset_tensor_desc.copies")
def test_description_is_copied(acl, expect, runs):
    """The description may be destroyed once it is set: the run has its shape."""
    run = runs.shaped("dynamic", (5, 4))
    expect.success(acl.aclmdlExecute(**run.datasets))
    expect.data(run.result(), run.wanted)


@covers("get_dataset_tensor_desc.unset_null")
def test_no_description(acl, expect, workbench):
    """An entry without a description gives NULL."""
    run = workbench.run_of(MODEL)
    expect.true("no description", acl.aclmdlGetDatasetTensorDesc(dataset=run.input, index=0).value, 0)


@covers("get_dataset_tensor_desc.output_shape_after_execute")
def test_output_shape(acl, expect, runs, workbench):
    """After each run the output dataset tells the shape that came out."""
    run = runs.shaped("dynamic", (6, 4))
    workbench.call("aclmdlExecute", **run.datasets)
    desc = acl.aclmdlGetDatasetTensorDesc(dataset=run.output, index=0).value
    expect.true("dims of the first run", runs.told_dims(desc) if desc else None, [6, 4])
    runs.describe(run.input, 0, (5, 4))
    workbench.call("aclmdlExecute", **run.datasets)
    desc = acl.aclmdlGetDatasetTensorDesc(dataset=run.output, index=0).value
    expect.true("dims of the second run", runs.told_dims(desc) if desc else None, [5, 4])
