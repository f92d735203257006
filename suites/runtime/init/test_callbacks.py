"""Functions that aclInit and aclFinalize call: registered, unregistered, of every type."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.runtime.init.callbacks import MODEL, OTHER, TAG, told_ran

CONFIG = {"err_msg_mode": "0"}
TEXT = b'{"err_msg_mode": "0"}'


@covers("init_callback_register.before_init")
@isolated("before aclInit")
def test_init(registrations, process, expect):
    """aclInit tells the configuration, its length and the user's pointer, once."""
    function = registrations.function("Init")
    expect.success(registrations.register("Init", function))
    process.must_init(CONFIG)
    expect.true("calls", function.calls, [(TEXT, len(TEXT), TAG)])


@covers("init_callback_register.after_init")
@isolated("before aclInit")
def test_init_is_over(registrations, process, expect):
    """A function that comes too late is called at once."""
    process.must_init()
    function = registrations.function("Init")
    expect.success(registrations.register("Init", function))
    expect.true("number of calls", len(function.calls), 1)


@covers("init_callback_register.types_never_fired")
@isolated("before aclInit")
def test_init_of_every_type(registrations, process, expect):
    """Which types aclInit calls; those for any purpose are among them."""
    functions = registrations.of_every_type("Init")
    process.must_init(CONFIG)
    expect.observed(told_ran(functions))
    expect.true("calls of the function for any purpose", len(functions[OTHER].calls), 1)


@covers("init_callback_register.failing_callback")
@isolated("before aclInit")
def test_init_fails(registrations, process, expect):
    """Initialising fails when a function does."""
    registrations.registered("Init", answer=500001)
    expect.refused(process.init())


@covers("init_callback_register.duplicate_type")
@isolated("before aclInit")
def test_type_twice(registrations, expect):
    """A type has one function."""
    first = registrations.register("Init", registrations.function("Init"), MODEL)
    second = registrations.register("Init", registrations.function("Init"), MODEL)
    expect.true("the first is taken", first.code, 0)
    expect.refused(second)


@covers("init_callback_register.duplicate_type")
@isolated("before aclInit")
def test_any_purpose_twice(registrations, process, expect):
    """Several functions can be there for any purpose, and all are called."""
    first, second = registrations.registered("Init"), registrations.registered("Init")
    process.must_init()
    expect.true("numbers of calls", (len(first.calls), len(second.calls)), (1, 1))


@covers("init_callback_un_register.stops_calls")
@isolated("before aclInit")
def test_init_unregistered(registrations, process, expect):
    """A function that was unregistered is not called by aclInit; another one is."""
    function, kept = registrations.registered("Init"), registrations.registered("Init")
    expect.success(registrations.unregister("Init", function))
    process.must_init()
    expect.true("calls of both", (len(function.calls), len(kept.calls)), (0, 1))


@covers("init_callback_un_register.unknown")
@isolated("before aclInit")
def test_init_unknown(registrations, expect):
    """A function that was never registered cannot be unregistered."""
    expect.refused(registrations.unregister("Init", registrations.function("Init")))


@covers("finalize_callback_register.fires_on_finalize", uses=["aclInit", "aclFinalize"])
@isolated("finalises")
def test_finalise(bare, registrations, process, expect):
    """aclFinalize tells the user's pointer, once."""
    function = registrations.function("Finalize")
    expect.success(registrations.register("Finalize", function))
    process.must_init()
    expect.true("calls before", function.calls, [])
    expect.success(bare.aclFinalize())
    expect.true("calls", function.calls, [(TAG,)])


@covers("finalize_callback_register.types_never_fired", uses=["aclInit", "aclFinalize"])
@isolated("finalises")
def test_finalise_of_every_type(bare, registrations, process, expect):
    """Which types aclFinalize calls; those for any purpose are among them."""
    functions = registrations.of_every_type("Finalize")
    process.must_init()
    expect.success(bare.aclFinalize())
    expect.observed(told_ran(functions))
    expect.true("calls of the function for any purpose", len(functions[OTHER].calls), 1)


@covers("finalize_callback_register.persists", uses=["aclInit", "aclFinalize"])
@isolated("finalises")
def test_finalise_twice(bare, registrations, process, expect):
    """A function stays registered when the process is initialised again."""
    function = registrations.registered("Finalize")
    process.must_init()
    expect.success(bare.aclFinalize())
    process.must_init()
    expect.success(bare.aclFinalize())
    expect.true("number of calls", len(function.calls), 2)


@covers("finalize_callback_register.reference_fires_at_zero", uses=["aclInit", "aclFinalizeReference"])
@isolated("finalises")
def test_finalise_by_reference(bare, registrations, process, expect):
    """A function is called when the last initialisation is taken back."""
    function = registrations.registered("Finalize")
    process.must_init()
    bare.aclInit(configPath=None)
    expect.success(bare.aclFinalizeReference())
    expect.true("calls while one is left", function.calls, [])
    expect.success(bare.aclFinalizeReference())
    expect.true("number of calls", len(function.calls), 1)


@covers("finalize_callback_un_register.stops_calls", uses=["aclInit", "aclFinalize"])
@isolated("finalises")
def test_finalise_unregistered(bare, registrations, process, expect):
    """A function that was unregistered is not called by aclFinalize; another one is."""
    function, kept = registrations.registered("Finalize"), registrations.registered("Finalize")
    expect.success(registrations.unregister("Finalize", function))
    process.must_init()
    expect.success(bare.aclFinalize())
    expect.true("calls of both", (len(function.calls), len(kept.calls)), (0, 1))


@covers("finalize_callback_un_register.unknown")
@isolated("before aclInit")
def test_finalise_unknown(registrations, expect):
    """A function that was never registered cannot be unregistered."""
    expect.refused(registrations.unregister("Finalize", registrations.function("Finalize")))
