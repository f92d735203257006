"""The suites of the runtime: crowds of objects, tasks that fail, limits of time, versions of packages."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.plugin.outcome import Blocked
from suites.failing import put_failing_task
from suites.misc.packages import Packages, some_missing
from suites.runtime.crowd import Crowd, most_events
from suites.runtime.desk import Desk
from suites.runtime.event.waits import Waits
from suites.runtime.execution.callbacks import apart
from suites.runtime.execution.limits import close_to, defaults
from tests.fakes.surfaces import Answer, Recording

REFUSED = 207001


class Told(Answer):
    """An answer whose outputs are attributes."""

    def __getattr__(self, name: str) -> Any:
        if name not in self.outputs:
            raise AttributeError(name)
        return self.outputs[name]


class Device:
    """A library that has so many events, of which one blocks when it is recorded."""

    def __init__(self, most: int, stuck: int = 0) -> None:
        self.most, self.stuck, self.alive, self.made = most, stuck, 0, 0
        self.let_go = threading.Event()

    def params(self, name: str) -> list[tuple[str, None]]:
        return [("event", None), ("flag", None)]

    def raw(self, name: str) -> Callable[..., int]:
        return {
            "aclrtCreateEventExWithFlag": self._create,
            "aclrtDestroyEvent": self._destroy,
            "aclrtRecordEvent": self._record,
            "aclrtSetCurrentContext": lambda context: 0,
        }[name]

    def create(self) -> Told:
        """The same as a call of a surface."""
        if self.alive >= self.most:
            return Told("aclrtCreateEventExWithFlag", REFUSED)
        self.alive, self.made = self.alive + 1, self.made + 1
        return Told("aclrtCreateEventExWithFlag", 0, {"event": self.made})

    def _create(self, place: Any, flag: int) -> int:
        answer = self.create()
        if answer.ok:
            place._obj.value = answer.event
        return answer.code

    def _destroy(self, event: int) -> int:
        self.alive -= 1
        return 0

    def _record(self, event: int, stream: int) -> int:
        if event == self.stuck:
            self.let_go.wait(10)
        return REFUSED if event > 7 else 0


def crowd_of(device: Device) -> Crowd:
    surface = SimpleNamespace(call=lambda api, **args: device.create())
    engine = SimpleNamespace(library=device, surface=lambda name: surface)
    resources = SimpleNamespace(at_end=lambda step: None)
    case: Any = SimpleNamespace(engine=engine, surface="c", resources=resources)
    return Crowd(case, "aclrtCreateEventExWithFlag", "event", "aclrtDestroyEvent", flag=2)


def test_a_crowd_grows_to_its_size_or_to_a_refusal() -> None:
    device = Device(most=5)
    crowd = crowd_of(device)
    assert (crowd.fill(3), crowd.fill(9)) == (3, 5)
    crowd.end()
    assert device.alive == 0


def test_a_success_that_gives_nothing_ends_the_growth() -> None:
    device = Device(most=5)
    device.raw = lambda name: lambda *args: 0  # type: ignore[method-assign]
    assert crowd_of(device).fill(3) == 0


@pytest.mark.parametrize(("most", "refused"), [(400, True), (401, True), (402, False)])
def test_one_more_than_there_may_be_is_asked_for(most: int, refused: bool) -> None:
    crowd = crowd_of(Device(most))
    assert crowd.until_refused(401).ok is not refused
    assert len(crowd.handles) == min(most, 402)


def test_one_that_is_given_back_makes_room() -> None:
    crowd = crowd_of(Device(most=150))
    assert not crowd.until_refused(200).ok
    crowd.give_back_one()
    assert crowd.one_more().ok


def test_records_end_with_a_refusal() -> None:
    crowd = crowd_of(Device(most=20))
    crowd.fill(20)
    assert crowd.recorded(1, 2) == f"7 events recorded, then {REFUSED}"


def test_a_record_that_does_not_come_back_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suites.runtime.crowd._STUCK_S", 0.1)
    device = Device(most=20, stuck=4)
    crowd = crowd_of(device)
    crowd.fill(20)
    assert crowd.recorded(1, 2) == "3 events recorded, the next record does not come back"
    device.let_go.set()


@pytest.mark.parametrize(
    ("product", "form", "limits"),
    [
        ("950", "EP", (1_091_000,)),
        ("310b", "EP", (1_091_000,)),
        ("310b", "RC", (1_091_000, 28_000)),
        ("310p", "EP", (547_000, 28_000)),
        ("910", "EP", (68_000, 28_000)),
    ],
)
def test_limits_from_the_start(product: str, form: str, limits: tuple[int, ...]) -> None:
    case: Any = SimpleNamespace(profile=SimpleNamespace(product=product, form=form))
    assert defaults(case) == limits


def test_two_percent_are_close() -> None:
    assert close_to(1_100_000, (1_091_000,))
    assert close_to(27_500, (68_000, 28_000))
    assert not close_to(1_120_000, (1_091_000,))
    assert not close_to(0, (28_000,))


def test_events_of_products() -> None:
    products = [SimpleNamespace(profile=SimpleNamespace(product=each)) for each in ("310p", "910", "910b")]
    assert [most_events(each) for each in products] == [1023, 65535, 65536]  # type: ignore[arg-type]


class Calls(Recording):
    """A surface that makes notify 5."""

    def call(self, api: str, /, **args: Any) -> Answer:
        return Told(api, super().call(api, **args).code, {"notify": 5})


def hardware(product: str, calls: Recording) -> Any:
    """A case on hardware, where no task can be told to fail."""

    def blocked(reason: str) -> None:
        raise Blocked(reason)

    engine = SimpleNamespace(c=calls, library=SimpleNamespace(control=None, files=[]))
    resources = SimpleNamespace(afterwards=lambda api, **args: None)
    expect = SimpleNamespace(blocked=blocked)
    profile = SimpleNamespace(product=product, form="EP")
    return SimpleNamespace(engine=engine, resources=resources, expect=expect, profile=profile, surface="c")


def test_a_wait_with_a_bound_fails_on_hardware() -> None:
    calls = Calls()
    put_failing_task(hardware("910b", calls), 7)
    assert ("aclrtWaitAndResetNotify", {"notify": 5, "stream": 7, "timeout": 1}) in calls.calls


@pytest.mark.parametrize("product", ["310p", "910", "IPV350"])
def test_no_task_is_known_to_fail(product: str) -> None:
    with pytest.raises(Blocked, match="no task is known to fail"):
        put_failing_task(hardware(product, Calls()), 7)


@pytest.mark.parametrize("place", ["share/info/runtime", "runtime"])
def test_the_version_of_an_installed_package(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "version.info").write_text("[package]\nVersion=9.1.2\nbuild=7\n")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    packages = Packages(hardware("910b", Calls()))
    assert (packages.version, packages.release) == ("9.1.2", 90_102_000)


def test_what_is_no_release_has_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "version.info").write_text("Version=9.1.RC1\n")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    with pytest.raises(Blocked, match=r"9.1.RC1 is no release"):
        _ = Packages(hardware("910b", Calls())).release


def test_an_installation_without_a_version_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    with pytest.raises(Blocked, match="not known"):
        Packages(hardware("910b", Calls()))


def test_every_package_there_blocks() -> None:
    expect: Any = hardware("910b", Calls()).expect
    some_missing(expect, [Answer("a", 0), Answer("a", REFUSED)])
    with pytest.raises(Blocked):
        some_missing(expect, [Answer("a", 0)])


def test_numbers_that_are_apart_differ_in_both_halves() -> None:
    numbers = apart(40)
    assert len({number >> 32 for number in numbers}) == len({number & 0xFFFFFFFF for number in numbers}) == 40
    assert max(numbers) < 1 << 63


def test_each_stream_waits_for_the_notify_of_its_place() -> None:
    waits: list[tuple[int, int]] = []
    case: Any = SimpleNamespace(
        engine=SimpleNamespace(
            c=SimpleNamespace(
                call=lambda api, notify, stream, timeout: waits.append((notify, stream)) or Answer(api, 0)
            )
        )
    )
    memory: Any = None
    Desk(None, case, memory).wait_each([1, 2, 3], [7, 8, 9])
    assert waits == [(1, 7), (2, 8), (3, 9)]


@pytest.mark.parametrize(("code", "found"), [(0, 1), (REFUSED, -1)])
def test_a_wait_is_told_by_what_it_finds(code: int, found: int) -> None:
    done: list[str] = []
    block = SimpleNamespace(value=0)
    block.fill = lambda value: block
    block.read = lambda: [block.value]

    def fill(target: Any, value: int, stream: int) -> None:
        done.append(f"fill {value}")
        target.value = value

    desk: Any = SimpleNamespace(
        fill=fill, record=lambda event, stream: done.append("record"), soon=lambda job: done.append("soon")
    )
    memory = SimpleNamespace(device=lambda size: block)
    case: Any = SimpleNamespace(resources=SimpleNamespace(memory=lambda: memory))
    hold: Any = SimpleNamespace(release=None)
    waits = Waits(None, case, desk, SimpleNamespace(), lambda stream: nullcontext(hold))  # type: ignore[arg-type]
    assert waits.filled_after(lambda event: Answer("aclrtSynchronizeEvent", code), 5, 6) == found
    assert done == ["fill 1", "record", "soon"]
