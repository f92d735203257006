"""`aclcts bench`: what it prints and writes, its exit statuses, and one line for every bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli import main
from harness.results import BenchmarkRecord, Store, read_run
from tests.results.test_store import header

CHEAP = ("bench", "run", "--quick", "--target", "reference", "--sku", "910b", "--sizes", "4096,65536")


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


def written(folder: Path, *factors: float, **fields: object) -> Path:
    with Store(folder, header()) as store:
        for number, factor in enumerate(factors):
            store.append(
                BenchmarkRecord(
                    id=f"910b-EP/x/{number}",
                    series="x",
                    quantity="latency",
                    api="aclrtMemcpy",
                    product="910b",
                    form="EP",
                    cann="9.0",
                    raw=[1e-3 * factor * (1 + 1e-4 * (n % 7)) for n in range(40)],
                    **fields,  # type: ignore[arg-type]
                )
            )
        store.finish(0)
    return folder


def test_a_run_prints_its_seed_and_writes_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = "link=20e9,latency=1e-5"
    words = (
        *CHEAP,
        "--series",
        "h2d-pinned-async",
        "--seed",
        "5",
        "--timing",
        model,
        "--results",
        str(tmp_path),
    )
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "shuffled with seed 5" in said
    assert "virtual clock of the timing model" in said
    run = read_run(tmp_path)
    assert run.header.seed == 5
    assert run.header.options["timing"] == {"link": 20e9, "latency": 1e-5}
    assert {record.size for record in run.benchmarks} == {4096, 65536}
    assert all(record.share is not None for record in run.benchmarks)
    assert run.footer is not None


def test_records_as_json_and_the_series_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--series", "clock", "--results", str(tmp_path), "--json")
    assert main((*CHEAP, *words)) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["series"] == "clock"
    assert record["samples"]["median"]["low"] > 0
    assert main((*CHEAP, *words, "--list")) == 0
    assert json.loads(capsys.readouterr().out) == ["clock"]


def test_all_devices_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--together", "--timing", "link=20e9,latency=1e-5", "--results", str(tmp_path))
    assert main((*CHEAP, *words)) == 0
    assert "fairness 1.000" in capsys.readouterr().out
    assert [record.series for record in read_run(tmp_path).benchmarks] == [
        "all-devices-h2d",
        "all-devices-d2h",
    ]


@pytest.mark.parametrize(
    ("old", "new", "status", "outcome"),
    [
        ((1.0,), (1.0,), 0, "SAME"),
        ((1.0, 1.0), (1.0, 1.1), 1, "SLOWER"),
        ((1.0,), (float("nan"),), 5, "NO-DATA"),
        ((1.0, 1.0), (1.0,), 5, "NO-DATA"),
        ((1.0,), (0.9,), 6, "FASTER"),
    ],
)
def test_the_exit_status_of_a_comparison_tells_the_outcome(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: tuple[float, ...],
    new: tuple[float, ...],
    status: int,
    outcome: str,
) -> None:
    folders = str(written(tmp_path / "old", *old)), str(written(tmp_path / "new", *new))
    assert main(("bench", "compare", *folders)) == status
    assert outcome in capsys.readouterr().out
    assert main(("bench", "compare", *folders, "--json")) == status
    told = json.loads(capsys.readouterr().out)
    assert told["counts"][outcome] == 1
    assert {each["outcome"] for each in told["comparisons"]} >= {outcome}


def test_other_environments_are_ambiguous(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (
        written(tmp_path / "old", 1.0, environment="a"),
        written(tmp_path / "new", 1.1, environment="b"),
    )
    assert main(("bench", "compare", str(old), str(new))) == 4
    assert "different environments" in capsys.readouterr().out


def test_a_rerun_may_take_slower_back(tmp_path: Path) -> None:
    names = (("old", 1.0), ("new", 1.1), ("again", 1.0), ("slow", 1.1))
    old, new, again, slow = (str(written(tmp_path / name, factor)) for name, factor in names)
    assert main(("bench", "compare", old, new, "--rerun", slow)) == 1
    assert main(("bench", "compare", old, new, "--rerun", again)) == 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "--sizes", "a"), "--sizes: 'a' is neither a number of sizes (1 to 64) nor a list of bytes"),
        (("run", "--sizes", "0"), "--sizes: '0'"),
        (("run", "--sizes", "4096"), "--sizes: '4096'"),
        (("run", "--timing", "speed=1"), "--timing: 'speed=1' is no KEY=VALUE"),
        (("run", "--timing", "link=fast"), "--timing: 'link=fast'"),
        (("run", "--cpus", "x"), "--cpus: 'x' is no list of cores"),
        (("run", "--cpus", "0,x"), "--cpus: '0,x' is no list of cores"),
        (("run", "--cpus", "0,4000"), "--cpus: this process cannot run on core 4000"),
        (("run", "--seed", "-1"), "--seed: '-1' is not a whole number below 2**64"),
        (("calibrate", "--seed", "9" * 30), "--seed: '" + "9" * 30 + "' is not a whole number below 2**64"),
        (("run", "--series", "nothing"), "no series matches 'nothing'"),
        (("run", "--model", "nowhere.om"), "--model: there is no file nowhere.om"),
        (("run", "--sku", "911"), "--sku: no product '911'"),
        (("compare", "nowhere", "nowhere"), "nowhere: cannot be read"),
        (("compare", "nowhere", "nowhere", "--threshold", "0"), "--threshold: 0 is not between"),
        (("calibrate", "--runs", "0"), "--runs: 0 is not between 1 and 1000"),
    ],
)
def test_bad_input_is_one_line(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    more = ("--results", str(tmp_path / "out")) if words[0] == "run" else ()
    assert main(("bench", *words, *more)) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_results_without_benchmarks_are_no_side_of_a_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(("bench", "compare", str(written(tmp_path / "a")), str(written(tmp_path / "b", 1.0)))) == 2
    assert "holds no benchmarks" in capsys.readouterr().err


def test_it_speaks_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(written(tmp_path / "a", 1.0))
    assert main(("--lang", "zh", "bench", "compare", folder, folder)) == 0
    assert main(("--lang", "zh", "bench", "run", "--help")) == 0
    assert "测量复制与调用" in capsys.readouterr().out
