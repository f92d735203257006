"""One changed behaviour of the library fails exactly the tests of that promise: real suites, real faults."""

from __future__ import annotations

from pathlib import Path

from harness.contract import load
from harness.faults import load_faults, run_faults

ROOT = Path(__file__).parents[2]
NAMES = (
    "memcpy_zero_refused",
    "memcpy_self_refused",
    "memcpy_waits_for_streams",
    "memcpy2d_height_limit_high",
    "memcpy2d_width_above_pitch",
    "batch_limit_ignored",
    "descriptor_keeps_first",
    "memset_room_ignored",
    "map_offset_argument_ignored",
    "reserve_alignment_ignored",
    "unmap_of_nothing_succeeds",
    "export_twice_succeeds",
    "free_physical_while_mapped_leaks",
    "get_access_reports_read",
)


def test_a_fault_fails_exactly_the_tests_of_its_promise() -> None:
    contract = load()
    results = run_faults(
        NAMES, load_faults(contract), contract, ROOT, pytest_args=("--sku", "910b"), at_once=2
    )
    inexact = {result.name: (result.silent, result.bystanders) for result in results if not result.exact}
    assert inexact == {}
