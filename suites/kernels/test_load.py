"""Loading and unloading kernel binaries: from a file, from memory, by a binary object."""

from __future__ import annotations

import os

import pytest

from harness.plugin import covers, isolated, pattern

ZEROS, NOISE = bytes(4096), pattern(4096).tobytes()
NO_BINARY = pytest.mark.parametrize("data", [ZEROS, NOISE], ids=["zeros", "noise"])


@covers("create_binary.data_lifetime")
def test_data_lifetime(acl, expect, kernels):
    """A binary object over bytes that become a binary only after it was made."""
    image = kernels.image()
    block = kernels.data(bytes(len(image)))
    binary = kernels.described(block)
    block.write(image)

    result = acl.aclrtBinaryLoad(binary=binary)

    kernels.gives_back(result)
    expect.observed(result)


@covers("destroy_binary.data_stays")
def test_data_stays(acl, expect, kernels):
    """The bytes are the caller's to read and free when the object is destroyed."""
    block = kernels.data(NOISE)
    binary = acl.aclrtCreateBinary(data=block, dataLen=block.size)

    result = acl.aclrtDestroyBinary(binary=binary.value)

    expect.success(result)
    expect.data(block, NOISE)


@covers("binary_load.length_zero")
def test_no_bytes(acl, expect, kernels):
    """An object over no bytes is no binary."""
    result = acl.aclrtBinaryLoad(binary=kernels.described(kernels.data(ZEROS), size=0))

    kernels.gives_back(result)
    expect.refused(result)


@covers("binary_load.not_elf")
@NO_BINARY
@isolated("a loader may trust what it reads")
def test_object_of_no_binary(acl, expect, kernels, data):
    """An object over other bytes is no binary."""
    result = acl.aclrtBinaryLoad(binary=kernels.described(kernels.data(data)))

    kernels.gives_back(result)
    expect.refused(result)


@covers("binary_load_from_data.not_elf")
@NO_BINARY
@isolated("a loader may trust what it reads")
def test_memory_of_no_binary(acl, expect, kernels, data):
    """Other bytes in memory are no binary."""
    result = acl.aclrtBinaryLoadFromData(data=kernels.data(data), length=len(data), options=None)

    kernels.gives_back(result)
    expect.refused(result)


@covers("binary_load_from_file.not_elf")
@pytest.mark.parametrize("size", [1, 64, 1 << 20])
@isolated("a loader may trust what it reads")
def test_file_of_no_binary(acl, expect, kernels, size):
    """A file with other bytes is no binary."""
    file = kernels.file_with(pattern(size).tobytes())

    result = acl.aclrtBinaryLoadFromFile(binPath=file, options=None)

    kernels.gives_back(result)
    expect.refused(result)


@covers("binary_load_from_file.truncated")
@isolated("a loader may trust what it reads")
def test_half_a_file(acl, expect, kernels):
    """Half of a binary."""
    image = kernels.image()
    file = kernels.file_with(image[: len(image) // 2])

    result = acl.aclrtBinaryLoadFromFile(binPath=file, options=None)

    kernels.gives_back(result)
    expect.observed(result)


@covers("binary_load_from_file.missing_file")
def test_missing_file(acl, expect, kernels):
    """A path that leads nowhere is refused."""
    result = acl.aclrtBinaryLoadFromFile(binPath=f"{kernels.folder()}/none.o", options=None)

    expect.refused(result)


@covers("binary_load_from_file.empty_path")
def test_empty_path(acl, expect):
    """An empty path is refused."""
    result = acl.aclrtBinaryLoadFromFile(binPath="", options=None)

    expect.refused(result)


@covers("binary_load_from_file.directory")
def test_directory(acl, expect, kernels):
    """A folder is refused."""
    result = acl.aclrtBinaryLoadFromFile(binPath=kernels.folder(), options=None)

    expect.refused(result)


@covers("binary_load_from_file.null_options")
def test_no_options(acl, expect, kernels):
    """Without options a missing file is what is wrong."""
    result = acl.aclrtBinaryLoadFromFile(binPath=f"{kernels.folder()}/none.o", options=None)

    expect.observed(result)


@covers("binary_load_from_file.relative_path")
def test_relative_path(acl, expect, kernels):
    """A path from the working folder."""
    result = acl.aclrtBinaryLoadFromFile(binPath=os.path.relpath(kernels.path()), options=None)

    kernels.gives_back(result)
    expect.observed(result)


@covers("binary_load_from_file.other_chip")
@isolated("a loader may trust what it reads")
def test_other_chip(acl, expect, kernels):
    """A binary that says that it is for another product."""
    file = kernels.file_with(kernels.image_of_no_product())

    result = acl.aclrtBinaryLoadFromFile(binPath=file, options=None)

    kernels.gives_back(result)
    expect.observed(result)


@covers("binary_un_load.stale_handle")
@isolated("the handle may be a pointer to freed memory")
def test_unload_twice(acl, expect, kernels):
    """A binary is unloaded once."""
    data = kernels.data()
    made = acl.aclrtBinaryLoadFromData(data=data, length=data.size, options=None)
    expect.success(acl.aclrtBinaryUnLoad(binHandle=made.binHandle))

    result = acl.aclrtBinaryUnLoad(binHandle=made.binHandle)

    expect.refused(result)


@covers("binary_un_load.same_context")
@isolated("what is left on the device may stay")
def test_unload_in_another_context(acl, expect, kernels, desk):
    """A binary is unloaded where another context is current."""
    data = kernels.data()
    made = acl.aclrtBinaryLoadFromData(data=data, length=data.size, options=None)

    with desk.other_context():
        result = acl.aclrtBinaryUnLoad(binHandle=made.binHandle)

    expect.observed(result)
