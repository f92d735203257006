"""From a release to its regressions: qualify, verify, compare, and programs for the driver's team.

One sound run and one with three faults, of a small chapter; everything after them reads what they left.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness.binding import find_reference
from harness.cli import main
from tests.reference.toolchain import CC, PLAIN, run

ROOT = Path(__file__).parents[2]
FAULTS = {
    "allocator_null_stream_accepted": "allocator_register.null_stream",
    "allocator_advise_required": "allocator_register.advise_optional",
    "allocator_unregister_needs_stream": "allocator_unregister.destroyed_stream",
}
FAULTY = ",".join(FAULTS)


class Releases(NamedTuple):
    """The bundles, and what qualify told of each."""

    good: Path
    bad: Path
    told_good: dict[str, Any]
    told_bad: dict[str, Any]
    registry: Path


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    folder = tmp_path_factory.mktemp("releases")
    good = qualify(folder / "good.zip", 0, "--registry", str(folder / "registry"), "--scrub", "--rounds", "2")
    bad = qualify(folder / "bad.zip", 1, "--fault", FAULTY)
    return Releases(folder / "good.zip", folder / "bad.zip", good, bad, folder / "registry")


def qualify(bundle: Path, status: int, *more: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "harness.cli", "qualify", "--target", "reference", "--sku", "910b"]
    command += ["--chapter", "allocator", "-n", "2", "-o", str(bundle), "--json", *more]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """A command's answer as JSON, its exit status checked."""

    def asked(*words: str, status: int = 0) -> dict[str, Any]:
        assert main([*words, "--json", "--lang", "en"]) == status, capsys.readouterr()
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer

    return asked


def test_a_sound_device_meets_everything(releases: Releases, ask: Ask) -> None:
    told = releases.told_good
    assert (told["state"], told["findings"]) == ("met", [])
    assert told["held"] == told["required"] > 10
    found = ask("verify", str(releases.good))
    assert {name: found[name] for name in ("state", "held", "required", "findings")} == {
        name: told[name] for name in ("state", "held", "required", "findings")
    }


def test_a_broken_device_fails_by_exactly_the_three_rules(releases: Releases, ask: Ask) -> None:
    assert releases.told_bad["state"] == "not met"
    found = ask("verify", str(releases.bad), status=1)
    assert {(each["kind"], each["id"]) for each in found["findings"]} == {
        ("not_allowed", rule) for rule in FAULTS.values()
    }


def test_the_comparison_names_exactly_the_three_rules_and_their_first_causes(
    releases: Releases, ask: Ask
) -> None:
    changes = untimed(ask("compare", str(releases.good), str(releases.bad), status=1))
    assert {change["kind"] for change in changes} == {"worse"}
    assert {rule for change in changes for rule in change["rules"]} >= set(FAULTS.values())
    by_rule = {rule: change["now"] for change in changes for rule in change["rules"]}
    assert by_rule["allocator_register.advise_optional"].startswith("fail (aclrtAllocatorRegister: 100000")
    assert by_rule["allocator_unregister.destroyed_stream"].startswith(
        "fail (aclrtAllocatorUnregister: 107017"
    )
    back = untimed(ask("compare", str(releases.bad), str(releases.good)))
    assert {change["kind"] for change in back} == {"better"}


