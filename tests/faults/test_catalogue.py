"""The fault catalogue: it and the reference device name the same faults, and every fault breaks a rule."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.binding import open_library
from harness.contract import load
from harness.device import find_reference
from harness.faults import FaultError, faults_of, load_faults, load_field_defects
from harness.isolation import ask_child

ROOT = Path(__file__).parents[2]
CONTRACT = load()
FAULTS = load_faults(CONTRACT)
SOURCES = sorted((ROOT / "reference/src/base/faults").glob("*.def"))
DECLARED = re.compile(r'^ACLREF_FAULT\((\w+), "(.*)"\)$', re.MULTILINE)


def test_the_catalogue_has_the_faults_of_the_source() -> None:
    declared = dict(DECLARED.findall("\n".join(source.read_text(encoding="utf-8") for source in SOURCES)))
    assert {name: fault.sentence for name, fault in FAULTS.items()} == declared


def test_the_catalogue_has_the_faults_of_the_library() -> None:
    path = find_reference()
    assert path is not None, "the reference device is not built"

    def ask() -> dict[str, str]:
        control = open_library(path).control
        return control.faults() if control else {}

    assert ask_child(ask, 60.0) == {name: fault.sentence for name, fault in FAULTS.items()}


def test_a_fault_is_obeyed_somewhere() -> None:
    """A fault that no code asks for would never be noticed."""
    code = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "reference/src").rglob("*.[ch]pp"))
    asked = set(re.findall(r"Fault::(\w+)", code))
    assert set(FAULTS) - asked == set()


def test_a_field_defect_is_named_by_its_number() -> None:
    for name, fault in FAULTS.items():
        assert all(re.fullmatch(r"B\d{2,3}", defect) for defect in fault.field), name


@pytest.mark.parametrize("defect", load_field_defects())
def test_a_field_defect_has_a_fault(defect: str) -> None:
    """What was seen in the field can be played, so that the suites are known to notice it."""
    assert [name for name, fault in FAULTS.items() if defect in fault.field]


def test_broken_field_defects_are_one_line(tmp_path: Path) -> None:
    file = tmp_path / "field_defects.json"
    file.write_text('{"B01": {"kind": "copy"}}')
    with pytest.raises(FaultError, match="missing required field `seen`"):
        load_field_defects(file)


def test_the_faults_of_a_rule_are_found() -> None:
    assert "memcpy_tail_overrun" in faults_of("memcpy.tail_untouched", FAULTS)
    assert faults_of("no.such_rule", FAULTS) == []


BROKEN = {
    "no JSON": ("{", "catalogue.json: "),
    "unknown field": (
        {"f": {"sentence": "s", "breaks": ["memcpy.h2d"], "rules": []}},
        "unknown field `rules`",
    ),
    "missing field": ({"f": {"sentence": "s"}}, "missing required field `breaks`"),
    "unknown rule": ({"f": {"sentence": "s", "breaks": ["no.rule"]}}, "fault f breaks 'no.rule', which"),
    "no rule": ({"f": {"sentence": "s", "breaks": []}}, "fault f breaks no rule"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_catalogue_is_one_line(tmp_path: Path, name: str) -> None:
    content, message = BROKEN[name]
    file = tmp_path / "catalogue.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(FaultError, match=re.escape(message)) as refusal:
        load_faults(CONTRACT, tmp_path)
    assert "\n" not in str(refusal.value)


def test_a_missing_catalogue_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match=r"none: no catalogue of faults"):
        load_faults(CONTRACT, tmp_path / "none")


def test_a_fault_stands_in_one_file(tmp_path: Path) -> None:
    entry = json.dumps({"f": {"sentence": "s", "breaks": ["memcpy.h2d"]}})
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(entry)
    with pytest.raises(FaultError, match=r"b\.json: fault f stands in another file as well"):
        load_faults(CONTRACT, tmp_path)
