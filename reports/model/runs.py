"""One run's facts: what was tested, on what, by which contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from harness.results import Run
from harness.results.text import one_line

PASSPORT = (
    "soc",
    "devices",
    "driver",
    "firmware",
    "cann",
    "links",
    "host",
    "system",
    "kernel",
    "cpu",
    "cores",
    "numa_nodes",
)
"""What a reader asks of a machine first, in this order; the rest of the environment is folded away."""


class Fact(NamedTuple):
    """One line of the facts about a run: a catalogue key or a plain name, and the value."""

    name: str
    value: str
    key: str = ""


@dataclass(slots=True)
class RunView:
    """One run's facts: the ones everybody asks for, and the rest."""

    title: str
    passport: list[Fact]
    facts: list[Fact]
    environment: list[Fact]
    finished: bool
    truncated: bool
    fault: str
    synthetic: bool


def run_view(run: Run) -> RunView:
    """The facts of a run, those that everybody asks for apart from the rest."""
    header = run.header
    finished = run.footer.finished if run.footer else None
    facts = [
        Fact("target", f"{header.target.label} ({header.target.kind})", "run.target"),
        Fact("library", header.target.path, "run.library"),
        Fact("sha256", header.target.sha256, "run.sha256"),
        Fact("started", header.started.strftime("%Y-%m-%d %H:%M:%S %Z"), "run.started"),
        Fact(
            "duration",
            _duration((finished - header.started).total_seconds()) if finished else "",
            "run.duration",
        ),
        Fact("products", ", ".join(header.products), "run.products"),
        Fact("forms", ", ".join(header.forms), "run.forms"),
        Fact("cann", header.cann, "run.cann"),
        Fact("surfaces", ", ".join(header.surfaces), "run.surfaces"),
        Fact("scope", _scope(header.options), "run.scope"),
        Fact("contract", f"{header.contract.version} ({header.contract.hash[:12]})", "run.contract"),
        Fact("seed", "" if header.seed is None else str(header.seed), "run.seed"),
        Fact("id", header.run_id, "run.id"),
    ]
    passport = [
        Fact(name, _plain(value), f"passport.{name}")
        for name in PASSPORT
        if (value := header.environment.get(name)) not in (None, "", []) and not isinstance(value, dict)
    ]
    told = {fact.name for fact in passport}
    rest = {name: value for name, value in header.environment.items() if name not in told}
    environment = [
        *_flat(rest),
        *_flat({f"option {name}": v for name, v in header.options.items()}),
    ]
    return RunView(
        title=one_line(header.target.label),
        passport=passport,
        facts=[fact._replace(value=one_line(fact.value, 400)) for fact in facts if fact.value],
        environment=environment,
        finished=run.finished,
        truncated=run.truncated,
        fault=one_line(str(header.options.get("fault") or "")),
        synthetic="synthetic" in header.options,
    )


def _scope(options: dict[str, object]) -> str:
    """What a run was narrowed to; nothing for one of everything its products have."""
    chosen = [(name, options[name]) for name in ("tier", "chapter", "rule") if options.get(name)]
    return ", ".join(f"{name} {_plain(value)}" for name, value in chosen)


def _flat(values: dict[str, object], prefix: str = "") -> list[Fact]:
    facts: list[Fact] = []
    for name, value in values.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict):
            facts += _flat(value, f"{path}.")
        elif value not in (None, "", []):
            facts.append(Fact(one_line(path), _plain(value)))
    return facts


def _plain(value: object) -> str:
    return one_line(", ".join(map(str, value)) if isinstance(value, list) else str(value), 400)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
