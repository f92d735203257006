"""Selectors of kernels: which of them is called for an operator, how, and what its answer does."""

from __future__ import annotations

from harness.plugin import covers, surfaces
from suites.operators.selecting import fresh_type

OWN_ERROR = 123456


@covers("op_register_compile_func.selector_called", uses=("aclopUpdateParams",))
def test_called(acl, selecting, attributes, expect):
    """A selector is called once, in this thread, with the counts, descriptions and attributes given."""
    selector = selecting.selector()
    type = selecting.registered(selector)
    acl.aclopUpdateParams(**selecting.arguments(type, attributes.make()))
    expect.true("how the selector was called", selector.calls, [selecting.expected(True)])


@covers("op_register_compile_func.selector_called", uses=("aclopUpdateParams",))
def test_only_its_own_type(selecting, expect):
    """A selector is not called for another type, which has its own."""
    selector, other = selecting.selector(), selecting.selector()
    selecting.registered(selector)
    selecting.update(selecting.registered(other))
    expect.true("calls of either selector", [len(selector.calls), len(other.calls)], [0, 1])


@covers("op_register_compile_func.twice", uses=("aclopUpdateParams",))
def test_second_selector(acl, selecting, expect):
    """A second selector of one type is refused, and the first stays in force."""
    first, second = selecting.selector(), selecting.selector()
    type = selecting.registered(first)
    result = acl.aclopRegisterCompileFunc(opType=type, func=second)
    expect.refused(result)
    selecting.update(type)
    expect.true("calls of either selector", [len(first.calls), len(second.calls)], [1, 0])


@covers("op_register_compile_func.after_unregister", uses=("aclopUnregisterCompileFunc", "aclopUpdateParams"))
def test_selector_after_another(acl, selecting, expect):
    """When a selector is gone, the type takes another, which is called."""
    first, second = selecting.selector(), selecting.selector()
    type = selecting.registered(first)
    expect.success(acl.aclopUnregisterCompileFunc(opType=type))
    expect.success(acl.aclopRegisterCompileFunc(opType=type, func=second))
    selecting.update(type)
    expect.true("calls of either selector", [len(first.calls), len(second.calls)], [0, 1])


@covers(
    "op_unregister_compile_func.not_called_any_more", uses=("aclopRegisterCompileFunc", "aclopUpdateParams")
)
def test_selector_gone(acl, selecting, expect):
    """A selector that was called is not called after it is unregistered."""
    selector = selecting.selector()
    type = selecting.registered(selector)
    before = selecting.chosen(type, selector)
    expect.success(acl.aclopUnregisterCompileFunc(opType=type))
    expect.true("calls before and after", [before, selecting.chosen(type, selector)], [1, 0])


@covers("op_unregister_compile_func.never_registered")
def test_no_selector_to_remove(acl, expect):
    """A type that never had a selector is none the worse for losing it."""
    expect.success(acl.aclopUnregisterCompileFunc(opType=fresh_type()))


@covers("op_update_params.no_selector")
def test_no_selector(selecting, expect):
    """A type without a selector is refused, whatever the selector of another type would choose."""
    selecting.registered(selecting.selector(selecting.choosing()))
    expect.refused(selecting.update(selecting.with_kernel(fresh_type())))


@covers("op_update_params.selector_error")
@surfaces("c")
def test_selector_fails(selecting, expect):
    """The error of a selector comes back, though it has chosen a kernel."""
    selector = selecting.selector(selecting.choosing(), OWN_ERROR)
    type = selecting.with_kernel(selecting.registered(selector))
    expect.true("the code", selecting.update(type).code, OWN_ERROR)


@covers("op_update_params.unknown_kernel")
def test_nothing_chosen(selecting, expect):
    """A selector that chooses nothing leads to an error."""
    type = selecting.with_kernel(selecting.registered(selecting.selector()))
    expect.refused(selecting.update(type))


@covers("op_update_params.unknown_kernel", uses=("aclopSetKernelArgs",))
def test_unknown_kernel_chosen(selecting, expect):
    """A selector that names a kernel of another type leads to an error."""
    selecting.with_kernel(fresh_type(), "other")
    type = selecting.with_kernel(selecting.registered(selecting.selector(selecting.choosing("other"))))
    expect.refused(selecting.update(type))
