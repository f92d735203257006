"""aclInit: files that are no configuration, and how deep one may be nested."""

from __future__ import annotations

from harness.plugin import covers, isolated

LARGEST = 10 << 20
"""Bytes of the largest configuration that the public implementation reads."""


def braces(depth: int) -> bytes:
    """Objects inside each other, so many in total."""
    return b'{"k":' * (depth - 1) + b"{}" + b"}" * (depth - 1)


def brackets(depth: int) -> bytes:
    """One key with arrays inside each other, so many."""
    return b'{"k":' + b"[" * depth + b"]" * depth + b"}"


@covers("init.json_object_depth")
@isolated("before aclInit")
def test_braces_too_deep(process, expect):
    """Objects 11 deep are refused."""
    expect.refused(process.init(braces(11)))


@covers("init.json_object_depth")
@isolated("before aclInit")
def test_braces_deep(process, expect):
    """What comes of objects 10 deep, whose keys nobody knows."""
    expect.observed(process.init(braces(10)))


@covers("init.json_array_depth")
@isolated("before aclInit")
def test_brackets_too_deep(process, expect):
    """Arrays 11 deep are refused."""
    expect.refused(process.init(brackets(11)))


@covers("init.json_array_depth")
@isolated("before aclInit")
def test_brackets_deep(process, expect):
    """What comes of arrays 10 deep under a key that nobody knows."""
    expect.observed(process.init(brackets(10)))


@covers("init.missing_file")
@isolated("before aclInit")
def test_missing(bare, process, expect):
    """A file that does not exist is refused, and the process can be initialised without one."""
    expect.refused(bare.aclInit(configPath=str(process.folder / "missing.json")))
    expect.success(bare.aclInit(configPath=None))


@covers("init.malformed_json")
@isolated("before aclInit")
def test_malformed(bare, process, expect):
    """A file that ends too early is refused, and the process can be initialised without one."""
    expect.refused(process.init(b'{"dump":'))
    expect.success(bare.aclInit(configPath=None))


@covers("init.file_too_large")
@isolated("before aclInit")
def test_too_large(process, expect):
    """A file of more than 10 MiB is refused."""
    expect.refused(process.init(b"{}" + b" " * (LARGEST - 1)))


@covers("init.path_is_directory")
@isolated("before aclInit")
def test_directory(bare, process, expect):
    """A folder is no configuration."""
    expect.refused(bare.aclInit(configPath=str(process.folder)))
