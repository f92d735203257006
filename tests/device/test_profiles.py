"""Which profiles the options leave, and which library a run is about."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from harness.binding import LibraryError
from harness.contract import load
from harness.device import Probe, Profile, Target, UsageError, select_profiles, select_target
from harness.device.target import REFERENCE_VARIABLE, find_reference

CONTRACT = load()


def test_the_default_is_every_product_and_form_of_the_support_tables() -> None:
    names = [str(profile) for profile in select_profiles(CONTRACT)]
    assert names == [f"{product}-{form}" for product, form in CONTRACT.matrix()]
    assert len(names) == 9


def test_a_profile_says_how_the_reference_device_plays_it() -> None:
    profile = Profile("310b", "RC", "8.0")
    assert (str(profile), profile.spec) == ("310b-RC", "product=310b;form=RC;cann=8.0")


@pytest.mark.parametrize(
    ("products", "forms", "left"),
    [
        (["910b"], [], ["910b-EP"]),
        (["310b,310p"], ["EP"], ["310b-EP", "310p-EP"]),
        ([], ["RC", "ccpu"], ["310b-RC", "310p-ccpu"]),
        (["310p", "310p"], [], ["310p-EP", "310p-ccpu"]),
    ],
)
def test_options_leave_profiles(products: list[str], forms: list[str], left: list[str]) -> None:
    assert [str(profile) for profile in select_profiles(CONTRACT, products, forms)] == left


@pytest.mark.parametrize("version", ["7.0", "8.0", "8.0.RC3", "9.0"])
def test_known_versions(version: str) -> None:
    assert {profile.cann for profile in select_profiles(CONTRACT, cann=version)} == {version}


@pytest.mark.parametrize("version", ["6.4", "9.1", "10.0", "", "nine"])
def test_unknown_versions(version: str) -> None:
    with pytest.raises(UsageError, match="--cann"):
        select_profiles(CONTRACT, cann=version)


@pytest.fixture
def library(tmp_path: Path) -> str:
    file = tmp_path / "libascendcl.so"
    file.write_bytes(b"a library")
    return str(file)


def choose(library: str, answer: Probe, **options: object) -> Target:
    return select_target(CONTRACT, library, probe=lambda path: answer, **options)  # type: ignore[arg-type]


def test_a_reference_device_plays_every_profile(library: str) -> None:
    target = choose(library, Probe(reference="1.2"))
    assert (target.kind, target.label, len(target.profiles)) == ("reference", "reference device 1.2", 9)


def test_a_target_carries_the_digest_of_its_library(library: str) -> None:
    digest = hashlib.sha256(b"a library").hexdigest()
    assert choose(library, Probe(reference="1.2")).sha256 == digest


def test_a_known_soc_decides_the_product(library: str) -> None:
    target = choose(library, Probe(soc="Ascend910B3", cann="8.0", devices=8))
    assert [str(profile) for profile in target.profiles] == ["910b-EP"]
    assert target.profiles[0].cann == "8.0"
    assert target.label.startswith("Ascend910B3")


@pytest.mark.parametrize(
    ("answer", "options", "message"),
    [
        (Probe(soc="Ascend910B3"), {"sku": ["950"]}, "the device is a Ascend910B3 (910b), not 950"),
        (Probe(soc="Ascend999"), {}, "names its SoC 'Ascend999'"),
        (Probe(), {"sku": ["950", "A3"]}, "say which one"),
        (Probe(soc="Ascend910B3"), {"form": ["RC"]}, "choose one of EP for 910b"),
        (Probe(soc="Ascend910B3", cann="8.0"), {"cann": "9.0"}, "the installation is CANN 8.0, not 9.0"),
    ],
)
def test_a_device_that_is_something_else(
    library: str, answer: Probe, options: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        choose(library, answer, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_library_is_tested_as_the_product_that_is_named(library: str) -> None:
    target = choose(library, Probe(), sku=["310b"], form=["RC"], cann="8.0")
    assert (target.kind, [str(profile) for profile in target.profiles]) == ("other", ["310b-RC"])


def test_a_library_that_cannot_be_opened(library: str) -> None:
    def fail(path: str) -> Probe:
        raise LibraryError(f"{path}: no such\nfile")

    with pytest.raises(UsageError, match=r"^--target: .*libascendcl\.so: no such file$"):
        select_target(CONTRACT, library, probe=fail)


def test_options_are_checked_before_a_library_is_touched() -> None:
    def touch(path: str) -> Probe:
        raise AssertionError(path)

    with pytest.raises(UsageError, match="--sku"):
        select_target(CONTRACT, "x.so", sku=["nothing"], probe=touch)


def test_a_target_survives_the_way_to_a_worker(library: str) -> None:
    target = choose(library, Probe(reference="1.2", faults=("a",), absent=("aclX", "aclY")))
    assert Target.from_json(json.loads(json.dumps(target.to_json()))) == target


def test_the_reference_device_may_be_named_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setenv(REFERENCE_VARIABLE, library)
    assert find_reference() == Path(library)
