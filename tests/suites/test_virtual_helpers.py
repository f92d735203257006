"""The virtual memory suites' own parts: books, plans, offers, and the other processes of a case."""

from __future__ import annotations

import ctypes
import mmap
import os
import socket
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.binding import AbsentFunction
from harness.contract import load
from harness.device import DeviceError, pattern
from harness.plugin import ProcessLost
from harness.results import Verdict
from suites.memory.copy.layout import Transfer
from suites.memory.virtual import borders, sharing, space
from suites.memory.virtual.host_view import host_sees
from suites.memory.virtual.ledger import Ledger
from suites.memory.virtual.properties import GIB, GRANULE, TIB, on_device, on_host, overlaps
from suites.partner_main import Line
from suites.partners import Outfit, Partner
from suites.tracked import Tracked
from tests.fakes.runs import fake_library
from tests.fakes.surfaces import Answer, Recording


def booked(*calls: tuple[str, dict[str, Any], dict[str, int]]) -> Ledger:
    ledger = Ledger()
    for api, args, outputs in calls:
        ledger.note(api, args, Answer(api, 0, outputs))
    return ledger


RANGE = ("aclrtReserveMemAddress", {"size": 64}, {"virPtr": 1000})
MEMORY = ("aclrtMallocPhysical", {"size": 64}, {"handle": 7})
MAPPED = ("aclrtMapMem", {"virPtr": 1000, "size": 64, "handle": 7}, {})
RETAINED = ("aclrtMemRetainAllocationHandle", {"virPtr": 1000}, {"handle": 7})


def test_ledger_gives_back_in_order() -> None:
    surface = Recording()
    booked(RANGE, MEMORY, MAPPED, RETAINED).give_back(surface)
    assert surface.calls == [
        ("aclrtUnmapMem", {"virPtr": 1000}),
        ("aclrtFreePhysical", {"handle": 7}),
        ("aclrtFreePhysical", {"handle": 7}),
        ("aclrtReleaseMemAddress", {"virPtr": 1000}),
    ]


@pytest.mark.parametrize(
    ("undo", "left"),
    [
        (("aclrtUnmapMem", {"virPtr": 1000}, {}), ["aclrtFreePhysical", "aclrtReleaseMemAddress"]),
        (("aclrtFreePhysical", {"handle": 7}, {}), ["aclrtUnmapMem", "aclrtReleaseMemAddress"]),
        (("aclrtReleaseMemAddress", {"virPtr": 1000}, {}), ["aclrtUnmapMem", "aclrtFreePhysical"]),
    ],
)
def test_ledger_forgets_what_was_given_back(undo: Any, left: list[str]) -> None:
    surface = Recording()
    booked(RANGE, MEMORY, MAPPED, undo).give_back(surface)
    assert [api for api, _ in surface.calls] == left


def test_ledger_ignores_a_failed_call() -> None:
    surface = Recording()
    ledger = booked(RANGE)
    ledger.note("aclrtReleaseMemAddress", {"virPtr": 1000}, Answer(code=107000))
    ledger.note("aclrtMallocPhysical", {}, Answer(code=207001))
    ledger.give_back(surface)
    assert [api for api, _ in surface.calls] == ["aclrtReleaseMemAddress"]


def test_ledger_knows_the_pieces_of_a_second_range() -> None:
    pieces = [("aclrtMapMem", {"virPtr": 1000 + at, "size": 10, "handle": 7}, {}) for at in (0, 10, 50)]
    link = ("aclrtMemMapSelectedLink", {"virPtrSrc": 1000, "virPtrDst": 5000, "size": 20}, {})
    assert booked(*pieces, link).mappings == {1000: 10, 1010: 10, 1050: 10, 5000: 10, 5010: 10}


def test_ledger_tries_everything_and_tells_the_first_problem() -> None:
    surface = Recording("aclrtUnmapMem", "aclrtReleaseMemAddress")
    with pytest.raises(DeviceError, match="aclrtUnmapMem"):
        booked(RANGE, MEMORY, MAPPED).give_back(surface)
    assert [api for api, _ in surface.calls] == [
        "aclrtUnmapMem",
        "aclrtFreePhysical",
        "aclrtReleaseMemAddress",
    ]


def test_ledger_forgives_where_the_outcome_is_open() -> None:
    ledger = booked(RANGE, MEMORY, MAPPED)
    ledger.outcome_open()
    ledger.give_back(Recording("aclrtUnmapMem"))


