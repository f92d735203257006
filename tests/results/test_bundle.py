"""Bundles: what the producer states is judged anew, and nothing in one can be changed unseen."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

import msgspec
import pytest

from harness.cli import main
from harness.contract import load
from harness.results import CaseRecord, Footer, Header, ResultsError, Store, Verdict
from harness.results.archive import packed
from harness.results.bundle import (
    KEYLESS,
    MANIFEST,
    Verification,
    contents,
    open_results,
    results_name,
    verify,
    write_bundle,
)
from harness.results.qualification import State

from .test_qualification import RULES, all_but, record
from .test_store import header

CONTRACT = load()
MADE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)


def about(**more: object) -> Header:
    return msgspec.structs.replace(
        header(), products=["910b"], forms=["EP"], cann="9.0", options={"chapter": ["allocator"]}, **more
    )


def results(cases: Sequence[CaseRecord], first: Header | None = None) -> bytes:
    counted: dict[str, int] = {}
    for case in cases:
        counted[case.verdict.value] = counted.get(case.verdict.value, 0) + 1
    records = [first or about(), *cases, Footer(finished=MADE, counts=counted, exitstatus=0)]
    return b"".join(msgspec.json.encode(each) + b"\n" for each in records)


def good_cases() -> list[CaseRecord]:
    return [record(rule) for rule in RULES]


def made(
    path: Path,
    rounds: Sequence[Sequence[CaseRecord]] = (),
    plan: Sequence[str] | None = None,
    waivers: bytes | None = None,
    key_file: Path | None = None,
) -> Verification:
    rounds = rounds or [good_cases()]
    planned = plan if plan is not None else [case.id for case in rounds[0]]
    files = contents([results(cases) for cases in rounds], planned, CONTRACT, waivers)
    return write_bundle(path, files, CONTRACT, harness="0.1.0", made=MADE, key_file=key_file)


def changed(path: Path, name: str, content: bytes | None) -> None:
    """Put another file in the bundle, or take it out."""
    with zipfile.ZipFile(path) as file:
        files = {entry: file.read(entry) for entry in file.namelist()}
    files.pop(name, None)
    if content is not None:
        files[name] = content
    path.write_bytes(packed(files))


def refusal(path: Path, key_file: Path | None = None) -> str:
    with pytest.raises(ResultsError) as error:
        verify(path, CONTRACT, key_file)
    assert str(error.value).startswith(f"{path}")
    assert "\n" not in str(error.value)
    return str(error.value)


def test_producer_and_verifier_come_to_the_same(tmp_path: Path) -> None:
    produced = made(tmp_path / "b.zip")
    found = verify(tmp_path / "b.zip", CONTRACT)
    assert produced == found
    assert (found.qualification.state, found.qualification.findings) == (State.MET, [])
    assert (found.manifest.state, found.manifest.chapters) == ("met", ["allocator"])
    assert not found.has_signature


def test_a_bundle_is_read_wherever_results_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Under any name: a bundle that was renamed is one still."""
    made(tmp_path / "b.zip")
    (tmp_path / "renamed").write_bytes((tmp_path / "b.zip").read_bytes())
    for name in ("b.zip", "renamed"):
        bundle = str(tmp_path / name)
        assert main(["report", bundle, "-o", str(tmp_path / "page.html")]) == 0
        assert RULES[0] in (tmp_path / "page.html").read_text(encoding="utf-8")
        assert main(["mustpass", bundle, "--lang", "en"]) == 0
        assert "must-pass met" in capsys.readouterr().out
        assert main(["bench", "compare", bundle, bundle, "--lang", "en"]) == 2
        assert "holds no benchmarks" in capsys.readouterr().err


def test_without_the_package_a_signature_by_identity_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sigstore", "sigstore.oidc", "sigstore.models"):
        monkeypatch.setitem(sys.modules, name, None)
    made(tmp_path / "b.zip")
    changed(tmp_path / "b.zip", KEYLESS, b"{}")
    by = ["--identity", "release@example.com", "--issuer", "https://issuer.example"]
    for words in (["qualify", "--sigstore"], ["verify", str(tmp_path / "b.zip"), *by]):
        assert main(words) == 2
        assert capsys.readouterr().err == (
            f"aclcts {words[0]}: sigstore: signatures by identity need `pip install 'ascend-cts[sigstore]'`\n"
        )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--sku", "A3"], "--sku: the results are of 910b, not of A3"),
        (["--form", "RC"], "--form: the results are of EP, not of RC"),
        (["--cann", "8.0"], "--cann: the results are of 9.0, not of 8.0"),
    ],
)
def test_results_are_not_judged_as_of_something_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    made(tmp_path / "b.zip")
    assert main(["mustpass", str(tmp_path / "b.zip"), *options, "--lang", "en"]) == 2
    assert capsys.readouterr().err == f"aclcts mustpass: {told}\n"


