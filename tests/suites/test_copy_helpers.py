"""The copy suites' own arithmetic: where windows lie, what an image must be, what a batch call is given."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.contract import load
from harness.device import Blocks
from harness.plugin import Expect, Profile, RuleViolation
from suites.memory.copy import batches, foreign, layout, planes
from suites.memory.copy.copies import Copies
from suites.memory.copy.fills import Fill, Fills, Window
from suites.memory.copy.layout import ALIGNED, BORDER, COUNTS, ODD, Plan, Transfer, spread
from suites.memory.copy.planes import GUIDE, SHAPES, PlanePlan, Shape


def gaps(offsets: list[int], counts: tuple[int, ...], size: int) -> list[int]:
    """Bytes between the windows, in front of the first and behind the last."""
    ends = [0, *(offset + count for offset, count in zip(offsets, counts, strict=True))]
    return [start - end for start, end in zip([*offsets, size], ends, strict=True)]


@pytest.mark.parametrize("skews", [ALIGNED[0], *ODD])
def test_windows_keep_their_distance(skews: tuple[int, ...]) -> None:
    offsets, size = layout.windows(COUNTS, skews)
    assert min(gaps(offsets, COUNTS, size)) >= BORDER


def test_windows_start_at_their_skew() -> None:
    offsets, _ = layout.windows((5, 5, 5, 5), (0, 3, 63))
    assert [offset % BORDER for offset in offsets] == [0, 3, 63, 0]


def test_spread_skews_source_and_target_differently() -> None:
    plan = spread(COUNTS, ODD)
    assert [transfer.count for transfer in plan.transfers] == list(COUNTS)
    assert len({(move.source - move.target) % BORDER for move in plan.transfers}) >= 8


def test_image_changes_the_windows_only() -> None:
    plan = Plan((Transfer(1, 4, 3), Transfer(0, 9, 1)), source_size=8, target_size=12)
    image = plan.image(np.full(12, 0xEE, np.uint8), np.arange(8, dtype=np.uint8))
    assert image.tolist() == [0xEE, 0xEE, 0xEE, 0xEE, 1, 2, 3, 0xEE, 0xEE, 0, 0xEE, 0xEE]


@pytest.mark.parametrize("start", range(12))
@pytest.mark.parametrize("size", [1, 3, 12])
def test_part_of_an_image_is_what_the_whole_has_there(start: int, size: int) -> None:
    plan = Plan((Transfer(1, 4, 3), Transfer(0, 9, 1)), source_size=8, target_size=12)
    before, source = np.full(12, 0xEE, np.uint8), np.arange(8, dtype=np.uint8)
    whole = plan.image(before, source)
    assert np.array_equal(plan.image(before[start:][:size], source, start), whole[start:][:size])


def test_level_windows_are_unaligned_by_the_same_distance_with_every_length() -> None:
    plan = spread(layout.LEVEL_COUNTS, layout.LEVEL)
    assert all((move.source - move.target) % BORDER == 0 and move.source % BORDER for move in plan.transfers)
    assert len({(move.source % BORDER, move.count) for move in plan.transfers}) == 12


def test_skewed_planes_start_where_they_say() -> None:
    plan = PlanePlan(GUIDE, skews=(3, 62))
    assert (plan.source_lead % BORDER, plan.target_lead % BORDER) == (3, 62)
    target = plan.image(np.full(plan.target_size, 0xEE, np.uint8), np.zeros(plan.source_size, np.uint8))
    assert int(np.flatnonzero(target == 0)[0]) == plan.target_lead


def test_image_leaves_its_input_alone() -> None:
    before = np.zeros(256, np.uint8)
    spread((7,)).image(before, np.ones(256, np.uint8))
    assert not before.any()


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (100, "byte 0 of transfer 0"),
        (104, "byte 4 of transfer 0"),
        (105, "0 bytes behind the end of transfer 0"),
        (98, "2 bytes in front of transfer 0"),
        (900, "outside every transfer"),
    ],
)
def test_place_names_the_transfer(offset: int, words: str) -> None:
    plan = Plan((Transfer(0, 100, 5),), source_size=5, target_size=1000)
    assert words in plan.place(offset)


def test_plane_image_keeps_gaps_and_tail() -> None:
    shape = Shape(width=2, height=3, spitch=3, dpitch=4)
    image = shape.image(np.full(12, 99, np.uint8), np.arange(8, dtype=np.uint8))
    assert image.tolist() == [0, 1, 99, 99, 3, 4, 99, 99, 6, 7, 99, 99]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_plane_image_fits_the_smallest_blocks(shape: Shape) -> None:
    source = np.arange(shape.source_size, dtype=np.uint32).astype(np.uint8)
    image = shape.image(np.zeros(shape.target_size, np.uint8), source)
    last_row = source[shape.spitch * (shape.height - 1) :][: shape.width]
    assert image[-shape.width :].tolist() == last_row.tolist()


def test_rows_refuse_a_plane_that_is_too_small() -> None:
    with pytest.raises(ValueError, match="need 13 bytes"):
        planes.rows(np.zeros(12, np.uint8), width=5, height=2, pitch=8)


def test_swapped_exchanges_the_pitches() -> None:
    assert GUIDE.swapped == Shape(width=100, height=50, spitch=256, dpitch=128)


def test_shapes_can_tell_the_pitches_apart() -> None:
    uneven = [shape for shape in SHAPES if shape.height > 1 and shape.spitch != shape.dpitch]
    assert {shape.spitch < shape.dpitch for shape in uneven} == {True, False}


@pytest.mark.parametrize("shape", [Shape(0, 3, 8, 8), Shape(8, 0, 8, 8)], ids=str)
def test_plane_image_of_nothing_is_what_was_there(shape: Shape) -> None:
    before = np.full(64, 7, np.uint8)
    assert shape.image(before, np.zeros(64, np.uint8)).tolist() == before.tolist()


def test_plane_plan_has_bytes_of_its_own_around_what_is_copied() -> None:
    plan = PlanePlan(Shape(width=3, height=4, spitch=10, dpitch=20))
    assert plan.source_size > 64 + 3 * 10 + 10
    assert plan.target_size > 64 + 3 * 20 + 20


def test_tight_plane_plan_has_nothing_around_its_rows() -> None:
    plan = PlanePlan(Shape(width=3, height=4, spitch=10, dpitch=20), tight=True)
    assert (plan.source_size, plan.target_size) == (3 * 10 + 3, 3 * 20 + 3)


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (64, "row 0, column 0"),
        (64 + 20 + 2, "row 1, column 2"),
        (64 + 20 + 3, "row 1, column 3, in the gap"),
        (63, "outside the plane"),
        (64 + 80, "outside the plane"),
    ],
)
def test_plane_plan_names_row_and_column(offset: int, words: str) -> None:
    plan = PlanePlan(Shape(width=3, height=4, spitch=10, dpitch=20))
    assert words in plan.place(offset)


def test_batch_arguments_agree_in_length() -> None:
    pieces = [batches.Piece(target=0x1000 + n, source=0x2000 + n, size=8 + n) for n in range(3)]
    attribute = batches.entry(batches.HOST, batches.on_device(0))
    arguments = batches.Batch(pieces, {0: attribute, 2: attribute}).arguments
    assert arguments["numBatches"] == len(arguments["dsts"]) == len(arguments["srcs"]) == 3
    assert arguments["sizes"] == arguments["destMaxs"] == [8, 9, 10]
    assert arguments["attrsIndexes"] == [0, 2]
    assert arguments["numAttrs"] == len(arguments["attrs"]) == 2


def test_batch_counts_only_the_pieces_that_are_used() -> None:
    pieces = [batches.Piece(target=n, source=n, size=8) for n in range(3)]
    arguments = batches.Batch(pieces[:2], {0: {}}, unused=pieces[2:], spare=5).arguments
    assert (arguments["numBatches"], len(arguments["sizes"])) == (2, 3)
    assert arguments["destMaxs"] == [13, 13, 13]


def test_stack_bytes_begin_with_the_command_line() -> None:
    command = Path("/proc/self/cmdline").read_bytes()
    block = foreign.stack_bytes()
    assert block.read().tobytes().startswith(command[: block.size])


def test_bytes_of_a_stack_belong_to_the_thread_that_asks() -> None:
    def written() -> list[int]:
        return foreign.thread_stack(4096).fill(7).read()[:3].tolist()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(written).result() == [7, 7, 7]


def test_shared_pages_can_be_written() -> None:
    with foreign.shared_pages(5000) as block:
        assert block.fill(9).read().tolist() == [9] * 5000


def test_mapped_file_shows_its_content() -> None:
    with foreign.mapped_file(b"abc" * 3000) as block:
        assert block.read().tobytes() == b"abc" * 3000


class Library:
    """A library in Python: copies and fills between host blocks, with one thing wrong where it is told so."""

    def __init__(self, copy: Callable[[int, int, int], int] | None = None) -> None:
        self._copy = copy or plain_copy

    def call(self, api: str, /, **args: Any) -> SimpleNamespace:
        """What the suites' helpers call."""
        code = 0
        if api == "aclrtMemcpy":
            code = self._copy(args["dst"], args["src"], args["count"])
        elif api == "aclrtMemset":
            ctypes.memset(args["devPtr"], args["value"], args["count"])
        return SimpleNamespace(api=api, code=code, ok=code == 0, name=str(code), overrun=())


