"""Attributes of single operators."""

from __future__ import annotations

import resource

from harness.plugin import covers, covers_each, isolated, surfaces
from suites.operators.attributes import VALUES, Attributes

MANY = 1000
GROWTH_KIB = 8192
"""How much memory a process may take for itself in the meantime."""


@covers("op_create_attr.returns_object")
def test_two_sets(attributes, expect):
    """Two calls give two sets."""
    one, other = attributes.make(), attributes.make()
    expect.true("two sets that differ", 0 != one != other != 0)


@covers("op_create_attr.needs_no_device", uses=("aclopSetAttrBool", "aclopDestroyAttr"))
@isolated("no device is set")
def test_without_a_device(initialised_only, expect):
    """A set is made and filled before any device is set."""
    made = expect.success(initialised_only.aclopCreateAttr())
    codes = Attributes(initialised_only).set_each(made.value, "aclopSetAttrBool")
    initialised_only.aclopDestroyAttr(attr=made.value)
    expect.true("every value is accepted", codes, [0, 0])


@covers("op_destroy_attr.object_destroyed")
def test_many_sets(attributes, expect):
    """A thousand sets that came and went leave nothing."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    attributes.come_and_go(MANY)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    expect.within("the process grows by at most so many KiB", grown, 0, GROWTH_KIB)


@covers("op_destroy_attr.null")
def test_destroy_nothing(acl, expect):
    """Destroying NULL does no harm."""
    expect.success(acl.aclopDestroyAttr(attr=None))


@covers_each("accepted", *VALUES)
def test_set(attributes, expect, api):
    """An attribute takes every value of its kind."""
    codes = attributes.set_each(attributes.make(), api)
    expect.true("every value is accepted", codes, [0] * len(VALUES[api]))


@covers_each("same_name_again", *VALUES)
def test_set_again(attributes, expect, api):
    """An attribute that is set can be set again."""
    made = attributes.make()
    codes = attributes.set_each(made, api) + attributes.set_each(made, api)
    expect.true("every value is accepted", codes, [0] * 2 * len(VALUES[api]))


@covers("op_set_attr_list_string.null_element")
@surfaces("c")
def test_null_text(acl, attributes, expect):
    """A list of texts with NULL in it is refused."""
    texts = ["one", None, "three"]
    result = acl.aclopSetAttrListString(
        attr=attributes.make(), attrName="k", numValues=len(texts), values=texts
    )
    expect.refused(result)
