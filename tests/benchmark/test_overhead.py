"""What the measuring loop adds to a call, side by side with a loop written by hand."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from harness.benchmark.probe import Call, Plan, address_of, load_probe
from harness.binding import CSurface, open_library
from harness.device import Blocks, Target, require
from harness.isolation import ask_child
from tests.reference.toolchain import CC, run

PROGRAM = Path(__file__).parent / "programs" / "hand_loop.c"
REPEAT, ROUNDS = 2000, 60


def side_by_side(library_path: str, hand_path: Path) -> list[float]:
    """Medians of the time of a one-byte copy through the measuring loop and by hand, in nanoseconds."""
    library = open_library(library_path)
    surface = CSurface(library)
    require(surface.call("aclInit", configPath=None), "initialising")
    require(surface.call("aclrtSetDevice", deviceId=0), "setting the device")
    blocks = Blocks(surface)
    to, source = blocks.device(64).ptr, blocks.pinned(64).ptr
    kind = library.contract.value("ACL_MEMCPY_HOST_TO_DEVICE")
    hand = ctypes.CDLL(str(hand_path)).hand_loop
    hand.restype = ctypes.c_double
    hand.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint64)
    call = Call("aclrtMemcpy", address_of(library.raw("aclrtMemcpy")), (to, 1, source, 1, kind))
    plan = Plan(body=(call,), repeat=REPEAT)
    times = np.empty((ROUNDS, 2))
    for number in range(ROUNDS):
        times[number, 0] = load_probe().run(plan, 0, [False]).calls[0] * 1e9 / REPEAT
        times[number, 1] = hand(to, source, kind, REPEAT) / REPEAT
    return [float(value) for value in np.median(times, axis=0)]


def test_a_call_costs_no_more_than_in_a_loop_written_by_hand(target: Target, tmp_path: Path) -> None:
    folder, name = Path(target.path).parent, Path(target.path).name
    hand = tmp_path / "libhand.so"
    run(
        [
            CC,
            "-O2",
            "-shared",
            "-fPIC",
            PROGRAM,
            "-o",
            hand,
            f"-L{folder}",
            f"-l:{name}",
            f"-Wl,-rpath,{folder}",
        ]
    )
    through, by_hand = ask_child(lambda: side_by_side(target.path, hand), 60)
    print(f"one-byte copy: {through:.1f} ns through the loop, {by_hand:.1f} ns by hand")
    assert through <= max(1.05 * by_hand, by_hand + 10)


@pytest.mark.parametrize("arguments", [0, 1, 6, 7, 12])
def test_any_number_of_arguments_arrives_in_order(arguments: int, tmp_path: Path) -> None:
    source, library = tmp_path / "sum.c", tmp_path / "libsum.so"
    names = [f"a{number}" for number in range(arguments)]
    weighed = " + ".join(f"{number + 1} * {name}" for number, name in enumerate(names)) or "0"
    params = ", ".join(f"uint64_t {name}" for name in names) or "void"
    source.write_text(
        f"#include <stdint.h>\nint32_t weigh({params}) {{ return (int32_t)({weighed}) - 1; }}\n"
    )
    run([CC, "-O1", "-shared", "-fPIC", source, "-o", library])
    weigh = ctypes.CDLL(str(library)).weigh
    values = tuple(range(5, 5 + arguments))
    expected = sum((number + 1) * value for number, value in enumerate(values)) - 1
    # Only a call that returns 0 goes on: the sum comes back as the code of the failure.
    with pytest.raises(Exception, match=rf"weigh returned {expected} "):
        load_probe().run(Plan(body=(Call("weigh", address_of(weigh), values),)), 0, [False])
