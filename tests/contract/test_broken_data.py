"""Broken contract data gives one line that says where and what, from load() and from the validator."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.contract import DATA, ContractError
from harness.contract.check import check, main
from harness.contract.loading import read

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the facts with one small rule file."""
    for file in DATA.glob("*.json"):
        shutil.copy(file, tmp_path)
    (tmp_path / "rules").mkdir()
    rules = json.loads((DATA / "rules" / "memory_copy.json").read_text(encoding="utf-8"))[:40]
    write(tmp_path, rules)
    return tmp_path


def write(folder: Path, rules: list[dict[str, Any]], name: str = "copies.json") -> None:
    (folder / "rules" / name).write_text(json.dumps(rules), encoding="utf-8")


def change(folder: Path, alter: Change) -> None:
    """Alter the rule memcpy.null_dst."""
    rules = json.loads((folder / "rules" / "copies.json").read_text(encoding="utf-8"))
    alter(next(rule for rule in rules if rule["id"] == "memcpy.null_dst"))
    write(folder, rules)


def refusal(folder: Path) -> str:
    with pytest.raises(ContractError) as caught:
        read(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_copy_itself_is_sound(data: Path) -> None:
    assert len(read(data).rules) == 40
    assert list(check(data)) == []


MISTAKES: dict[str, tuple[Change, str]] = {
    "wrong type": (
        lambda rule: rule.update(normative="yes"),
        "field normative: expected bool, got str",
    ),
    "wrong list": (
        lambda rule: rule.update(products=["910b", 5]),
        "field products[1]: expected str, got int",
    ),
    "unknown field": (lambda rule: rule.update(colour="red"), "field colour: unknown field"),
    "missing field": (lambda rule: rule.pop("check"), "field check: required, but missing"),
    "unknown type": (
        lambda rule: rule.update(type="rumour"),
        "field type: invalid enum value 'rumour'",
    ),
    "unknown api": (
        lambda rule: rule.update(api="aclrtMemcpi"),
        "field api: no such function: aclrtMemcpi",
    ),
    "unknown error": (
        lambda rule: rule.update(error="ACL_ERROR_NOPE"),
        "field error: no such return code: ACL_ERROR_NOPE",
    ),
    "error without source": (
        lambda rule: rule.pop("error_from"),
        "field error_from: error and error_from come together or not at all",
    ),
    "no product": (lambda rule: rule.update(products=[]), "field products: empty, so the rule holds nowhere"),
    "unknown product": (
        lambda rule: rule.update(products=["910b", "911"]),
        "field products: no such product: 911",
    ),
    "product as text": (
        lambda rule: rule.update(products="910b"),
        "field products: invalid enum value '910b'",
    ),
    "no form": (lambda rule: rule.update(forms=[]), "field forms: empty, so the rule holds nowhere"),
    "unknown form": (lambda rule: rule.update(forms=["USB"]), "field forms: no such host form: USB"),
    "bad range": (
        lambda rule: rule.update(versions="since 8"),
        "field versions: 'since 8' is not a version range: expected all, 9.x, or comparisons such as "
        ">=8.2,<8.5",
    ),
    "bad case path": (
        lambda rule: rule.update(cases=[{"set": {"dest": None}}]),
        "field cases[0].set.dest: aclrtMemcpy has no parameter dest",
    ),
    "bad case name": (
        lambda rule: rule.update(cases=[{"set": {"kind": "ACL_MEMCPY_UP"}}]),
        "field cases[0].set.kind: no such enumerator, macro or return code: ACL_MEMCPY_UP",
    ),
    "bad case extra": (
        lambda rule: rule.update(cases=[{"set": {"dst": None}}, {"set": {"dst": "@attic"}}]),
        "field cases[1].set.dst: '@attic': nothing is known as @attic",
    ),
    "number as NULL": (
        lambda rule: rule.update(cases=[{"set": {"count": None}}]),
        "field cases[0].set.count: a size_t cannot be NULL",
    ),
    "list for a number": (
        lambda rule: rule.update(cases=[{"set": {"count": [1]}}]),
        "field cases[0].set.count: a size_t takes no list",
    ),
    "input as output": (
        lambda rule: rule.update(cases=[{"set": {"dst": None}, "outputs": {"count": 1}}]),
        "field cases[0].outputs.count: count is no output",
    ),
    "return of a code": (
        lambda rule: rule.update(cases=[{"set": {"dst": None}, "outputs": {"return": 0}}]),
        "field cases[0].outputs.return: aclrtMemcpy gives back no value",
    ),
    "empty case": (
        lambda rule: rule.update(cases=[{"set": {}}]),
        "field cases[0].set: empty: the valid call itself is the control, not a case",
    ),
    "case with data": (
        lambda rule: rule.update(cases=[{"set": {"dst": None}, "expect": "data"}]),
        "field cases[0].expect: invalid enum value 'data'",
    ),
    "hostile case": (
        lambda rule: rule.update(cases=[{"set": {"count": "__import__('os').system('true')"}}]),
        "field cases[0].set.count: \"__import__('os').system('true')\" is not an expression: unexpected '",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_rule_is_reported_with_file_rule_and_field(data: Path, name: str) -> None:
    alter, expected = MISTAKES[name]
    change(data, alter)
    line = f"copies.json: rule memcpy.null_dst: {expected}"
    if name == "hostile case":
        assert refusal(data).startswith("copies.json: rule memcpy.null_dst: field cases[0].set.count: ")
        assert any(problem.startswith(line[:60]) for problem in check(data))
    else:
        assert refusal(data) == line
        assert list(check(data)) == [line]


STYLE: dict[str, tuple[Change, str]] = {
    "foreign prefix": (
        lambda rule: rule.update(id="malloc.null_dst"),
        "rule malloc.null_dst: field id: starts with malloc, expected memcpy for aclrtMemcpy",
    ),
    "bad slug": (
        lambda rule: rule.update(id="memcpy.Null-dst"),
        "rule memcpy.Null-dst: field id: after the dot stand small letters, digits and _",
    ),
    "no slug": (
        lambda rule: rule.update(id="memcpy"),
        "rule memcpy: field id: after the dot stand small letters, digits and _",
    ),
    "empty document": (lambda rule: rule.update(doc=" "), "rule memcpy.null_dst: field doc: empty"),
    "bare untestable": (
        lambda rule: (rule.update(untestable="too hard"), rule.pop("cases", None)),
        "rule memcpy.null_dst: field untestable: say why no black box can show it",
    ),
    "tested untestable": (
        lambda rule: rule.update(untestable="nothing in the interface shows it"),
        "rule memcpy.null_dst: field untestable: a rule with cases is tested by them",
    ),
    "nowhere": (
        lambda rule: rule.update(products=["910b"], forms=["RC"]),
        "rule memcpy.null_dst: field forms: none of the rule's products has such a form, so it holds nowhere",
    ),
    "same case twice": (
        lambda rule: rule.update(cases=[{"set": {"dst": None}}] * 2),
        "rule memcpy.null_dst: field cases[1]: the same case as an earlier one",
    ),
}


@pytest.mark.parametrize("name", STYLE)
def test_the_validator_also_reports_what_a_run_would_not_notice(data: Path, name: str) -> None:
    alter, expected = STYLE[name]
    change(data, alter)
    assert list(check(data)) == [f"copies.json: {expected}"]


def test_a_duplicate_id_names_both_files(data: Path) -> None:
    rules = json.loads((data / "rules" / "copies.json").read_text(encoding="utf-8"))
    write(data, rules[:1], "more.json")
    line = f"more.json: rule {rules[0]['id']}: field id: used twice, first in copies.json"
    assert refusal(data) == line
    assert list(check(data)) == [line]


def test_two_rules_that_expect_opposite_outcomes_of_one_call_are_reported(data: Path) -> None:
    rules = json.loads((data / "rules" / "copies.json").read_text(encoding="utf-8"))
    refused = next(rule for rule in rules if rule["id"] == "memcpy.null_dst")
    welcome = {**refused, "id": "memcpy.null_dst_fine", "expect": "success"}
    write(data, [welcome], "more.json")
    assert list(check(data)) == [
        "more.json: rule memcpy.null_dst_fine: field cases: contradicts memcpy.null_dst"
    ]
    write(data, [{**welcome, "products": ["910b"]}], "more.json")
    assert len(list(check(data))) == 1
    write(data, [{**welcome, "expect": "unspecified"}], "more.json")
    assert list(check(data)) == []


def test_the_validator_reports_every_problem_and_not_just_the_first(data: Path) -> None:
    rules = json.loads((data / "rules" / "copies.json").read_text(encoding="utf-8"))
    rules[0]["normative"] = 1
    rules[3]["api"] = "aclrtNowhere"
    rules[5]["forms"] = []
    write(data, rules)
    assert [line.split(": ")[1] for line in check(data)] == [f"rule {rules[n]['id']}" for n in (0, 3, 5)]


def test_a_rule_without_an_id_is_found_by_its_number(data: Path) -> None:
    change(data, lambda rule: rule.update(id=5))
    line = refusal(data)
    assert line.startswith("copies.json: rule number ")
    assert line.endswith(": field id: expected str, got int")
    assert list(check(data)) == [line]


def test_data_that_would_break_the_line_or_the_decoder_still_gives_one_line(data: Path) -> None:
    change(data, lambda rule: rule.update(id="memcpy.null\n\x1b[31m", api="aclrtNowhere"))
    assert refusal(data) == (
        "copies.json: rule memcpy.null\\n\\x1b[31m: field api: no such function: aclrtNowhere"
    )
    text = (data / "rules" / "copies.json").read_text(encoding="utf-8")
    for value in ("[" * 100_000 + "]" * 100_000, "1e999"):
        broken = text.replace('"aclrtNowhere"', value, 1)
        (data / "rules" / "copies.json").write_text(broken, encoding="utf-8")
        assert refusal(data).startswith("copies.json: ")
        assert [line.startswith("copies.json: not valid JSON") for line in check(data)] == [True]


@pytest.mark.parametrize("content", ["", "[", '[{"id": }]', "nul", "\xff"])
def test_text_that_is_no_json_names_the_file(data: Path, content: str) -> None:
    (data / "rules" / "copies.json").write_text(content, encoding="latin-1")
    assert refusal(data).startswith("copies.json: not valid JSON: ")
    assert [line.startswith("copies.json: not valid JSON: ") for line in check(data)] == [True]


def test_a_file_of_another_shape_is_refused(data: Path) -> None:
    (data / "rules" / "copies.json").write_text('{"id": 1}', encoding="utf-8")
    assert refusal(data) == "copies.json: expected array, got object"
    assert list(check(data)) == ["copies.json: expected array, got object"]


def test_facts_are_checked_like_rules_and_name_their_entry(data: Path) -> None:
    functions = json.loads((data / "functions.json").read_text(encoding="utf-8"))
    functions["aclrtMemcpy"]["params"][0]["direction"] = "sideways"
    (data / "functions.json").write_text(json.dumps(functions), encoding="utf-8")
    line = "functions.json: aclrtMemcpy: field params[0].direction: invalid enum value 'sideways'"
    assert refusal(data) == line
    assert list(check(data)) == [line]


def test_references_between_facts_are_followed(data: Path) -> None:
    functions = json.loads((data / "functions.json").read_text(encoding="utf-8"))
    functions["aclrtMemcpy"]["replaced_by"] = "aclrtMemmove"
    functions["aclrtMemset"]["forms_unsupported"] = {"910b": ["RC"]}
    (data / "functions.json").write_text(json.dumps(functions), encoding="utf-8")
    assert list(check(data)) == [
        "functions.json: aclrtMemcpy: field replaced_by: no such function: aclrtMemmove",
        "functions.json: aclrtMemset: field forms_unsupported: 910b has no such form: RC",
    ]


def test_a_missing_file_and_a_missing_folder_are_named(data: Path) -> None:
    (data / "enums.json").unlink()
    assert refusal(data) == "enums.json: cannot be read: No such file or directory"
    assert next(check(data)) == "enums.json: cannot be read: No such file or directory"
    assert refusal(data / "nowhere").endswith("nowhere: no such folder of contract data")
    shutil.rmtree(data / "rules")
    shutil.copy(DATA / "enums.json", data)
    assert refusal(data).endswith("rules: no rule file (*.json) in it")


def test_the_command_prints_problems_and_exits_with_1(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(data)]) == 0
    assert capsys.readouterr().out == ""
    change(data, lambda rule: rule.update(doc=""))
    assert main([str(data)]) == 1
    assert capsys.readouterr().out == "copies.json: rule memcpy.null_dst: field doc: empty\n"
    assert main([str(data / "nowhere")]) == 2


def test_the_command_finds_nothing_wrong_with_the_products_own_data() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "harness.contract.check"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "")
