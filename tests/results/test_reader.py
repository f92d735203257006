"""Reading results files: a cut-off run stays readable, everything else wrong is one clear line."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.results import Footer, ResultsError, Store, Verdict, read_run, read_runs

from .test_store import case, header


def write_run(folder: Path, cases: int = 3) -> Path:
    store = Store(folder, header())
    for number in range(cases):
        store.append(case(number, Verdict.PASS if number else Verdict.FAIL))
    store.finish(1)
    return store.path


def test_a_folder_and_its_file_read_the_same(tmp_path: Path) -> None:
    file = write_run(tmp_path)
    assert read_run(tmp_path) == read_run(file)


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_cut_last_line_is_left_out(tmp_path: Path, cut: int) -> None:
    file = write_run(tmp_path)
    file.write_bytes(file.read_bytes()[:-cut])
    run = read_run(file)
    assert len(run.cases) == 3
    assert run.truncated is (cut > 1)
    assert run.finished is (cut == 1)


@given(cut=st.integers(min_value=0))
@settings(max_examples=60, deadline=None)
def test_a_run_cut_at_any_byte_after_its_header_reads(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    file = write_run(tmp_path_factory.mktemp("run"))
    content = file.read_bytes()
    start = content.index(b"\n") + 1
    file.write_bytes(content[: start + cut % (len(content) - start + 1)])
    run = read_run(file)
    assert [entry.id for entry in run.cases] == [case(number).id for number in range(len(run.cases))]


def test_a_broken_line_inside_is_named(tmp_path: Path) -> None:
    file = write_run(tmp_path)
    lines = file.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:40] + b"\n"
    file.write_bytes(b"".join(lines))
    with pytest.raises(ResultsError, match=r"results\.jsonl:3: broken record: ") as refusal:
        read_run(file)
    assert "\n" not in str(refusal.value)


def test_a_deleted_line_shows(tmp_path: Path) -> None:
    file = write_run(tmp_path)
    lines = file.read_bytes().splitlines(keepends=True)
    del lines[2]
    file.write_bytes(b"".join(lines))
    with pytest.raises(ResultsError, match="the footer counts 3 cases and other verdicts than the file has"):
        read_run(file)


def test_a_changed_verdict_shows(tmp_path: Path) -> None:
    file = write_run(tmp_path)
    file.write_text(file.read_text().replace('"verdict":"fail"', '"verdict":"pass"', 1))
    with pytest.raises(ResultsError, match="the footer counts 3 cases"):
        read_run(file)


BROKEN = {
    "empty": (b"", r":1: not a results file: the first line is no header"),
    "text": (b"hello\n", r":1: not a results file"),
    "binary": (bytes(range(256)), r":1: not a results file"),
    "foreign json": (
        b'{"kind": "nodeid", "schema": 1}\n',
        r":1: not a results file: it starts with a 'nodeid'",
    ),
    "other schema": (
        b'{"kind":"header","schema":2}\n',
        r":1: results of schema 2; this harness reads schema 1",
    ),
    "header without target": (b'{"kind":"header","schema":1}\n', r":1: broken record: .*`run_id`"),
    "cut header": (b'{"kind":"header","schema":1}', r":1: not a results file: the header is cut off"),
    "deep": (b"[" * 100_000 + b"\n", r":1: not a results file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_foreign_file_is_one_clear_line(tmp_path: Path, name: str) -> None:
    content, message = BROKEN[name]
    file = tmp_path / "some.jsonl"
    file.write_bytes(content)
    with pytest.raises(ResultsError, match=message) as refusal:
        read_run(file)
    assert str(refusal.value).startswith(str(file))
    assert "\n" not in str(refusal.value)


BROKEN_LINES = {
    "unknown verdict": (b'"verdict":"pass"', b'"verdict":"passed"', "Invalid enum value 'passed'"),
    "unknown field": (b'"verdict":"pass"', b'"verdict":"pass","extra":1', "unknown field `extra`"),
    "missing field": (b'"product":"910b",', b"", "missing required field `product`"),
    "wrong type": (b'"rules":["memcpy.h2d"]', b'"rules":"memcpy.h2d"', "Expected `array`"),
    "unknown kind": (b'"kind":"case"', b'"kind":"bench"', "Invalid value 'bench'"),
    "deep": (b'"verdict":"pass"', b'"verdict":' + b"[" * 100_000, "broken record"),
}


@pytest.mark.parametrize("name", BROKEN_LINES)
def test_a_record_that_does_not_fit_is_one_clear_line(tmp_path: Path, name: str) -> None:
    old, new, message = BROKEN_LINES[name]
    file = write_run(tmp_path)
    lines = file.read_bytes().splitlines(keepends=True)
    assert old in lines[2]
    lines[2] = lines[2].replace(old, new)
    file.write_bytes(b"".join(lines))
    with pytest.raises(ResultsError, match=message) as refusal:
        read_run(file)
    assert f"{file}:3:" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_case_recorded_twice_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path, header())
    store.append(case(1))
    store.append(case(1))
    store.finish(0)
    with pytest.raises(ResultsError, match=r":3: case .*test_h2d.* is recorded twice"):
        read_run(tmp_path)


def test_two_headers_are_refused(tmp_path: Path) -> None:
    file = write_run(tmp_path)
    file.write_bytes(file.read_bytes() + msgspec.json.encode(header()) + b"\n")
    with pytest.raises(ResultsError, match="a second header"):
        read_run(file)


def test_a_record_after_the_footer_is_refused(tmp_path: Path) -> None:
    file = write_run(tmp_path)
    late = Footer(finished=header().started, counts={}, exitstatus=0)
    file.write_bytes(file.read_bytes() + msgspec.json.encode(late) + b"\n")
    with pytest.raises(ResultsError, match=":6: a record after the footer"):
        read_run(file)


def test_a_line_without_an_end_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.results.reader._LONGEST_LINE", 1 << 20)
    with pytest.raises(ResultsError, match="/dev/zero: not a results file: a line of 1 MiB or more"):
        read_run("/dev/zero")


def test_a_name_that_is_too_long_is_one_clear_line() -> None:
    with pytest.raises(ResultsError, match=r"cannot be read \(File name too long\)"):
        read_run("x" * 300)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"none\.jsonl: cannot be read \(No such file or directory\)"):
        read_run(tmp_path / "none.jsonl")


def test_the_same_run_given_twice_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path / "a")
    write_run(tmp_path / "b")
    with pytest.raises(ResultsError, match=r"is in .* too; give each run once"):
        read_runs([tmp_path / "a", tmp_path / "b"])
