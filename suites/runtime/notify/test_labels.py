"""aclrtSwitchLabelByIndex: a stream of a model goes on at a label."""

from __future__ import annotations

import pytest

from harness.plugin import covers


@covers("switch_label_by_index.jumps", "switch_label_by_index.index_clamped")
@pytest.mark.parametrize(("index", "ran"), [(0, 0), (1, 1), (100, 2)])
def test_jump(acl, jumps, expect, index, ran):
    """Only the work behind the label of that index is done; an index too large is the last one."""
    expect.success(acl.aclrtSwitchLabelByIndex(**jumps.arguments(index)))
    expect.success(jumps.run())
    expect.true("labels behind which work was done", jumps.ran(), [ran])
