"""Subscriptions: what the operators of a model did."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, surfaces
from suites.services.collecting import Collection
from suites.services.subscribed import Subscription

FIRST = 0
FLAGS = ("ACL_SUBSCRIBE_OP", "ACL_SUBSCRIBE_SUBGRAPH", "ACL_SUBSCRIBE_OP_THREAD", "ACL_SUBSCRIBE_NONE")


@pytest.fixture
def subscription(case):
    """A model, not subscribed yet."""
    return Subscription(case, case.resources)


@pytest.fixture
def records(subscription):
    """The records of one run of a subscribed model, as arguments of the calls that read one."""
    block = subscription.records()
    return {"opInfo": block, "opInfoLen": block.size, "index": FIRST}


@covers("prof_model_subscribe.twice")
def test_subscribe_twice(acl, subscription, expect):
    """A model that is subscribed is not subscribed again."""
    subscription.begin()
    given = {"modelId": subscription.model.id, "profSubscribeConfig": subscription.config}
    expect.refused(acl.aclprofModelSubscribe(**given))


@covers("prof_model_subscribe.while_api_profiling")
def test_subscribe_while_collecting(acl, case, subscription, expect):
    """While something else is collected, no model is subscribed."""
    Collection(case, case.resources)
    given = {"modelId": subscription.model.id, "profSubscribeConfig": subscription.config}
    expect.refused(acl.aclprofModelSubscribe(**given))


@covers("prof_get_op_desc_size.positive")
def test_record_size(acl, expect):
    """A record has a size, which stays."""
    first = expect.success(acl.aclprofGetOpDescSize()).opDescSize
    expect.true("a size", first > 0)
    expect.true("the same size again", acl.aclprofGetOpDescSize().opDescSize, first)


@covers("prof_get_op_type.short_buffer")
@surfaces("c")
def test_short_buffer(acl, records, memory, expect):
    """Nothing is written behind a buffer that is shorter than the text."""
    room = memory.pageable(2)
    expect.observed(acl.aclprofGetOpType(**records, opType=room, opTypeLen=2))


@covers("prof_get_op_type.read_once")
@surfaces("c")
def test_text_twice(acl, records, memory, expect):
    """The text of an operator is fetched once."""
    room = memory.pageable(512)
    expect.success(acl.aclprofGetOpType(**records, opType=room, opTypeLen=512))
    expect.refused(acl.aclprofGetOpType(**records, opType=room, opTypeLen=512))


@covers_each("null_zero", "aclprofGetOpStart", "aclprofGetOpEnd", "aclprofGetOpDuration")
def test_times_of_nothing(acl, expect, api):
    """NULL has no times."""
    expect.true("0", acl.call(api, opInfo=None, opInfoLen=0, index=FIRST).value, 0)


@covers("prof_get_op_duration.end_minus_start")
def test_duration(acl, records, expect):
    """The duration of an operator is its end less its start."""
    start, end = acl.aclprofGetOpStart(**records).value, acl.aclprofGetOpEnd(**records).value
    expect.true("the operator ends after it began", end > start > 0)
    expect.true("the duration", acl.aclprofGetOpDuration(**records).value, end - start)


@covers("prof_get_model_id.null_data")
def test_model_of_nothing(acl, case, expect):
    """NULL gives the code of a wrong argument."""
    answer = acl.aclprofGetModelId(opInfo=None, opInfoLen=0, index=FIRST).value
    expect.true("the code", answer, case.contract.value("ACL_ERROR_INVALID_PARAM"))


@covers("prof_get_model_id.value")
def test_model(acl, subscription, records, expect):
    """A record is of the subscribed model."""
    expect.true("the model", acl.aclprofGetModelId(**records).value, subscription.model.id)


@covers("prof_get_op_flag.range")
def test_flag(acl, case, records, expect):
    """The flag of a record is one of those that there are; NULL has none."""
    known = [case.contract.value(name) for name in FLAGS]
    expect.true("a flag that there is", acl.aclprofGetOpFlag(**records).value in known)
    nothing = acl.aclprofGetOpFlag(opInfo=None, opInfoLen=0, index=FIRST).value
    expect.true("no flag", nothing, case.contract.value("ACL_SUBSCRIBE_NONE"))
