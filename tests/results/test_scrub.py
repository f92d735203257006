"""Scrubbing: host names and folders go, what identifies a case and what reads as a ratio or a link stays."""

from __future__ import annotations

import pytest

from harness.results.scrub import Scrubber

SCRUBBER = Scrubber(["buildbox01.lab.example.com", "vm"])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("open /usr/local/Ascend/lib64/libascendcl.so: no", "open …/libascendcl.so: no"),
        ("path=/home/bob/y.c:12", "path=…/y.c:12"),
        ("on buildbox01: 5 bytes/s", "on (host): 5 bytes/s"),
        ("BuildBox01.lab.example.com said", "(host) said"),
        ("buildbox012 is another", "buildbox012 is another"),
        ("vm is too short a name", "vm is too short a name"),
        ("suites/memory/copy/test_x.py::t", "suites/memory/copy/test_x.py::t"),
        ("https://example.com/issues/7", "https://example.com/issues/7"),
        ("a/b and 1/2", "a/b and 1/2"),
        ("", ""),
    ],
)
def test_texts(text: str, left: str) -> None:
    assert SCRUBBER.text(text) == left


def test_values_keep_their_shape_and_what_identifies_them() -> None:
    value = {
        "id": "/a/b/buildbox01",
        "host": "other",
        "log": ["/a/b/c", 1, None, {"path": "/a/b/buildbox01/d"}],
        "verdict": "pass",
    }
    assert SCRUBBER.value(value) == {
        "id": "/a/b/buildbox01",
        "host": "(host)",
        "log": ["…/c", 1, None, {"path": "…/d"}],
        "verdict": "pass",
    }


def test_without_names_only_folders_go() -> None:
    assert Scrubber().text("buildbox01 /a/b") == "buildbox01 …/b"