def test_tracked_calls_the_spare_surface_for_what_is_lacking() -> None:
    surface, spare = Recording(lacking=("aclrtMapMem",)), Recording()
    tracked = Tracked(surface, spare, Ledger())
    tracked.aclrtMapMem(virPtr=1, size=2, offset=0, handle=3, flags=0)
    tracked.aclrtUnmapMem(virPtr=1)
    assert [api for api, _ in surface.calls] == ["aclrtUnmapMem"]
    assert [api for api, _ in spare.calls] == ["aclrtMapMem"]
    assert not tracked.has("aclrtMapMem")


def test_overlaps() -> None:
    assert overlaps([(30, 10), (0, 10), (10, 20)]) == []
    assert overlaps([(0, 11), (10, 20), (40, 1)]) == [(10, 20)]


def test_properties_are_fresh_each_time() -> None:
    first = on_device()
    first["location"]["id"] = 3
    assert on_device()["location"]["id"] == 0
    assert on_host()["location"]["type"] == "ACL_MEM_LOCATION_TYPE_HOST"


def test_places_are_apart_and_on_borders() -> None:
    places = [space.fresh_place() for _ in range(600)]
    assert all(place >= 16 * TIB and place + 8 * GIB <= 24 * TIB and place % GIB == 0 for place in places)
    assert len(set(places[:400])) == 400


def test_last_places_end_with_the_window() -> None:
    places = [space.last_place() for _ in range(600)]
    assert max(places) == 24 * TIB - GRANULE
    assert min(places) > 24 * TIB - 8 * GIB
    assert len(set(places[:400])) == 400


def test_nearest_neighbours() -> None:
    assert space.nearest([0, 100, 110, 300]) == (100, 110)


def test_granules_of_one_pattern_differ() -> None:
    data = pattern(3 * GRANULE, seed=1)
    parts = [data[at : at + GRANULE] for at in range(0, data.size, GRANULE)]
    assert not any(np.array_equal(one, other) for one, other in pairwise(parts))


