"""aclAppLog: lines of a program in the log, with the place in the program."""

from __future__ import annotations

from harness.plugin import covers, isolated, surfaces
from suites.services.log import ERROR, LEVELS, LONGEST_TEXT, LoggingProcess, own_line

MAY_CRASH = "a line may take the process down"


@covers("app_log.no_return")
@isolated(MAY_CRASH)
def test_each_level(acl, log, expect):
    """A line of each level is taken, and nothing is answered."""
    answers = [acl.call("aclAppLog", **own_line(acl, level, "a line")) for level in LEVELS]
    expect.true("no answers", [answer.value for answer in answers], [None] * len(LEVELS))


@covers("app_log.no_return")
@surfaces("c")
def test_written(case, expect):
    """A line that is an error stands in the log."""
    process = LoggingProcess(case)
    process.record_own("this is an error", ERROR)
    written = process.written_or_blocked()
    expect.true("the line is there", "this is an error" in written)


@covers("app_log.truncation")
@surfaces("c")
def test_long_text(case, expect):
    """Of a text of 2000 letters at most 1024 stand in the log."""
    process = LoggingProcess(case)
    process.record_own("Q" * 2000, ERROR)
    written = process.written_or_blocked()
    expect.within("letters in the log", written.count("Q"), 1, LONGEST_TEXT)


@covers("app_log.null_text")
@surfaces("c")
@isolated(MAY_CRASH)
def test_nothing(acl, expect):
    """NULL for the text or for the names of the place does no harm."""
    nowhere = {"logLevel": ERROR, "func": None, "file": None, "line": 0}
    expect.success(acl.call("aclAppLog", **nowhere, fmt=None))
    expect.success(acl.call("aclAppLog", **nowhere, fmt="a line of nowhere"))
