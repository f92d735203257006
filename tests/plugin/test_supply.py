"""Fixtures that a case is handed directly: the same, in the same order, as when pytest sets them up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.runs import run_suite, write_suite

SUITE = """
import pytest
from harness.plugin import covers

def tell(*words):
    with open("events", "a") as file:
        file.write(" ".join(map(str, words)) + "\\n")

@pytest.fixture
def first(memory):
    tell("first")
    yield memory
    tell("first ends")

@pytest.fixture
def second(first, stream):
    tell("second", first is not None, stream != 0)
    return first

@pytest.fixture
def third(case, second, first):
    tell("third", second is first)
    yield case
    tell("third ends")

@pytest.fixture
def blocked(first, expect):
    expect.blocked("not here")

@pytest.fixture
def broken(third):
    raise ValueError("broken on purpose")

@pytest.fixture
def endless(first):
    yield first
    tell("endless ends")
    yield first

@pytest.fixture
def spoiled(first):
    yield first
    raise ValueError("spoiled on purpose")

@pytest.fixture(params=["one", "two"])
def several(request, first):
    tell(request.param)
    return request.param

@pytest.fixture(scope="module")
def lasting():
    tell("lasting")
    yield 1
    tell("lasting ends")

@pytest.fixture
def number(number):
    tell("number", number)
    return number + 1

@pytest.fixture(autouse=True)
def always():
    tell("always")
    yield
    tell("always ends")


@covers("memcpy.h2d")
def test_plain(expect):
    expect.true("nothing", 1, 1)

@covers("memcpy.h2d")
def test_chain(third, second, expect, memory, first):
    expect.true("one object of each", memory is first is second)

@covers("memcpy.h2d")
def test_blocked(blocked, third): ...

@covers("memcpy.h2d")
def test_broken(second, broken): ...

@covers("memcpy.h2d")
def test_endless(endless): ...

@covers("memcpy.h2d")
def test_spoiled(spoiled, third): ...

@covers("memcpy.h2d")
def test_fails(third, expect):
    expect.true("one is two", 1, 2)

@covers("memcpy.h2d")
def test_several(several, third): ...

@covers("memcpy.h2d")
def test_lasting(third, lasting): ...

@covers("memcpy.h2d")
@pytest.mark.parametrize("size", [1, 2])
def test_parameters(second, size, expect):
    tell("size", size)
    expect.true("a small size", size < 3)

@covers("memcpy.h2d")
@pytest.mark.parametrize("number", [1, 2])
def test_parameter_instead_of_a_fixture(number, third):
    tell("given", number)

@covers("memcpy.h2d")
def test_asks(request, third, expect):
    expect.true("the same object", request.getfixturevalue("third") is third)

class TestInClass:
    @pytest.fixture
    def own(self, third):
        tell("own", type(self).__name__)
        return third

    @covers("memcpy.h2d")
    def test_method(self, own, third, expect):
        expect.true("the same object", own is third)
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[str], dict[str, tuple[str, str]]]]:
    found = {}
    # With --setup-show every phase goes pytest's own way.
    for way, options in (("ours", ()), ("pytest's", ("--setup-show",))):
        folder: Path = write_suite(tmp_path_factory.mktemp("supply"), supply=SUITE)
        outcome = run_suite(folder, "suites", *options)
        verdicts = {
            case.id.partition("::")[2]: (case.verdict.value, case.reason) for case in outcome.run.cases
        }
        found[way] = (folder / "events").read_text().splitlines(), verdicts
    return found


def test_fixtures_begin_and_end_in_pytests_order(
    runs: dict[str, tuple[list[str], dict[str, tuple[str, str]]]],
) -> None:
    assert runs["ours"][0] == runs["pytest's"][0]
    assert len(runs["ours"][0]) > 60


def test_verdicts_are_the_same(runs: dict[str, tuple[list[str], dict[str, tuple[str, str]]]]) -> None:
    ours, others = runs["ours"][1], runs["pytest's"][1]
    assert {name: verdict for name, (verdict, _) in ours.items()} == {
        name: verdict for name, (verdict, _) in others.items()
    }
    assert {verdict for verdict, _ in ours.values()} == {"pass", "fail", "blocked"}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("test_broken", "broken on purpose"),
        ("test_spoiled", "spoiled on purpose"),
        ("test_endless", "more than one"),
        ("test_blocked", "not here"),
    ],
)
def test_what_went_wrong_in_a_fixture_is_told(
    runs: dict[str, tuple[list[str], dict[str, tuple[str, str]]]], name: str, told: str
) -> None:
    for _, verdicts in runs.values():
        (reason,) = {reason for case, (_, reason) in verdicts.items() if case.startswith(f"{name}[")}
        assert told in reason
