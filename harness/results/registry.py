"""The registry: bundles in a folder for each set of products, and what its index tells of them."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from harness.results.archive import open_archive
from harness.results.bundle import SIGNATURES, Manifest, read_manifest
from harness.results.errors import ResultsError
from harness.results.files import check_folder, write_whole

INDEX = "index.html"
MARK = b'<meta name="generator" content="ascend-cts registry">'
"""What the index of every registry has near its beginning."""

_MARKED_BYTES = 4096


@dataclass(frozen=True)
class Filed:
    """One bundle of a registry: its path in it, and what its manifest states, or why that cannot be read."""

    path: str
    sha256: str
    manifest: Manifest | None
    signed: bool = False
    problem: str = ""

    @property
    def product(self) -> str:
        """The folder it is in."""
        return self.path.split("/")[0]

    @property
    def name(self) -> str:
        """Its file name."""
        return self.path.rpartition("/")[2]


def check_registry(registry: Path) -> bool:
    """Whether a folder is a registry already: its index says so. False for one that can become one.

    Raises ResultsError, one line, for a folder of something else, which an index would be written into.
    """
    index = registry / INDEX
    try:
        if index.is_file():
            with index.open("rb") as stream:
                if MARK in stream.read(_MARKED_BYTES):
                    return True
        elif not os.path.isdir(registry):
            check_folder(registry)
            return False
        there = sorted(name for name in os.listdir(registry) if not name.startswith("."))
    except OSError as error:
        raise ResultsError(registry, f"the registry cannot be written ({error.strerror})") from None
    if there:
        raise ResultsError(
            registry, f"no registry: it holds {there[0]}; name an empty folder, a new one or a registry"
        )
    return False


def file_bundle(bundle: Path, registry: Path) -> Path:
    """Copy a bundle to its place in the registry; where it is there.

    Raises ResultsError, one line, where it is no bundle or the folder cannot be written.
    """
    with open_archive(bundle) as archive:
        manifest = read_manifest(archive)
    content = bundle.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    folder = "+".join(manifest.products)
    moment = manifest.made.strftime("%Y%m%d-%H%M%S")
    place = registry / folder / f"{moment}-{manifest.cann}-{manifest.target.kind}-{digest[:8]}.zip"
    if not all(part.isalnum() for part in manifest.products) or place.parent.parent != registry:
        raise ResultsError(bundle, f"its products {manifest.products} make no name of a folder")
    write_whole(place, content, "the bundle")
    return place


def filed(registry: Path) -> list[Filed]:
    """Every bundle of the registry, by product and newest first; ResultsError without such a folder."""
    if not registry.is_dir():
        raise ResultsError(registry, "no such folder")
    found = [_read(path, registry) for path in sorted(registry.glob("*/*.zip"), reverse=True)]
    return sorted(found, key=lambda entry: entry.product)


def _read(path: Path, registry: Path) -> Filed:
    name = path.relative_to(registry).as_posix()
    try:
        with open_archive(path) as archive:
            signed = not SIGNATURES.isdisjoint(archive.names)
            return Filed(name, _sha256(path), read_manifest(archive), signed)
    except ResultsError as error:
        return Filed(name, "", None, problem=str(error).removeprefix(f"{path}: "))


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while piece := stream.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise ResultsError(path, f"cannot be read ({error.strerror})") from None
    return digest.hexdigest()
