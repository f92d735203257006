"""Which library is tested: the reference device, CANN's own, or any other with the same ABI."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from harness.binding import LibraryError, find_reference, open_library
from harness.binding.discovery import LIBRARY_NAME, REFERENCE_VARIABLE
from harness.contract import Contract
from harness.device.errors import UsageError
from harness.device.installation import find_cann, has_device_node, installed_version
from harness.device.profile import Profile, check_version, select_profiles, split_list

Kind = Literal["reference", "cann", "other"]


@dataclass(frozen=True)
class Probe:
    """What a library says about itself when it is opened, and where it is no reference device, initialised.

    `soc` and `cann` are empty and `devices` is 0 where it does not say.
    """

    reference: str = ""
    soc: str = ""
    cann: str = ""
    devices: int = 0
    faults: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Probe:
        """The probe that `dataclasses.asdict` gave, after JSON made lists of its tuples."""
        return cls(**{**data, "faults": tuple(data["faults"]), "absent": tuple(data["absent"])})


@dataclass(frozen=True)
class Target:
    """The library under test and the profiles it is tested for; plain data, so that workers can be told."""

    path: str
    kind: Kind
    label: str
    sha256: str
    profiles: tuple[Profile, ...]
    detected: Probe = field(default_factory=Probe)

    @property
    def hardware(self) -> bool:
        """True where the library drives devices that other processes may use too."""
        return self.kind == "cann"

    def to_json(self) -> dict[str, Any]:
        """The target as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Target:
        """The target that `to_json` gave."""
        profiles = tuple(Profile(**entry) for entry in data["profiles"])
        return cls(**{**data, "profiles": profiles, "detected": Probe.from_json(data["detected"])})


def probe(path: str) -> Probe:
    """Opens a library and asks what it is.

    Runs driver code: call it in a child process. Raises LibraryError where the file is no ACL library.
    """
    library = open_library(path)
    if library.control is not None:
        return Probe(
            reference=library.control.version,
            faults=tuple(library.control.faults()),
            absent=tuple(sorted(library.absent)),
        )
    return _ask(library)


def _ask(library: Any) -> Probe:
    from harness.binding import CSurface

    surface = CSurface(library)
    soc, cann, devices = "", "", 0
    if surface.has("aclInit"):
        surface.call("aclInit", configPath=None)
    if surface.has("aclrtGetSocName"):
        name = surface.call("aclrtGetSocName").value
        soc = name.decode(errors="replace") if isinstance(name, bytes) else str(name or "")
    if surface.has("aclrtGetDeviceCount"):
        count = surface.call("aclrtGetDeviceCount")
        devices = int(count.count) if count.ok and not count.unwritten else 0
    cann = installed_version(Path(library.path))
    if surface.has("aclFinalize"):
        surface.call("aclFinalize")
    return Probe(soc=soc, cann=cann, devices=devices, absent=tuple(sorted(library.absent)))


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        for piece in iter(lambda: stream.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def select_target(
    contract: Contract,
    option: str | None = None,
    sku: Iterable[str] = (),
    form: Iterable[str] = (),
    cann: str | None = None,
    probe: Callable[[str], Probe] = probe,
) -> Target:
    """The target the options name, or the default: CANN where it is installed with a device, else the
    reference.

    `probe` opens the library; the plugin gives one that does so in a child process. Raises UsageError, one
    line.
    """
    select_profiles(contract, sku, form, cann)
    path = library_path(option)
    try:
        answer = probe(str(path))
    except LibraryError as error:
        raise UsageError(f"--target: {error}") from None
    if answer.reference:
        return Target(
            path=str(path),
            kind="reference",
            label=f"reference device {answer.reference}",
            sha256=file_digest(path),
            profiles=select_profiles(contract, sku, form, cann),
            detected=answer,
        )
    return _real_target(contract, path, answer, split_list(sku), split_list(form), cann)


def library_path(option: str | None) -> Path:
    """The file or folder that --target names, or the default; UsageError, one line, where there is none."""
    if option is None:
        cann = find_cann() if has_device_node() else None
        option = "reference" if cann is None else "cann"
    if option == "reference":
        found = find_reference()
        if found is None:
            raise UsageError(
                "--target reference: it is not built here; install the package with a C++ compiler, "
                f"or name the library in {REFERENCE_VARIABLE}"
            )
        return found
    if option == "cann":
        found = find_cann()
        if found is None:
            raise UsageError(
                f"--target cann: no {LIBRARY_NAME} below ASCEND_HOME_PATH or ASCEND_TOOLKIT_HOME; "
                "source CANN's set_env.sh first"
            )
        return found
    path = Path(option)
    # Not Path.is_dir, which raises for a name that is too long.
    return path / LIBRARY_NAME if os.path.isdir(path) else path


def product_of_soc(contract: Contract, soc: str) -> str | None:
    """The product key a SoC name belongs to, or None where the contract does not know it."""
    return next((key for key, product in contract.products.items() if soc in product.soc_versions), None)


def _real_target(
    contract: Contract, path: Path, answer: Probe, sku: list[str], form: list[str], cann: str | None
) -> Target:
    product = product_of_soc(contract, answer.soc) if answer.soc else None
    if product is not None and sku and sku != [product]:
        raise UsageError(f"--sku: the device is a {answer.soc} ({product}), not {', '.join(sku)}")
    if product is None:
        if len(sku) != 1:
            said = f"names its SoC {answer.soc!r}" if answer.soc else "does not name its SoC"
            raise UsageError(
                f"--sku: {path} {said}, which no product of the contract has; say which one to test it as"
            )
        product = sku[0]
    host_form = form[0] if form else _detected_form(contract, product)
    if len(form) > 1 or host_form not in contract.forms(product):
        raise UsageError(f"--form: choose one of {', '.join(contract.forms(product))} for {product}")
    version = _version(answer.cann, cann)
    kind: Kind = "cann" if answer.devices and has_device_node() else "other"
    label = f"{answer.soc or product} ({'CANN ' + version if kind == 'cann' else path.name})"
    return Target(
        path=str(path),
        kind=kind,
        label=label,
        sha256=file_digest(path),
        profiles=(Profile(product, host_form, version),),
        detected=answer,
    )


def _detected_form(contract: Contract, product: str) -> str:
    """RC where this host's own CPU sits on the product's board, else EP."""
    forms = contract.forms(product)
    if len(forms) == 1:
        return forms[0]
    board = Path("/proc/device-tree/model")
    on_board = board.is_file() and any(
        word in board.read_text(errors="replace") for word in ("Atlas", "Ascend")
    )
    return next((name for name in forms if name != "EP"), "EP") if on_board else "EP"


def _version(detected: str, asked: str | None) -> str:
    from harness.contract import CURRENT_VERSION

    if asked is not None and detected and asked.split(".")[:2] != detected.split(".")[:2]:
        raise UsageError(f"--cann: the installation is CANN {detected}, not {asked}")
    if asked is not None:
        return check_version(asked)
    return detected or CURRENT_VERSION
