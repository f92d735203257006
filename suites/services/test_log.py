"""A program's own lines in the log."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.services.log import DEBUG, ERROR, MOST_FUNCTIONS, LoggingProcess

REFUSED = -1
FRESH = "functions stay registered where nothing removes them"


@covers("log_register_callback.null_callback")
@isolated(FRESH)
def test_no_function(log, expect):
    """Nothing is registered without a function."""
    expect.true("the answer", log.register(callbackFunc=None).value, REFUSED)


@covers("log_register_callback.null_handle")
@isolated(FRESH)
def test_no_handle(log, expect):
    """Nothing is registered without a place for the handle."""
    expect.true("the answer", log.register(callbackHandle=None).value, REFUSED)


@covers("log_register_callback.type_range")
@isolated(FRESH)
@pytest.mark.parametrize("kind", [3, 0xFFFF_FFFF])
def test_unknown_output(log, expect, kind):
    """Nothing is registered for an output that there is not."""
    expect.true("the answer", log.register(outputLogType=kind).value, REFUSED)


@covers("log_register_callback.max_16")
@isolated(FRESH)
def test_most_functions(log, case, expect):
    """Sixteen functions are registered, and one more only after another has gone."""
    made = log.register_many(MOST_FUNCTIONS)
    expect.true("the answers", [answer for answer, _ in made], [0] * MOST_FUNCTIONS)
    expect.true("the answer to one more", log.register().value, REFUSED)
    if case.supports("acllogUnregisterCallback"):
        log.unregister(made[0][1])
        expect.true("the answer after one has gone", log.register().value, 0)


@covers("log_register_callback.user_data_null")
@isolated(FRESH)
def test_no_user_data(log, expect):
    """A function may do without an argument."""
    expect.true("the answer", log.register(userData=None).value, 0)


@covers("log_register_callback.handles_distinct")
@isolated(FRESH)
def test_handles(log, expect):
    """Two registrations have different handles."""
    one, other = (handle for _, handle in log.register_many(2))
    expect.true("the handles differ", one != other)


@covers("log_unregister_callback.unknown")
@isolated(FRESH)
def test_remove_nothing(log, expect):
    """The handle of nothing is refused."""
    expect.true("the answer", log.unregister(0), REFUSED)


@covers("log_unregister_callback.twice", "log_unregister_callback.unknown")
@isolated(FRESH)
def test_remove_twice(log, expect):
    """A function is removed once."""
    [(_, handle)] = log.register_many(1)
    expect.true("the first answer", log.unregister(handle), 0)
    expect.true("the second one", log.unregister(handle), REFUSED)


@covers("log_check_debug_level.returns_0_or_1")
@isolated("changes the environment")
def test_levels(log, monkeypatch, expect):
    """Each answer is 0 or 1, and errors are written unless somebody has switched them off."""
    monkeypatch.delenv("ASCEND_GLOBAL_LOG_LEVEL", raising=False)
    levels = log.levels()
    expect.true("answers of 0 and 1", set(levels) <= {0, 1})
    expect.true("the answer for errors", levels[ERROR], 1)


@covers("log_check_debug_level.monotonic")
def test_severer_levels(log, expect):
    """A severer level is written whenever a milder one is."""
    levels = log.levels()
    expect.true("answers that do not fall", levels, sorted(levels))


@covers("log_check_debug_level.older_name")
def test_level_by_older_name(log, expect):
    """The older name answers 0 or 1."""
    expect.true("an answer of 0 or 1", log.older("AlogCheckDebugLevel")(0xFF00, ERROR) in (0, 1))


@covers("log_record.module_range")
@pytest.mark.parametrize("module", [0xFF00, 0xFFFF, 0x10000, -1])
def test_modules(log, expect, module):
    """Lines of modules inside and outside the range of users do no harm."""
    expect.observed(log.record("a line", module=module))


@covers("log_record.long_text_cut")
@isolated("a long line may take the process down")
def test_long_line(log, expect):
    """A line of ten thousand characters does no harm."""
    expect.success(log.record("x" * 10_000))


@covers("log_record.disabled_level")
def test_disabled_level(case, expect):
    """Where only errors are written, a line of another level is in no file."""
    process = LoggingProcess(case)
    process.record("this is an error", ERROR)
    process.record("this is for debugging", DEBUG)
    written = process.written()
    if "this is an error" not in written:
        expect.blocked("the process leaves no log file in the folder of ASCEND_PROCESS_LOG_PATH")
    expect.true("the line is written", "this is for debugging" in written, False)


@covers("log_record.threads")
@isolated("threads that collide may take the process down")
def test_threads(log, expect):
    """Eight threads write a thousand lines each at the same time."""
    expect.true("threads that came to their end", log.record_everywhere(threads=8, lines=1000), 8)


@covers("log_record.older_name")
@isolated(FRESH)
def test_line_by_older_name(log, expect):
    """The older name writes a line as the newer one does."""
    log.register()
    log.record("by the newer name")
    log.record_by_older_name("by the older name")
    expect.true("as by the newer name", log.heard("by the older name"), log.heard("by the newer name"))


@covers("log_va_list.same_as_record")
@isolated(FRESH)
def test_line_by_list(log, expect):
    """The lines of both functions are recorded."""
    log.register()
    log.record("a line")
    expect.observed(f"lines: {log.record_by_list('a line')}")
