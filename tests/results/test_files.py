"""Files are written whole, in their place; what is no plain file is written to and never replaced."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from harness.results import ResultsError
from harness.results.files import check_place, write_whole


def test_a_file_and_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "new" / "page.html"
    write_whole(file, b"first", "the report")
    write_whole(file, b"second", "the report")
    assert file.read_bytes() == b"second"
    assert os.listdir(file.parent) == ["page.html"]


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    for name, target in (("link", "old"), ("dangling", "made")):
        (tmp_path / name).symlink_to(target)
        write_whole(tmp_path / name, b"new", "the report")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / target).read_bytes() == b"new"


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, b"content", "the report")
    reader.join(10)
    assert read == [b"content"]
    assert pipe.is_fifo()


def test_a_full_device_is_one_line_and_stays(tmp_path: Path) -> None:
    # Through a link in a folder of its own: were the device replaced, only the link would go.
    device = tmp_path / "full"
    device.symlink_to("/dev/full")
    with pytest.raises(ResultsError, match=r"the report cannot be written \(No space left on device\)"):
        write_whole(device, b"content", "the report")
    assert device.is_char_device()


def test_an_open_file_is_appended_to(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as stream:
        stream.write(b"before, ")
        stream.flush()
        write_whole(Path(f"/dev/fd/{stream.fileno()}"), b"after", "the report")
    assert log.read_bytes() == b"before, after"


@pytest.mark.parametrize(
    "name", ["", "folder", "circle", "x" * 300], ids=["empty", "folder", "circle", "long"]
)
def test_what_is_no_place_for_a_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("circle").symlink_to("circle")
    with pytest.raises(ResultsError, match=r"the report cannot be written \(.+\)$"):
        write_whole(Path(name), b"content", "the report")
    assert sorted(os.listdir()) == ["circle", "folder"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("folder", "Is a directory"),
        ("file/below", "Not a directory"),
        ("circle", "Too many levels of symbolic links"),
        ("x" * 252, "File name too long"),
        ("folder/" + "x" * 300 + "/page", "File name too long"),
    ],
    ids=lambda value: value[:12],
)
def test_what_cannot_be_written_is_known_before_it_is_made(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(ResultsError) as raised:
        check_place(tmp_path / name, "the page")
    assert str(raised.value) == f"{tmp_path / name}: the page cannot be written ({why})"


def test_what_can_be_written_is_not_made_by_looking(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    for place in (tmp_path / "old", tmp_path / "new" / "deep" / "page", Path("/dev/null")):
        check_place(place, "the page")
    assert (tmp_path / "old").read_text() == "old"
    assert not (tmp_path / "new").exists()
