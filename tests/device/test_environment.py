"""What a run says about its machine: read from the files of the host, nothing invented where they lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.device import fingerprint
from harness.device.environment import driver_version, links
from harness.device.target import Probe, Target


def write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def pci(address: str, **facts: str) -> dict[str, str]:
    return {f"sys/bus/pci/devices/{address}/{name}": f"{value}\n" for name, value in facts.items()}


NPU = {
    "vendor": "0x19e5",
    "class": "0x120000",
    "current_link_speed": "16.0 GT/s PCIe",
    "current_link_width": "16",
    "max_link_speed": "32.0 GT/s PCIe",
    "max_link_width": "16",
    "numa_node": "6",
}


@pytest.fixture
def target() -> Target:
    detected = Probe(soc="Ascend910B3", devices=8)
    return Target("/opt/libascendcl.so", "cann", "CANN", "ab", (), detected)


def test_an_ascend_server_tells_driver_firmware_link_and_nodes(tmp_path: Path, target: Target) -> None:
    root = write(
        tmp_path,
        {
            "usr/local/Ascend/driver/version.info": "Version=24.1.0.3\nascendhal_version=7\n",
            "usr/local/Ascend/firmware/version.info": "Version=7.5.0.1.129\n",
            "etc/os-release": 'NAME="openEuler"\nPRETTY_NAME="openEuler 22.03 LTS"\n',
            "sys/devices/system/node/node0/cpulist": "0-3",
            "sys/devices/system/node/node1/cpulist": "4-7",
            **pci("0000:c1:00.0", **NPU),
        },
    )
    facts = fingerprint(target, root)
    assert facts["driver"] == "24.1.0.3"
    assert facts["firmware"] == "7.5.0.1.129"
    assert facts["system"] == "openEuler 22.03 LTS"
    assert facts["numa_nodes"] == 2
    assert facts["links"] == ["0000:c1:00.0 16.0 GT/s x16 (of 32.0 GT/s x16), node 6"]
    assert facts["soc"] == "Ascend910B3"


def test_other_devices_of_the_vendor_and_of_others_are_no_npus(tmp_path: Path) -> None:
    network = {**NPU, "class": "0x020000"}
    other = {**NPU, "vendor": "0x10de"}
    root = write(tmp_path, {**pci("0000:01:00.0", **network), **pci("0000:02:00.0", **other)})
    assert links(root) == []


def test_a_link_in_a_virtual_machine_has_no_node(tmp_path: Path) -> None:
    root = write(tmp_path, pci("0000:c1:00.0", **{**NPU, "numa_node": "-1"}))
    assert links(root) == ["0000:c1:00.0 16.0 GT/s x16 (of 32.0 GT/s x16)"]


def test_what_is_not_there_is_left_out(tmp_path: Path, target: Target) -> None:
    facts = fingerprint(target, tmp_path)
    assert not {"driver", "firmware", "links", "system", "numa_nodes"} & facts.keys()
    assert driver_version(tmp_path) == ""
