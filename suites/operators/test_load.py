"""Loading single-operator models: from memory, from a directory, and how many."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.operators.loaded import LoadedOperators

LENGTHS = (1, 20000, 1000000)
TREE = {"": "op_add", "a": "op_mul", "a/b": "op_add_other", "a/b/c": "op_mul_other"}
"""A folder of operators, one level deeper than a library reads."""

WHOLE_PROCESS = "a directory of operators is set for the whole process"


@covers("op_load.loads")
@isolated("nothing is loaded yet")
def test_from_memory(acl, expect, operators):
    """An operator that was loaded from memory executes."""
    expect.success(acl.aclopLoad(**operators.image("op_add")))
    expect.true("the operator executes", operators.works_each("op_add"), [True])


@covers("op_load.several")
def test_two_from_memory(acl, expect, operators):
    """Of two operators that were loaded each executes."""
    acl.aclopLoad(**operators.image("op_add"))
    expect.success(acl.aclopLoad(**operators.image("op_mul")))
    expect.true("both execute", operators.works_each("op_add", "op_mul"), [True, True])


@covers("op_load.bad_content")
def test_no_model(acl, expect, memory):
    """4 KiB of zeros are refused."""
    expect.refused(acl.aclopLoad(model=memory.pageable(4096).fill(0), modelSize=4096))


@covers("op_load.memory_owner")
@isolated("a library may go on reading memory that is written over")
def test_image_written_over(acl, expect, operators):
    """Whether an operator executes when the memory it was loaded from has changed is recorded."""
    image, block = operators.passing_image("op_add")
    expect.observed(acl.aclopLoad(**image))
    block.fill(0)
    expect.observed(f"executes: {operators.works_each('op_add')[0]}")


@covers("op_set_model_dir.loads")
@isolated(WHOLE_PROCESS)
def test_directory(acl, expect, operators):
    """An operator of a directory executes."""
    expect.success(acl.aclopSetModelDir(modelDir=operators.folder({"": "op_add"})))
    expect.true("the operator executes", operators.works_each("op_add"), [True])


@covers("op_set_model_dir.depth_three")
@isolated(WHOLE_PROCESS)
def test_levels(acl, expect, operators):
    """Operators are read from a directory and two levels below it, and from no deeper one."""
    expect.success(acl.aclopSetModelDir(modelDir=operators.folder(TREE)))
    expect.true("which execute", operators.works_each(*TREE.values()), [True, True, True, False])


@covers("op_set_model_dir.once_per_process")
@isolated(WHOLE_PROCESS)
def test_directory_again(acl, expect, operators):
    """A directory that is set cannot be set again."""
    folder = operators.folder({"": "op_add"})
    operators.call("aclopSetModelDir", modelDir=folder)
    expect.refused(acl.aclopSetModelDir(modelDir=folder))


@covers("op_set_model_dir.missing_dir")
@isolated(WHOLE_PROCESS)
def test_missing_directory(acl, expect, operators):
    """A directory that does not exist is refused, and one that does can still be set."""
    expect.refused(acl.aclopSetModelDir(modelDir=operators.missing_folder()))
    expect.success(acl.aclopSetModelDir(modelDir=operators.folder({"": "op_add"})))


@covers("op_set_model_dir.version_mismatch")
@isolated(WHOLE_PROCESS)
def test_other_package(acl, expect, operators):
    """What happens to a model of another operator package is recorded."""
    expect.observed(acl.aclopSetModelDir(modelDir=operators.folder({"": "op_other_package"})))


@covers("op_set_max_op_queue_num.accepted")
@isolated("the length counts for the whole process")
def test_lengths(acl, expect):
    """Every positive length is accepted."""
    codes = [acl.aclopSetMaxOpQueueNum(maxOpNum=length).code for length in LENGTHS]
    expect.true("every length is accepted", codes, [0] * len(LENGTHS))


@covers("op_set_max_op_queue_num.aged_out_reloads")
@isolated("the length counts for the whole process")
def test_aged_out(acl, expect, operators: LoadedOperators):
    """Of two operators in a queue of one, which of them still execute is recorded."""
    expect.observed(acl.aclopSetMaxOpQueueNum(maxOpNum=1))
    operators.load("op_add", "op_mul")
    expect.observed(f"the older and the newer execute: {operators.works_each('op_add', 'op_mul')}")
