"""Run a pyACL program on any ACL library: `python -m harness.pyacl [--library PATH] SCRIPT [ARGUMENT …]`.

The script finds this package's drop-in under `import acl`. Without `--library` it runs on the reference
device: the library that ACLCTS_REFERENCE names, else the installed one. Exit status 2 where the library or
the script cannot be used.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from harness import pyacl
from harness.binding import LibraryError, find_reference


def main() -> int:
    """Parse the command line and run the script; returns only where it cannot be run."""
    parser = argparse.ArgumentParser(
        prog="python -m harness.pyacl",
        description="Run a pyACL program on any ACL library.",
        epilog="example: python -m harness.pyacl --library build/ref sample.py --device 0",
    )
    parser.add_argument("--library", help="the ACL library (default: the reference device)")
    parser.add_argument("script", help="the Python program; it imports acl")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")
    options = parser.parse_args()
    library = options.library or find_reference()
    if library is None:
        parser.error("the reference device is not installed: give --library, or set ACLCTS_REFERENCE")
    if not Path(options.script).is_file():
        parser.error(f"{options.script}: no such file")
    try:
        pyacl.use(library)
    except LibraryError as error:
        parser.error(str(error))
    pyacl.install()
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = str(Path(options.script).resolve().parent)
    runpy.run_path(options.script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
