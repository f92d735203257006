"""The rooms import in one direction only (CONTRIBUTING.md), and the reference device none of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ALLOWED: dict[str, set[str]] = {
    "harness.contract": set(),
    "harness.models": {"harness.contract"},
    "harness.binding": {"harness.contract"},
    "harness.pyacl": {"harness.contract", "harness.binding"},
    "harness.device": {"harness.contract", "harness.binding", "harness.pyacl"},
    "harness.isolation": {"harness.contract", "harness.binding"},
    "harness.results": {"harness.contract"},
    "reports": {"harness.contract", "harness.results"},
    "harness.plugin": {
        "harness.contract",
        "harness.models",
        "harness.binding",
        "harness.pyacl",
        "harness.device",
        "harness.isolation",
        "harness.results",
        "harness.benchmark",
        "reports",
    },
    "harness.benchmark": {
        "harness.contract",
        "harness.models",
        "harness.binding",
        "harness.pyacl",
        "harness.device",
        "harness.isolation",
        "harness.results",
    },
    "harness.faults": {"harness.contract", "harness.results"},
}


def imports(file: Path) -> set[str]:
    """Every module of ours that a file imports, anywhere in it."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
    return {module for module in modules if module.partition(".")[0] in ("harness", "reports", "suites")}


def room(module: str) -> str:
    """The room a module belongs to; the package `harness` itself is nobody's."""
    parts = module.split(".")
    return parts[0] if parts[0] != "harness" else ".".join(parts[:2])


@pytest.mark.parametrize("name", ALLOWED)
def test_a_room_imports_only_what_it_may(name: str) -> None:
    files = sorted((ROOT / name.replace(".", "/")).rglob("*.py"))
    assert files
    wrong = {
        f"{file.relative_to(ROOT)} imports {module}"
        for file in files
        for module in imports(file)
        if room(module) not in ALLOWED[name] | {name, "harness"}
    }
    assert wrong == set()


def test_suites_know_neither_results_nor_reports() -> None:
    files = sorted((ROOT / "suites").rglob("*.py"))
    assert files
    known = {room(module) for file in files for module in imports(file)}
    assert known <= {
        "suites",
        *(f"harness.{name}" for name in ("contract", "models", "binding", "pyacl", "device", "plugin")),
    }


def test_the_reference_device_knows_only_the_contract() -> None:
    for file in (ROOT / "reference").rglob("*.py"):
        assert imports(file) == set(), file
