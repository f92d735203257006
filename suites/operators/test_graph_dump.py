"""Graphs of operators, dumped to text files."""

from __future__ import annotations

from harness.plugin import covers

MANY = 1000


@covers("gen_graph_and_dump_for_op.writes_txt")
def test_file(acl, expect, dumped):
    """The file that is named gets the graph of the operator."""
    expect.success(acl.aclGenGraphAndDumpForOp(**dumped.of("op_add", dumped.file)))
    expect.true("the operators that the file tells of", dumped.types_in(dumped.file), ["Add"])


@covers("gen_graph_and_dump_for_op.names_file")
def test_directory(acl, expect, dumped):
    """In a directory the library chooses the name of a text file."""
    expect.success(acl.aclGenGraphAndDumpForOp(**dumped.of("op_add", dumped.folder)))
    expect.true("endings of the files", [file.suffix for file in dumped.files()], [".txt"])
    expect.true("the operators they tell of", dumped.types_in_all(), ["Add"])


@covers("gen_graph_and_dump_for_op.overwrites")
def test_second_graph(acl, expect, dumped):
    """A second graph takes the place of all that the file held."""
    acl.aclGenGraphAndDumpForOp(**dumped.of("op_add", dumped.file))
    dumped.lengthen(dumped.file)
    expect.success(acl.aclGenGraphAndDumpForOp(**dumped.of("op_mul", dumped.file)))
    expect.true("the operators that the file tells of", dumped.types_in(dumped.file), ["Mul"])
    expect.true("anything of the longer file", dumped.has_remainder(dumped.file), False)


@covers("gen_graph_and_dump_for_op.missing_dir")
def test_missing_directory(acl, expect, dumped):
    """What a directory that does not exist comes to is recorded."""
    expect.observed(acl.aclGenGraphAndDumpForOp(**dumped.of("op_add", dumped.folder / "missing" / "g.txt")))


@covers("gen_graph_and_dump_for_op.option_reserved", uses=("aclCreateGraphDumpOpt",))
def test_option(acl, expect, dumped):
    """The reserved option is refused."""
    option = acl.aclCreateGraphDumpOpt().value
    expect.refused(acl.aclGenGraphAndDumpForOp(**dumped.of("op_add", dumped.file, option)))


@covers("create_graph_dump_opt.returns_object")
def test_two_options(acl, expect):
    """Two calls give two objects."""
    one, other = acl.aclCreateGraphDumpOpt().value, acl.aclCreateGraphDumpOpt().value
    expect.true("two objects that differ", 0 != one != other != 0)


@covers("destroy_graph_dump_opt.object_destroyed", uses=("aclCreateGraphDumpOpt",))
def test_options_come_and_go(expect, dumped):
    """A thousand objects come and go."""
    expect.true("what went wrong", dumped.options_come_and_go(MANY), [])
