"""Limits of cores: the hardware's, the process's, a stream's, and which of them holds in a thread."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.runtime.init.cores import CUBE

THREAD = "aclrtGetResInCurrentThread"
OF_DEVICE = "aclrtGetDeviceResLimit"
OF_STREAM = "aclrtGetStreamResLimit"
USE = "aclrtUseStreamResInCurrentThread"
SET_STREAM = "aclrtSetStreamResLimit"


@covers("set_device_res_limit.last_wins", uses=[OF_DEVICE])
def test_device_last_counts(cores, expect):
    """Of two limits of a device the later one counts."""
    cores.two()
    expect.success(cores.limit_device(2))
    expect.success(cores.limit_device(1))
    expect.true("the limit", cores.of_device(), 1)


@covers("set_device_res_limit.last_wins", uses=[OF_DEVICE])
def test_all_cores_after_fewer(cores, expect):
    """After a limit of one core, all the cores there are can be asked for."""
    cores.two()
    expect.success(cores.limit_device(1))
    expect.success(cores.limit_device(cores.default))
    expect.true("the limit", cores.of_device(), cores.default)


@covers("set_device_res_limit.after_set_device")
@isolated("before aclrtSetDevice")
def test_before_device(initialised_only, expect):
    """A device that is not set cannot be limited."""
    expect.refused(initialised_only.aclrtSetDeviceResLimit(deviceId=0, type=CUBE, value=1))


@covers("set_device_res_limit.priority", uses=[SET_STREAM, USE, THREAD, "aclrtResetDeviceResLimit"])
def test_priority(acl, cores, expect, stream):
    """A stream's limit beats the process's, and that the hardware's."""
    hardware = cores.two()
    expect.success(cores.limit_device(2))
    cores.using(stream, 1)
    expect.true("with the stream's limit", cores.of_thread(), 1)
    expect.success(acl.aclrtUnuseStreamResInCurrentThread(stream=stream))
    expect.true("with the process's limit", cores.of_thread(), 2)
    expect.success(acl.aclrtResetDeviceResLimit(deviceId=0))
    expect.true("without a limit", cores.of_thread(), hardware)


@covers("set_device_res_limit.above_hardware", uses=[OF_DEVICE])
def test_above_hardware(cores, expect):
    """A limit above the number of cores is refused, and there is none afterwards."""
    expect.refused(cores.limit_device(cores.default + 1))
    expect.true("the limit", cores.of_device(), cores.default)


@covers("set_device_res_limit.cube_means_aicore", uses=[OF_DEVICE, "aclrtGetDeviceInfo"])
def test_what_is_counted(cores, expect):
    """The first limit is about AI Cores or cube cores, as the product has them."""
    expect.true("the limit", cores.of_device(), cores.counted())


@covers("get_device_res_limit.default_hardware")
def test_default(acl, cores, expect):
    """Without a limit a device tells what it has, again and again."""
    first = expect.success(acl.aclrtGetDeviceResLimit(deviceId=0, type=CUBE))
    expect.true("there are cores", first.value > 0)
    expect.true("the limit read again", cores.of_device(), first.value)


@covers("reset_device_res_limit.restores_default", uses=["aclrtSetDeviceResLimit", OF_DEVICE])
def test_reset(acl, cores, expect):
    """Taking the limits away leaves what the hardware has, of every kind."""
    before = cores.of_kinds()
    expect.true("limits are taken", all(cores.limit_every_kind()))
    expect.true("the limit", cores.of_device(), 1)
    expect.success(acl.aclrtResetDeviceResLimit(deviceId=0))
    expect.true("the limits", cores.of_kinds(), before)


@covers("set_stream_res_limit.null_stream_default", uses=[OF_STREAM])
def test_null_stream(cores, expect, stream):
    """NULL is the default stream, and no other."""
    cores.two()
    expect.success(cores.limit_stream(None, 1))
    expect.true("the limits", (cores.of_stream(None), cores.of_stream(stream)), (1, cores.default))


