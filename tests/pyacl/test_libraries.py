"""The same program through both surfaces, on every library there is here: the fake one, and the reference
device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import harness.pyacl
from harness.binding import CSurface, LibraryError, find_reference, open_library
from harness.pyacl import PyAclSurface


def available() -> list[str]:
    """The libraries that can be opened; the reference device only where it is built."""
    path = find_reference()
    if path is None:
        return ["fake"]
    try:
        return ["fake", "reference"] if open_library(path).exports("aclrtMemcpy") else ["fake"]
    except LibraryError:
        return ["fake"]


@pytest.fixture(params=available())
def opened(request: pytest.FixtureRequest, fake_path: Path) -> Iterator[Callable[[str], Any]]:
    """Gives a surface by its name, over a library that is initialised and finalised around the test."""
    path = fake_path if request.param == "fake" else find_reference()
    library = open_library(str(path))
    harness.pyacl.use(library)
    surfaces = {"c": CSurface(library), "pyacl": PyAclSurface(harness.pyacl, library)}
    assert surfaces["c"].aclInit(configPath=None).ok
    yield lambda name: surfaces[name]
    surfaces["c"].aclFinalizeReference()


@pytest.mark.parametrize("name", ["c", "pyacl"])
def test_a_copy_goes_to_the_device_and_back(opened: Callable[[str], Any], name: str) -> None:
    surface = opened(name)
    sent, back = np.arange(64, dtype=np.uint8), np.zeros(64, dtype=np.uint8)
    assert surface.aclrtSetDevice(deviceId=0).ok
    block = surface.aclrtMalloc(size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST").devPtr
    to, fro = "ACL_MEMCPY_HOST_TO_DEVICE", "ACL_MEMCPY_DEVICE_TO_HOST"
    assert surface.aclrtMemcpy(dst=block, destMax=64, src=sent, count=64, kind=to).ok
    assert surface.aclrtMemcpy(dst=back, destMax=64, src=block, count=64, kind=fro).ok
    assert back.tolist() == sent.tolist()
    assert surface.aclrtFree(devPtr=block).ok


@pytest.mark.parametrize("name", ["c", "pyacl"])
def test_a_refusal_is_told_the_same_way(opened: Callable[[str], Any], name: str) -> None:
    surface = opened(name)
    assert surface.aclrtSetDevice(deviceId=0).ok
    result = surface.aclrtMemcpy(dst=b"abcd", destMax=2, src=b"efgh", count=4, kind="ACL_MEMCPY_HOST_TO_HOST")
    assert (result.ok, result.outputs) == (False, {})


@pytest.mark.parametrize("name", ["c", "pyacl"])
def test_counts_agree(opened: Callable[[str], Any], name: str) -> None:
    count = opened(name).aclrtGetDeviceCount().count
    assert count == opened("c").aclrtGetDeviceCount().count >= 1
