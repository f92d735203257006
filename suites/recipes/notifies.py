"""Valid calls of chapters 08 to 10: notifies, counting notifies and labels."""

from __future__ import annotations

from functools import partial
from typing import Any

from suites.recipes import Bench, Call, recipe
from suites.runtime.stream.built import BuiltModel

KEY_BYTES = 65
UNLISTED = 2
"""Export flag: any process may import."""

_MOST_LABELS = 65535


def _notify(bench: Bench) -> int:
    made = int(bench.call("aclrtCreateNotify", flag=0).notify)
    bench.afterwards("aclrtDestroyNotify", notify=made)
    return made


def _queued(bench: Bench, args: dict[str, Any]) -> Call:
    """A call that puts something on a stream."""
    wait = partial(bench.case.engine.c.call, "aclrtSynchronizeStream", stream=args["stream"])
    return Call(args, settle=wait)


@recipe("aclrtCreateNotify")
def create_notify(bench: Bench) -> Call:
    """A notify."""
    return Call({"flag": 0}, undo=lambda result: bench.call("aclrtDestroyNotify", notify=result.notify))


@recipe("aclrtDestroyNotify")
def destroy_notify(bench: Bench) -> Call:
    """A notify that was never recorded."""
    left = [int(bench.call("aclrtCreateNotify", flag=0).notify)]
    bench.at_end(lambda: [bench.call("aclrtDestroyNotify", notify=one) for one in left] and None)
    return Call({"notify": left[0]}, undo=lambda result: left.clear())


@recipe("aclrtRecordNotify")
def record_notify(bench: Bench) -> Call:
    """A record nobody waits for."""
    return _queued(bench, {"notify": _notify(bench), "stream": bench.stream()})


@recipe("aclrtWaitAndResetNotify")
def wait_and_reset_notify(bench: Bench) -> Call:
    """A wait for what is recorded already."""
    notify, stream = _notify(bench), bench.stream()
    bench.call("aclrtRecordNotify", notify=notify, stream=stream)
    return _queued(bench, {"notify": notify, "stream": stream, "timeout": 0})


@recipe("aclrtGetNotifyId")
def get_notify_id(bench: Bench) -> Call:
    """A notify."""
    return Call({"notify": _notify(bench)})


@recipe("aclrtNotifyBatchReset")
def notify_batch_reset(bench: Bench) -> Call:
    """Two notifies."""
    return Call({"notifies": [_notify(bench), _notify(bench)], "num": 2})


@recipe("aclrtNotifyGetExportKey")
def notify_get_export_key(bench: Bench) -> Call:
    """A key for every process."""
    args: dict[str, Any] = {"notify": _notify(bench), "len": KEY_BYTES, "flags": UNLISTED}
    if bench.case.surface != "c":
        return Call(args)
    room = bench.memory.pageable(KEY_BYTES)
    return Call({**args, "key": room}, watch=(room,))


def _exported(bench: Bench, flags: int) -> tuple[int, str]:
    """A notify and its key."""
    notify, room = _notify(bench), bench.memory.pageable(KEY_BYTES)
    bench.call("aclrtNotifyGetExportKey", notify=notify, key=room, len=KEY_BYTES, flags=flags)
    return notify, room.read().tobytes().split(b"\0")[0].decode("ascii", "replace")


@recipe("aclrtNotifySetImportPid")
def notify_set_import_pid(bench: Bench) -> Call:
    """This process, in the list of an export."""
    notify, _ = _exported(bench, 0)
    pid = int(bench.call("aclrtDeviceGetBareTgid").pid)
    return Call({"notify": notify, "pid": [pid], "num": 1})


@recipe("aclrtNotifySetImportPidInterServer")
def notify_set_import_pid_inter_server(bench: Bench) -> Call:
    """One process of one server; only super nodes have others."""
    pid = bench.memory.pageable(8).write((1).to_bytes(8, "little"))
    args = {"notify": _notify(bench), "serverPids": [{"sdid": 0, "pid": pid.ptr, "num": 1}], "num": 1}
    return Call(args, control=False)


@recipe("aclrtNotifyImportByKey")
def notify_import_by_key(bench: Bench) -> Call:
    """A key of this process, which only another one need be able to import."""
    _, key = _exported(bench, UNLISTED)

    def undo(result: Any) -> Any:
        return bench.call("aclrtDestroyNotify", notify=result.notify)

    return Call({"key": key, "flags": 0}, undo=undo, control=False)


# Counting notifies


def _counter(bench: Bench) -> int:
    """A counting notify; memory that is none where there is no such thing."""
    if not bench.case.supports("aclrtCntNotifyCreate"):
        return bench.extra("pageable_block")
    made = int(bench.call("aclrtCntNotifyCreate", flag=0).cntNotify)
    bench.afterwards("aclrtCntNotifyDestroy", cntNotify=made)
    return made


