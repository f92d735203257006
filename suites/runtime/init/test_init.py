"""aclInit: once, again, after finalisation, from several threads; and what has to come first."""

from __future__ import annotations

from harness.plugin import covers, isolated

REPEAT = 100002


@covers("init.null_path")
@isolated("before aclInit")
def test_no_path(bare, expect):
    """Without a configuration a process is initialised."""
    expect.success(bare.aclInit(configPath=None))


@covers("init.empty_object")
@isolated("before aclInit")
def test_empty_object(process, expect):
    """A configuration that says nothing is as good as none."""
    expect.success(process.init({}))
    expect.true("a device works", process.device_works())


@covers("init.empty_string_path")
@isolated("before aclInit")
def test_empty_path(bare, expect):
    """An empty path stands for no configuration."""
    expect.success(bare.aclInit(configPath=""))


@covers("init.repeat_code")
@isolated("before aclInit")
def test_repeat(bare, process, expect):
    """A second initialisation is told to be one, and changes nothing."""
    process.must_init()
    expect.refused(bare.aclInit(configPath=None))
    expect.true("a device works", process.device_works())


@covers("init.repeat_ignores_path")
@isolated("before aclInit")
def test_repeat_with_missing_file(bare, process, expect):
    """A second initialisation does not look for its configuration."""
    process.must_init()
    result = bare.aclInit(configPath=str(process.folder / "missing.json"))
    expect.code(result, "ACL_ERROR_REPEAT_INITIALIZE")


@covers("init.same_config_each_time")
@isolated("before aclInit")
def test_repeat_with_another_configuration(process, expect):
    """What a second initialisation makes of another configuration; the first one stays in force."""
    process.must_init({"err_msg_mode": "0"})
    expect.observed(process.init({"err_msg_mode": "1"}))
    expect.true("texts in the failing thread and in another", process.error_texts(), (True, False))


@covers("init.reinit_after_finalize", uses=["aclFinalize"])
@isolated("before aclInit")
def test_after_finalisation(bare, process, expect):
    """A process can be initialised again after it was finalised."""
    process.must_init()
    expect.success(bare.aclFinalize())
    expect.success(bare.aclInit(configPath=None))
    expect.true("a device works", process.device_works())
    expect.success(bare.aclFinalize())


@covers("init.reinit_changed_config", uses=["aclFinalize"])
@isolated("before aclInit")
def test_after_finalisation_with_another_configuration(bare, process, expect):
    """After finalisation another configuration is refused."""
    process.must_init({"err_msg_mode": "0"})
    expect.success(bare.aclFinalize())
    expect.refused(process.init({"err_msg_mode": "1"}))


@covers("init.finalize_clears_count", uses=["aclFinalize"])
@isolated("before aclInit")
def test_one_finalisation(bare, process, expect):
    """One finalisation undoes several initialisations, so that the next one is the first."""
    process.must_init()
    results = [bare.aclInit(configPath=None) for _ in range(2)]
    expect.true("codes of the repeats", [result.code for result in results], [REPEAT, REPEAT])
    expect.success(bare.aclFinalize())
    expect.success(bare.aclInit(configPath=None))


@covers("init.concurrent_with_reference", uses=["aclFinalizeReference"])
@isolated("before aclInit")
def test_threads(bare, process, expect):
    """Threads may initialise and take it back at the same time; at the end nothing is left."""
    codes = process.init_and_finalise_reference(threads=8, rounds=100)
    expect.true("codes of aclInit that are not expected", codes - {0, REPEAT}, set())
    expect.true("the count is 0, so that none can be taken back", not bare.aclFinalizeReference().ok)


@covers("init.must_be_first", uses=["aclrtGetDeviceCount", "aclrtSetDevice"])
@isolated("before aclInit")
def test_calls_before(bare, expect):
    """What other functions answer before aclInit; the process lives on."""
    expect.observed(bare.aclrtGetDeviceCount())
    expect.observed(bare.aclrtSetDevice(deviceId=0))


@covers("init.ipv350_pairs", uses=["aclFinalize"])
@isolated("before aclInit")
def test_pairs(process, expect):
    """Each pair of initialisation and finalisation has a configuration of its own."""
    rounds = process.rounds({}, {"max_opqueue_num": "10000"})
    expect.true("rounds that went well", rounds, [True, True])
    expect.true("a third, malformed configuration is read", not process.init(b"{").ok)


@covers("init.ipv350_nested", uses=["aclFinalize"])
@isolated("before aclInit")
def test_nested(bare, process, expect):
    """Initialisations nest: only the first configuration counts, and the last finalisation ends it."""
    process.must_init({})
    expect.success(process.init(b"{"))
    expect.success(bare.aclFinalize())
    expect.true("a device works", process.device_works())
    expect.success(bare.aclFinalize())
    expect.true("a malformed configuration is read once the process is finalised", not process.init(b"{").ok)


@covers("init.ipv350_extra_finalize", uses=["aclFinalize"])
@isolated("before aclInit")
def test_finalisations_too_many(bare, process, expect):
    """Finalisations beyond the initialisations do no harm."""
    expect.true("codes before", [bare.aclFinalize().code for _ in range(2)], [0, 0])
    expect.success(bare.aclInit(configPath=None))
    expect.true("a device works", process.device_works())
    expect.true("codes after", [bare.aclFinalize().code for _ in range(3)], [0, 0, 0])
