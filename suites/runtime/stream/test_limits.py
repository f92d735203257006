"""How many streams and notifies there are."""

from __future__ import annotations

from harness.plugin import covers, sequential


@covers("create_stream.max_1984")
@sequential
def test_1984(desk, expect):
    """There are at most 1984 streams."""
    expect.refused(desk.until_refused("aclrtCreateStream", "stream", "aclrtDestroyStream", 1984))


@covers("create_stream.max_512")
@sequential
def test_512(desk, expect):
    """There are at most 512 streams."""
    expect.refused(desk.until_refused("aclrtCreateStream", "stream", "aclrtDestroyStream", 512))


@covers("create_stream.max_1024")
@sequential
def test_1024(desk, expect):
    """There are at most 1024 streams."""
    expect.refused(desk.until_refused("aclrtCreateStream", "stream", "aclrtDestroyStream", 1024))


@covers("create_stream.max_2048")
@sequential
def test_2048(desk, expect):
    """There are at most 2048 streams."""
    expect.refused(desk.until_refused("aclrtCreateStream", "stream", "aclrtDestroyStream", 2048))


@covers("create_stream.after_exhaustion")
@sequential
def test_after_exhaustion(desk, expect):
    """One stream that is given back makes room for another."""
    refused = desk.until_refused("aclrtCreateStream", "stream", "aclrtDestroyStream", 4096, again=True)
    expect.success(refused)


@covers("create_notify.max_65535")
@sequential
def test_notifies_65535(desk, expect):
    """There are at most 65535 notifies."""
    expect.refused(desk.until_refused("aclrtCreateNotify", "notify", "aclrtDestroyNotify", 65535, flag=0))


@covers("create_notify.max_8192")
@sequential
def test_notifies_8192(desk, expect):
    """There are at most 8192 notifies."""
    expect.refused(desk.until_refused("aclrtCreateNotify", "notify", "aclrtDestroyNotify", 8192, flag=0))


@covers("create_notify.max_2048")
@sequential
def test_notifies_2048(desk, expect):
    """There are at most 2048 notifies."""
    expect.refused(desk.until_refused("aclrtCreateNotify", "notify", "aclrtDestroyNotify", 2048, flag=0))


@covers("create_notify.max_1024")
@sequential
def test_notifies_1024(desk, expect):
    """There are at most 1024 notifies."""
    expect.refused(desk.until_refused("aclrtCreateNotify", "notify", "aclrtDestroyNotify", 1024, flag=0))
