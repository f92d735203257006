"""What is told of a model's operators."""

from __future__ import annotations

from harness.plugin import covers, surfaces
from suites.models.desc.descriptions import ORIGINAL_NAMES

NOTHING = (None, b"")
OPERATOR = {"opName": "scale", "attr": ORIGINAL_NAMES}


@covers("get_op_attr.unsupported_attr")
def test_other_attribute(acl, expect, descs):
    """Only the original operator names can be asked for."""
    result = acl.aclmdlGetOpAttr(modelDesc=descs.of("affine"), opName="scale", attr="foo")
    expect.true("nothing is told", result.value in NOTHING)


@covers("get_op_attr.unknown_op")
def test_unknown_operator(acl, expect, descs):
    """Nothing is told of an operator that the model does not have."""
    result = acl.aclmdlGetOpAttr(modelDesc=descs.of("affine"), opName="no_such_op", attr=ORIGINAL_NAMES)
    expect.true("nothing is told", result.value in NOTHING)


@covers("get_op_attr.lifetime")
@surfaces("c")
def test_text_stays(expect, descs, library):
    """The text is there as long as the description, whatever else is asked."""
    before, after = descs.kept_text(library, descs.of("affine"), "scale", ["scale", "shift"])
    expect.true("the text", after, before)


@covers("get_desc_from_file.no_op_attr")
def test_attribute_of_file(acl, expect, descs):
    """What is told of the operators in a file is recorded."""
    result = acl.aclmdlGetOpAttr(modelDesc=descs.of_file("affine"), **OPERATOR)
    expect.observed(result)


@covers("get_desc_from_mem.no_op_attr")
def test_attribute_of_image(acl, expect, descs):
    """What is told of the operators in an image is recorded."""
    result = acl.aclmdlGetOpAttr(modelDesc=descs.of_image("affine"), **OPERATOR)
    expect.observed(result)


@covers("get_desc.id_zero_desc_from_file", uses=["aclmdlGetOpAttr", "aclmdlGetCurOutputDims"])
def test_file_is_no_model(acl, expect, descs):
    """A description of a file belongs to no model."""
    desc = descs.of_file("affine")
    result = acl.aclmdlGetOpAttr(modelDesc=desc, **OPERATOR)
    expect.true("nothing is told of operators", result.value in NOTHING)
    expect.refused(descs.ask("aclmdlGetCurOutputDims", desc, 0))


@covers("create_and_get_op_desc.not_for_dynamic")
@surfaces("c")
def test_operator_of_dynamic(expect, operators):
    """What is told of the operators of a dynamic-shape model is recorded."""
    result = operators.ask(operators.launched_dynamic())
    expect.observed(result)


@covers("get_tensor_desc_by_index.elements")
@surfaces("c")
def test_elements(expect, operators):
    """Each operand of an operator has a description of its own."""
    task = operators.launched("add_int32")
    result = operators.needed(task)
    expect.true("inputs and outputs", (result.numInputs, result.numOutputs), (2, 1))
    operators.expect_elements(result.inputDesc, ("ACL_INT32", (4, 16)), ("ACL_INT32", (4, 16)))


@covers("get_tensor_desc_address.value")
@surfaces("c")
def test_addresses(operators):
    """The descriptions of an operator's operands tell where they lay."""
    task = operators.launched("add_int32")
    result = operators.needed(task)
    operators.expect_addresses(result, task)
