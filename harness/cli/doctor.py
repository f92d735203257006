"""`aclcts doctor`: what this host has of what the harness needs."""

from __future__ import annotations

import argparse
import glob
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Literal, NamedTuple

from harness.binding import LibraryError
from harness.cli.command import BAD, GOOD, Command, Context, add_json, print_json, table
from harness.device import find_reference
from harness.device.environment import driver_version
from harness.device.installation import find_cann
from harness.plugin.settings import probe_in_child

State = Literal["ok", "note", "problem"]
_SIGNS = {"ok": "✓", "note": "○", "problem": "✗"}
_PACKAGES = ("pytest", "pytest-xdist", "numpy", "msgspec", "jinja2")
_OLDEST_PYTHON = (3, 10)


class Finding(NamedTuple):
    """One thing that was looked at: what it is, whether it serves, and what was found."""

    name: str
    state: State
    detail: str


def configure(parser: argparse.ArgumentParser, context: Context) -> None:
    """Declare the options."""
    add_json(parser, context)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the findings; BAD where one is a problem."""
    findings = examine(context)
    if options.json:
        print_json([finding._asdict() for finding in findings])
    else:
        rows = [(f"{_SIGNS[finding.state]} {finding.name}", finding.detail) for finding in findings]
        print(table(rows))
    return BAD if any(finding.state == "problem" for finding in findings) else GOOD


def examine(context: Context) -> list[Finding]:
    """Everything the harness can use here; a problem is what keeps every conformance run from starting."""
    say = context.say
    libraries = [_library(say("cli.doctor.reference"), find_reference(), say("cli.doctor.no_reference"))]
    libraries.append(_library(say("cli.doctor.cann"), find_cann(), say("cli.doctor.no_cann")))
    usable = any(library.state == "ok" for library in libraries)
    recent = sys.version_info >= _OLDEST_PYTHON
    nodes = sorted(glob.glob("/dev/davinci[0-9]*"))
    homes = [f"{name}={os.environ[name]}" for name in _VARIABLES if os.environ.get(name)]
    driver = driver_version()
    pyacl = importlib.util.find_spec("acl")
    return [
        Finding("python", "ok" if recent else "problem", f"{platform.python_version()} ({sys.executable})"),
        *(_package(name, say("cli.doctor.missing")) for name in _PACKAGES),
        _compiler(say("cli.doctor.no_compiler")),
        *libraries,
        Finding(say("cli.doctor.devices"), "ok" if nodes else "note", " ".join(nodes) or say("cli.none")),
        Finding(say("cli.doctor.driver"), "ok" if driver else "note", driver or say("cli.none")),
        Finding(say("cli.doctor.environment"), "ok" if homes else "note", " ".join(homes) or say("cli.none")),
        Finding(
            "pyACL", "ok" if pyacl else "note", str(pyacl.origin) if pyacl else say("cli.doctor.own_pyacl")
        ),
        Finding(
            say("cli.doctor.verdict"),
            "ok" if usable else "problem",
            say("cli.doctor.usable") if usable else say("cli.doctor.unusable"),
        ),
    ]


_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ACLCTS_REFERENCE", "ASCEND_RT_VISIBLE_DEVICES")


def _package(name: str, missing: str) -> Finding:
    try:
        return Finding(name, "ok", metadata.version(name))
    except metadata.PackageNotFoundError:
        return Finding(name, "problem", missing)


def _compiler(missing: str) -> Finding:
    for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        path = shutil.which(name) if name else None
        if path is None:
            continue
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        first = done.stdout.splitlines()[:1]
        return Finding("C++", "ok", f"{path}: {first[0] if first else '?'}")
    return Finding("C++", "note", missing)


def _library(name: str, path: Path | None, missing: str) -> Finding:
    if path is None:
        return Finding(name, "note", missing)
    try:
        answer = probe_in_child(str(path))
    except LibraryError as error:
        return Finding(name, "note", " ".join(str(error).split()))
    detail = answer.reference or " ".join(filter(None, (answer.soc, answer.cann)))
    return Finding(name, "ok", f"{path} {detail}".strip())


COMMAND = Command("doctor", configure, run)
