"""Zip files from somewhere: everything harmful is refused in one line before anything is unpacked."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.results import ResultsError
from harness.results.archive import open_archive, packed

FILES = {"a.txt": b"one\ntwo", "deep/b.txt": b""}


def written(folder: Path, content: bytes) -> Path:
    file = folder / "bundle.zip"
    file.write_bytes(content)
    return file


def test_files_come_back_whole_and_by_lines(tmp_path: Path) -> None:
    with open_archive(written(tmp_path, packed(FILES))) as archive:
        assert {name: archive.read(name) for name in archive.names} == FILES
        assert list(archive.lines("a.txt")) == [b"one\n", b"two"]
        assert list(archive.lines("deep/b.txt")) == []


def test_the_same_files_give_the_same_bytes() -> None:
    assert packed(FILES) == packed(dict(reversed(FILES.items())))


@given(content=st.binary(max_size=200), cut=st.integers(1, 50))
@settings(deadline=None, max_examples=50)
def test_lines_are_those_of_the_content(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, cut: int
) -> None:
    with open_archive(written(tmp_path_factory.mktemp("zip"), packed({"x": content}))) as archive:
        assert b"".join(archive.lines("x")) == content
        assert all(line.count(b"\n") <= 1 for line in archive.lines("x"))


def with_name(name: str) -> Callable[[zipfile.ZipFile], None]:
    return lambda file: file.writestr(zipfile.ZipInfo(name), b"x")


def with_link(file: zipfile.ZipFile) -> None:
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    file.writestr(info, "/etc/passwd")


def with_bomb(file: zipfile.ZipFile) -> None:
    file.writestr("bomb", bytes(32 << 20), zipfile.ZIP_DEFLATED)


def with_twins(file: zipfile.ZipFile) -> None:
    file.writestr("twin", b"1")
    with pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("twin", b"2")


def with_many(file: zipfile.ZipFile) -> None:
    for number in range(2_001):
        file.writestr(str(number), b"")


HARMFUL: dict[str, tuple[Callable[[zipfile.ZipFile], None], str]] = {
    "climbs out": (with_name("../evil"), "its path climbs out"),
    "climbs out deeper": (with_name("a/../../evil"), "its path climbs out"),
    "absolute": (with_name("/etc/passwd"), "its path climbs out"),
    "drive": (with_name("c:evil"), "its path climbs out"),
    "backslash": (with_name("..\\evil"), "its path climbs out"),
    "folder": (with_name("folder/"), "its path climbs out"),
    "dots": (with_name("a/./b"), "its path climbs out"),
    "control": (with_name("a\x1b[31mb"), "its path climbs out"),
    "link": (with_link, "is no plain file"),
    "bomb": (with_bomb, "a zip bomb"),
    "twins": (with_twins, "two files of one name"),
    "many": (with_many, "has 2001 files"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_harmful_archive_is_one_line(tmp_path: Path, name: str) -> None:
    make, message = HARMFUL[name]
    path = tmp_path / "bundle.zip"
    with zipfile.ZipFile(path, "w") as file:
        make(file)
    with pytest.raises(ResultsError, match=message) as refusal, open_archive(path):
        pass
    assert str(refusal.value).startswith(f"{path}: ")
    assert "\n" not in str(refusal.value)
    assert "\x1b" not in str(refusal.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["bundle.zip"]


def test_more_than_can_be_unpacked_is_refused_by_its_stated_size(tmp_path: Path) -> None:
    content = bytearray(packed({"x": b"1"}))
    at = content.rindex(b"PK\x01\x02") + 24
    content[at : at + 4] = (0xFFFFFFF0).to_bytes(4, "little")
    with pytest.raises(ResultsError, match="unpacks to"), open_archive(written(tmp_path, bytes(content))):
        pass


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04" + bytes(50), b"PK\x05\x06" + bytes(18)[:-4]])
def test_what_is_no_zip_is_one_line(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ResultsError, match="not a bundle"), open_archive(written(tmp_path, content)):
        pass


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be read"), open_archive(tmp_path / "none.zip"):
        pass
    with (
        open_archive(written(tmp_path, packed(FILES))) as archive,
        pytest.raises(ResultsError, match=r"has no c\.txt"),
    ):
        archive.read("c.txt")


def test_a_changed_byte_of_the_data_is_found(tmp_path: Path) -> None:
    content = bytearray(packed({"x": b"some words that are long enough"}))
    content[45] ^= 0xFF
    with open_archive(written(tmp_path, bytes(content))) as archive:
        with pytest.raises(ResultsError, match="x is damaged") as refusal:
            archive.read("x")
        assert "\n" not in str(refusal.value)
