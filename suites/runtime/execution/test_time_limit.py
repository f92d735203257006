"""The time limit of operators: its steps, its largest value, and how it is read back."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.runtime.execution.limits import close_to, defaults

NEVER = 2**64 - 1
MOST_STEPS = 254


@covers("get_op_time_out_interval.positive")
def test_interval(acl, expect):
    """The step is a positive number and the same each time."""
    first = expect.success(acl.aclrtGetOpTimeOutInterval()).interval
    expect.true("above 0", first > 0)
    expect.true("the second answer", expect.success(acl.aclrtGetOpTimeOutInterval()).interval, first)


@covers("get_op_time_out_interval.aicore_only")
def test_interval_elsewhere(acl, expect):
    """Which operators the step governs cannot be seen; the answer is recorded."""
    expect.observed(acl.aclrtGetOpTimeOutInterval())


@covers("set_op_execute_time_out.zero_max")
def test_zero_is_largest(limits, expect):
    """0 seconds gives what the largest number of seconds gives."""
    largest = limits.set_s(0xFFFFFFFF)
    limits.set_s(1)
    expect.true("milliseconds", limits.set_s(0), largest)


@covers("set_op_execute_time_out.max_d3")
def test_largest(limits, expect):
    """The largest limit is 254 steps."""
    least, most = limits.interval * MOST_STEPS // 1000, (limits.interval + 1) * MOST_STEPS // 1000 + 1
    expect.within("milliseconds", limits.set_s(0xFFFFFFFF), least, most)


@covers(
    "set_op_execute_time_out.max_310b",
    "set_op_execute_time_out.max_310p",
    "set_op_execute_time_out.max_910",
)
def test_largest_elsewhere(limits, expect):
    """What becomes of a limit above the largest is recorded."""
    expect.observed(f"{limits.set_s(100_000)} ms after 100000 s")


@covers("set_op_execute_time_out.last_wins", uses=("aclrtGetOpExecuteTimeout",))
def test_last_wins(limits, expect):
    """The limit that was set last counts."""
    limits.long_enough(120)
    first, second = limits.set_s(100), limits.set_s(20)
    expect.true("a limit of 20 s is below one of 100", second < first)
    expect.true("and no less than 20 s", second >= 20_000)


@covers(
    "set_op_execute_time_out.default_950",
    "set_op_execute_time_out.default_310b_ep",
    "set_op_execute_time_out.default_310b_rc",
    "set_op_execute_time_out.default_310p",
    "set_op_execute_time_out.default_910",
    uses=("aclrtGetOpExecuteTimeout",),
)
@isolated("a process in which no limit was set")
def test_default(acl, case, expect):
    """The limit from the start is that of the product, for one of its two kinds of cores."""
    limit = expect.success(acl.aclrtGetOpExecuteTimeout()).timeoutMs
    expect.true(f"{limit} ms is within 2 percent of {defaults(case)}", close_to(limit, defaults(case)))


@covers("set_op_execute_time_out_v2.rounds_up")
def test_rounds_up(limits, expect):
    """Half a step becomes a step, one and a half become two."""
    step = limits.interval
    expect.within("microseconds after half a step", limits.set_us(step // 2), step, step + 1)
    expect.within("after one and a half", limits.set_us(step + step // 2), 2 * step, 2 * step + 2)


@covers("set_op_execute_time_out_v2.capped")
def test_capped(limits, expect):
    """A thousand steps become 254."""
    step = limits.interval
    most = MOST_STEPS * (step + 1)
    expect.within("microseconds", limits.set_us(1000 * step), MOST_STEPS * step, most)


@covers("set_op_execute_time_out_v2.zero_never", "get_op_execute_timeout.never")
def test_never(limits, expect):
    """0 switches the limit off where the step is short."""
    limits.can_be_off()
    expect.true("in force", limits.set_us(0), NEVER, rule="set_op_execute_time_out_v2.zero_never")
    expect.true("read back", limits.now_ms(), 0xFFFFFFFF, rule="get_op_execute_timeout.never")


@covers("set_op_execute_time_out_v2.zero_max")
def test_zero_of_long_steps(limits, expect):
    """0 is the largest limit where the step is long."""
    limits.can_not_be_off()
    step = limits.interval
    expect.within("microseconds", limits.set_us(0), MOST_STEPS * step, MOST_STEPS * (step + 1))


@covers("set_op_execute_time_out_v2.aicore_only")
def test_elsewhere(limits, expect):
    """Which operators the limit governs cannot be seen; the answer is recorded."""
    expect.observed(f"{limits.set_us(1_000_000)} us after a second")


@covers("get_op_execute_timeout.reports_effective")
def test_read_back(limits, expect):
    """What is read back is what is in force."""
    effective = limits.set_us(5 * limits.interval) // 1000
    expect.within("milliseconds", limits.now_ms(), effective - 1, effective + 1)


@covers("set_op_execute_time_out_v2.no_context")
def test_without_context(limits, expect):
    """A thread without a context sets no limit."""
    expect.refused(limits.without_context())
