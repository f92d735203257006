"""Tensor channels of the reference device between processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.binding import find_reference
from harness.contract import load
from suites.partners import Outfit, Partner
from suites.services.names import fresh_name

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def start() -> Iterator[Callable[[], Partner]]:
    """Starts a process with the library initialised; all end with the test."""
    path = find_reference()
    if path is None or not path.is_file():
        pytest.skip("the reference device is not built")
    made: list[Partner] = []

    def begin() -> Partner:
        made.append(Partner(Outfit(str(path), "product=910b", load())))
        return made[-1]

    yield begin
    for partner in made:
        partner.kill()


def channel(partner: Partner, name: str) -> int:
    """A channel for four messages."""
    args = {"deviceId": 0, "name": name, "capacity": 4}
    return int(partner.call("acltdtCreateChannelWithCapacity", **args).value)


def files() -> set[str]:
    """The files of channels of this user."""
    return {path.name for path in SHARED_MEMORY.glob(f"aclref-channel-{os.getuid()}-*")}


def send(partner: Partner, handle: int) -> None:
    """Send a tensor of 24 bytes."""
    address = partner.call("aclrtMallocHost", size=24).hostPtr
    partner.call("aclrtMemset", devPtr=address, maxCount=24, value=7, count=24)
    item = partner.call(
        "acltdtCreateDataItem",
        tdtType="ACL_TENSOR_DATA_TENSOR",
        dims=[2, 3],
        dimNum=2,
        dataType="ACL_FLOAT",
        data=address,
        size=24,
    ).value
    dataset = partner.call("acltdtCreateDataset").value
    assert partner.call("acltdtAddDataItem", dataset=dataset, dataItem=item).ok
    assert partner.call("acltdtSendTensor", handle=handle, dataset=dataset, timeout=1000).ok


def received(partner: Partner, handle: int, timeout: int = 1000) -> tuple[int, int]:
    """The code of a receive, and the size of the tensor's data."""
    dataset = partner.call("acltdtCreateDataset").value
    code = partner.call("acltdtReceiveTensor", handle=handle, dataset=dataset, timeout=timeout).code
    item = partner.call("acltdtGetDataItem", dataset=dataset, index=0).value
    return code, partner.call("acltdtGetDataSizeFromItem", dataItem=item).value


def test_what_one_process_sends_another_receives(start: Callable[[], Partner]) -> None:
    name, sender, receiver = fresh_name(), start(), start()
    into, out_of = channel(sender, name), channel(receiver, name)
    send(sender, into)
    assert receiver.call("acltdtQueryChannelSize", handle=out_of).size == 1
    assert received(receiver, out_of) == (0, 24)
    assert sender.call("acltdtQueryChannelSize", handle=into).size == 0


def test_messages_outlive_their_sender_while_somebody_has_the_channel(start: Callable[[], Partner]) -> None:
    name, sender, receiver = fresh_name(), start(), start()
    out_of = channel(receiver, name)
    send(sender, channel(sender, name))
    sender.kill()
    assert received(receiver, out_of) == (0, 24)


def test_the_last_process_removes_the_channel(start: Callable[[], Partner]) -> None:
    before = files()
    name, one, other = fresh_name(), start(), start()
    handles = [channel(one, name), channel(other, name)]
    assert len(files() - before) == 1
    for partner, handle in zip((one, other), handles, strict=True):
        assert partner.call("acltdtDestroyChannel", handle=handle).ok
    assert files() - before == set()


def test_a_killed_process_leaves_nothing_for_long(start: Callable[[], Partner]) -> None:
    before = files()
    killed, next_one = start(), start()
    channel(killed, fresh_name())
    killed.kill()
    handle = channel(next_one, fresh_name())
    assert len(files() - before) == 1
    assert next_one.call("acltdtDestroyChannel", handle=handle).ok


def test_messages_of_a_channel_that_everybody_left_are_gone(start: Callable[[], Partner]) -> None:
    name, sender, receiver = fresh_name(), start(), start()
    send(sender, channel(sender, name))
    sender.kill()
    code, _ = received(receiver, channel(receiver, name), timeout=0)
    assert code == load().value("ACL_ERROR_RT_QUEUE_EMPTY")
