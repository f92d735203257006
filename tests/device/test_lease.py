"""One device, one holder, over all processes of a host."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.device import VISIBLE_DEVICES, DeviceLease, visible_devices


def test_the_first_free_device_is_taken_and_given_back(tmp_path: Path) -> None:
    first = DeviceLease.take(["0", "1"], tmp_path)
    second = DeviceLease.take(["0", "1"], tmp_path)
    assert first is not None
    assert second is not None
    assert (first.device, second.device) == ("0", "1")
    assert DeviceLease.take(["0", "1"], tmp_path) is None
    first.release()
    first.release()
    with DeviceLease.take(["0", "1"], tmp_path) or pytest.fail("no lease") as again:
        assert again.device == "0"


def test_a_lease_ends_with_its_process(tmp_path: Path) -> None:
    read, write = os.pipe()
    holder = os.fork()
    if holder == 0:
        lease = DeviceLease.take(["0"], tmp_path)
        os.write(write, b"1" if lease else b"0")
        os.read(read, 0)
        os.kill(os.getpid(), 19)
        os._exit(0)
    assert os.read(read, 1) == b"1"
    assert DeviceLease.take(["0"], tmp_path) is None
    os.kill(holder, 9)
    os.waitpid(holder, 0)
    lease = DeviceLease.take(["0"], tmp_path)
    assert lease is not None
    lease.release()


def test_a_lock_that_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "aclcts-device-0.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="aclcts-device-0"):
        DeviceLease.take(["0"], tmp_path)


def test_the_environment_narrows_the_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VISIBLE_DEVICES, raising=False)
    assert visible_devices(3) == ["0", "1", "2"]
    monkeypatch.setenv(VISIBLE_DEVICES, "4, 7")
    assert visible_devices(8) == ["4", "7"]
