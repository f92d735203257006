"""Where CANN is installed on this host, and which version an installed library is of."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path

from harness.binding.discovery import LIBRARY_NAME

_CANN_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
_LEVELS = 4
_VERSION_FILES = ("version.cfg", "version.info", "runtime/version.info", "share/info/runtime/version.info")
_PRODUCT_KEYS = ("runtime_running_version", "version_dir")
_PACKAGE_KEYS = ("version",)
_NUMBERS = re.compile(r"(?<![\d.])(\d{1,4})\.(\d{1,4})(?!\d)")


def find_cann() -> Path | None:
    """CANN's library below ASCEND_HOME_PATH or ASCEND_TOOLKIT_HOME, or None where neither leads to one."""
    homes = [Path(os.environ[name]) for name in _CANN_VARIABLES if os.environ.get(name)]
    places = [home / folder / LIBRARY_NAME for home in homes for folder in ("lib64", "runtime/lib64")]
    return next((place for place in places if place.is_file()), None)


def has_device_node() -> bool:
    """True where the driver offers at least one device to this host."""
    return bool(glob.glob("/dev/davinci[0-9]*"))


def installed_version(library: Path) -> str:
    """MAJOR.MINOR from the version files of the installation the library lies in, or nothing.

    Packages count for themselves: the runtime of CANN 8.0 calls itself 7.6. So what names the installation
    goes before what names a package, wherever either stands.
    """
    facts = list(_facts(library))
    for keys in (_PRODUCT_KEYS, _PACKAGE_KEYS):
        for key, value in facts:
            # A running version is [package:installation], or the package alone.
            found = _NUMBERS.search(value.rpartition(":")[2]) if key in keys else None
            if found is not None:
                return f"{found[1]}.{found[2]}"
    return ""


def _facts(library: Path) -> Iterator[tuple[str, str]]:
    """The keys and values of every version file of an installation, the nearest first."""
    # `latest` holds links into the folder of a version, and a file that this folder has not.
    folders = dict.fromkeys([*library.resolve().parents[:_LEVELS], *library.absolute().parents[:_LEVELS]])
    for folder in folders:
        for name in _VERSION_FILES:
            for line in file_text(folder / name).splitlines():
                key, _, value = line.partition("=")
                yield key.strip().lower(), value


def file_text(file: Path) -> str:
    """What a small system file says, without the space around it; nothing where it cannot be read."""
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return ""
