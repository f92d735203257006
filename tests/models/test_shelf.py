"""Where model files come from."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness.models import (
    CompilerShelf,
    GivenShelf,
    NoModel,
    OwnShelf,
    catalogue,
    compiler,
    onnx,
    operators,
    program,
)

SOC = "Ascend910B1"


@pytest.fixture
def fake_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An atc that writes down how it was called and makes a file of a few bytes."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "atc"
    script.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> "{tmp_path}/calls"\n'
        'for word in "$@"; do case "$word" in --output=*) echo model > "${word#--output=}.om";; esac; done\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return tmp_path / "calls"


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH without atc."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


def test_our_models_are_written_once(tmp_path: Path) -> None:
    shelf = OwnShelf(tmp_path)
    first = shelf.file("affine")
    assert first.read_bytes() == program("affine").write()
    stamp = first.stat().st_mtime_ns
    assert shelf.file("affine").stat().st_mtime_ns == stamp


def test_external_weights_lie_beside_the_model(tmp_path: Path) -> None:
    file = OwnShelf(tmp_path).file("external")
    weights = file.parent / "weight" / catalogue.WEIGHT_FILE
    assert weights.read_bytes() == program("external").weights


def test_a_bundle_is_a_file_like_any_other(tmp_path: Path) -> None:
    assert OwnShelf(tmp_path).file("bundle").stat().st_size > 512


def test_given_models(tmp_path: Path) -> None:
    (tmp_path / "identity.om").write_bytes(b"model")
    shelf = GivenShelf(tmp_path)
    assert shelf.file("identity").read_bytes() == b"model"
    with pytest.raises(NoModel, match=r"has no affine\.om"):
        shelf.file("affine")


def test_a_model_is_compiled_once(tmp_path: Path, fake_compiler: Path) -> None:
    pytest.importorskip("onnx")
    shelf = CompilerShelf(SOC, "9.0", tmp_path / "cache")
    file = shelf.file("affine")
    assert shelf.file("affine") == file
    assert len(fake_compiler.read_text().splitlines()) == 1
    assert SOC in str(file)
    assert f"--soc_version={SOC}" in fake_compiler.read_text()


def test_without_a_compiler_the_reason_is_told(tmp_path: Path, no_compiler: None) -> None:
    with pytest.raises(NoModel, match="atc is not on PATH"):
        CompilerShelf(SOC, "9.0", tmp_path).file("affine")


@pytest.mark.parametrize("name", ["slow", "failing", "other_product", "bundle"])
def test_what_no_compiler_can_make(name: str, tmp_path: Path, fake_compiler: Path) -> None:
    with pytest.raises(NoModel):
        CompilerShelf(SOC, "9.0", tmp_path / "cache").file(name)


def test_a_cache_that_cannot_be_written_is_told(fake_compiler: Path) -> None:
    pytest.importorskip("onnx")
    # Below /proc nobody can make a folder, not even root.
    with pytest.raises(NoModel, match=r"/proc/.* cannot be written \(.*\); XDG_CACHE_HOME names another"):
        CompilerShelf(SOC, "9.0", Path("/proc/aclcts")).file("affine")


def test_a_user_without_a_home_has_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert str(os.getuid()) in str(compiler.cache_folder())


def test_a_failing_compiler_leaves_nothing(tmp_path: Path, fake_compiler: Path) -> None:
    pytest.importorskip("onnx")
    (tmp_path / "bin" / "atc").write_text("#!/bin/sh\necho E10001 bad model >&2\nexit 1\n")
    cache = tmp_path / "cache"
    with pytest.raises(NoModel, match="E10001 bad model"):
        CompilerShelf(SOC, "9.0", cache).file("affine")
    assert not [*cache.rglob("*.om"), *cache.rglob("*.onnx")]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("affine", []),
        ("batch", ["--input_shape=x:-1,4", "--dynamic_batch_size=1,2,4,8"]),
        ("dim_gears", ["--input_shape=a:2,-1;b:2,-1", "--dynamic_dims=4,4;8,8;16,16", "--input_format=ND"]),
        ("dynamic", ["--input_shape=x:1~16,4"]),
        ("unbounded", ["--input_shape=x:-1,4"]),
    ],
)
def test_sizes_as_the_compiler_takes_them(name: str, options: list[str]) -> None:
    assert compiler.shape_options(program(name)) == options


@pytest.mark.parametrize("name", [name for name in catalogue.NAMES if not onnx.obstacle(program(name))])
def test_onnx_models_are_valid(name: str) -> None:
    checker = pytest.importorskip("onnx.checker")
    checker.check_model(onnx.onnx_bytes(program(name)))


def test_a_single_operator_is_compiled_from_its_description(tmp_path: Path, fake_compiler: Path) -> None:
    (tmp_path / "bin" / "atc").write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> "{tmp_path}/calls"\n'
        'for word in "$@"; do\n'
        '  case "$word" in --output=*) echo model > "${word#--output=}/0_Add.om";; esac\n'
        "done\n"
    )
    file = CompilerShelf(SOC, "9.0", tmp_path / "cache").file("op_add")
    assert file.name == "op_add.om"
    assert f"--singleop={tmp_path}" in fake_compiler.read_text()
    (described,) = json.loads((file.parent / "op_add.json").read_text())
    assert described["op"] == "Add"
    assert [each["shape"] for each in described["input_desc"]] == [[8], [8]]


def test_what_a_description_tells_of_an_operator() -> None:
    (matmul,) = json.loads(operators.description(program("op_matmul")))
    assert matmul["input_desc"][2] == {"format": "RESERVED", "type": "UNDEFINED"}
    assert matmul["attr"][0] == {"name": "transpose_x1", "type": "bool", "value": False}
    (where,) = json.loads(operators.description(program("op_where")))
    assert where["output_desc"][0]["shape_range"] == [[0, 8], [1, 1]]
    (product,) = json.loads(operators.description(program("op_gemm_16x16x32_int8_int32_tn")))
    assert [each["shape"] for each in product["input_desc"]] == [[32, 16], [32, 16], [16, 16], [], []]
    assert [each["value"] for each in product["attr"]] == [True, False]
    (constant,) = json.loads(operators.description(program("op_add_constant")))
    assert constant["input_desc"][1]["const_value"] == list(range(8))


@pytest.mark.parametrize("name", ["op_add_host", "op_other_package"])
def test_operators_that_no_compiler_can_make(name: str, tmp_path: Path, fake_compiler: Path) -> None:
    with pytest.raises(NoModel):
        CompilerShelf(SOC, "9.0", tmp_path / "cache").file(name)
