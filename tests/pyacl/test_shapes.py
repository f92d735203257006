"""The mapping of pyACL's positions and returned values to C parameters, function by function."""

from __future__ import annotations

import re

import pytest

import harness.pyacl
from harness.contract import load
from harness.pyacl._shapes import Shape, shape_of

CHAPTERS = ("02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "24", "25")
ALL = [name for name, entry in load().pyacl.items() if entry.c is not None]
FOUNDING = [name for name in ALL if (shape_of(name).function.chapter or "").startswith(CHAPTERS)]

# Where pyACL and C call the same thing differently, by the C name.
ALIASES = {
    "allocatorDesc": {"desc"},
    "dataBuffer": {"buffer"},
    "deviceId": {"dev_id"},
    "peerDeviceId": {"peer_dev_id"},
    "startEvent": {"start"},
    "endEvent": {"end"},
    "pHost": {"ptr_host"},
    "pDevice": {"ptr_device"},
    "ptr": {"host_ptr"},
    "pid": {"pids"},
    "refCount": {"count"},
    "majorVersion": {"major"},
    "minorVersion": {"minor"},
    "patchVersion": {"patch"},
    "leastPriority": {"least"},
    "greatestPriority": {"greatest"},
    "utilizationInfo": {"info"},
    "deviceStatus": {"status"},
    "cannAttrList": {"attrs"},
    "logLevel": {"level"},
    "fmt": {"message"},
    # Profiling objects of chapter 25.
    "deviceIdList": {"device_list"},
    "profilerConfig": {"config"},
    "profSubscribeConfig": {"config"},
}


def plain(name: str) -> str:
    """A name without its spelling."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def agree(python: str, c: str) -> bool:
    """Whether a pyACL name and a C name stand for the same thing."""
    return plain(python) == plain(c) or python in ALIASES.get(c, ())


def accounted(shape: Shape) -> set[str]:
    """Every C parameter that has a position, a returned value, or follows from another."""
    fed = {item.c for item in shape.inputs if item.c is not None}
    return fed | {item.c for item in shape.outputs} | set(shape.counts)


@pytest.mark.parametrize("name", FOUNDING)
def test_positions_feed_the_parameters_they_are_named_after(name: str) -> None:
    shape = shape_of(name)
    assert [item.name for item in shape.inputs] == list(load().pyacl[name].args)
    assert [item.name for item in shape.inputs if item.c is None or not agree(item.name, item.c)] == []


@pytest.mark.parametrize("name", FOUNDING)
def test_returned_values_come_from_the_parameters_they_are_named_after(name: str) -> None:
    outputs = shape_of(name).outputs
    if load().pyacl[name].form == "tuple":
        assert [item.name for item in outputs] == list(load().pyacl[name].returns[:-1])
    assert [item.name for item in outputs if not agree(item.name, item.c)] == []


@pytest.mark.parametrize("name", FOUNDING)
def test_no_parameter_of_c_is_forgotten(name: str) -> None:
    shape = shape_of(name)
    own = {"func", "file", "line", "..."} if name == "acl.app_log" else set()
    assert {param.name for param in shape.function.params} == accounted(shape) | own


@pytest.mark.parametrize("name", ALL)
def test_every_function_can_be_made(name: str) -> None:
    shape = shape_of(name)
    function = harness.pyacl._irregular.build(harness.pyacl._runtime.runtime, shape)
    assert callable(function)


def test_every_position_of_every_function_has_a_name_in_the_contract() -> None:
    assert len(ALL) == len(load().pyacl) - 7
    assert len(FOUNDING) > 160
    assert all(len(shape_of(name).inputs) == len(load().pyacl[name].args) for name in ALL)