def test_runs_with_nothing_in_common_pass_no_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing has become worse where nothing was compared."""
    made(tmp_path / "old.zip")
    other = msgspec.structs.replace(about(), products=["A3"])
    with Store(tmp_path / "new", other) as store:
        store.append(msgspec.structs.replace(record(RULES[0]), id="another", product="A3"))
        store.finish(0)
    assert main(["compare", str(tmp_path / "old.zip"), str(tmp_path / "new"), "--lang", "en"]) == 2
    assert "no case in common" in capsys.readouterr().err


def test_the_same_run_gives_the_same_bundle(tmp_path: Path) -> None:
    made(tmp_path / "a.zip")
    made(tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_broken_promise_is_in_the_manifest_and_in_the_judgement(tmp_path: Path) -> None:
    found = made(tmp_path / "b.zip", [all_but(rule=RULES[0], verdict=Verdict.FAIL)])
    assert found.manifest.state == "not met"
    assert [(each.kind, each.id) for each in found.qualification.findings] == [("not_allowed", RULES[0])]


def test_a_planned_case_that_did_not_run_shows(tmp_path: Path) -> None:
    found = made(tmp_path / "b.zip", plan=[*(case.id for case in good_cases()), "suites/test_y.py::test_z"])
    assert found.qualification.state is State.INCOMPLETE
    assert [(each.kind, each.id) for each in found.qualification.findings] == [
        ("not_run", "suites/test_y.py::test_z")
    ]


def test_a_verdict_that_changes_between_rounds_is_unstable(tmp_path: Path) -> None:
    other = [*good_cases()[:-1], record(RULES[-1], Verdict.OBSERVED)]
    found = made(tmp_path / "b.zip", [good_cases(), other])
    (finding,) = found.qualification.findings
    assert (finding.kind, finding.detail) == ("unstable", "pass, observed")
    assert found.qualification.state is State.NOT_MET


def test_a_bad_case_of_any_round_counts(tmp_path: Path) -> None:
    found = made(tmp_path / "b.zip", [good_cases(), all_but(rule=RULES[0], verdict=Verdict.CRASH)])
    assert {each.kind for each in found.qualification.findings} == {"not_allowed", "unstable"}


def test_waivers_are_judged_as_of_the_day_of_the_run(tmp_path: Path) -> None:
    text = f'[[waiver]]\nrule = "{RULES[0]}"\nowner = "a"\nreason = "b"\nlink = "c"\nexpires = 2026-01-02\n'
    waived = [record(RULES[0], Verdict.WAIVED), *good_cases()[1:]]
    assert made(tmp_path / "b.zip", [waived], waivers=text.encode()).qualification.state is State.MET
    late = made(tmp_path / "c.zip", [waived], waivers=text.replace("2026-01-02", "2026-01-01").encode())
    assert [each.kind for each in late.qualification.findings] == ["waiver_expired"]


# --- changed bundles ------------------------------------------------------------------------------


def test_any_changed_byte_is_refused(tmp_path: Path) -> None:
    made(tmp_path / "b.zip")
    before = verify(tmp_path / "b.zip", CONTRACT)
    whole = (tmp_path / "b.zip").read_bytes()
    step = max(len(whole) // 60, 1)
    for position in range(0, len(whole), step):
        broken = bytearray(whole)
        broken[position] ^= 0x41
        (tmp_path / "b.zip").write_bytes(broken)
        # A byte that goes unnoticed is of the zip's own book-keeping, a time or a version, and of no file.
        with contextlib.suppress(ResultsError):
            assert verify(tmp_path / "b.zip", CONTRACT) == before


@pytest.mark.parametrize("name", [results_name(1), "plan.txt", "mustpass/910b-EP-9.0.txt"])
def test_a_changed_file_is_named(tmp_path: Path, name: str) -> None:
    made(tmp_path / "b.zip")
    changed(tmp_path / "b.zip", name, b"{}\n")
    assert f"{name} is not what its manifest says" in refusal(tmp_path / "b.zip")


def test_a_missing_and_a_foreign_file_are_named(tmp_path: Path) -> None:
    made(tmp_path / "b.zip")
    changed(tmp_path / "b.zip", "foreign.txt", b"x")
    assert "foreign.txt is not in its manifest" in refusal(tmp_path / "b.zip")
    made(tmp_path / "b.zip")
    changed(tmp_path / "b.zip", "plan.txt", None)
    assert "plan.txt of its manifest is missing" in refusal(tmp_path / "b.zip")


def restated(path: Path, **fields: object) -> None:
    """Change what the manifest states."""
    with zipfile.ZipFile(path) as file:
        stated = msgspec.json.decode(file.read(MANIFEST))
    changed(path, MANIFEST, msgspec.json.encode({**stated, **fields}))


def test_a_manifest_that_states_more_than_its_files_give_is_told(tmp_path: Path) -> None:
    made(tmp_path / "b.zip", [all_but(rule=RULES[0], verdict=Verdict.FAIL)])
    restated(tmp_path / "b.zip", state="met", cann="9.9")
    found = verify(tmp_path / "b.zip", CONTRACT).qualification
    assert ("misstated", "state") in [(each.kind, each.id) for each in found.findings]
    assert ("misstated", "cann") in [(each.kind, each.id) for each in found.findings]
    assert found.state is State.NOT_MET


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"bundle": 2}, "a bundle of format 2; this harness reads 1"),
        ({"more": 1}, "manifest.json is broken: .*unknown field `more`"),
        ({"files": {}}, "is not in its manifest"),
        ({"rounds": 0}, "manifest.json is broken"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_one_line(
    tmp_path: Path, fields: dict[str, object], message: str
) -> None:
    made(tmp_path / "b.zip")
    restated(tmp_path / "b.zip", **fields)
    with pytest.raises(ResultsError, match=message):
        verify(tmp_path / "b.zip", CONTRACT)


def test_another_zip_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(packed({"x": b""}))
    assert "has no manifest.json" in refusal(tmp_path / "b.zip")


def test_a_case_recorded_twice_is_named(tmp_path: Path) -> None:
    twice = [*good_cases(), good_cases()[0]]
    files = contents([results(good_cases())], [case.id for case in twice], CONTRACT)
    files[results_name(1)] = results(twice)
    with pytest.raises(ResultsError, match=r"case .* is recorded twice"):
        write_bundle(tmp_path / "b.zip", files, CONTRACT, harness="0", made=MADE)
    assert not (tmp_path / "b.zip").exists()


def test_lists_of_another_contract_are_compared(tmp_path: Path) -> None:
    files = contents([results(good_cases())], [case.id for case in good_cases()], CONTRACT)
    name = "mustpass/910b-EP-9.0.txt"
    files[name] = files[name].replace(RULES[0].encode() + b"\n", b"old.rule\n")
    write_bundle(tmp_path / "b.zip", files, CONTRACT, harness="0", made=MADE)
    found = verify(tmp_path / "b.zip", CONTRACT)
    assert found.other_contract  # the runs of these tests name a contract of their own
    assert [(each.kind, each.id) for each in found.qualification.findings] == [
        ("dropped", "old.rule"),
        ("added", RULES[0]),
    ]


def test_a_bundle_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match="the bundle cannot be written"):
        made(tmp_path / "file" / "b.zip")


def test_a_bundle_reads_as_results(tmp_path: Path) -> None:
    made(tmp_path / "b.zip")
    assert len(open_results(tmp_path / "b.zip").cases) == len(RULES)
    changed(tmp_path / "b.zip", "plan.txt", b"")
    with pytest.raises(ResultsError, match="the bundle was changed"):
        open_results(tmp_path / "b.zip")


# --- signatures -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two pairs of ed25519 keys, as openssl makes them, and one of another kind."""
    pytest.importorskip("cryptography")
    folder = tmp_path_factory.mktemp("keys")
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make keys with")
    for name, kind in (("one", "ed25519"), ("two", "ed25519"), ("other", "x25519")):
        key, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
        subprocess.run([openssl, "genpkey", "-algorithm", kind, "-out", key], check=True, capture_output=True)
        subprocess.run(
            [openssl, "pkey", "-in", key, "-pubout", "-out", public], check=True, capture_output=True
        )
    return folder