@recipe("aclrtCntNotifyCreate")
def cnt_notify_create(bench: Bench) -> Call:
    """A counting notify."""

    def undo(result: Any) -> Any:
        return bench.call("aclrtCntNotifyDestroy", cntNotify=result.cntNotify)

    return Call({"flag": 0}, undo=undo)


@recipe("aclrtCntNotifyDestroy")
def cnt_notify_destroy(bench: Bench) -> Call:
    """A fresh counting notify."""
    if not bench.case.supports("aclrtCntNotifyCreate"):
        return Call({"cntNotify": bench.extra("pageable_block")}, control=False)
    left = [int(bench.call("aclrtCntNotifyCreate", flag=0).cntNotify)]
    bench.at_end(lambda: [bench.call("aclrtCntNotifyDestroy", cntNotify=one) for one in left] and None)
    return Call({"cntNotify": left[0]}, undo=lambda result: left.clear())


@recipe("aclrtCntNotifyRecord")
def cnt_notify_record(bench: Bench) -> Call:
    """The count becomes 5."""
    info = {"mode": 0, "value": 5}
    return _queued(bench, {"cntNotify": _counter(bench), "stream": bench.stream(), "info": info})


@recipe("aclrtCntNotifyWaitWithTimeout")
def cnt_notify_wait_with_timeout(bench: Bench) -> Call:
    """A wait for the count that is there already."""
    info = {"mode": 1, "value": 0, "timeout": 0, "isClear": 0}
    return _queued(bench, {"cntNotify": _counter(bench), "stream": bench.stream(), "info": info})


@recipe("aclrtCntNotifyReset")
def cnt_notify_reset(bench: Bench) -> Call:
    """A fresh counting notify."""
    return _queued(bench, {"cntNotify": _counter(bench), "stream": bench.stream()})


@recipe("aclrtCntNotifyGetId")
def cnt_notify_get_id(bench: Bench) -> Call:
    """A fresh counting notify."""
    return Call({"cntNotify": _counter(bench)})


# Labels


def _label(bench: Bench) -> int:
    made = int(bench.call("aclrtCreateLabel").label)
    bench.afterwards("aclrtDestroyLabel", label=made)
    return made


def _label_list(bench: Bench) -> int:
    """A list of two labels, both set."""
    labels = [_label(bench), _label(bench)]
    made = int(bench.call("aclrtCreateLabelList", labels=labels, num=2).labelList)
    bench.afterwards("aclrtDestroyLabelList", labelList=made)
    return made


@recipe("aclrtCreateLabel")
def create_label(bench: Bench) -> Call:
    """A label."""
    return Call({}, undo=lambda result: bench.call("aclrtDestroyLabel", label=result.label))


@recipe("aclrtSetLabel")
def set_label(bench: Bench) -> Call:
    """A label on a stream of a model."""
    label, model = _label(bench), BuiltModel(bench.case, bench.at_end)
    return Call({"label": label, "stream": model.stream()})


@recipe("aclrtDestroyLabel")
def destroy_label(bench: Bench) -> Call:
    """A label that was never set."""
    left = [int(bench.call("aclrtCreateLabel").label)]
    bench.at_end(lambda: [bench.call("aclrtDestroyLabel", label=one) for one in left] and None)
    return Call({"label": left[0]}, undo=lambda result: left.clear())


@recipe("aclrtCreateLabelList")
def create_label_list(bench: Bench) -> Call:
    """One label; room for one more than there may be, so that no count leads out of it."""
    label = _label(bench)
    labels = bench.memory.pageable(8 * (_MOST_LABELS + 1))
    labels.write(label.to_bytes(8, "little") * (_MOST_LABELS + 1))

    def undo(result: Any) -> Any:
        return bench.call("aclrtDestroyLabelList", labelList=result.labelList)

    return Call({"labels": labels, "num": 1}, watch=(labels,), undo=undo)


@recipe("aclrtDestroyLabelList")
def destroy_label_list(bench: Bench) -> Call:
    """A list of one label."""
    left = [int(bench.call("aclrtCreateLabelList", labels=[_label(bench)], num=1).labelList)]
    bench.at_end(lambda: [bench.call("aclrtDestroyLabelList", labelList=one) for one in left] and None)
    return Call({"labelList": left[0]}, undo=lambda result: left.clear())


@recipe("aclrtSwitchLabelByIndex")
def switch_label_by_index(bench: Bench) -> Call:
    """The first of two labels, on a stream of a model."""
    labels, model = _label_list(bench), BuiltModel(bench.case, bench.at_end)
    index = bench.memory.device(4).fill(0)
    args = {"ptr": index, "maxValue": 2, "labelList": labels, "stream": model.stream()}
    return Call(args)
