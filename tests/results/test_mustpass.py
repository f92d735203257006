"""The must-pass lists: published as the contract has them, and what belongs on one."""

from __future__ import annotations

from pathlib import Path

from harness.contract import load
from harness.results.mustpass import LISTS, ids_of, list_name, list_text, must_pass_rules, published, stale

CONTRACT = load()


def test_the_published_lists_are_what_the_contract_says() -> None:
    """Where it fails: `python -m harness.results.mustpass`, and review the difference."""
    assert stale(CONTRACT) == []


def test_every_product_and_form_has_a_list_of_each_version() -> None:
    names = {file.name for file in LISTS.glob("*.txt")}
    assert names == published(CONTRACT).keys()
    assert {list_name(product, form, "9.0") for product, form in CONTRACT.matrix()} <= names


def test_a_list_reads_back_as_its_rules() -> None:
    rules = must_pass_rules(CONTRACT, "910b", "EP", "9.0")
    assert ids_of(list_text(rules)) == [rule.id for rule in rules]
    assert len(rules) > 1_000


def test_a_list_has_only_testable_promises_of_documents() -> None:
    listed = {rule.id for rule in must_pass_rules(CONTRACT, "910b", "EP", "9.0")}
    assert "memcpy.h2d" in listed
    for rule in CONTRACT.rules.values():
        if rule.strength != "must" or rule.untestable is not None:
            assert rule.id not in listed


def test_what_a_product_does_not_support_is_only_to_be_refused() -> None:
    for rule in must_pass_rules(CONTRACT, "310p", "EP", "9.0"):
        if not CONTRACT.supports(rule.api, "310p", "EP"):
            assert rule.type in ("product", "form"), rule.id


def test_a_changed_a_missing_and_a_leftover_list_are_stale(tmp_path: Path) -> None:
    for name, text in published(CONTRACT).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "910b-EP-9.0.txt").write_text("memcpy.h2d\n")
    (tmp_path / "A3-EP-9.0.txt").unlink()
    (tmp_path / "42-EP-9.0.txt").write_text("")
    assert stale(CONTRACT, tmp_path) == ["42-EP-9.0.txt", "910b-EP-9.0.txt", "A3-EP-9.0.txt"]