def plain_copy(target: int, source: int, count: int) -> int:
    """A copy as it should be."""
    ctypes.memmove(target, source, count)
    return 0


def moves(change: Callable[[int, int, int], tuple[int, int, int]]) -> Callable[[int, int, int], int]:
    """A copy that moves something else than it was told to."""

    def copy(target: int, source: int, count: int) -> int:
        ctypes.memmove(*change(target, source, count))
        return 0

    return copy


def clears_source(target: int, source: int, count: int) -> int:
    """A copy that clears the first byte it has read."""
    plain_copy(target, source, count)
    ctypes.memset(source, 0, 1)
    return 0


def refuses(target: int, source: int, count: int) -> int:
    """A copy that refuses."""
    return 107000


def refuses_too_late(target: int, source: int, count: int) -> int:
    """A copy that refuses after it has copied."""
    plain_copy(target, source, count)
    return 107000


DEFECTS = {
    "nothing moves": lambda target, source, count: 0,
    "last byte lost": moves(lambda target, source, count: (target, source, count - 1)),
    "one byte too many": moves(lambda target, source, count: (target, source, count + 1)),
    "rounded up to 64": moves(lambda target, source, count: (target, source, -(-count // 64) * 64)),
    "rounded down to 32": moves(lambda target, source, count: (target, source, count // 32 * 32)),
    "target rounded": moves(lambda target, source, count: (target // 64 * 64, source, count)),
    "source rounded": moves(lambda target, source, count: (target, source // 64 * 64, count)),
    "byte in front": moves(lambda target, source, count: (target - 1, source - 1, count + 1)),
    "source cleared": clears_source,
    "refused": refuses,
}


def copies(library: Library, rule: str = "memcpy.h2d") -> Copies:
    """The suites' copies over a library in Python; every kind of memory is host memory."""
    contract = load()
    profile = Profile("910b", "EP", "9.0")
    case = SimpleNamespace(supports=lambda api: True, profile=profile, contract=contract)
    blocks = Blocks(library)
    memory = SimpleNamespace(of=lambda kind, size: blocks.pageable(size), supports=lambda kind: True)
    return Copies(library, case, memory, Expect([contract.rules[rule]], contract, profile))


def test_a_good_copy_satisfies_the_judge() -> None:
    made = copies(Library())
    trials = made.among(("pageable", "device"), ("device",))
    made.run("aclrtMemcpy", trials)
    made.expect_moved_alone(trials)


@pytest.mark.parametrize("defect", DEFECTS)
def test_every_defect_of_a_copy_is_noticed(defect: str) -> None:
    made = copies(Library(DEFECTS[defect]))
    trials = made.among(("pageable",), ("device",))
    made.run("aclrtMemcpy", trials)
    with pytest.raises(RuleViolation):
        made.expect_moved_alone(trials)


def test_a_trial_without_calls_shows_nothing() -> None:
    made = copies(Library())
    with pytest.raises(RuleViolation, match="made calls"):
        made.expect_moved(made.between("pageable", "device"))


def test_a_refusal_satisfies_the_judge_of_refusals() -> None:
    made = copies(Library(refuses))
    trials = made.among(("pageable",), ("device",))
    made.run("aclrtMemcpy", trials)
    made.expect_refused(trials)


@pytest.mark.parametrize("copy", [plain_copy, refuses_too_late])
def test_what_is_no_clean_refusal_is_noticed(copy: Callable[[int, int, int], int]) -> None:
    made = copies(Library(copy))
    trials = made.among(("pageable",), ("device",))
    made.run("aclrtMemcpy", trials)
    with pytest.raises(RuleViolation):
        made.expect_refused(trials)


def test_an_open_outcome_still_may_not_write_elsewhere() -> None:
    made = copies(Library(DEFECTS["one byte too many"]), "memcpy.overlap")
    trial = made.between("pageable", "device", [100])
    made.run("aclrtMemcpy", trial)
    with pytest.raises(RuleViolation) as violation:
        made.expect_only_target_changed(trial)
    assert violation.value.strength == "must"


def test_an_open_outcome_may_write_what_it_likes_into_its_target() -> None:
    made = copies(Library(DEFECTS["source rounded"]), "memcpy.overlap")
    trial = made.between("pageable", "device", [100])
    made.run("aclrtMemcpy", trial)
    made.expect_only_target_changed(trial)


def test_the_later_of_two_copies_to_one_place_must_stay() -> None:
    made = copies(Library())
    made.memory.device = lambda size: made.memory.of("device", size)
    earlier, later = made.rewriting("pageable", "pageable")
    made.run("aclrtMemcpy", [later, earlier])
    with pytest.raises(RuleViolation):
        made.expect_moved(later)


def test_fill_image_has_the_words_in_host_order() -> None:
    window = Window(offset=4, value=0x01020304, count=2, unit=4)
    block: Any = SimpleNamespace(size=16)
    image = Fill(block, (window,), np.zeros(16, np.uint8)).image
    assert image.tobytes() == bytes(4) + (0x01020304).to_bytes(4, "little") * 2 + bytes(4)


@pytest.mark.parametrize("wrong", [-1, 1])
def test_a_fill_of_another_length_is_noticed(wrong: int) -> None:
    made = copies(Library(), "memset.device_fill")
    fills = Fills(made.acl, made.case, made.memory, made.expect, made)
    fill = fills.of("device", [0x11], [7, 64])
    for window in fill.windows:
        start, count = fill.block.at(window.offset), window.count + wrong
        fill.results.append(made.acl.call("aclrtMemset", devPtr=start, value=0x11, count=count))
    with pytest.raises(RuleViolation):
        fills.expect_filled(fill)


def test_a_good_fill_satisfies_the_judge() -> None:
    made = copies(Library(), "memset.device_fill")
    fills = Fills(made.acl, made.case, made.memory, made.expect, made)
    fill = fills.of("device", [0, 0x11, 0xFF], [1, 7, 64], skew=13)
    fills.run("aclrtMemset", fill)
    fills.expect_filled(fill)
