"""The command line of a run, checked and made into one object."""

from __future__ import annotations

import fnmatch
import os
import random
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from harness.binding import LibraryError
from harness.contract import Contract, ContractError, load, perhaps
from harness.device import Probe, Target, UsageError, probe, select_target, split_list, whole_number
from harness.device.environment import driver_version
from harness.isolation import ChildDied, ask_child
from harness.results import ResultsError, Store, Verdict, Waived
from harness.results.files import check_place
from harness.results.waivers import Waivers, read_waivers

SURFACES = ("c", "pyacl")
ISOLATION = ("all", "marked", "none")
NO_REPORT = "none"
"""What --report takes where no page is wanted."""
BENCH = ("quick", "check", "full")
TIERS = ("smoke", "must-pass", "full")
PROGRESS = ("auto", "bar", "lines", "letters")
DEFAULT_DEADLINE_S = 30.0
_PROBE_DEADLINE_S = 60.0
SUITES = "suites"
_NAMED = (
    *("target", "sku", "form", "cann", "surface", "rule", "tier", "chapter", "progress", "waivers"),
    *("results", "report", "isolate", "models", "bench", "fault"),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare the options; their values are checked later, so that a wrong one ends with exit status 2."""
    group = parser.getgroup("aclcts", "conformance of an AscendCL library")
    add = group.addoption
    add(
        "--target",
        metavar="reference|cann|PATH",
        help="the library under test (default: CANN's, else the reference)",
    )
    add(
        "--sku",
        action="append",
        default=[],
        metavar="PRODUCT",
        help="product keys; repeat or separate by commas",
    )
    add(
        "--form",
        action="append",
        default=[],
        metavar="EP|RC|ccpu",
        help="host forms; repeat or separate by commas",
    )
    add("--cann", metavar="VERSION", help="the CANN version whose promises hold, such as 9.0 or 8.0")
    add(
        "--surface",
        action="append",
        default=[],
        metavar="c|pyacl|all",
        help="the surfaces to test (default: all)",
    )
    add(
        "--rule",
        action="append",
        default=[],
        metavar="ID",
        help="only these rules; may hold * and ?, may be repeated",
    )
    add(
        "--tier",
        default="full",
        metavar="|".join(TIERS),
        help="full: every case; must-pass: rules that must hold; smoke: one such case for each function",
    )
    add(
        "--chapter",
        action="append",
        default=[],
        metavar="TOKEN",
        help="only rules of these chapters, such as 11-03 or memory; repeat or separate by commas",
    )
    add(
        "--progress",
        default="auto",
        metavar="|".join(PROGRESS),
        help="how progress is shown (default: a bar on a terminal, else lines)",
    )
    add("--waivers", metavar="FILE", help="known failures, each with an owner and an expiry date (TOML)")
    add("--results", metavar="DIR", help="where results.jsonl goes (default: reports/out)")
    add("--resume", action="store_true", help="go on with the run in the results folder, which was cut off")
    add(
        "--report",
        metavar=f"FILE|{NO_REPORT}",
        help="the HTML report (default: report.html in the results folder)",
    )
    add(
        "--no-strict",
        action="store_true",
        help="`deviates` is only a remark; --strict makes it bad on any target",
    )
    add(
        "--isolate",
        default="marked",
        metavar="|".join(ISOLATION),
        help="which cases get a process of their own",
    )
    add("--case-timeout", metavar="SECONDS", help=f"deadline of a case (default: {DEFAULT_DEADLINE_S:g})")
    add(
        "--models",
        metavar="DIR",
        help="compiled models for the device, NAME.om (default: made by atc and kept; ours on the reference)",
    )
    add("--seed", metavar="N", help="seed of the reference device's scheduler")
    add(
        "--bench",
        default="quick",
        metavar="|".join(BENCH),
        help="how long benchmarks may take; check: once, for their data only (default: quick)",
    )
    add(
        "--shuffle",
        metavar="N|random",
        help="run the cases in an order drawn from this number, or from one that is drawn and told",
    )
    add("--fault", metavar="NAME", help="make the reference device break a promise; several by commas")
    add("--sweep", metavar="PLAN", help="for `aclcts faults`: run the cases once for each fault of the plan")


@dataclass
class Settings:
    """What a run was asked for. A wrong value raises pytest.UsageError when it is first asked for."""

    options: dict[str, Any]
    given: Target | None = None
    strict_option: bool = False
    done: frozenset[str] = frozenset()
    """Ids of items that a run that goes on has done already."""

    @cached_property
    def contract(self) -> Contract:
        """The contract; pytest.UsageError where its data is broken."""
        try:
            return load()
        except ContractError as error:
            raise pytest.UsageError(f"contract: {error}") from None

    @cached_property
    def target(self) -> Target:
        """The library under test and its profiles."""
        if self.given is not None:
            return self.given
        try:
            return self._select()
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None

    def _select(self) -> Target:
        get = self.options.get
        target = select_target(
            self.contract,
            get("target"),
            get("sku") or (),
            get("form") or (),
            get("cann"),
            probe=probe_in_child,
        )
        if self.fault:
            self._check_faults(target, "--fault", split_list([self.fault]))
        return target

    def check_faults(self, option: str, names: Iterable[str]) -> None:
        """Raise pytest's usage error where the library under test cannot break one of these promises."""
        try:
            self._check_faults(self.target, option, names)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None

    @staticmethod
    def _check_faults(target: Target, option: str, names: Iterable[str]) -> None:
        if target.kind != "reference":
            raise UsageError(f"{option}: {target.path} is no reference device; faults exist only there")
        for name in names:
            if name not in target.detected.faults:
                hint = perhaps(name, target.detected.faults) or "; `aclcts faults --list` shows them"
                raise UsageError(f"{option}: the reference device has no fault {name!r}{hint}")

    @cached_property
    def surfaces(self) -> tuple[str, ...]:
        """The surfaces to test."""
        asked = split_list(self.options.get("surface") or ())
        for name in asked:
            if name not in (*SURFACES, "all"):
                raise pytest.UsageError(
                    f"--surface: no surface {name!r}; choose from {', '.join(SURFACES)}, all"
                )
        return tuple(name for name in SURFACES if not asked or "all" in asked or name in asked)

    @cached_property
    def rules(self) -> frozenset[str] | None:
        """The ids that --rule, --chapter and --tier leave; None where every rule counts."""
        chosen = [
            found for found in (self._named(), self._of_chapters(), self._of_tier()) if found is not None
        ]
        return frozenset.intersection(*chosen) if chosen else None

    @property
    def narrowed(self) -> bool:
        """Whether only some rules were asked for: by id, by chapter, or as a sample of each function."""
        return self._named() is not None or self._of_chapters() is not None or self.tier == "smoke"

    def _of_tier(self) -> frozenset[str] | None:
        if self.tier == "full":
            return None
        return frozenset(rule.id for rule in self.contract.rules.values() if rule.strength == "must")

    def _of_chapters(self) -> frozenset[str] | None:
        tokens = split_list(self.options.get("chapter") or ())
        if not tokens:
            return None
        try:
            return frozenset(rule.id for token in tokens for rule in self.contract.rules_of_chapter(token))
        except ContractError as error:
            raise pytest.UsageError(f"--chapter: {error}") from None

    def _named(self) -> frozenset[str] | None:
        patterns = split_list(self.options.get("rule") or ())
        if not patterns:
            return None
        ids: set[str] = set()
        for pattern in patterns:
            if pattern in self.contract.rules:
                ids.add(pattern)
                continue
            found = fnmatch.filter(self.contract.rules, pattern)
            if not found:
                hint = perhaps(pattern, self.contract.rules) or "; `aclcts rules` lists them"
                raise pytest.UsageError(f"--rule: no rule matches {pattern!r}{hint}")
            ids.update(found)
        return frozenset(ids)

    @property
    def tier(self) -> str:
        """Which cases count: full, must-pass or smoke."""
        choice = str(self.options.get("tier") or "full")
        if choice not in TIERS:
            raise pytest.UsageError(f"--tier: {choice!r} is not one of {', '.join(TIERS)}")
        return choice

    @property
    def progress(self) -> str:
        """How progress is shown: auto, bar, lines or letters."""
        choice = str(self.options.get("progress") or "auto")
        if choice not in PROGRESS:
            raise pytest.UsageError(f"--progress: {choice!r} is not one of {', '.join(PROGRESS)}")
        return choice

    @cached_property
    def waivers(self) -> Waivers:
        """The known failures; without --waivers there are none."""
        named = self.options.get("waivers")
        if not named:
            return Waivers()
        try:
            return Waivers(read_waivers(Path(named), self.contract), driver=driver_version())
        except ResultsError as error:
            raise pytest.UsageError(f"--waivers: {error}") from None

    def excuse(self, case_id: str, rules: Sequence[str], product: str, verdict: Verdict) -> Waived | None:
        """The excuse for a case that ended with this verdict; None for one that is not bad or not waived."""
        if not self.waivers.entries or not verdict.is_bad(self.strict):
            return None
        return self.waivers.excuse(case_id, rules, product, verdict)

    @property
    def isolate(self) -> str:
        """Which cases get a process of their own: all, marked or none."""
        choice = str(self.options.get("isolate") or "marked")
        if choice not in ISOLATION:
            raise pytest.UsageError(f"--isolate: {choice!r} is not one of {', '.join(ISOLATION)}")
        return choice

    @property
    def bench(self) -> str:
        """How long benchmarks may take: quick, check (once, for their data only) or full."""
        choice = str(self.options.get("bench") or BENCH[0])
        if choice not in BENCH:
            raise pytest.UsageError(f"--bench: {choice!r} is not one of {', '.join(BENCH)}")
        return choice

    @cached_property
    def deadline(self) -> float:
        """The deadline of a case in seconds."""
        text = self.options.get("case_timeout")
        if text is None:
            return DEFAULT_DEADLINE_S
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < float("inf"):
            raise pytest.UsageError(f"--case-timeout: {text!r} is not a positive number of seconds")
        return seconds

    @cached_property
    def seed(self) -> int | None:
        """The scheduler's seed, where one was given."""
        text = self.options.get("seed")
        if text is None:
            return None
        number = whole_number(str(text))
        if number is None:
            raise pytest.UsageError(f"--seed: {text!r} is not a whole number below 2**64")
        return number

    @cached_property
    def shuffle(self) -> int | None:
        """The number that the order of the cases is drawn from; None for the usual order."""
        text = self.options.get("shuffle")
        if text is None:
            return None
        if text == "random":
            return random.SystemRandom().randrange(1 << 32)
        number = whole_number(str(text))
        if number is None:
            raise pytest.UsageError(f"--shuffle: {text!r} is neither a whole number below 2**64 nor `random`")
        return number

    @property
    def fault(self) -> str | None:
        """The faults the reference device shall have."""
        value = self.options.get("fault")
        return str(value) if value else None

    @property
    def strict(self) -> bool:
        """Whether `deviates` is bad: --strict, --no-strict, else true for the reference device."""
        if self.options.get("no_strict"):
            return False
        return self.strict_option or self.target.kind == "reference"

    @property
    def results(self) -> Path:
        """The results folder."""
        return Path(self.options.get("results") or "reports/out")

    @property
    def report(self) -> Path:
        """The HTML report's file."""
        named = self.options.get("report")
        return Path(named) if named else self.results / "report.html"

    @cached_property
    def models(self) -> Path | None:
        """The folder of compiled models, where one was given."""
        named = self.options.get("models")
        if not named:
            return None
        folder = Path(named)
        if not os.path.isdir(folder):
            raise pytest.UsageError(f"--models: {folder} is no folder")
        return folder.absolute()

    def check(self) -> None:
        """Raise pytest.UsageError for an option whose value makes no sense, without touching a library."""
        self._check_given()
        _ = (self.surfaces, self.isolate, self.bench, self.deadline, self.seed, self.shuffle)
        _ = (self.tier, self.models, self.progress)
        if self.options.get("rule") or self.options.get("chapter"):
            _ = self.rules
        if self.options.get("waivers"):
            _ = self.waivers

    def check_places(self, only_collects: bool) -> None:
        """Raise pytest.UsageError where the results or the page surely cannot be written."""
        if only_collects:
            return
        try:
            Store.check(self.results)
            if self.options.get("report") != NO_REPORT:
                check_place(self.report, "the report")
        except ResultsError as error:
            raise pytest.UsageError(str(error)) from None

    def _check_given(self) -> None:
        """An empty value would mean the default without saying so, and a wrong number no workers at all."""
        for name in _NAMED:
            value = self.options.get(name)
            for each in value if isinstance(value, list) else [value]:
                if each is not None and not str(each).strip(" ,"):
                    raise pytest.UsageError(f"--{name}: {each!r} names nothing; leave the option out")
        workers = self.options.get("numprocesses")
        if isinstance(workers, int) and workers < 0:
            raise pytest.UsageError(f"-n: {workers} is no number of workers")
        if self.options.get("dist") == "each":
            raise pytest.UsageError("--dist each: a result holds each case once, not once for each worker")

    def whole(self, config: pytest.Config) -> bool:
        """Whether the run has every case of its products, chapters and tier, or only some chosen ones."""
        chosen = [
            self.options.get(name) for name in ("rule", "surface", "keyword", "markexpr", "lf", "deselect")
        ]
        places = [Path(str(argument)).name for argument in config.args]
        return not any(chosen) and self.tier != "smoke" and all(place == SUITES for place in places)

    def again(self, config: pytest.Config, nodeids: Iterable[str]) -> str:
        """The command that runs these cases again, as a line for a shell where this run started."""
        words = ["pytest", *(from_here(config, nodeid) for nodeid in nodeids)]
        for name in ("target", "sku", "form", "cann", "models", "seed", "fault"):
            value = self.options.get(name)
            for each in value if isinstance(value, list) else [value] if value else []:
                words += [f"--{name}", str(each)]
        return shlex.join(words)

    def stated(self) -> dict[str, Any]:
        """The options that were given, for the results' header."""
        names = (
            "target",
            "sku",
            "form",
            "cann",
            "surface",
            "rule",
            "chapter",
            "waivers",
            "models",
            "fault",
            "isolate",
            "case_timeout",
            "seed",
        )
        stated = {name: self.options[name] for name in names if self.options.get(name)}
        if self.tier != "full":
            stated["tier"] = self.tier
        return {**stated, "strict": self.strict}


def probe_in_child(path: str) -> Probe:
    """What a library says about itself, asked in a child process; LibraryError where it cannot be used."""

    def ask() -> dict[str, Any]:
        try:
            answer = probe(path)
        except Exception as error:
            return {"error": str(error) or type(error).__name__}
        return {"answer": asdict(answer)}

    try:
        reply = ask_child(ask, _PROBE_DEADLINE_S)
    except ChildDied as died:
        last = f"; it said: {died.said!r}" if died.said else ""
        raise LibraryError(f"{path}: opening it ended the process: {died}{last}") from None
    if "error" in reply:
        raise LibraryError(reply["error"])
    return Probe.from_json(reply["answer"])


def from_here(config: pytest.Config, nodeid: str) -> str:
    """An id, which starts at the root folder, as it is given on the command line where the run started."""
    path, separator, rest = nodeid.partition("::")
    return os.path.relpath(config.rootpath / path, config.invocation_params.dir) + separator + rest


_SETTINGS = pytest.StashKey[Settings]()


def settings_of(config: pytest.Config) -> Settings:
    """The settings of this process, made by the first call."""
    found = config.stash.get(_SETTINGS, None)
    if found is None:
        worker = getattr(config, "workerinput", {}).get("aclcts", {})
        given = Target.from_json(worker["target"]) if worker.get("target") else None
        done = frozenset(worker.get("done", ()))
        found = Settings(vars(config.option), given, bool(config.getini("strict")), done)
        if worker.get("shuffle") is not None:
            found.options["shuffle"] = worker["shuffle"]
        config.stash[_SETTINGS] = found
    return found


def is_conformance_run(config: pytest.Config) -> bool:
    """Whether the command line asks for suites: an argument lies in, or is, `suites` beside a conftest.py.

    Such a run settles its target before anything is collected; any other does when the first case shows up.
    """
    return any(map(_of_suites, _places(config))) or bool(config.option.target)


def runs_no_case(config: pytest.Config) -> bool:
    """Whether pytest is only to show what it would run or set up: such a run has no results."""
    return any(config.getoption(name, False) for name in ("collectonly", "setuponly", "setupplan"))


def check_root(config: pytest.Config) -> None:
    """Raise pytest.UsageError where pytest has taken another project for that of the suites.

    It looks for one beside every argument that is a path, the library's too, and ids start at its root.
    """
    for place in filter(_of_suites, _places(config)):
        if not place.is_relative_to(config.rootpath):
            raise pytest.UsageError(
                f"{place}: pytest takes {config.rootpath} for its project ({config.inipath or 'rootdir'}); "
                "name the suites before --target"
            )


def _places(config: pytest.Config) -> list[Path]:
    return [Path(os.path.abspath(str(argument).split("::")[0])) for argument in config.args]


def _of_suites(place: Path) -> bool:
    folders = (folder for folder in (place, *place.parents) if folder.name == SUITES)
    # Not Path.is_file, which raises for a name that is too long.
    return any(os.path.isfile(folder.parent / "conftest.py") for folder in folders)
