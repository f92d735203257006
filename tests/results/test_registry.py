"""The registry: bundles by product, an index that tells of broken ones too, and nothing hostile in it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from harness.cli import main
from harness.results import ResultsError
from harness.results.archive import packed
from harness.results.registry import check_registry, file_bundle, filed
from reports.catalogue import LANGUAGES
from reports.registry import index_name, render_index, write_index

from .test_bundle import made, restated


def test_a_bundle_is_filed_under_its_products(tmp_path: Path) -> None:
    made(tmp_path / "b.zip")
    place = file_bundle(tmp_path / "b.zip", tmp_path / "releases")
    assert re.fullmatch(
        r"910b/20260102-030405-9\.0-reference-[0-9a-f]{8}\.zip", str(place.relative_to(tmp_path / "releases"))
    )
    assert place.read_bytes() == (tmp_path / "b.zip").read_bytes()
    (entry,) = filed(tmp_path / "releases")
    assert entry.manifest is not None
    assert (entry.product, entry.manifest.state) == ("910b", "met")


def test_a_registry_starts_in_an_empty_folder_and_is_known_by_its_index(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / ".git").mkdir()
    assert not check_registry(tmp_path / "new")
    assert not check_registry(tmp_path / "r")
    write_index([], tmp_path / "r")
    (tmp_path / "r" / "notes.txt").write_text("a registry may hold more than bundles")
    assert check_registry(tmp_path / "r")


@pytest.mark.parametrize("name", ["index.html", "notes.txt"])
def test_a_folder_of_something_else_gets_no_index(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / name).write_text("<!doctype html><title>home</title>")
    made(tmp_path / "b.zip")
    for more in ([], [str(tmp_path / "b.zip")]):
        assert main(["registry", str(tmp_path / "site"), *more]) == 2
        assert capsys.readouterr().err == (
            f"aclcts registry: {tmp_path}/site: no registry: it holds {name}; "
            "name an empty folder, a new one or a registry\n"
        )
    assert [file.name for file in (tmp_path / "site").iterdir()] == [name]
    assert (tmp_path / "site" / name).read_text() == "<!doctype html><title>home</title>"


def test_a_bundle_that_cannot_be_filed_leaves_a_registry(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_text("no bundle")
    made(tmp_path / "c.zip")
    assert main(["registry", str(tmp_path / "r"), str(tmp_path / "b.zip")]) == 2
    assert main(["registry", str(tmp_path / "r"), str(tmp_path / "c.zip")]) == 0


def test_filing_it_again_changes_nothing(tmp_path: Path) -> None:
    made(tmp_path / "b.zip")
    assert file_bundle(tmp_path / "b.zip", tmp_path / "r") == file_bundle(tmp_path / "b.zip", tmp_path / "r")
    assert len(filed(tmp_path / "r")) == 1


@pytest.mark.parametrize("products", [["../evil"], [], ["a/b"], [""]])
def test_products_that_make_no_folder_are_refused(tmp_path: Path, products: list[str]) -> None:
    made(tmp_path / "b.zip")
    restated(tmp_path / "b.zip", products=products)
    with pytest.raises(ResultsError, match="make no name of a folder"):
        file_bundle(tmp_path / "b.zip", tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_version_cannot_leave_the_folder(tmp_path: Path) -> None:
    made(tmp_path / "b.zip")
    restated(tmp_path / "b.zip", cann="../../x")
    with pytest.raises(ResultsError):
        file_bundle(tmp_path / "b.zip", tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(packed({"x": b""}))
    with pytest.raises(ResultsError, match=r"has no manifest\.json"):
        file_bundle(tmp_path / "b.zip", tmp_path / "r")
    with pytest.raises(ResultsError, match="no such folder"):
        filed(tmp_path / "r")


def test_the_index_is_there_in_every_language_and_tells_all(tmp_path: Path) -> None:
    made(tmp_path / "b.zip")
    place = file_bundle(tmp_path / "b.zip", tmp_path / "r")
    (place.parent / "broken.zip").write_text("no zip")
    write_index(filed(tmp_path / "r"), tmp_path / "r")
    for language in LANGUAGES:
        page = (tmp_path / "r" / index_name(language)).read_text(encoding="utf-8")
        assert f'<html lang="{language}">' in page
        assert f'href="910b/{place.name}"' in page
        assert "not a bundle" in page
        assert "<script" not in page


def test_a_bundle_of_the_reference_device_is_marked(tmp_path: Path) -> None:
    """Beside bundles of hardware it must not be taken for one."""
    made(tmp_path / "b.zip")
    file_bundle(tmp_path / "b.zip", tmp_path / "r")
    (entry,) = filed(tmp_path / "r")
    assert entry.manifest is not None
    assert "REFERENCE DEVICE" in render_index([entry], "en")
    entry.manifest.target = msgspec.structs.replace(entry.manifest.target, kind="cann")
    assert "REFERENCE DEVICE" not in render_index([entry], "en")


@pytest.mark.parametrize(("language", "told"), [("en", "not met"), ("zh", "不满足")])
def test_the_state_is_told_in_the_readers_language(tmp_path: Path, language: str, told: str) -> None:
    made(tmp_path / "b.zip")
    file_bundle(tmp_path / "b.zip", tmp_path / "r")
    (entry,) = filed(tmp_path / "r")
    assert entry.manifest is not None
    entry.manifest.state = "not met"
    assert f"✗ {told}" in render_index([entry], language)
    entry.manifest.state = "<b>"
    assert "? &lt;b&gt;" in render_index([entry], language)


def test_an_empty_registry_says_so(tmp_path: Path) -> None:
    assert "No bundle is filed here yet." in render_index(filed(tmp_path), "en")


def test_what_a_manifest_says_is_escaped(tmp_path: Path) -> None:
    made(tmp_path / "b.zip")
    file_bundle(tmp_path / "b.zip", tmp_path / "r")
    (entry,) = filed(tmp_path / "r")
    assert entry.manifest is not None
    entry.manifest.driver = "<script>alert(1)</script>\x1b[31m"
    entry.manifest.target = msgspec.structs.replace(entry.manifest.target, label="</td><b>")
    page = render_index([entry], "en")
    assert "<script>alert" not in page
    assert "</td><b>" not in page
    assert "\x1b" not in page
