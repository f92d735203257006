"""How many streams and notifies there are."""

from __future__ import annotations

from harness.plugin import covers, sequential
from suites.runtime.crowd import Crowd

STREAMS = ("aclrtCreateStream", "stream", "aclrtDestroyStream")
NOTIFIES = ("aclrtCreateNotify", "notify", "aclrtDestroyNotify")


@covers("create_stream.max_1984")
@sequential
def test_1984(case, expect):
    """There are at most 1984 streams."""
    expect.refused(Crowd(case, *STREAMS).until_refused(1984))


@covers("create_stream.max_512")
@sequential
def test_512(case, expect):
    """There are at most 512 streams."""
    expect.refused(Crowd(case, *STREAMS).until_refused(512))


@covers("create_stream.max_1024")
@sequential
def test_1024(case, expect):
    """There are at most 1024 streams."""
    expect.refused(Crowd(case, *STREAMS).until_refused(1024))


@covers("create_stream.max_2048")
@sequential
def test_2048(case, expect):
    """There are at most 2048 streams."""
    expect.refused(Crowd(case, *STREAMS).until_refused(2048))


@covers("create_stream.after_exhaustion")
@sequential
def test_after_exhaustion(case, expect):
    """One stream that is given back makes room for another."""
    streams = Crowd(case, *STREAMS)
    expect.true("streams end", streams.until_refused(4096).ok, False)
    streams.give_back_one()
    expect.success(streams.one_more())


@covers("create_notify.max_65535")
@sequential
def test_notifies_65535(case, expect):
    """There are at most 65535 notifies."""
    expect.refused(Crowd(case, *NOTIFIES, flag=0).until_refused(65535))


@covers("create_notify.max_8192")
@sequential
def test_notifies_8192(case, expect):
    """There are at most 8192 notifies."""
    expect.refused(Crowd(case, *NOTIFIES, flag=0).until_refused(8192))


@covers("create_notify.max_2048")
@sequential
def test_notifies_2048(case, expect):
    """There are at most 2048 notifies."""
    expect.refused(Crowd(case, *NOTIFIES, flag=0).until_refused(2048))


@covers("create_notify.max_1024")
@sequential
def test_notifies_1024(case, expect):
    """There are at most 1024 notifies."""
    expect.refused(Crowd(case, *NOTIFIES, flag=0).until_refused(1024))
