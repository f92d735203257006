"""Run a pyACL program on any ACL library: `python -m harness.pyacl [--library PATH] SCRIPT [ARGUMENT …]`.

The script finds this package's drop-in under `import acl`, and so do the Python processes that it starts.
Without `--library` it runs on the library that ACLCTS_LIBRARY names, else on the reference device. Exit
status 2 where the library or the script cannot be used. `--path` prints the folder for PYTHONPATH instead.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from pathlib import Path

from harness import pyacl
from harness.binding import LibraryError


def main() -> int:
    """Parse the command line and run the script; returns only where it cannot be run."""
    parser = argparse.ArgumentParser(
        prog="python -m harness.pyacl",
        description="Run a pyACL program on any ACL library.",
        epilog="example: python -m harness.pyacl --library build/ref sample.py --device 0",
    )
    parser.add_argument("--library", help="the ACL library (default: the reference device)")
    parser.add_argument(
        "--path", action="store_true", help="print the folder that PYTHONPATH needs for `import acl`, and end"
    )
    parser.add_argument("script", nargs="?", help="the Python program; it imports acl")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")
    options = parser.parse_args()
    if options.path:
        print(pyacl.PATH_FOLDER)
        return 0
    library = options.library or pyacl.library_to_use()
    if library is None:
        parser.error("the reference device is not installed: give --library, or set ACLCTS_REFERENCE")
    if options.script is None:
        parser.error("which script? give the Python program to run")
    if not Path(options.script).is_file():
        parser.error(f"{options.script}: no such file")
    try:
        pyacl.use(library)
    except LibraryError as error:
        parser.error(str(error))
    pyacl.install()
    _tell_children(library)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = str(Path(options.script).resolve().parent)
    runpy.run_path(options.script, run_name="__main__")
    return 0


def _tell_children(library: str | Path) -> None:
    """Python processes that the script starts find the drop-in as well, on the same library."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(pyacl.PATH_FOLDER), *([before] if before else [])])
    os.environ[pyacl.LIBRARY_VARIABLE] = str(library)


if __name__ == "__main__":
    sys.exit(main())
