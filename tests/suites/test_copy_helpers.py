"""The copy suites' own arithmetic: where windows lie, what an image must be, what a batch call is given."""

from __future__ import annotations

import numpy as np
import pytest

from suites.memory.copy import batches, layout, planes
from suites.memory.copy.layout import ALIGNED, BORDER, COUNTS, ODD, Plan, Transfer, spread
from suites.memory.copy.planes import GUIDE, SHAPES, Shape


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


def test_batch_arguments_agree_in_length() -> None:
    pieces = [batches.Piece(target=0x1000 + n, source=0x2000 + n, size=8 + n) for n in range(3)]
    attribute = batches.entry(batches.HOST, batches.on_device(0))
    arguments = batches.Batch(pieces, {0: attribute, 2: attribute}).arguments
    assert arguments["numBatches"] == len(arguments["dsts"]) == len(arguments["srcs"]) == 3
    assert arguments["sizes"] == arguments["destMaxs"] == [8, 9, 10]
    assert arguments["attrsIndexes"] == [0, 2]
    assert arguments["numAttrs"] == len(arguments["attrs"]) == 2
