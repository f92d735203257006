"""Contents of model files and images: what is no model is refused, whatever it is."""

from __future__ import annotations

import pytest

from harness.models import envelope
from harness.plugin import covers, covers_each, deadline, isolated
from suites.models.load import files as made
from suites.models.load.files import MEMORY_APIS, PLAIN_FILE_APIS, QUEUE_APIS


@covers_each("file_zero_bytes", *PLAIN_FILE_APIS)
def test_empty_file(api, acl, expect, files):
    """An empty file is refused."""
    expect.refused(acl.call(api, **files.holding(api, b"")))


@covers_each("file_under_4_bytes", *PLAIN_FILE_APIS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_too_small_for_a_kind(api, acl, expect, files, size):
    """A file whose kind cannot be told is refused."""
    expect.refused(acl.call(api, **files.holding(api, files.image()[:size])))


@covers_each("file_under_header", *PLAIN_FILE_APIS)
@pytest.mark.parametrize("size", [4, 100, 255])
def test_too_small_for_a_header(api, acl, expect, files, size):
    """A file that ends in its header is refused."""
    expect.refused(acl.call(api, **files.holding(api, files.image()[:size])))


@covers_each("size_under_header", *MEMORY_APIS)
@pytest.mark.parametrize("size", [4, 100, 255])
def test_image_too_small_for_a_header(api, acl, expect, files, size):
    """An image that ends in its header is refused."""
    expect.refused(acl.call(api, **files.holding(api, files.image()[:size])))


@covers_each("bad_magic", *PLAIN_FILE_APIS, *MEMORY_APIS)
@pytest.mark.parametrize("byte", range(4))
def test_wrong_magic(api, acl, expect, files, byte):
    """A model whose first four bytes are not the magic number is refused."""
    expect.refused(acl.call(api, **files.holding(api, made.flipped(files.image(), 8 * byte))))


@covers_each("truncated_payload", *PLAIN_FILE_APIS)
@pytest.mark.parametrize("kept", ["all but one", "half", "header"])
def test_truncated(api, acl, expect, files, kept):
    """A file that was cut off is refused."""
    expect.refused(acl.call(api, **files.holding(api, made.truncated(files.image(), kept))))


@covers_each("trailing_bytes", *PLAIN_FILE_APIS)
@pytest.mark.parametrize("more", [1, 4096])
def test_trailing_bytes(api, acl, expect, files, more):
    """A file with bytes behind the model is refused."""
    expect.refused(acl.call(api, **files.holding(api, files.image() + bytes(more))))


@covers_each("size_too_small_by_one", *MEMORY_APIS)
def test_one_byte_short(api, acl, expect, files):
    """A size one byte short of the model is refused."""
    expect.refused(acl.call(api, **files.holding(api, files.image()[:-1])))


@covers_each("size_too_large_by_one", *MEMORY_APIS)
def test_one_byte_long(api, acl, expect, files):
    """A size one byte beyond the model is refused."""
    expect.refused(acl.call(api, **files.holding(api, files.image() + b"\0")))


@covers_each("bundle_through_plain_call", *PLAIN_FILE_APIS)
def test_bundle(api, acl, expect, files):
    """The calls for single models refuse a bundle."""
    bundle = envelope.set_field(files.image(), "kind", envelope.BUNDLE_KIND)
    expect.refused(acl.call(api, **files.holding(api, bundle)))


@covers_each("zip_model_refused", *QUEUE_APIS)
def test_package_with_queues(api, acl, expect, files):
    """A zip package cannot be tied to queues."""
    expect.refused(acl.call(api, **files.holding(api, b"PK\x03\x04" + bytes(1020))))


@covers_each("fixed_shape_only", *QUEUE_APIS)
def test_dynamic_shape_with_queues(api, acl, expect, files, workbench):
    """What becomes of a dynamic-shape model with queues is recorded."""
    expect.observed(workbench.adopted(acl.call(api, **files.holding(api, files.image("dynamic")))))


@covers("load_from_file.random_bytes")
@pytest.mark.parametrize("size", [4 << 10, 1 << 20, 16 << 20])
@deadline(60)
def test_random_bytes(acl, expect, files, size):
    """Random bytes are refused and leave nothing in device memory."""
    expect.refused(acl.aclmdlLoadFromFile(**files.holding("aclmdlLoadFromFile", made.rubbish(size))))


@covers("load_from_file.corrupt_partition_table")
def test_partition_past_the_end(acl, expect, files):
    """A partition that ends behind the file is refused."""
    image = made.with_first_partition_size(files.image(), 1 << 40)
    expect.refused(acl.aclmdlLoadFromFile(**files.holding("aclmdlLoadFromFile", image)))


@covers("load_from_file.corrupt_partition_count")
@pytest.mark.parametrize("count", [0, 9, 0xFFFFFFFF])
def test_impossible_partition_count(acl, expect, files, count):
    """A table of a size that cannot be is refused."""
    image = made.with_partition_count(files.image(), count)
    expect.refused(acl.aclmdlLoadFromFile(**files.holding("aclmdlLoadFromFile", image)))


@covers("load_from_file.corrupt_graph_partition")
def test_rubbish_graph(acl, expect, files):
    """A graph that is no message is refused."""
    image = made.with_rubbish_graph(files.image())
    expect.refused(acl.aclmdlLoadFromFile(**files.holding("aclmdlLoadFromFile", image)))


@covers("load_from_file.wrong_chip")
def test_other_product(acl, expect, files):
    """A model that was built for another product is refused."""
    expect.refused(acl.aclmdlLoadFromFile(modelPath=str(files.models.file("other_product"))))


@covers("load_from_mem.other_operator_package")
def test_other_operator_package(acl, expect, files):
    """A model that demands another operator package is refused when it is loaded, not when it runs."""
    expect.refused(
        acl.aclmdlLoadFromMem(**files.holding("aclmdlLoadFromMem", files.image("other_operators")))
    )


@covers("load_from_mem.this_operator_package")
def test_this_operator_package(acl, expect, files, workbench):
    """A model that demands the operator package at hand loads."""
    arguments = files.holding("aclmdlLoadFromMem", files.image("these_operators"))
    expect.success(workbench.adopted(acl.aclmdlLoadFromMem(**arguments)))


@covers("load_from_file.bitflip_sweep")
@isolated("a flipped bit may take the process down")
@deadline(120)
def test_flipped_bits(acl, expect, files, workbench):
    """A model with one wrong bit is refused or loads, and a whole one loads afterwards."""
    image = files.image()
    images = (made.flipped(image, bit) for bit in made.sample_of_bits(image))
    made.survivors(
        lambda changed: acl.aclmdlLoadFromFile(**files.holding("aclmdlLoadFromFile", changed)),
        lambda result: workbench.call("aclmdlUnload", modelId=result.modelId),
        images,
    )
    expect.success(workbench.adopted(acl.aclmdlLoadFromFile(**files.holding("aclmdlLoadFromFile", image))))


@covers("load_from_file.failure_leaves_no_trace")
def test_good_after_bad(acl, expect, files, workbench):
    """A valid model loads, and computes right, after one that was refused."""
    acl.aclmdlLoadFromFile(**files.holding("aclmdlLoadFromFile", made.with_rubbish_graph(files.image())))
    result = workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(files.models.file(made.MODEL))))
    expect.success(result)
    expect.data(*workbench.outcome(result.modelId, made.MODEL))
