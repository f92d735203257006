"""aclrtCtxSetSysParamOpt, aclrtCtxGetSysParamOpt: options of a context; and its overflow flag's address."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.runtime.context.contexts import DETERMINISTIC, PERMITTED

GET = "aclrtCtxGetSysParamOpt"
SET = "aclrtCtxSetSysParamOpt"


@covers("ctx_set_sys_param_opt.last_wins", uses=[GET])
def test_last_counts(acl, contexts, expect):
    """Of several values the last one counts."""
    contexts.create()
    expect.success(acl.call(SET, opt=DETERMINISTIC, value=1))
    expect.success(acl.call(SET, opt=DETERMINISTIC, value=0))
    expect.true("the value", acl.call(GET, opt=DETERMINISTIC).value, 0)


@covers("ctx_set_sys_param_opt.per_context", uses=[GET])
def test_per_context(acl, contexts, expect):
    """A value belongs to the context it was set in."""
    first = contexts.create()
    expect.success(acl.call(SET, opt=DETERMINISTIC, value=1))
    contexts.create()
    expect.true("the other context has no value", not acl.call(GET, opt=DETERMINISTIC).ok)
    contexts.go(first)
    expect.true("the value", acl.call(GET, opt=DETERMINISTIC).value, 1)
    there = contexts.alone_in(first, lambda: acl.call(GET, opt=DETERMINISTIC))
    expect.true("the value in another thread", there.value if there.ok else None, 1)


@covers("ctx_set_sys_param_opt.leaks_to_process", uses=["aclrtSetSysParamOpt", "aclrtGetSysParamOpt"])
def test_process(acl, contexts, expect, afterwards):
    """What the process reads after a context has set an option."""
    contexts.create()
    expect.success(acl.aclrtSetSysParamOpt(opt=DETERMINISTIC, value=0))
    afterwards("aclrtSetSysParamOpt", opt=DETERMINISTIC, value=0)
    expect.success(acl.call(SET, opt=DETERMINISTIC, value=1))
    expect.observed(acl.aclrtGetSysParamOpt(opt=DETERMINISTIC))


@covers("ctx_set_sys_param_opt.accepted", uses=[GET])
@pytest.mark.parametrize("option", PERMITTED)
def test_accepted(acl, contexts, expect, option):
    """Every permitted value of an option is taken and read back."""
    contexts.create()
    read = [contexts.set_and_get(option, value) for value in PERMITTED[option]]
    expect.true("values read", tuple(read), PERMITTED[option])


@covers("ctx_set_sys_param_opt.no_context")
def test_set_without_context(contexts, expect):
    """A thread without a context cannot set an option."""
    expect.refused(contexts.without_context(SET, opt=DETERMINISTIC, value=1))


@covers("ctx_get_sys_param_opt.unset")
@pytest.mark.parametrize("option", PERMITTED)
def test_unset(acl, contexts, expect, option):
    """An option that was never set in a context has no value, though one that is no more had."""
    contexts.destroy(contexts.with_option(option))
    contexts.create()
    expect.refused(acl.call(GET, opt=option))


@covers("ctx_get_sys_param_opt.reads_back", uses=[SET])
def test_read_back(acl, contexts, expect):
    """The value that was set is read back."""
    contexts.create()
    expect.success(acl.call(SET, opt=DETERMINISTIC, value=2))
    result = expect.success(acl.call(GET, opt=DETERMINISTIC))
    expect.true("the value", result.value, 2)


@covers("ctx_get_sys_param_opt.unset", uses=[SET])
def test_other_options(acl, contexts, expect):
    """Setting one option leaves the others without a value."""
    contexts.create()
    expect.success(acl.call(SET, opt=DETERMINISTIC, value=1))
    others = [acl.call(GET, opt=option).ok for option in PERMITTED if option != DETERMINISTIC]
    expect.true("others that have a value", any(others), False)


@covers(
    "ctx_get_sys_param_opt.not_recorded_as_last_error", uses=["aclrtGetLastError", "aclrtPeekAtLastError"]
)
def test_last_error(acl, contexts, expect):
    """Asking for an option that was never set leaves no error of the thread."""
    contexts.create()
    acl.aclrtGetLastError(level="ACL_RT_THREAD_LEVEL")
    acl.call(GET, opt=DETERMINISTIC)
    expect.true("the last error", acl.aclrtPeekAtLastError(level="ACL_RT_THREAD_LEVEL").code, 0)


@covers("ctx_get_float_overflow_addr.non_null", uses=["aclrtSetDeviceSatMode"])
def test_overflow_address(acl, contexts, expect, afterwards):
    """In saturation mode a context tells where its overflow flag is, always the same place."""
    contexts.saturate(afterwards)
    first = expect.success(acl.aclrtCtxGetFloatOverflowAddr())
    second = expect.success(acl.aclrtCtxGetFloatOverflowAddr())
    expect.true("an address, twice the same", first.overflowAddr == second.overflowAddr != 0)


@covers("ctx_get_float_overflow_addr.no_context")
def test_overflow_address_without_context(contexts, expect):
    """A thread without a context is told no address."""
    expect.refused(contexts.without_context("aclrtCtxGetFloatOverflowAddr"))
