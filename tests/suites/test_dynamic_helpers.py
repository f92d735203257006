"""The helpers of the suites of dynamic models: they notice what they must notice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.contract import load
from harness.device import DeviceError, Profile
from harness.models import program
from harness.plugin import Expect, RuleViolation
from suites.models.dynamic.gears import Gears
from suites.models.dynamic.pictures import Pictures, crops, paddings, source
from suites.models.run import Run
from tests.suites.test_tensor_helpers import FakeAcl, code, result

CONTRACT = load()
PROFILE = Profile("910b", "EP", "9.0")
BATCH = "aclmdlSetDynamicBatchSize"


class FakeRun:
    """A run whose outputs hold what they are told to."""

    def __init__(self, held: bytes, wanted: bytes, control: bytes = b"") -> None:
        self.id, self.input, self.program, self.datasets = 1, 2, program("batch"), {"modelId": 1}
        self.held, self.wanted = held, wanted
        block = SimpleNamespace(read=lambda: np.frombuffer(control, np.uint8))
        self.input_blocks = [block]

    def result(self) -> bytes:
        return self.held


def gears(acl: FakeAcl, executed: int = 0) -> Gears:
    expect = Expect([CONTRACT.rules["set_dynamic_batch_size.every_gear"]], CONTRACT, PROFILE)
    engine = SimpleNamespace(c=FakeAcl(aclmdlExecute=code("aclmdlExecute", executed)))
    case: Any = SimpleNamespace(contract=CONTRACT, engine=engine)
    nothing: Any = SimpleNamespace()
    return Gears(acl, case, expect, nothing, nothing)


@pytest.mark.parametrize(
    ("set_code", "run_code", "held"), [(100000, 0, b"good"), (0, 507000, b"good"), (0, 0, b"goof")]
)
def test_a_run_that_does_not_follow_its_gear_is_noticed(set_code: int, run_code: int, held: bytes) -> None:
    run: Any = FakeRun(b"good", b"good")
    gears(FakeAcl()).expect_run(code(BATCH)({}), run)
    run.held = held
    with pytest.raises(RuleViolation):
        gears(FakeAcl(), run_code).expect_run(code(BATCH, set_code)({}), run)


def test_the_numbers_of_a_control_input_are_read_in_their_width() -> None:
    run: Any = FakeRun(b"", b"", np.array([3, 5, 0xEEEE], "<i8").tobytes())
    assert gears(FakeAcl()).control(run, 8, 2) == [3, 5]
    assert gears(FakeAcl()).control(run, 4, 2) == [3, 0]


def test_another_kind_of_gear_is_chosen_by_another_call() -> None:
    nothing: Any = ()
    run = Run(7, program("batch"), 8, 9, nothing, nothing, nothing, nothing, nothing)
    acl = FakeAcl(aclmdlSetDynamicHWSize=code("aclmdlSetDynamicHWSize"))
    gears(acl).set_otherwise(run)
    assert acl.calls == [
        ("aclmdlSetDynamicHWSize", {"modelId": 7, "dataset": 8, "index": 1, "height": 8, "width": 8})
    ]


def gives_five(args: dict[str, Any]) -> Any:
    return result("aclmdlCreateAIPP", 5)


def pictures(acl: FakeAcl) -> Pictures:
    expect = Expect([CONTRACT.rules["set_input_aipp.formats"]], CONTRACT, PROFILE)
    case: Any = SimpleNamespace(contract=CONTRACT)
    return Pictures(acl, case, expect, SimpleNamespace())  # type: ignore[arg-type]


def test_settings_are_made_in_their_order_for_every_picture() -> None:
    steps = (*source("ACL_RGB888_U8", 20, 18), *crops((2, 0), (16, 16)), *paddings(1, 3))
    acl = FakeAcl(aclmdlCreateAIPP=gives_five, **{api: code(api) for api, _ in steps})
    assert pictures(acl).params(*steps) == 5
    made, *settings = acl.calls
    assert made == ("aclmdlCreateAIPP", {"batchSize": 2})
    assert [api for api, _ in settings] == [api for api, _ in steps]
    assert [given["batchIndex"] for _, given in settings[2:]] == [0, 1, 0, 1]
    assert settings[1][1] == {"aippParmsSet": 5, "srcImageSizeW": 20, "srcImageSizeH": 18}


def test_a_setting_that_is_refused_is_no_arrangement() -> None:
    acl = FakeAcl(aclmdlCreateAIPP=gives_five, aclmdlSetAIPPInputFormat=code("f", 1))
    with pytest.raises(DeviceError, match="setting parameters"):
        pictures(acl).params(*source())
