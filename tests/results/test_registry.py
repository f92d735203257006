"""The registry: bundles by product, an index that tells of broken ones too, and nothing hostile in it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from harness.results import ResultsError
from harness.results.archive import packed
from harness.results.registry import file_bundle, filed
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