def test_a_signature_is_that_of_its_key_only(tmp_path: Path, keys: Path) -> None:
    made(tmp_path / "b.zip", key_file=keys / "one.pem")
    assert verify(tmp_path / "b.zip", CONTRACT, keys / "one.pub.pem").signed
    assert verify(tmp_path / "b.zip", CONTRACT).signed is None
    assert "its signature is not that of" in refusal(tmp_path / "b.zip", keys / "two.pub.pem")


def test_a_restated_manifest_loses_its_signature(tmp_path: Path, keys: Path) -> None:
    made(tmp_path / "b.zip", key_file=keys / "one.pem")
    restated(tmp_path / "b.zip", driver="25.0")
    assert "its signature is not that of" in refusal(tmp_path / "b.zip", keys / "one.pub.pem")


def test_an_unsigned_bundle_has_no_key(tmp_path: Path, keys: Path) -> None:
    made(tmp_path / "b.zip")
    assert "is not signed" in refusal(tmp_path / "b.zip", keys / "one.pub.pem")


@pytest.mark.parametrize("name", ["none.pem", "one.pub.pem", "other.pem"])
def test_a_key_that_cannot_sign_is_one_line(tmp_path: Path, keys: Path, name: str) -> None:
    with pytest.raises(ResultsError, match=name):
        made(tmp_path / "b.zip", key_file=keys / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["none.pem", "one.pem", "other.pub.pem"])
def test_a_key_that_cannot_verify_is_one_line(tmp_path: Path, keys: Path, name: str) -> None:
    made(tmp_path / "b.zip", key_file=keys / "one.pem")
    with pytest.raises(ResultsError, match=name):
        verify(tmp_path / "b.zip", CONTRACT, keys / name)
