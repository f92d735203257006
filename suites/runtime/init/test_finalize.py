"""aclFinalize and aclFinalizeReference: once, again, never, and one for each initialisation."""

from __future__ import annotations

from harness.plugin import covers, isolated, surfaces
from suites.runtime.init.programs import run_program

FLUSH = "ASCEND_LOG_DEVICE_FLUSH_TIMEOUT"


@covers("finalize.after_init", uses=["aclInit"])
@isolated("finalises")
def test_finalise(bare, process, expect):
    """A process that was initialised can be finalised."""
    process.must_init()
    expect.success(bare.aclFinalize())


@covers("finalize.repeat", uses=["aclInit"])
@isolated("finalises")
def test_repeat(bare, process, expect):
    """A second finalisation is told to be one."""
    process.must_init()
    expect.success(bare.aclFinalize())
    expect.refused(bare.aclFinalize())


@covers("finalize.before_init")
@isolated("before aclInit")
def test_before(bare, expect):
    """What comes of finalising before aclInit."""
    expect.observed(bare.aclFinalize())


@covers("finalize.log_flush_delay", uses=["aclInit"])
@isolated("finalises")
def test_time(process, expect):
    """After work of the device finalising takes no more than 10 s."""
    process.must_init()
    process.device_works()
    result, seconds = process.timed_finalise()
    expect.success(result)
    expect.within("time to finalise in seconds", seconds, 0, 10)


@covers("finalize.log_flush_delay_env", uses=["aclInit"])
@isolated("finalises, with a variable of its own")
def test_time_without_logs(process, expect, monkeypatch):
    """When no logs are waited for, finalising does not take their 2 s."""
    monkeypatch.setenv(FLUSH, "0")
    process.must_init()
    process.device_works()
    result, seconds = process.timed_finalise()
    expect.success(result)
    expect.within("time to finalise in seconds", seconds, 0, 2)


@covers("finalize.before_exit")
@surfaces("c")
def test_never(case, expect):
    """How a program ends that does not finalise; it does end."""
    ended = run_program(case, "leave")
    expect.observed(ended.how)
    expect.true("the program has ended by itself", "did not end" not in ended.how)


@covers("finalize_reference.pairs_with_init", uses=["aclInit"])
@isolated("finalises")
def test_pairs(bare, process, expect):
    """As many have to be taken back as there were initialisations; then the next one is the first."""
    process.must_init()
    repeats = [bare.aclInit(configPath=None).code for _ in range(2)]
    taken = [bare.aclFinalizeReference().code for _ in range(2)]
    expect.true("codes", (repeats, taken), ([100002, 100002], [0, 0]))
    expect.true("a device works", process.device_works())
    expect.success(bare.aclFinalizeReference())
    expect.success(bare.aclInit(configPath=None))


@covers("finalize_reference.count_out", uses=["aclInit"])
@isolated("finalises")
def test_count(bare, process, expect):
    """The count that remains is told."""
    process.must_init()
    [bare.aclInit(configPath=None) for _ in range(2)]
    told = [bare.aclFinalizeReference() for _ in range(3)]
    expect.true("codes", [result.code for result in told], [0, 0, 0])
    expect.true("counts", [result.refCount for result in told], [2, 1, 0])


@covers("finalize_reference.null_count", uses=["aclInit"])
@surfaces("c")
@isolated("finalises")
def test_no_count(bare, process, expect):
    """Nobody has to ask for the count; the process is finalised."""
    process.must_init()
    expect.success(bare.aclFinalizeReference(refCount=None))
    expect.success(bare.aclInit(configPath=None))


@covers("finalize_reference.below_zero", uses=["aclInit"])
@isolated("finalises")
def test_below_zero(bare, process, expect):
    """When none is left none can be taken back."""
    process.must_init()
    expect.success(bare.aclFinalizeReference())
    expect.refused(bare.aclFinalizeReference())
