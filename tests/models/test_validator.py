"""The validator and the loader find the same models valid, whatever a header says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.binding import CSurface, find_reference, open_library
from harness.models import catalogue, envelope, program
from harness.models.validator import check

REFERENCE = find_reference()
MODEL = program("affine").write()
DYNAMIC = program("dynamic").write()

# What a model demands of the host is no matter of its file alone.
JUDGED = [field for field in envelope.FIELDS if field not in ("checks_host", *envelope.IGNORED)]
EDGES = st.sampled_from([0, 1, 2, 5, 8, 9, 0x7F, 0xFF, 0x10000000, 0x20000000, 0xFFFFFFFF, 2**40, 2**64 - 1])


@pytest.fixture(scope="module")
def c() -> Iterator[CSurface]:
    """The reference device, initialised."""
    if REFERENCE is None:
        pytest.skip("the reference device is not installed")
    surface = CSurface(open_library(str(REFERENCE)))
    assert surface.call("aclInit", configPath=None).ok
    assert surface.call("aclrtSetDevice", deviceId=0).ok
    yield surface
    surface.call("aclrtResetDevice", deviceId=0)
    surface.call("aclFinalize")


def answer(c: CSurface, image: bytes) -> str:
    """The code with which the loader answers to a model."""
    result = c.call("aclmdlLoadFromMem", model=image or b"\0", modelSize=len(image))
    if result.ok:
        assert c.call("aclmdlUnload", modelId=result.modelId).ok
    return result.name


def expected(image: bytes) -> str:
    """The code that the validator tells."""
    problem = check(image)
    return problem.code if problem else "ACL_SUCCESS"


@pytest.mark.parametrize(
    "name", [name for name in catalogue.NAMES if name not in ("large", "other_product", "other_operators")]
)
def test_our_models_are_valid(name: str) -> None:
    assert check(program(name).write()) is None


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([MODEL, DYNAMIC]), st.sampled_from(JUDGED), st.one_of(EDGES, st.integers(0, 2**64 - 1))
)
def test_header_fields(c: CSurface, model: bytes, field: str, value: int) -> None:
    bits = 8 * {"<I": 4, "B": 1, "<Q": 8}[envelope.FIELDS[field][1]]
    image = envelope.set_field(model, field, value % 2**bits)
    told = expected(image)
    # A static model cannot have the open sizes of a dynamic-shape one; the validator leaves that to others.
    open_sizes = model is DYNAMIC and told == "ACL_SUCCESS"
    assert answer(c, image) in ((told, "ACL_ERROR_GE_FAILURE") if open_sizes else (told,))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(envelope.IGNORED), st.binary(min_size=64, max_size=64))
def test_ignored_fields(c: CSurface, field: str, data: bytes) -> None:
    form = envelope.FIELDS[field][1]
    value: int | bytes = data if form.endswith("s") else data[0]
    image = envelope.set_field(MODEL, field, value)
    assert (answer(c, image), expected(image)) == ("ACL_SUCCESS", "ACL_SUCCESS")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(MODEL) + 8))
def test_any_length(c: CSurface, size: int) -> None:
    image = (MODEL + bytes(8))[:size]
    assert answer(c, image) == expected(image)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(envelope.HEADER_BYTES, envelope.HEADER_BYTES + 79), st.integers(0, 255))
def test_table_bytes(c: CSurface, at: int, value: int) -> None:
    image = MODEL[:at] + bytes([value]) + MODEL[at + 1 :]
    told = expected(image)
    # A table may be whole and make other bytes the graph: then only the loader knows whether they fit.
    assert answer(c, image) == told or told == "ACL_SUCCESS"
