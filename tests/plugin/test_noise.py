"""A library that writes without end, and what acts on a terminal: the terminal sees neither."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.cli import main
from tests.fakes.runs import FAKE_SOURCE, run_suite, write_suite

SUITE = """
from harness.plugin import covers


@covers("memcpy.h2d")
def test_one(acl, expect):
    expect.true("one is {other}", 1, {other})
"""

# Three megabytes on each stream as soon as it is loaded, with a colour, a title and a cleared screen in it.
NOISE = r"""
#include <unistd.h>

__attribute__((constructor)) static void be_loud(void) {
    static const char words[] = "\033[31mNOISE\033]0;title\007\033[2J\n";
    static char line[4096];
    for (unsigned at = 0; at < sizeof line; ++at) line[at] = words[at % (sizeof words - 1)];
    for (int times = 0; times < 768; ++times) {
        if (write(1, line, sizeof line) < 0 || write(2, line, sizeof line) < 0) return;
    }
}
"""


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fake library with the noise in it."""
    folder = tmp_path_factory.mktemp("noisy")
    (folder / "noise.c").write_text(NOISE)
    compiler = shutil.which("cc") or "gcc"
    library = folder / "libascendcl.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, folder / "noise.c", FAKE_SOURCE], check=True)
    return library


@pytest.mark.parametrize("options", [[], ["-n", "1"], ["--isolate", "all"]], ids=" ".join)
def test_what_a_library_writes_on_loading_stays_out_of_the_terminal(
    tmp_path: Path, noisy: Path, options: list[str]
) -> None:
    outcome = run_suite(write_suite(tmp_path, noise=SUITE.format(other=1)), "suites", *options, target=noisy)
    assert outcome.verdicts == {"test_one": "pass"}
    assert outcome.status == 0
    assert "NOISE" not in outcome.text


@pytest.mark.parametrize("options", [[], ["--isolate", "all"]], ids=" ".join)
def test_a_failed_case_shows_the_last_of_it_harmless(tmp_path: Path, noisy: Path, options: list[str]) -> None:
    outcome = run_suite(write_suite(tmp_path, noise=SUITE.format(other=2)), "suites", *options, target=noisy)
    assert outcome.verdicts == {"test_one": "fail"}
    assert "NOISE\n" in outcome.text
    assert "characters before" in outcome.text
    assert not {"\x1b", "\x07"} & set(outcome.text)
    assert len(outcome.text) < 100_000


def test_a_look_at_its_functions_shows_none_of_it(noisy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["symbols", "--target", str(noisy)]) == 0
    shown = capfd.readouterr()
    assert "NOISE" not in shown.out + shown.err
