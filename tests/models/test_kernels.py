"""Kernel binaries as files."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from harness.binding.elf import read_header
from harness.models import CompilerShelf, GivenShelf, NoModel, OwnShelf, kernels


def test_our_binary_is_an_object_of_our_machine(tmp_path: Path) -> None:
    header = read_header(OwnShelf(tmp_path).binary("kernels"))
    assert header is not None
    assert (header.bits, header.order, header.type, header.machine) == (64, "<", 1, kernels.MACHINE)


def test_symbols_lead_to_the_programs_and_variables() -> None:
    image = kernels.binary()
    parts = {name: kernel.code() for name, kernel in kernels.KERNELS.items()}
    assert symbols(image) == {**parts, **kernels.GLOBALS}


def test_parameters_begin_at_multiples_of_eight() -> None:
    assert kernels.Kernel((8, 4, 4), ()).offsets() == [0, 8, 16]


def test_a_given_binary(tmp_path: Path) -> None:
    (tmp_path / "kernels.o").write_bytes(b"binary")
    shelf = GivenShelf(tmp_path)
    assert shelf.binary("kernels").read_bytes() == b"binary"
    with pytest.raises(NoModel, match=r"has no cpu_kernels\.so"):
        shelf.binary("cpu_kernels")


def test_no_binary_is_compiled(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match=r"no kernel binary kernels\.o: --models DIR gives"):
        CompilerShelf("Ascend910B1", "9.0", tmp_path).binary("kernels")


def symbols(image: bytes) -> dict[str, bytes]:
    """What each symbol of an object leads to."""
    table_at, sections = struct.unpack_from("<Q", image, 40)[0], struct.unpack_from("<H", image, 60)[0]
    headings = [
        struct.unpack_from("<IIQQQQIIQQ", image, table_at + 64 * number) for number in range(sections)
    ]
    table = next(each for each in headings if each[1] == 2)
    texts = headings[table[6]]
    found = {}
    for at in range(table[4] + 24, table[4] + table[5], 24):
        name_at, _, _, section, value, size = struct.unpack_from("<IBBHQQ", image, at)
        name = image[texts[4] + name_at :].split(b"\0")[0].decode()
        start = headings[section][4] + value
        found[name] = image[start : start + size]
    return found
