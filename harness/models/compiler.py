"""Real models for a device: our programs through ONNX and CANN's compiler, kept by SoC and CANN version."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness.models import catalogue, kernels, onnx, operators
from harness.models.program import GearKind, Program, Role
from harness.models.shelf import NoModel, publish

_COMPILER = "atc"
_ONNX_FRAMEWORK = 5
_DEADLINE_S = 600


def cache_folder() -> Path:
    """Where compiled models are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or _own_cache()
    return Path(base) / "ascend-cts" / "models"


def _own_cache() -> Path:
    try:
        return Path.home() / ".cache"
    except RuntimeError:
        # A container's user may have neither HOME nor an entry in the list of users.
        return Path(tempfile.gettempdir()) / f"ascend-cts-{os.getuid()}"


class CompilerShelf:
    """Models compiled on first use; each is kept below the cache folder by SoC and CANN version."""

    def __init__(self, soc: str, cann: str, cache: Path | None = None) -> None:
        self._soc = soc
        self._folder = (cache or cache_folder()) / (soc or "unknown") / (cann or "unknown")

    def file(self, name: str) -> Path:
        """The compiled file of a model; NoModel where it cannot be made here."""
        place = self._folder / name
        file = place / f"{name}.om"
        if file.is_file():
            return file
        program = self._compilable(name)
        compiler = shutil.which(_COMPILER)
        if compiler is None:
            raise NoModel(f"no model {name}: {_COMPILER} is not on PATH; --models DIR gives models")
        if not self._soc:
            raise NoModel(f"no model {name}: the library does not tell the SoC to compile for")
        source = _source(program)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = Path(tempfile.mkdtemp(dir=self._folder))
        except OSError as error:
            raise NoModel(
                f"no model {name}: {self._folder} cannot be written ({error.strerror}); "
                "XDG_CACHE_HOME names another place"
            ) from None
        try:
            self._compile(compiler, program, source, draft)
        except NoModel:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        publish(draft, place)
        return file

    def binary(self, name: str) -> Path:
        """NoModel: the model compiler makes no kernel binaries."""
        raise NoModel(f"no kernel binary {kernels.BINARIES[name]}: --models DIR gives kernel binaries")

    def _compilable(self, name: str) -> Program:
        if name in catalogue.BUNDLES:
            raise NoModel(f"no bundle {name}: bundles are not compiled here; --models DIR gives models")
        program = catalogue.program(name)
        problem = operators.obstacle(program) if program.single else onnx.obstacle(program)
        if problem:
            raise NoModel(f"no model {name}: {problem}")
        return program

    def _compile(self, compiler: str, program: Program, source: bytes, folder: Path) -> None:
        options = _operator_options if program.single else _model_options
        command = [compiler, f"--soc_version={self._soc}", *options(program, source, folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_DEADLINE_S, cwd=folder)
        except subprocess.TimeoutExpired:
            raise NoModel(f"no model {program.name}: {_COMPILER} ran longer than {_DEADLINE_S} s") from None
        _name_operator(folder, f"{program.name}.om")
        if done.returncode != 0 or not (folder / f"{program.name}.om").is_file():
            words = (done.stderr or done.stdout).strip().splitlines()
            raise NoModel(f"no model {program.name}: {_COMPILER} failed: {words[-1] if words else 'no text'}")


def _source(program: Program) -> bytes:
    """What the compiler reads: an operator's description, or an ONNX model."""
    if program.single:
        return operators.description(program).encode()
    try:
        return onnx.onnx_bytes(program)
    except ImportError:
        raise NoModel(f"no model {program.name}: install ascend-cts[model] to compile it") from None


def _operator_options(program: Program, source: bytes, folder: Path) -> list[str]:
    file = folder / f"{program.name}.json"
    file.write_bytes(source)
    return [f"--singleop={file}", f"--output={folder}"]


def _name_operator(folder: Path, name: str) -> None:
    """The compiler names an operator's file after its shapes; it gets the name it is asked for by."""
    made = list(folder.glob("*.om"))
    if len(made) == 1:
        made[0].rename(folder / name)


def _model_options(program: Program, source: bytes, folder: Path) -> list[str]:
    file = folder / f"{program.name}.onnx"
    file.write_bytes(source)
    options = [
        f"--model={file}",
        f"--framework={_ONNX_FRAMEWORK}",
        f"--output={folder / program.name}",
        "--precision_mode=must_keep_origin_dtype",
        *shape_options(program),
    ]
    if program.external:
        options.append("--external_weight=1")
    if program.aipps:
        options.append(f"--insert_op_conf={_aipp_file(program, folder)}")
    return options


def shape_options(program: Program) -> list[str]:
    """The compiler's options for sizes that are known at execution only."""
    open_inputs = [each for each in program.inputs if each.role is Role.DATA and -1 in each.dims]
    if not open_inputs:
        return []
    shapes = []
    for each in open_inputs:
        dims = [str(dim) for dim in each.dims]
        if program.dynamic:
            for index, (least, most) in enumerate(each.bounds):
                if each.dims[index] < 0:
                    dims[index] = f"{least}~{most}" if most >= 0 else "-1"
        shapes.append(f"{each.name}:{','.join(dims)}")
    options = [f"--input_shape={';'.join(shapes)}"]
    if program.gear_kind is GearKind.BATCH:
        options.append(f"--dynamic_batch_size={','.join(str(gear[0]) for gear in program.gears)}")
    if program.gear_kind is GearKind.IMAGE_SIZE:
        options.append(f"--dynamic_image_size={_joined(program.gears)}")
        options.append("--input_format=NCHW")
    if program.gear_kind is GearKind.DIMS:
        options.append(f"--dynamic_dims={_joined(_open_sizes(program))}")
        options.append("--input_format=ND")
    return options


def _open_sizes(program: Program) -> list[tuple[int, ...]]:
    """Of each gear the sizes that stand where a dim is open, which is what the compiler asks for."""
    dims = [dim for each in program.inputs if each.role is Role.DATA for dim in each.dims]
    return [tuple(size for size, dim in zip(gear, dims, strict=True) if dim < 0) for gear in program.gears]


def _joined(gears: list[tuple[int, ...]] | tuple[tuple[int, ...], ...]) -> str:
    return ";".join(",".join(str(size) for size in gear) for gear in gears)


def _aipp_file(program: Program, folder: Path) -> Path:
    """The compiler's configuration of preprocessing."""
    blocks = []
    for aipp in program.aipps:
        lines = [
            f"related_input_rank : {aipp.input}",
            f"aipp_mode : {'dynamic' if aipp.dynamic else 'static'}",
        ]
        if aipp.dynamic:
            lines.append(f"max_src_image_size : {aipp.batch * aipp.width * aipp.height * 4}")
        else:
            lines += ["input_format : RGB888_U8", f"src_image_size_w : {aipp.width}"]
            lines += [f"src_image_size_h : {aipp.height}"]
        blocks.append("aipp_op {\n" + "".join(f"  {line}\n" for line in lines) + "}\n")
    file = folder / "aipp.cfg"
    file.write_text("".join(blocks))
    return file
