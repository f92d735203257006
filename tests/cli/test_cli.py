"""The commands that need no library: what they print, and one line for every bad input."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.cli import main
from harness.cli.app import COMMANDS, language_of
from harness.cli.command import print_json
from harness.contract import load
from harness.results import Verdict

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


def output_of(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(words) == status, capsys.readouterr().err
    return capsys.readouterr().out


def refusal_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line a refused command says; it prints nothing else and ends with 2."""
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("aclcts")
    return captured.err


# --- help and languages ----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_every_command_has_help_with_an_example(
    capsys: pytest.CaptureFixture[str], name: str, language: str
) -> None:
    shown = output_of(capsys, name, "--help", "--lang", language)
    assert f"aclcts {name}" in shown.splitlines()[-1]
    assert bool(re.search("[\u4e00-\u9fff]", shown)) is (language == "zh")


def test_help_names_every_command_and_the_exit_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output_of(capsys, "--help")
    for command in COMMANDS:
        assert command.name in shown
    assert "exit status: 0 nothing bad" in shown


def test_the_command_is_installed_under_its_name() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", "--version"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert done.stdout.startswith("aclcts 0.")


@pytest.mark.parametrize(
    ("words", "environment", "language"),
    [
        ([], {}, "en"),
        ([], {"LANG": "zh_CN.UTF-8"}, "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        (["--lang", "zh"], {"LANG": "en_US.UTF-8"}, "zh"),
        (["report", "--lang=en"], {"LANG": "zh_CN"}, "en"),
        (["--lang"], {}, "en"),
        (["--lang", "fr"], {"LANG": "de_DE"}, "en"),
    ],
)
def test_the_language_is_the_options_or_the_locales(
    words: list[str], environment: dict[str, str], language: str
) -> None:
    assert language_of(words, environment) == language


# --- bad input -------------------------------------------------------------------------------------------

WRONG = {
    "no command": ([], "COMMAND"),
    "unknown command": (["bogus"], "invalid choice: 'bogus'"),
    "unknown option": (["doctor", "--bogus"], "--bogus"),
    "unknown language": (["doctor", "--lang", "fr"], "invalid choice: 'fr'"),
    "unknown rule": (["rules", "no.such_rule"], "no rule matches 'no.such_rule'"),
    "unknown code": (["explain", "banana"], "'banana' is no return code, rule or verdict"),
    "unknown number": (["explain", "999999999"], "'999999999' is no return code"),
    "unknown chapter": (["coverage", "--chapter", "99-99"], "no such chapter: 99-99"),
    "unknown fault": (["faults", "no_such_fault"], "no such fault: no_such_fault"),
    "no results": (["report", "-o", "x.html"], "no results given"),
    "no output": (["report", "x"], "-o/--output"),
    "missing results": (
        ["report", "/nonexistent/results", "-o", "x.html"],
        "/nonexistent/results: cannot be read",
    ),
    "not a number": (["report", "--synthetic", "many", "-o", "x.html"], "invalid int value: 'many'"),
    "too few": (["report", "--synthetic", "0", "-o", "x.html"], "--synthetic takes a number from 1 to"),
    "both": (["report", "x", "--synthetic", "5", "-o", "x.html"], "--synthetic takes a number"),
    "comparison for no page": (
        ["report", "--synthetic", "5", "-o", "x.csv", "--baseline", "x"],
        "--baseline is for the page",
    ),
    "gate of nothing": (["compare", "a", "b", "--fail-on", ""], "'' names nothing"),
    "program of nothing": (["repro", ""], "'' names nothing"),
    "folder for a bundle": (["verify", str(ROOT)], "a folder, no bundle; `aclcts qualify` makes bundles"),
    "missing bundle": (["verify", "/nonexistent.zip"], "/nonexistent.zip: cannot be read"),
    "not a bundle": (["verify", str(ROOT / "README.md")], "README.md: not a bundle"),
    "missing old run": (["compare", "/nonexistent/a", "x"], "/nonexistent/a: cannot be read"),
    "unknown kind": (["compare", "a", "b", "--fail-on", "better,bogus"], "no such kind of change: bogus"),
    "missing registry": (["registry", "/nonexistent"], "/nonexistent: no such folder"),
    "must-pass of nothing": (["mustpass", "/nonexistent/a"], "/nonexistent/a: cannot be read"),
    "must-pass of no product": (["mustpass", "--sku", "42"], "--sku: no product '42'; choose from 950, A3"),
    "must-pass of no form": (["mustpass", "--form", "PCIE"], "--form: no host form 'PCIE'; choose from EP"),
    "must-pass of another's form": (["mustpass", "--sku", "910b", "--form", "RC"], "--form: RC is no host"),
    "must-pass of a later version": (["mustpass", "--cann", "42.0"], "--cann: version 42.0 is unknown"),
    "must-pass of an empty name": (["mustpass", "--chapter", ""], "'' names nothing"),
    "misspelt chapter": (["mustpass", "--chapter", "memory_cpoy"], "; perhaps memory_copy"),
    "misspelt rule": (["rules", "memcpy.h2x"], "no rule matches 'memcpy.h2x'; perhaps memcpy.h2"),
    "misspelt code": (["explain", "acl_error_rt_param_invald"], "; perhaps ACL_ERROR_RT_PARAM_INVALID"),
    "misspelt fault": (["faults", "memcpy_tail_overun"], "; perhaps memcpy_tail_overrun"),
    "no faults at once": (["faults", "-n", "0"], "'0' is not a whole number from 1"),
    "no number of workers": (["qualify", "-n", "x"], "'x' is no number of workers, nor `auto`"),
    "bundle into a folder": (
        ["qualify", "-o", "/"],
        "/: the bundle cannot be written (Is a directory)",
    ),
    "bundle below a file": (
        ["qualify", "-o", f"{__file__}/b.zip"],
        "b.zip: the bundle cannot be written (Not a directory)",
    ),
    "bundle of a long name": (["qualify", "-o", "x" * 252], "cannot be written (File name too long)"),
    "missing key": (["qualify", "--sign", "/nonexistent.pem"], "/nonexistent.pem: cannot be read"),
    "registry of something else": (
        ["qualify", "--registry", str(ROOT / "docs")],
        "docs: no registry: it holds benchmarks.md; name an empty folder",
    ),
    "index into something else": (["registry", str(ROOT / "docs")], "docs: no registry: it holds"),
    "must-pass of no version": (["mustpass", "--cann", "new"], "'new' is not a CANN version"),
    "must-pass of no chapter": (["mustpass", "--chapter", "99"], "no such chapter: 99"),
    "no rounds": (["qualify", "--rounds", "-1"], "--rounds takes a number from 1"),
    "missing waivers": (["qualify", "--waivers", "/nonexistent.toml"], "/nonexistent.toml: cannot be read"),
    "not a target": (["qualify", "--target", "/nonexistent.so"], "/nonexistent.so"),
    "missing library": (["symbols", "--target", "/nonexistent.so"], "/nonexistent.so"),
    "not a library": (
        ["symbols", "--target", str(ROOT / "README.md")],
        "README.md: not an ELF shared library",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, message = WRONG[name]
    monkeypatch.chdir(tmp_path)
    assert message in refusal_of(capsys, *words)
    assert list(tmp_path.iterdir()) == []


def test_broken_results_are_one_line_and_no_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text('{"kind":"header","schema":1}\n')
    said = refusal_of(capsys, "report", str(tmp_path), "-o", str(tmp_path / "page.html"))
    assert f"{tmp_path}/results.jsonl:1: broken record" in said
    assert not (tmp_path / "page.html").exists()


def test_what_a_foreign_file_says_does_not_act_on_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "results.jsonl").write_text('{"kind":"\\u001b[31m\\u009b\\u202ered","schema":1}\n')
    said = refusal_of(capsys, "compare", str(tmp_path), str(tmp_path))
    assert not {"\x1b", "\x9b", "\u202e"} & set(said)
    print_json({"a": "\x9b\u202e\ud800\x1b"})
    assert capsys.readouterr().out == '{\n "a": "\\u009b\\u202e\\ud800\\u001b"\n}\n'


def test_an_unwritable_page_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = refusal_of(capsys, "report", "--synthetic", "5", "-o", str(tmp_path / "file" / "page.html"))
    assert "page.html: the report cannot be written" in said


def test_broken_contract_data_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import harness.cli.command
    from harness.contract import DATA

    shutil.copytree(DATA, tmp_path / "data")
    (tmp_path / "data" / "errors.json").write_text("{")
    monkeypatch.setattr(harness.cli.command, "load", lambda: load(tmp_path / "data"))
    assert "errors.json" in refusal_of(capsys, "explain", "107000")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    script = "import sys; from harness.cli import main; sys.exit(main(['rules', '--json']))"
    done = subprocess.run(
        f'{sys.executable} -c "{script}" | head -n 1',
        shell=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_an_output_that_lacks_a_letter_shows_its_number() -> None:
    script = "import sys; from harness.cli import main; sys.exit(main(['explain', 'pass', '--lang', 'zh']))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u" in done.stdout


def test_a_full_disk_under_standard_output_is_one_line() -> None:
    script = "import sys; from harness.cli import main; sys.exit(main(['rules', '--json']))"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", script],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "aclcts rules: No space left on device\n")


@pytest.mark.parametrize("what", ["²", "-", "9" * 5000], ids=["superscript", "sign", "digits"])
def test_what_looks_like_a_number_and_is_none(capsys: pytest.CaptureFixture[str], what: str) -> None:
    assert refusal_of(capsys, "explain", what).startswith(f"aclcts explain: '{what[:100]}")


def test_no_rounds_are_not_the_usual_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--rounds takes a number from 1" in refusal_of(capsys, "qualify", "--rounds", "0")


def test_a_registry_of_a_device_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not a bundle (a device)" in refusal_of(capsys, "registry", str(tmp_path), "/dev/zero")


def test_a_library_whose_name_is_too_long_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be read: File name too long" in refusal_of(capsys, "symbols", "--target", "x" * 300)


@pytest.mark.parametrize(("words", "status"), [(["explain", "pass"], 0), (["explain", "nothing"], 2)])
def test_closed_outputs_change_nothing(words: list[str], status: int) -> None:
    done = subprocess.run(
        f"exec {sys.executable} -m harness.cli {' '.join(words)} >&- 2>&-", shell=True, cwd=ROOT, check=False
    )
    assert done.returncode == status


def test_a_build_servers_sigterm_ends_a_command_and_what_it_has_started(tmp_path: Path) -> None:
    """A suite that never comes to an end: the command starts pytest to plan, and takes it along."""
    (tmp_path / "suites").mkdir()
    (tmp_path / "conftest.py").write_text(
        "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(300)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.cli", "qualify", "-o", "b.zip"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert process.poll() is None
        time.sleep(0.05)
    process.terminate()
    assert process.communicate(timeout=60)[1] == "aclcts qualify: stopped\n"
    assert process.returncode == 3
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()


def test_an_interrupt_ends_with_3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import harness.cli.rules

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(harness.cli.rules, "find", interrupted)
    assert main(["rules"]) == 3
    assert capsys.readouterr().err == "aclcts rules: stopped\n"


# --- explain ---------------------------------------------------------------------------------------------


def test_a_code_is_explained_by_number_and_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    by_number = json.loads(output_of(capsys, "explain", "107000", "--json"))
    assert by_number == json.loads(output_of(capsys, "explain", "ACL_ERROR_RT_PARAM_INVALID", "--json"))
    assert by_number["name"] == "ACL_ERROR_RT_PARAM_INVALID"
    assert by_number["class"].startswith("caller's mistake")
    assert by_number["causes"]


def test_a_deprecated_code_names_its_successor(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output_of(capsys, "explain", "ACL_ERROR_NONE")
    assert "ACL_ERROR_NONE (deprecated -> ACL_SUCCESS)" in shown


@pytest.mark.parametrize("verdict", [verdict.value for verdict in Verdict])
def test_every_verdict_is_explained(capsys: pytest.CaptureFixture[str], verdict: str) -> None:
    told = json.loads(output_of(capsys, "explain", verdict, "--json"))
    assert told["verdict"] == verdict
    assert told["meaning"]


def test_what_strict_changes_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "remark; bad with --strict" in output_of(capsys, "explain", "deviates")
    assert "备注" in output_of(capsys, "explain", "deviates", "--lang", "zh")


def test_a_rule_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output_of(capsys, "explain", "memcpy.h2d")
    assert load().rules["memcpy.h2d"].rule in shown
    assert "(must hold)" in shown


# --- rules -----------------------------------------------------------------------------------------------


def test_rules_without_an_id_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    listed = output_of(capsys, "rules").splitlines()
    assert [line.split()[0] for line in listed] == list(load().rules)


def test_a_pattern_names_several_rules(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(output_of(capsys, "rules", "memcpy.h2?", "memcpy.d2h", "--no-tests", "--json"))
    assert [rule["id"] for rule in told] == ["memcpy.h2d", "memcpy.h2h", "memcpy.d2h"]


def test_a_rule_names_its_function_in_the_reference_device(capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = json.loads(output_of(capsys, "rules", "memcpy2d.height_limit", "--no-tests", "--json"))
    file, line = told["reference"].split(":")
    assert "aclrtMemcpy2d(" in (ROOT / file).read_text().splitlines()[int(line) - 1]


def test_a_rule_names_the_faults_that_break_it(capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = json.loads(output_of(capsys, "rules", "memcpy.tail_untouched", "--no-tests", "--json"))
    assert "memcpy_tail_overrun" in told["faults"]


def test_rules_can_be_read_without_a_checkout(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import harness

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(harness, "__path__", [str(tmp_path / "site-packages" / "harness")])
    (told,) = json.loads(output_of(capsys, "rules", "memcpy.h2d", "--no-tests", "--json"))
    assert "reference" not in told
    assert "no suites/ folder here or beside the package" in refusal_of(capsys, "rules", "memcpy.h2d")


# --- report ----------------------------------------------------------------------------------------------


def test_a_report_is_written_and_summed_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    told = json.loads(
        output_of(capsys, "report", "--synthetic", "4000", "-o", str(page), "--json", "--lang", "zh")
    )
    assert told["output"] == str(page)
    assert told["cases"] == sum(told["verdicts"].values()) == 4000
    assert told["must_pass"] in ("met", "not met")
    assert told["matrix"]["aclrtMalloc"]["910b-EP"]
    assert '<html lang="zh">' in page.read_text(encoding="utf-8")


def test_the_page_goes_to_standard_output_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = output_of(capsys, "report", "--synthetic", "20", "-o", "-")
    assert shown.startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == []


# --- doctor ----------------------------------------------------------------------------------------------


def test_doctor_finds_what_is_here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASCEND_HOME_PATH", "/nonexistent/ascend")
    main(["doctor", "--json"])
    findings = {finding["name"]: finding for finding in json.loads(capsys.readouterr().out)}
    assert findings["python"]["state"] == "ok"
    assert findings["pytest"]["state"] == "ok"
    assert "ASCEND_HOME_PATH=/nonexistent/ascend" in findings["environment"]["detail"]
    assert findings["CANN"]["state"] == "note"


def test_doctor_says_what_is_wrong_with_a_library(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "libascendcl.so").write_text("nothing")
    monkeypatch.setenv("ACLCTS_REFERENCE", str(tmp_path / "libascendcl.so"))
    shown = output_of(capsys, "doctor", status=1)
    assert "libascendcl.so: not an ELF shared library" in shown
    assert "✗ verdict" in shown
