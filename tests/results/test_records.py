"""Records and verdicts: what counts as what, first causes, the published schema."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from harness.results import (
    CaseRecord,
    Counts,
    FirstCause,
    TargetInfo,
    Verdict,
    calls_from,
    first_cause,
    worst,
)
from harness.results.reproduce import reproduce_line
from harness.results.schema import main, results_schema

from .test_store import case, header

ROOT = Path(__file__).parents[2]

WORTH = {
    "pass": Counts.GOOD,
    "fail": Counts.BAD,
    "refused-as-documented": Counts.GOOD,
    "works-though-unsupported": Counts.REMARK,
    "observed": Counts.REMARK,
    "deviates": Counts.REMARK,
    "crash": Counts.BAD,
    "hang": Counts.BAD,
    "absent": Counts.BAD,
    "blocked": Counts.NEUTRAL,
    "waived": Counts.NEUTRAL,
}


def test_each_verdict_counts_as_the_documents_say() -> None:
    assert {verdict.value: verdict.counts_as() for verdict in Verdict} == WORTH


def test_strict_makes_deviations_bad_and_nothing_else() -> None:
    changed = {verdict for verdict in Verdict if verdict.counts_as(True) is not verdict.counts_as(False)}
    assert changed == {Verdict.DEVIATES}
    assert Verdict.DEVIATES.is_bad(strict=True)


def test_the_worst_verdict_is_a_crash() -> None:
    assert worst(Verdict.PASS, Verdict.CRASH, Verdict.FAIL) is Verdict.CRASH
    assert worst(Verdict.PASS, Verdict.OBSERVED) is Verdict.OBSERVED


def test_the_first_cause_is_the_earliest_call_that_did_not_return_0() -> None:
    calls = calls_from(
        [
            {"function": "aclrtMalloc", "args": {"size": 64}, "code": 0, "name": "ACL_SUCCESS"},
            {"function": "aclGetRecentErrMsg", "args": {}, "code": None},
            {"function": "aclrtMemcpy", "args": {}, "code": 107000, "name": "ACL_ERROR_RT_PARAM_INVALID"},
            {"function": "aclrtFree", "args": {}, "code": 100000},
        ]
    )
    assert first_cause(calls) == FirstCause(
        function="aclrtMemcpy", code=107000, name="ACL_ERROR_RT_PARAM_INVALID", call=2
    )
    assert first_cause(calls[:2]) is None


def test_a_snapshot_that_does_not_fit_names_the_field() -> None:
    with pytest.raises(msgspec.ValidationError, match="code"):
        calls_from([{"function": "aclrtMalloc", "code": "zero"}])


def test_a_good_case_is_a_short_line() -> None:
    line = msgspec.json.encode(case(1))
    assert b"calls" not in line
    assert b"log" not in line
    assert len(line) < 250


def test_a_header_is_strict_by_default_on_the_reference_device_only() -> None:
    assert header().strict
    other = msgspec.structs.replace(header(), target=msgspec.structs.replace(header().target, kind="cann"))
    assert not other.strict
    assert not msgspec.structs.replace(header(), options={"strict": False}).strict


def test_the_published_schema_is_current() -> None:
    assert json.loads((ROOT / "docs/results.schema.json").read_text()) == results_schema()


def test_the_schema_knows_every_record_and_verdict() -> None:
    definitions = results_schema()["$defs"]
    assert {"Header", "CaseRecord", "Footer"} <= definitions.keys()
    assert set(definitions["Verdict"]["enum"]) == set(WORTH)
    assert definitions["CaseRecord"]["additionalProperties"] is False
    assert set(CaseRecord.__struct_fields__) | {"kind"} == set(definitions["CaseRecord"]["properties"])


def test_a_stale_schema_file_is_noticed_and_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "schema.json"
    file.write_text("{}")
    assert main(["--check", str(file)]) == 1
    assert "stale" in capsys.readouterr().err
    assert main([str(file)]) == 0
    assert main(["--check", str(file)]) == 0


def test_a_call_that_did_not_return_is_a_first_cause() -> None:
    calls = calls_from(
        [
            {"function": "aclrtMalloc", "code": 0, "returned": True},
            {"function": "aclrtSynchronizeStream", "code": None, "returned": False},
        ]
    )
    assert first_cause(calls) == FirstCause(function="aclrtSynchronizeStream", code=None, call=1)


def test_running_again_says_what_a_library_does_not_tell_of_itself() -> None:
    made = header()
    made.target = TargetInfo(kind="other", label="board", path="/opt/board.so", sha256="ab")
    made.options = {"sku": ["910b"], "form": ["EP"], "cann": "8.5", "models": "/data/models"}
    line = reproduce_line(case(7), made)
    assert line == (
        "pytest 'suites/memory/copy/test_memcpy.py::test_h2d[910b-EP-c-7]' --target /opt/board.so "
        "--sku 910b --form EP --cann 8.5 --models /data/models"
    )
