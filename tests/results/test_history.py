"""A history of runs: since when a rule fails, what is flaky, and one line for what is no history."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

from harness.cli import main
from harness.contract import load
from harness.results import CaseRecord, FirstCause, Header, ResultsError, Run, TargetInfo, Verdict
from harness.results.history import History
from reports.synthetic import synthetic_run

from .test_store import case, header

START = datetime(2026, 1, 2, tzinfo=timezone.utc)
GOOD, BAD, OPEN, BLOCKED = Verdict.PASS, Verdict.FAIL, Verdict.OBSERVED, Verdict.BLOCKED


def run_of(day: int, verdicts: Iterable[Verdict], **about: Any) -> Run:
    """The run of a day: its cases by number, each with a verdict."""
    first: Header = msgspec.structs.replace(
        header(f"run-{day}"), started=START + timedelta(days=day), products=["910b"], **about
    )
    return Run(Path("r"), first, [case(number, verdict) for number, verdict in enumerate(verdicts)])


def history(folder: Path, *runs: Run) -> History:
    made = History(folder / "history")
    for run in runs:
        assert made.add(run)
    return made


def test_a_run_is_kept_once(tmp_path: Path) -> None:
    kept = history(tmp_path, run_of(1, [GOOD, BAD]))
    assert not kept.add(run_of(1, [GOOD, BAD]))
    (told,) = kept.runs()
    assert (told.run_id, told.product, told.cases, told.good, told.bad) == ("run-1", "910b", 2, 1, 1)


def test_runs_are_told_oldest_first_whenever_they_were_added(tmp_path: Path) -> None:
    kept = history(tmp_path, run_of(3, [GOOD]), run_of(1, [GOOD]), run_of(2, [BAD]))
    assert [told.run_id for told in kept.runs()] == ["run-1", "run-2", "run-3"]


@pytest.mark.parametrize(
    ("days", "since", "held", "runs"),
    [
        ([GOOD, BAD, BAD], "run-1", "2026-01-02", 2),
        ([BAD, GOOD, BAD], "run-2", "2026-01-03", 1),
        ([BAD, BAD], "run-0", "", 2),
        ([GOOD, BAD, BLOCKED], "run-1", "2026-01-02", 1),
    ],
)
def test_since_when_a_rule_fails(
    tmp_path: Path, days: list[Verdict], since: str, held: str, runs: int
) -> None:
    kept = history(tmp_path, *(run_of(day, [verdict]) for day, verdict in enumerate(days)))
    (found,) = kept.failing()
    assert (found.rule, found.profile) == ("memcpy.h2d", "910b-EP")
    assert (found.since_run, found.held[:10], found.runs) == (since, held, runs)


def test_a_rule_that_holds_again_does_not_fail(tmp_path: Path) -> None:
    assert history(tmp_path, run_of(1, [BAD]), run_of(2, [GOOD])).failing() == []


def test_targets_are_kept_apart(tmp_path: Path) -> None:
    other = TargetInfo(kind="cann", label="CANN", path="x")
    kept = history(tmp_path, run_of(1, [BAD]), run_of(2, [GOOD], target=other))
    assert [found.target for found in kept.failing()] == ["reference device"]


def test_a_failure_has_its_first_cause(tmp_path: Path) -> None:
    run = run_of(1, [BAD])
    run.cases[0].first_cause = FirstCause(
        function="aclrtMemcpy", code=107000, name="ACL_ERROR_RT_PARAM_INVALID"
    )
    (found,) = history(tmp_path, run).failing("memcpy.*")
    assert found.code == "aclrtMemcpy: ACL_ERROR_RT_PARAM_INVALID"
    assert History(tmp_path / "history").failing("memset.*") == []


def test_a_verdict_that_changes_with_nothing_changed_is_a_flake(tmp_path: Path) -> None:
    days = [[GOOD, GOOD], [BAD, GOOD], [GOOD, GOOD]]
    kept = history(tmp_path, *(run_of(day, verdicts, seed=day) for day, verdicts in enumerate(days)))
    (flake,) = kept.flakes()
    assert flake.id == case(0).id
    assert (flake.verdicts, flake.runs, flake.changes) == (("fail", "pass"), 3, 2)


@pytest.mark.parametrize(
    "changed",
    [
        {"target": TargetInfo(kind="reference", label="reference device", path="x", sha256="other")},
        {"environment": {"driver": "25.0"}},
        {"options": {"fault": "x"}},
        {"cann": "8.0"},
    ],
    ids=["library", "driver", "options", "version"],
)
def test_a_verdict_that_changes_with_something_is_none(tmp_path: Path, changed: dict[str, Any]) -> None:
    assert history(tmp_path, run_of(1, [GOOD]), run_of(2, [BAD], **changed)).flakes() == []


def test_a_case_of_several_rules_counts_once(tmp_path: Path) -> None:
    run = run_of(1, [GOOD])
    run.cases[0].rules = ["memcpy.h2d", "memcpy.d2h"]
    kept = history(tmp_path, run)
    assert kept.runs()[0].cases == 1
    assert kept.flakes() == []


def test_names_are_never_part_of_a_query(tmp_path: Path) -> None:
    run = run_of(1, [BAD])
    run.cases = [hostile(run.cases[0])]
    kept = history(tmp_path, run)
    assert [found.rule for found in kept.failing("'; DROP*")] == ["'; DROP TABLE kept; --"]


def hostile(made: CaseRecord) -> CaseRecord:
    return msgspec.structs.replace(made, rules=["'; DROP TABLE kept; --"])


def test_many_cases_are_small(tmp_path: Path) -> None:
    """Ten thousand cases of a run take well under a megabyte."""
    kept = history(tmp_path, synthetic_run(10_000, load()))
    assert sum(told.cases for told in kept.runs()) == 10_000
    assert sum(file.stat().st_size for file in (tmp_path / "history").rglob("*.parquet")) < 1_000_000


# --- bad input and the command ---------------------------------------------------------------------------


def test_a_folder_without_a_history_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no history; add results with"):
        History(tmp_path).runs()


def test_a_broken_file_is_one_line(tmp_path: Path) -> None:
    kept = history(tmp_path, run_of(1, [GOOD]))
    (tmp_path / "history/cases/x.parquet").write_bytes(b"no parquet")
    with pytest.raises(ResultsError, match="cannot be queried") as refusal:
        kept.runs()
    assert "\n" not in str(refusal.value)


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "history").write_text("")
    with pytest.raises(ResultsError, match="the history cannot be written"):
        History(tmp_path / "history").add(run_of(1, [GOOD]))


@pytest.mark.parametrize("name", ["notes.txt", "cases/notes.txt"])
def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, name: str) -> None:
    file = tmp_path / "history" / name
    file.parent.mkdir(parents=True)
    file.write_text("")
    with pytest.raises(ResultsError, match=r"no history: it holds notes\.txt; name an empty folder"):
        History(tmp_path / "history").add(run_of(1, [GOOD]))
    assert list((tmp_path / "history").rglob("*.parquet")) == []


def test_a_history_may_have_charts_beside_it(tmp_path: Path) -> None:
    kept = history(tmp_path, run_of(1, [GOOD]))
    (tmp_path / "history" / "trend.svg").write_text("")
    assert kept.add(run_of(2, [GOOD]))


@pytest.mark.parametrize("what", ["--failing", "--benchmarks"])
def test_a_pattern_that_nothing_matches_is_no_good_news(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    history(tmp_path, run_of(1, [GOOD]))
    assert main(["history", str(tmp_path / "history"), what, "memcpy.h2x", "--lang", "en"]) == 2
    hint = "; perhaps memcpy.h2d" if what == "--failing" else ""
    assert capsys.readouterr().err == f"aclcts history: nothing here matches 'memcpy.h2x'{hint}\n"


def test_the_command_tells_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history(tmp_path, run_of(1, [GOOD, GOOD]), run_of(2, [GOOD, BAD]))
    folder = str(tmp_path / "history")
    assert main(["history", folder, "--failing", "--lang", "en"]) == 0
    assert "memcpy.h2d" in capsys.readouterr().out
    assert main(["history", folder, "--flakes", "--lang", "zh"]) == 0
    assert "fail, pass" in capsys.readouterr().out
    assert main(["history", folder, "--benchmarks", "--lang", "en"]) == 0
    assert capsys.readouterr().out == "none\n"
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    assert main(["history", folder, "--chart", str(tmp_path / "trend.svg")]) == 0
    assert (tmp_path / "trend.svg").read_text().startswith("<svg")


def test_one_run_is_no_trend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    history(tmp_path, run_of(1, [GOOD]))
    folder = str(tmp_path / "history")
    assert main(["history", folder, "--chart", str(tmp_path / "trend.svg"), "--lang", "en"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "a trend needs two runs" in said.err
    assert not (tmp_path / "trend.svg").exists()