def crossed(start: int, count: int) -> tuple[int, int] | None:
    """Bytes in front of and behind the border that a window crosses."""
    border = -(-(start + 1) // GRANULE) * GRANULE
    return (border - start, start + count - border) if start + count > border else None


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize(
    ("side", "at_source", "at_target"),
    [(borders.AT_SOURCE, True, False), (borders.AT_TARGET, False, True), (borders.BOTH, True, True)],
)
def test_plans_cross_by_one_byte_and_by_a_page(
    side: str, at_source: bool, at_target: bool, aligned: bool
) -> None:
    plan = borders.across_borders(side, aligned)
    wanted = [(1, 1), (4096, 4096)]
    assert [crossed(move.source, move.count) for move in plan.transfers] == [
        pair if at_source else None for pair in wanted
    ]
    assert [crossed(move.target, move.count) for move in plan.transfers] == [
        pair if at_target else None for pair in wanted
    ]


def test_plans_keep_their_windows_apart() -> None:
    first, second = borders.across_borders(borders.AT_TARGET).transfers
    assert isinstance(first, Transfer)
    assert first.target + first.count < second.target


@pytest.mark.parametrize("api", [*sharing.EXPORTS, *sharing.SET_PIDS, *sharing.IMPORTS])
def test_family_of_every_function(api: str) -> None:
    assert sharing.family(api).second == api.endswith("V2")


def test_offers_name_the_value_as_their_version_wants_it() -> None:
    first = sharing.Offer(sharing.family(sharing.IMPORTS[0]), (258).to_bytes(8, "little"))
    second = sharing.Offer(sharing.family(sharing.IMPORTS[1]), first.value)
    assert first.to_import(device=1) == {"shareableHandle": 258, "deviceId": 1}
    assert second.to_import(device=1)["shareableHandle"] == b"\x02\x01" + bytes(6)
    assert first.shifted(-3).to_admit([5, 6], 2) == {"shareableHandle": 255, "pid": [5, 6], "pidNum": 2}
    assert second.shifted(1).number == 259


def test_host_view_shows_bytes() -> None:
    text = ctypes.create_string_buffer(b"seen", 4)
    assert host_sees(ctypes.addressof(text), 4) == b"seen"


def test_host_view_of_an_address_out_of_reach() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    nowhere = libc.mmap(None, ctypes.c_size_t(4096), 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    assert host_sees(nowhere, 4096) is None


def sent(value: Any) -> Any:
    """A value after its way over a line."""
    ours, theirs = socket.socketpair()
    sender = threading.Thread(target=Line(ours).send, args=(value,))
    sender.start()
    received = Line(theirs).receive()
    sender.join()
    return received


def test_values_travel_with_their_bytes() -> None:
    value = {"a": [1, None, "x", {"b": b"\x00\xff"}], "c": True, "d": b"", "e": b"more"}
    assert sent(value) == value


def test_lines_carry_large_data() -> None:
    data = os.urandom(3_000_000)
    assert sent({"number": 2**64 - 1, "data": data}) == {"number": 2**64 - 1, "data": data}


def test_line_ends_with_the_other_side() -> None:
    ours, theirs = socket.socketpair()
    ours.close()
    with pytest.raises(EOFError):
        Line(theirs).receive()


@pytest.fixture
def start() -> Iterator[Callable[..., Partner]]:
    """`start(misbehaviour)`: another process with the fake library."""
    started: list[Partner] = []

    def make(misbehaviour: str = "", **options: Any) -> Partner:
        outfit = Outfit(str(fake_library()), "", load(), environment={"FAKE_ACL": misbehaviour}, **options)
        started.append(Partner(outfit))
        return started[-1]

    yield make
    for partner in started:
        partner.kill()


def test_partner_is_another_process_with_its_own_library(start: Callable[..., Partner]) -> None:
    first, second = start(), start()
    assert len({first.process, second.process, os.getpid()}) == 3
    address = first.call("aclrtMalloc", size=4096, policy=0).devPtr
    assert first.call("aclrtGetMemInfo", attr=1).free < second.call("aclrtGetMemInfo", attr=1).free
    block = first.view(address, 4096).write(pattern(4096, 3))
    assert np.array_equal(block.read(), pattern(4096, 3))


def test_partner_gives_memory_that_a_call_has_written(start: Callable[..., Partner]) -> None:
    partner = start()
    result = partner.call("aclrtMemcpy", dst=bytes(4), destMax=4, src=b"text", count=4, kind=0)
    assert (result.ok, result["dst"]) == (True, b"text")


def test_partner_reports_a_refused_call(start: Callable[..., Partner]) -> None:
    result = start().call("aclrtMalloc", size=0, policy=0)
    assert (result.code, result.name) == (100000, "ACL_ERROR_INVALID_PARAM")
    assert result.untouched("devPtr")


def test_partner_without_a_function(start: Callable[..., Partner]) -> None:
    partner = start()
    with pytest.raises(AbsentFunction, match="aclrtMapMem"):
        partner.call("aclrtMapMem", virPtr=1, size=2, offset=0, handle=3, flags=0)
    assert partner.call("aclrtGetDeviceCount").count == 1


def test_partner_that_crashes(start: Callable[..., Partner]) -> None:
    partner = start("segv")
    with pytest.raises(ProcessLost, match="was killed by SIGSEGV in aclrtSynchronizeStream") as lost:
        partner.call("aclrtSynchronizeStream", stream=None)
    assert lost.value.verdict is Verdict.CRASH
    partner.close()


def test_partner_that_hangs(start: Callable[..., Partner]) -> None:
    partner = start("hang", patience=2)
    with pytest.raises(ProcessLost, match=r"did not answer within 2 s in aclrtMemcpy") as lost:
        partner.call("aclrtMemcpy", dst=bytes(77), destMax=77, src=bytes(77), count=77, kind=0)
    assert lost.value.verdict is Verdict.HANG
    with pytest.raises(ProcessLookupError):
        os.kill(partner.process, 0)


def test_partner_that_is_lost_names_its_own_call(start: Callable[..., Partner], tmp_path: Path) -> None:
    partner = start("hang", patience=2, journal=tmp_path / "journal")
    source = partner.call("aclrtMalloc", size=77, policy=0).devPtr
    with pytest.raises(ProcessLost, match=r"did not answer within 2 s in aclrtMemcpy\(dst=.*count=77"):
        partner.read(source, 77)
    assert not list(tmp_path.iterdir())


def test_partner_whose_library_is_missing() -> None:
    with pytest.raises(DeviceError, match="no-such-library"):
        Partner(Outfit("/no-such-library.so", "", load()))


def test_partner_whose_device_is_missing() -> None:
    with pytest.raises(DeviceError, match="aclrtSetDevice returned 107001"):
        Partner(Outfit(str(fake_library()), "", load(), device=9))


def test_partner_leaves_without_cleaning_up(start: Callable[..., Partner]) -> None:
    partner = start()
    partner.leave()
    with pytest.raises(ProcessLookupError):
        os.kill(partner.process, 0)
    with pytest.raises(DeviceError, match="after its end"):
        partner.call("aclrtGetDeviceCount")