@covers("set_stream_res_limit.last_wins", uses=[OF_STREAM])
def test_stream_last_counts(cores, expect, stream):
    """Of two limits of a stream the later one counts."""
    cores.two()
    expect.success(cores.limit_stream(stream, 2))
    expect.success(cores.limit_stream(stream, 1))
    expect.true("the limit", cores.of_stream(stream), 1)


@covers("set_stream_res_limit.needs_use_call", uses=[USE, THREAD])
def test_only_when_used(cores, expect, stream):
    """A stream's limit holds in a thread once that uses it."""
    cores.two()
    expect.success(cores.limit_stream(stream, 1))
    expect.true("before", cores.of_thread(), cores.default)
    expect.success(cores.use(stream))
    expect.true("after", cores.of_thread(), 1)


@covers("get_stream_res_limit.fallback", uses=[SET_STREAM, "aclrtSetDeviceResLimit"])
def test_fallback(acl, cores, expect, stream):
    """A stream without a limit has the process's, and else the hardware's."""
    result = expect.success(acl.aclrtGetStreamResLimit(stream=stream, type=CUBE))
    expect.true("without a limit", result.value, cores.two())
    expect.success(cores.limit_device(2))
    expect.true("with the process's", cores.of_stream(stream), 2)
    expect.success(cores.limit_stream(stream, 1))
    expect.true("with its own", cores.of_stream(stream), 1)


@covers("reset_stream_res_limit.restores_default", uses=[SET_STREAM, OF_STREAM])
def test_stream_reset(acl, cores, expect, stream):
    """A stream whose limit was taken away has the one it had before."""
    cores.two()
    expect.success(cores.limit_stream(stream, 1))
    expect.success(acl.aclrtResetStreamResLimit(stream=stream))
    expect.true("the limit", cores.of_stream(stream), cores.default)


@covers("reset_stream_res_limit.null_stream_default", uses=[SET_STREAM, OF_STREAM])
def test_null_stream_reset(acl, cores, expect):
    """NULL is the default stream here too."""
    cores.two()
    expect.success(cores.limit_stream(None, 1))
    expect.success(acl.aclrtResetStreamResLimit(stream=None))
    expect.true("the limit", cores.of_stream(None), cores.default)


@covers("use_stream_res_in_current_thread.last_wins", uses=[SET_STREAM, THREAD])
def test_use_last_counts(cores, expect, stream, other_stream):
    """Of two streams the one that was used last counts."""
    cores.two()
    cores.using(stream, 1)
    expect.success(cores.limit_stream(other_stream, 2))
    expect.success(cores.use(other_stream))
    expect.true("the limit", cores.of_thread(), 2)


@covers("use_stream_res_in_current_thread.thread_local", uses=[SET_STREAM, THREAD])
def test_other_threads(cores, expect, stream):
    """What one thread uses means nothing for another."""
    cores.two()
    expect.success(cores.limit_stream(stream, 1))
    expect.success(cores.use(stream))
    expect.true("here and elsewhere", (cores.of_thread(), cores.of_another_thread()), (1, cores.default))


@covers("use_stream_res_in_current_thread.requires_limit_first", uses=[THREAD])
def test_use_without_limit(cores, expect, stream):
    """What comes of using a stream without a limit."""
    expect.observed(cores.use(stream))
    expect.observed(f"the thread reads {cores.of_thread()} of {cores.default}")


@covers("unuse_stream_res_in_current_thread.removes", uses=[SET_STREAM, USE, THREAD])
def test_unuse(acl, cores, expect, stream):
    """A thread that uses a stream's limit no longer has the process's again."""
    cores.two()
    cores.using(stream, 1)
    expect.true("while it is used", cores.of_thread(), 1)
    expect.success(acl.aclrtUnuseStreamResInCurrentThread(stream=stream))
    expect.true("afterwards", cores.of_thread(), cores.default)


@covers("unuse_stream_res_in_current_thread.not_in_use")
def test_unuse_unused(acl, expect, stream):
    """A stream whose limit is not used can be told so."""
    expect.success(acl.aclrtUnuseStreamResInCurrentThread(stream=stream))
