"""aclGetRecentErrMsg: the text of what has failed in a thread."""

from __future__ import annotations

from harness.plugin import covers


@covers("get_recent_err_msg.none")
def test_nothing(errors, expect):
    """A thread in which nothing has failed has no text."""
    expect.true("the text", errors.elsewhere(errors.words), "")


@covers("get_recent_err_msg.text_after_failure", "get_recent_err_msg.read_and_clear")
def test_read_once(errors, expect):
    """A call that fails leaves a text, and reading removes it."""
    errors.fail()
    expect.true("a text", bool(errors.words()), rule="get_recent_err_msg.text_after_failure")
    expect.true("the text afterwards", errors.words(), "", rule="get_recent_err_msg.read_and_clear")


@covers("get_recent_err_msg.pointer_validity")
def test_newer_text(errors, expect):
    """A later failure has a text of its own; whether the older one stays readable is left open."""
    errors.fail()
    errors.words()
    errors.fail()
    expect.observed(f"{len(errors.words())} characters in the newer text")


@covers("get_recent_err_msg.per_thread_default")
def test_per_thread(errors, expect):
    """The text belongs to the thread whose call has failed."""
    errors.fail()
    expect.true("the text in another thread", errors.elsewhere(errors.words), "")
    expect.true("a text in this one", bool(errors.words()))


@covers("get_recent_err_msg.newest_first", uses=("aclrtDestroyEvent", "aclrtDestroyStream"))
def test_newest_first(acl, errors, expect):
    """The text of the later failure comes first."""
    expect.refused(acl.aclrtDestroyEvent(event=None))
    expect.refused(acl.aclrtDestroyStream(stream=None))
    told = errors.words()
    expect.true(
        "the later one is named first", -1 < told.find("aclrtDestroyStream") < told.find("aclrtDestroyEvent")
    )