def untimed(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The changes that a busy host does not make."""
    return [change for change in answer["changes"] if change["kind"] not in ("slower", "faster")]


def test_the_gate_can_be_chosen(releases: Releases, ask: Ask) -> None:
    ask("compare", str(releases.good), str(releases.bad), "--fail-on", "removed,code")
    ask("compare", str(releases.bad), str(releases.good), "--fail-on", "better", status=1)


@pytest.mark.parametrize("rule", FAULTS.values())
def test_each_regression_becomes_a_program_that_compiles_and_shows_it(
    releases: Releases, rule: str, tmp_path: Path
) -> None:
    library = find_reference()
    assert library is not None
    PLAIN.generate()
    assert main(["repro", rule, "--results", str(releases.bad), "-o", str(tmp_path / "repro.c")]) == 0
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{PLAIN.headers}", f"-Wl,-rpath,{library.parent}")
    run([CC, *flags, tmp_path / "repro.c", library, "-lpthread", "-o", tmp_path / "repro"])
    for faults, status in ((FAULTY, 0), ("", 1)):
        environment = {**os.environ, "ACLREF_PROFILE": "product=910b;form=EP", "ACLREF_FAULT": faults}
        done = subprocess.run(
            [tmp_path / "repro"], capture_output=True, text=True, env=environment, timeout=90, check=False
        )
        # What should have been refused and was not has the code that a sound device refuses with.
        assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_report_in_the_bundle_has_the_three_rules(
    releases: Releases, language: str, tmp_path: Path
) -> None:
    with zipfile.ZipFile(releases.bad) as bundle:
        page = bundle.read("report.html").decode()
        (tmp_path / "results.jsonl").write_bytes(bundle.read("rounds/1/results.jsonl"))
    assert all(rule in page for rule in FAULTS.values())
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "p.html"), "--lang", language]) == 0
    again = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert all(rule in again for rule in FAULTS.values())
    assert "ACL_ERROR_RT_INVALID_HANDLE" in again
    assert f'<html lang="{language}"' in again


def test_every_round_is_in_the_bundle_with_a_seed_of_its_own(releases: Releases) -> None:
    with zipfile.ZipFile(releases.good) as bundle:
        headers = [
            json.loads(bundle.read(f"rounds/{number}/results.jsonl").partition(b"\n")[0]) for number in (1, 2)
        ]
        manifest = json.loads(bundle.read("manifest.json"))
    assert [header["seed"] for header in headers] == [1, 2]
    assert manifest["rounds"] == 2


def test_a_scrubbed_bundle_names_no_host_and_no_folder(releases: Releases) -> None:
    library = find_reference()
    assert library is not None
    with zipfile.ZipFile(releases.good) as bundle:
        texts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    for name, text in texts.items():
        assert str(library.parent) not in text, name
        assert f'"host":"{os.uname().nodename}"' not in text.replace(" ", ""), name
    assert '"scrubbed": true' in texts["manifest.json"]


def test_the_registry_has_the_bundle_and_an_index(releases: Releases, ask: Ask, tmp_path: Path) -> None:
    (filed,) = releases.registry.glob("910b/*.zip")
    assert filed.read_bytes() == releases.good.read_bytes()
    assert filed.name in (releases.registry / "index.html").read_text(encoding="utf-8")
    assert main(["registry", str(tmp_path), str(releases.good), str(releases.bad)]) == 0
    assert "✗" in (tmp_path / "index.zh.html").read_text(encoding="utf-8")


def test_a_changed_byte_and_a_foreign_file_are_one_line(
    releases: Releases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytearray(releases.good.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "changed.zip").write_bytes(content)
    assert main(["verify", str(tmp_path / "changed.zip")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(tmp_path / "changed.zip") in said


def test_people_read_findings_in_both_languages(
    releases: Releases, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(releases.bad), "--lang", "en"]) == 1
    assert "✗ must-pass not met" in (english := capsys.readouterr().out)
    assert "REFERENCE DEVICE" in english
    assert main(["verify", str(releases.bad), "--lang", "zh"]) == 1
    assert "✗ 必过项不满足" in capsys.readouterr().out


def test_a_case_that_nothing_matches_is_one_line(
    releases: Releases, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["repro", "no.such", "--results", str(releases.bad), "--lang", "en"]) == 2
    assert "matches no.such" in capsys.readouterr().err
    assert main(["repro", "allocator_register.ok", "--results", str(releases.good), "--lang", "en"]) == 2
    assert "the record has no calls" in capsys.readouterr().err
