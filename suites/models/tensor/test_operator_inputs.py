"""What descriptions of an operator's inputs mean to the operator."""

from __future__ import annotations

import numpy as np

from harness.plugin import covers, surfaces


@covers("set_tensor_dynamic_input.groups_contiguous")
@surfaces("c")
def test_split_group(expect, operators):
    """What is made of a dynamic input whose members do not stand together is recorded."""
    descs = [operators.desc(group) for group in ("x", "y", "x")]
    result, _ = operators.execute("Concat", descs, [operators.vector(1) for _ in descs])
    expect.observed(result)


@covers("set_tensor_const.copies")
@surfaces("c")
def test_changed_constant(expect, operators):
    """Which data count when a constant's memory changes after it was set is recorded."""
    desc, block = operators.constant(2)
    block.write(np.full(4, 5, np.float32))
    result, output = operators.execute(
        "Add", [operators.desc(), desc], [operators.vector(1), operators.vector(2)]
    )
    expect.observed(result)
    expect.observed(f"1 and the constant make {output.read().view(np.float32).tolist()}")
