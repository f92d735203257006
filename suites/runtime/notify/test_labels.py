"""aclrtSwitchLabelByIndex: a stream of a model goes on at a label."""

from __future__ import annotations

import pytest

from harness.plugin import covers, sequential
from suites.runtime.crowd import Crowd


@covers("switch_label_by_index.jumps", "switch_label_by_index.index_clamped")
@pytest.mark.parametrize(("index", "ran"), [(0, 0), (1, 1), (2, 2), (3, 2), (100, 2)])
def test_jump(acl, jumps, expect, index, ran):
    """Only the work behind the label of that index is done; an index too large is the last one."""
    expect.success(acl.aclrtSwitchLabelByIndex(**jumps.arguments(index)))
    expect.success(jumps.run())
    expect.true("labels behind which work was done", jumps.ran(), [ran])


@covers("switch_label_by_index.asynchronous", uses=("aclrtMemsetAsync",))
def test_index_written_before(acl, desk, jumps, expect):
    """The index is read when the stream comes to the jump, not when it is asked for."""
    arguments = jumps.arguments(0)
    word = arguments["ptr"]
    # Every byte of the word: the index is far beyond the last label, which is the one that is taken.
    desk.fill(word, 1, jumps.stream)
    expect.success(acl.aclrtSwitchLabelByIndex(**arguments))
    expect.success(jumps.run())
    expect.true("labels behind which work was done", jumps.ran(), [2])


@covers("create_label.max")
@sequential
def test_most_labels(case, expect):
    """There are at most 65535 labels, and one that is destroyed makes room for another."""
    labels = Crowd(case, "aclrtCreateLabel", "label", "aclrtDestroyLabel")
    expect.refused(labels.until_refused(65535))
    labels.give_back_one()
    expect.success(labels.one_more())
