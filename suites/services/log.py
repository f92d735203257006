"""A program's own lines in the log: the functions that get them, and the files they stand in."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path
from typing import Any

from harness.device import require
from harness.plugin import Case
from suites.partners import Partner, outfit_of
from suites.services.folders import files_below, fresh_folder
from suites.threads import together

MODULE = 0xFF00
"""A number that modules of users may have."""

DEBUG, ERROR = 0, 3
LEVELS = range(DEBUG, ERROR + 1)
DEBUG_LOG = 0
"""The kind of output that a program's own lines are."""

MOST_FUNCTIONS = 16
LONGEST_TEXT = 1024

_X86_64_VA_LIST = struct.Struct("<IIQQ")
_REGISTERS_TAKEN, _FLOATS_TAKEN = 48, 304


class Log:
    """Registers functions for lines of the log, and writes lines, on the C surface."""

    def __init__(self, acl: Any, case: Case) -> None:
        self._acl = acl
        self._case = case
        self.lines: list[str] = []
        """What the registered functions got."""

    def function(self) -> Any:
        """A function that keeps the lines it gets."""

        def reached(user: int, kind: int, content: bytes | None, size: int) -> int:
            self.lines.append((content or b"").decode("utf-8", "replace"))
            return 0

        return self._case.engine.library.callback("acllogRecordCallback", reached)

    def register(self, **changes: Any) -> Any:
        """What registering a function gives."""
        given = {"callbackFunc": self.function(), "userData": None, "outputLogType": DEBUG_LOG, **changes}
        return self._acl.call("acllogRegisterCallback", **given)

    def register_many(self, count: int) -> list[tuple[int, int]]:
        """What registering so many functions gives: each answer with its handle."""
        made = [self.register() for _ in range(count)]
        return [(int(each.value), int(each.callbackHandle)) for each in made]

    def unregister(self, handle: int) -> int:
        """What removing a function answers."""
        return int(self._acl.call("acllogUnregisterCallback", callback=handle).value)

    def levels(self) -> list[int]:
        """Whether lines of each level are written, from debug to error."""
        call = self._acl.call
        return [int(call("acllogCheckDebugLevel", moduleId=MODULE, logLevel=level).value) for level in LEVELS]

    def record(self, text: str, module: int = MODULE, level: int = ERROR) -> Any:
        """Write a line."""
        rest = {"...": (ctypes.c_char_p(text.encode()),)}
        return self._acl.call("acllogRecord", moduleId=module, level=level, fmt="%s", **rest)

    def record_by_list(self, text: str) -> Any:
        """Write a line by the function that takes the arguments in a list; blocked where such a list is
        not known.
        """
        machine = struct.calcsize("P"), ctypes.sizeof(ctypes.c_long)
        if machine != (8, 8) or not _is_x86_64():
            self._case.expect.blocked("how C passes a list of arguments is not known on this machine")
        content = ctypes.create_string_buffer(text.encode())
        stack = (ctypes.c_void_p * 1)(ctypes.addressof(content))
        packed = _X86_64_VA_LIST.pack(_REGISTERS_TAKEN, _FLOATS_TAKEN, ctypes.addressof(stack), 0)
        given = ctypes.create_string_buffer(packed, len(packed))
        raw = ctypes.CDLL(str(self._case.engine.library.files[0])).acllogVaList
        raw.argtypes = [ctypes.c_int32, ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p]
        raw.restype = None
        raw(MODULE, ERROR, b"%s", ctypes.addressof(given))
        return self.lines

    def record_everywhere(self, threads: int, lines: int) -> int:
        """Write so many lines in each of so many threads at the same time; how many came to their end."""

        def write() -> int:
            for number in range(lines):
                self.record(f"line {number}")
            return 1

        return sum(together(self._case.engine.c, [write] * threads))

    def older(self, name: str) -> Any:
        """A function under a name that no document lists any more; blocked where it is not exported."""
        for file in self._case.engine.library.files:
            found = getattr(ctypes.CDLL(str(file)), name, None)
            if found is not None:
                return found
        self._case.expect.blocked(f"{name} is not exported")

    def record_by_older_name(self, text: str) -> None:
        """Write a line by the older name."""
        older = self.older("AlogRecord")
        older.restype = None
        older(ctypes.c_int32(MODULE), ctypes.c_int32(ERROR), b"%s", ctypes.c_char_p(text.encode()))

    def heard(self, text: str) -> bool:
        """Whether a line with this text has come to a registered function."""
        return any(text in line for line in self.lines)


class LoggingProcess:
    """Another process that writes lines into log files in a folder, errors only."""

    def __init__(self, case: Case) -> None:
        self._expect = case.expect
        self.folder: Path = fresh_folder(case.resources)
        environment = {
            "ASCEND_PROCESS_LOG_PATH": str(self.folder),
            "ASCEND_GLOBAL_LOG_LEVEL": str(ERROR),
            "ASCEND_SLOG_PRINT_TO_STDOUT": "0",
        }
        self._partner = Partner(outfit_of(case, environment=environment))
        case.resources.at_end(self._partner.close)

    def record(self, text: str, level: int) -> None:
        """Write a line."""
        answer = self._partner.call("acllogRecord", moduleId=MODULE, level=level, fmt=text)
        require(answer, "writing a line into the log")

    def record_own(self, text: str, level: int) -> None:
        """Write a line with a place in a program."""
        self._partner.call("aclAppLog", **own_line(self._partner, level, text))

    def written_or_blocked(self) -> str:
        """Everything in its log files, which has to be something; the process has ended."""
        return self.written() or self._expect.blocked("no log file in the folder of ASCEND_PROCESS_LOG_PATH")

    def written(self) -> str:
        """Everything in its log files; the process has ended."""
        self._partner.close()
        return "\n".join(file.read_text("utf-8", "replace") for file in files_below(self.folder))


def own_line(acl: Any, level: int, text: str) -> dict[str, Any]:
    """The arguments of aclAppLog for a line; pyACL knows the place by itself."""
    line = {"logLevel": level, "fmt": text}
    return line if acl.name == "pyacl" else {**line, "func": "function", "file": "program.c", "line": 7}


def _is_x86_64() -> bool:
    import platform

    return platform.machine() in ("x86_64", "AMD64")
