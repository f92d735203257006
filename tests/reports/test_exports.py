"""The machine formats: each parses, counts what the records say, and lets nothing hostile through."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from harness.cli import main
from harness.contract import load
from harness.results import Call, CaseRecord, Counts, FirstCause, Run, Verdict, Waived
from harness.results.summary import judge
from reports.catalogue import LANGUAGES
from reports.exports import EXPORTS, SUFFIXES, ctrf, junit, markdown, table
from reports.synthetic import synthetic_run
from tests.results.test_store import case, header

CONTRACT = load()
RUN = synthetic_run(3_000, CONTRACT)
HOSTILE = '</script><b>"&\x1b[31mred\x1b]0;title\x07\u202e`|@team\x00\ufffe\r\n=1+1'


def worths(run: Run) -> Counter[Counts]:
    return Counter(worth for _, worth in judge(run))


def hostile_run() -> Run:
    bad = msgspec.structs.replace(
        case(1, Verdict.FAIL, HOSTILE),
        reason=HOSTILE,
        error_text=HOSTILE,
        observed=HOSTILE,
        first_cause=FirstCause(function=HOSTILE, code=1),
        calls=[Call(function=HOSTILE, args={"a": HOSTILE}, code=1)],
        rules=[HOSTILE],
    )
    waived = msgspec.structs.replace(
        case(2, Verdict.WAIVED),
        reason=HOSTILE,
        waived=Waived(
            verdict=Verdict.FAIL, pattern="*", owner="=me", reason=HOSTILE, link="l", expires="2099-01-01"
        ),
    )
    return Run(Path("r"), header(), [bad, waived])


def empty_run() -> Run:
    return Run(Path("r"), header(), [])


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize("make", [hostile_run, empty_run])
def test_nothing_of_a_terminal_or_a_direction_gets_through(name: str, make: object) -> None:
    run = hostile_run() if make is hostile_run else empty_run()
    for language in LANGUAGES:
        text = EXPORTS[name]([run], CONTRACT, language)
        assert not {"\x1b", "\x07", "\x00", "\u202e", "\x9b"} & set(text)
        text.encode()


def test_ten_megabytes_of_text_are_cut() -> None:
    huge = msgspec.structs.replace(case(1, Verdict.FAIL, "x" * 10_000_000), reason="y" * 10_000_000)
    run = Run(Path("r"), header(), [huge])
    for export in EXPORTS.values():
        assert len(export([run], CONTRACT, "en")) < 100_000


# --- JUnit -----------------------------------------------------------------------------------------------


def test_junit_counts_what_the_records_say() -> None:
    root = ElementTree.fromstring(junit([RUN], CONTRACT))
    worth = worths(RUN)
    assert int(root.attrib["tests"]) == len(RUN.cases) == len(root.findall("*/testcase"))
    assert int(root.attrib["failures"]) + int(root.attrib["errors"]) == worth[Counts.BAD]
    assert len(root.findall("*/testcase/failure")) == int(root.attrib["failures"])
    assert len(root.findall("*/testcase/error")) == int(root.attrib["errors"])
    assert len(root.findall("*/testcase/skipped")) == worth[Counts.NEUTRAL] == int(root.attrib["skipped"])
    assert [suite.attrib["name"] for suite in root] == sorted({made.profile for made in RUN.cases})
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))


def test_junit_names_each_case_once() -> None:
    root = ElementTree.fromstring(junit([RUN], CONTRACT))
    names = [entry.attrib["name"] for entry in root.iter("testcase")]
    assert sorted(names) == sorted(made.id for made in RUN.cases)


def test_junit_tells_a_failure_and_how_to_run_it_again() -> None:
    root = ElementTree.fromstring(junit([hostile_run()], CONTRACT))
    (failure,) = root.iter("failure")
    assert failure.attrib["type"] == "fail"
    assert "again: pytest" in (failure.text or "")
    assert "</script>" in (failure.text or "")
    (skipped,) = root.iter("skipped")
    assert skipped.attrib["message"].startswith("waived until 2099-01-01 by =me")


# --- CTRF ------------------------------------------------------------------------------------------------


def test_ctrf_has_what_its_specification_asks_for() -> None:
    document = json.loads(ctrf([RUN], CONTRACT))
    assert document.keys() == {"reportFormat", "specVersion", "generatedBy", "results"}
    results = document["results"]
    assert results.keys() == {"tool", "summary", "tests", "environment"}
    wanted = {"tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"}
    assert results["summary"].keys() == wanted
    assert all(type(value) is int for value in results["summary"].values())
    allowed = {
        *("id", "name", "status", "rawStatus", "duration", "suite"),
        *("filePath", "tags", "message", "trace", "extra"),
    }
    for test in results["tests"]:
        assert {"name", "status", "duration"} <= test.keys() <= allowed
        assert test["status"] in ("passed", "failed", "skipped", "pending", "other")
        assert type(test["duration"]) is int


def test_ctrf_counts_what_the_records_say() -> None:
    summary = json.loads(ctrf([RUN], CONTRACT))["results"]["summary"]
    worth = worths(RUN)
    assert summary["tests"] == len(RUN.cases)
    assert summary["failed"] == worth[Counts.BAD]
    assert summary["skipped"] == worth[Counts.NEUTRAL]
    assert summary["passed"] == worth[Counts.GOOD] + worth[Counts.REMARK]
    assert summary["stop"] > summary["start"]


def test_a_case_has_one_id_over_all_runs() -> None:
    def ids(run: Run) -> list[str]:
        return [test["id"] for test in json.loads(ctrf([run], CONTRACT))["results"]["tests"]]

    once = ids(RUN)
    assert len(set(once)) == len(RUN.cases)
    assert ids(synthetic_run(100, CONTRACT, seed=2)) == once[:100]


# --- CSV -------------------------------------------------------------------------------------------------


def rows(run: Run) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table([run], CONTRACT), newline="")))


def test_csv_has_a_line_for_each_record() -> None:
    read = rows(RUN)
    assert [row["id"] for row in read] == [made.id for made in RUN.cases]
    assert Counter(row["counts_as"] for row in read) == {
        worth.value: number for worth, number in worths(RUN).items()
    }
    assert {row["strength"] for row in read} <= {"must", "expected", "observed"}


def test_csv_holds_no_formula() -> None:
    def reason(words: str) -> CaseRecord:
        return msgspec.structs.replace(case(1, Verdict.FAIL), reason=words)

    for words in ("=1+1", "+1", "-1", "@x"):
        (row,) = rows(Run(Path("r"), header(), [reason(words)]))
        assert row["reason"] == f"'{words}"
    assert rows(hostile_run())[1]["waived_by"] == "'=me"


# --- Markdown --------------------------------------------------------------------------------------------


def test_the_summary_tells_verdict_counts_and_failures() -> None:
    told = markdown([RUN], CONTRACT)
    assert told.startswith("## ❌ Must-pass not met")
    assert "REFERENCE DEVICE" in told
    assert "### Failures" in told
    assert "pytest 'suites/" in told
    assert "必过" in markdown([RUN], CONTRACT, "zh")


def test_the_summary_stays_small() -> None:
    assert len(markdown([synthetic_run(30_000, CONTRACT)], CONTRACT)) < 60_000


def test_the_summary_holds_no_foreign_markup() -> None:
    told = markdown([hostile_run()], CONTRACT)
    table_lines = [line for line in told.splitlines() if line.startswith("| fail")]
    assert table_lines
    assert all(line.replace("\\|", "").count("|") == 5 for line in table_lines[1:])
    assert "<b>" not in told.replace("`", "\0").split("\0")[0]


def test_every_suffix_has_its_format() -> None:
    assert set(SUFFIXES.values()) == EXPORTS.keys()


def test_the_command_chooses_by_suffix_or_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for suffix in SUFFIXES:
        file = tmp_path / f"out{suffix}"
        assert main(["report", "--synthetic", "20", "-o", str(file)]) == 0
        assert file.stat().st_size > 100
    capsys.readouterr()
    assert main(["report", "--synthetic", "20", "--format", "markdown", "-o", "-", "--lang", "en"]) == 0
    assert capsys.readouterr().out.startswith("## ")
