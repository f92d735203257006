"""How much a link can carry, and what share of it a copy reaches.

On hardware the link is what the PCI device has negotiated: lanes, rate and encoding. On the reference device
it is the profile's. Public reference figures stand beside them in `data/links.json`, each with its source.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from harness.results import Interval, Link

_NEAREST = 0.05


@dataclass(frozen=True)
class Reference:
    """A public figure: bytes per second of one direction, under which conditions, by whom."""

    product: str
    what: str
    rate: float
    conditions: str
    source: str


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    text = resources.files("harness.benchmark").joinpath("data/links.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def pcie_link(gigatransfers: float, lanes: int) -> Link | None:
    """The link of this rate and width: lanes x rate x encoding; None for a rate of no known generation."""
    data = _data()
    for generation in data["generations"]:
        if abs(generation["gigatransfers"] - gigatransfers) < _NEAREST * gigatransfers:
            efficiency = data["encodings"][generation["encoding"]]
            peak = lanes * generation["gigatransfers"] * 1e9 * efficiency / 8
            return Link(name=f"PCIe {generation['name']} x{lanes}", peak=peak, source=data["source"])
    return None


def profile_link(product: str, direction: str) -> Link | None:
    """The link that copies of this direction take on the reference device; None where it has none of its
    own.
    """
    facts = _data()["profiles"].get(product)
    kind = {"h2d": "host", "d2h": "host", "both": "host", "d2d": "device", "set": "device"}.get(direction)
    if facts is None or kind is None:
        return None
    ways = 2 if direction == "both" else 1
    return Link(name=facts[kind]["name"], peak=facts[kind]["peak"] * ways, source=facts["source"])


def references(product: str, what: str) -> list[Reference]:
    """The public figures for a product and direction."""
    found = (Reference(**entry) for entry in _data()["references"])
    return [entry for entry in found if entry.product == product and entry.what == what]


def share_of(bandwidth: Interval, link: Link) -> Interval:
    """The bandwidth as a share of the link's peak."""
    return Interval(
        value=bandwidth.value / link.peak, low=bandwidth.low / link.peak, high=bandwidth.high / link.peak
    )


def doubt(share: Interval) -> str:
    """`above-peak` where a copy claims more than the link carries; nothing otherwise."""
    return "above-peak" if share.low > _data()["bands"]["error"] else ""


def band(share: float) -> str:
    """What a share of the peak is called: `low` (look into it), `normal`, `high`, or `above-peak`."""
    bands = _data()["bands"]
    if share > bands["error"]:
        return "above-peak"
    if share < bands["look"]:
        return "low"
    return "normal" if share <= bands["normal"][1] else "high"
