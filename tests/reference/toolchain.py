"""Builds the reference device and programs against it with the C and C++ compilers alone.

The tests must run where CMake is only known to pip, so they call the compilers themselves. Objects are kept
below `build/` and made again only when a file they were made from has changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
REFERENCE = REPOSITORY / "reference"
BUILD = REPOSITORY / "build" / "tests-reference"

CXX = os.environ.get("CXX") or shutil.which("c++") or "g++"
CC = os.environ.get("CC") or shutil.which("cc") or "gcc"

# Parsed once instead of for each source file: the time of a build is the time of reading headers.
COMMON_HEADERS = (
    *("algorithm", "atomic", "chrono", "condition_variable", "cstdint", "cstring", "functional", "map"),
    *("memory", "mutex", "optional", "shared_mutex", "string", "thread", "unordered_map", "vector"),
    *("acl/acl.h", "generated/functions.hpp"),
)


def run(command: Sequence[str | Path], timeout: float = 600) -> None:
    """Runs a compiler; its complaints are the failure of the test."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Test workers share the folder: one builds, the others find the result."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def up_to_date(target: Path, prerequisites: Path) -> bool:
    """Whether the target is newer than everything its dependency file names."""
    if not target.is_file() or not prerequisites.is_file():
        return False
    made = target.stat().st_mtime_ns
    names = prerequisites.read_text(encoding="utf-8").replace("\\\n", " ").split()[1:]
    return all(os.path.exists(name) and os.stat(name).st_mtime_ns <= made for name in names)


@dataclass(frozen=True)
class Build:
    """The library and its test programs, built one way."""

    name: str
    flags: tuple[str, ...]

    @property
    def folder(self) -> Path:
        digest = hashlib.sha256(" ".join((CXX, *self.flags)).encode()).hexdigest()[:8]
        return BUILD / f"{self.name}-{digest}"

    @property
    def headers(self) -> Path:
        return self.folder / "generated" / "include"

    @property
    def library(self) -> Path:
        return self.folder / "libascendcl.so"

    def program(self, name: str) -> Path:
        return self.folder / name

    def compile_flags(self) -> list[str]:
        private = self.folder / "generated" / "private"
        includes = (self.headers, private, REFERENCE / "src", REFERENCE / "include")
        return [*self.flags, *(f"-I{folder}" for folder in includes)]

    def generate(self) -> None:
        """Writes the public headers and the support tables."""
        data = REPOSITORY / "harness" / "contract" / "data"
        run([sys.executable, REFERENCE / "tools" / "generate.py", data, self.folder / "generated"])

    def make_object(self, source: Path, target: Path, flags: Sequence[str]) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        prerequisites = target.with_suffix(".d")
        if not up_to_date(target, prerequisites):
            run([CXX, "-std=c++20", "-MMD", "-MF", prerequisites, *flags, "-c", source, "-o", target])

    def precompile(self) -> Path:
        header = self.folder / "common.hpp"
        text = "".join(f"#include <{name}>\n" for name in COMMON_HEADERS)
        if not header.is_file() or header.read_text(encoding="utf-8") != text:
            header.write_text(text, encoding="utf-8")
        target = self.folder / "common.hpp.gch"
        flags = [*self.compile_flags(), "-fPIC", "-fvisibility=hidden", "-x", "c++-header"]
        prerequisites = target.with_suffix(".d")
        if not up_to_date(target, prerequisites):
            run([CXX, "-std=c++20", "-MMD", "-MF", prerequisites, *flags, header, "-o", target])
        return header

    def make_library(self) -> Path:
        """Builds libascendcl.so and returns its path."""
        with only_one(self.folder):
            self.generate()
            common = self.precompile()
            flags = [*self.compile_flags(), "-fPIC", "-fvisibility=hidden", '-DACLREF_VERSION="0.1.0"']
            flags += ["-Winvalid-pch", "-include", str(common)]
            sources = sorted((REFERENCE / "src").glob("*/*.cpp"))
            folder = self.folder / "objects"
            objects = [folder / source.parent.name / f"{source.stem}.o" for source in sources]
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                for _ in pool.map(self.make_object, sources, objects, repeat(flags)):
                    pass
            newest = max(path.stat().st_mtime_ns for path in objects)
            if not self.library.is_file() or self.library.stat().st_mtime_ns < newest:
                run([CXX, "-shared", *self.flags, *objects, "-o", self.library, "-pthread", "-ldl"])
        return self.library

    def make_program(self, source: Path, *includes: Path) -> Path:
        """Builds one C++ program against the library, which must be there already, and returns its path."""
        with only_one(self.folder):
            target = self.folder / "objects" / f"{source.stem}.o"
            self.make_object(
                source,
                target,
                [*self.compile_flags(), *(f"-I{folder}" for folder in (source.parent, *includes))],
            )
            program = self.program(source.stem)
            newest = max(target.stat().st_mtime_ns, self.library.stat().st_mtime_ns)
            if not program.is_file() or program.stat().st_mtime_ns < newest:
                libraries: list[str | Path] = [self.library, f"-Wl,-rpath,{self.folder}", "-pthread"]
                run([CXX, *self.flags, target, *libraries, "-o", program])
        return program


# Only for its headers: what it would build is the installed library, less optimised.
PLAIN = Build("plain", ())
# Compiling takes longer than running: little is optimised.
ADDRESS = Build("address", ("-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"))
THREAD = Build("thread", ("-O1", "-g1", "-fsanitize=thread"))

PROGRAMS = sorted((REFERENCE / "tests").glob("*_test.cpp"))
