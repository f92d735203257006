"""The control functions of a reference device, against a library that only has these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.binding import Library, LibraryError, ReferenceControl, open_library

CONTROLS = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static char spec[200], fault[200], call[200];
static uint64_t seed;
int aclInit(const char *p) { return p == 0 ? 0 : 1; }
const char *aclrefVersion(void) { return "0.1.0"; }
int aclrefConfigure(const char *s) { snprintf(spec, sizeof spec, "%s", s); return strstr(s, "bad") != 0; }
int aclrefSetFault(const char *s) { snprintf(fault, sizeof fault, "%s", s ? s : "none"); return 0; }
const char *aclrefFaultList(void) { return "late_copy\tA copy comes late.\nlost_event\tAn event is lost.\n"; }
int aclrefReset(void) { seed = 0; return 0; }
int aclrefLiveObjects(char *b, size_t n) {
    return snprintf(b, n, "{\"streams\": 2, \"pad%0*d\": 1}", 1500, 0);
}
int aclrefInjectTaskError(void *s, unsigned k, int code) {
    snprintf(call, sizeof call, "%d %u %d", s != 0, k, code); return 0;
}
int aclrefInjectCallError(const char *f, unsigned n, int code) {
    snprintf(call, sizeof call, "%s %u %d", f, n, code); return 0;
}
int aclrefSetGroups(unsigned n) { snprintf(call, sizeof call, "groups %u", n); return 0; }
int aclrefSetSeed(uint64_t s) { seed = s; return 0; }
const char *aclrefLastError(void) {
    static char text[800];
    snprintf(text, sizeof text, "%s|%s|%s|%llu", spec, fault, call, (unsigned long long)seed);
    return text;
}
"""


@pytest.fixture
def control(compile_c: Callable[[str, Path], Path], tmp_path: Path) -> ReferenceControl:
    """The controls of a library that writes down what it is told."""
    found = open_library(compile_c(CONTROLS, tmp_path / "libascendcl.so")).control
    assert found is not None
    return found


def told(control: ReferenceControl) -> str:
    """What the library was told so far, in the text of a refused call."""
    with pytest.raises(LibraryError) as caught:
        control.configure("bad")
    return str(caught.value).partition("aclrefConfigure: bad|")[2]


def test_another_library_has_no_controls(library: Library) -> None:
    assert library.control is None


def test_the_version_is_given(control: ReferenceControl) -> None:
    assert control.version == "0.1.0"


def test_settings_become_a_profile(control: ReferenceControl) -> None:
    with pytest.raises(LibraryError, match=r"aclrefConfigure: product=910b;form=EP;cann=bad"):
        control.configure("product=910b", form="EP", cann="bad")


def test_faults_are_listed_and_set(control: ReferenceControl) -> None:
    assert control.faults() == {"late_copy": "A copy comes late.", "lost_event": "An event is lost."}
    control.set_fault("late_copy", "lost_event")
    assert told(control).startswith("late_copy,lost_event|")
    control.set_fault()
    assert told(control).startswith("none|")


def test_errors_can_be_injected(control: ReferenceControl) -> None:
    control.inject_task_error(0x55, 507011, after=2)
    assert "|1 2 507011|" in "|" + told(control)
    control.inject_call_error("aclrtMalloc", 207001, count=3)
    assert "|aclrtMalloc 3 207001|" in "|" + told(control)


def test_groups_are_ordered(control: ReferenceControl) -> None:
    control.set_groups(3)
    assert "|groups 3|" in "|" + told(control)


def test_the_seed_is_set(control: ReferenceControl) -> None:
    control.set_seed(2**64 - 1)
    assert told(control).endswith(f"|{2**64 - 1}")


def test_live_objects_of_any_length_are_read(control: ReferenceControl) -> None:
    assert control.live_objects()["streams"] == 2


def test_a_reset_is_asked_for(control: ReferenceControl) -> None:
    control.set_seed(9)
    control.reset()
    assert told(control).endswith("|0")
