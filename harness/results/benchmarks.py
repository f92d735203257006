"""The record of one benchmark: what was measured, by which clock, how sure it is, and why it ended."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Quantity = Literal["bandwidth", "latency", "overhead"]
"""What a benchmark tells: bytes moved in a time, one operation and its end, or the call alone."""

Clock = Literal["host", "device", "virtual"]
"""The host's monotonic clock, the device's event time, or event time of the reference device's timing model.

Virtual time says what the model was set to, never how fast the machine is.
"""

Verified = Literal["every", "ends", "none"]
"""Whose data was compared: every sample's, the first and the last sample's, or nobody's."""

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]
NonNegative = Annotated[float, Meta(ge=0)]


class _Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Named fields, no unknown ones, defaults left out."""


class Interval(_Part):
    """A value with the interval that holds the true one at the stated confidence."""

    value: float
    low: float
    high: float
    confidence: Annotated[float, Meta(gt=0, lt=1)] = 0.95


class Samples(_Part):
    """What the samples of a benchmark amount to; times are seconds of one operation."""

    n: Count
    median: Interval
    mean: NonNegative
    minimum: NonNegative
    maximum: NonNegative
    iqr: NonNegative
    p95: NonNegative
    p99: NonNegative
    outliers: Annotated[
        list[int], Meta(description="indices of samples far from the others; they are kept")
    ] = []
    warmups: Count = 0
    operations: Annotated[int, Meta(ge=1, description="operations in one sample")] = 1


class Criterion(_Part):
    """Why sampling ended, and where it was cut off, what had not been reached."""

    met: bool
    name: Annotated[
        Literal["interval", "samples", "time"],
        Meta(description="the criterion that ended sampling, or the one that was not met"),
    ]
    wanted: float
    reached: float


class Link(_Part):
    """The path the bytes took and the most it can carry in one direction."""

    name: str
    peak: Annotated[float, Meta(gt=0, description="bytes per second")]
    source: str


class Place(_Part):
    """Where and under which conditions the benchmark ran."""

    cpus: list[int] = []
    node: Annotated[int | None, Meta(description="NUMA node of the host memory, where it is known")] = None
    devices: list[int] = []
    before: Annotated[dict[str, float], Meta(description="temperature, power, clocks, load before")] = {}
    after: dict[str, float] = {}


class BenchmarkRecord(_Part, tag_field="kind", tag="benchmark"):
    """One benchmark of one product.

    `id` is unique in a run; `series` is what it has in common with its other sizes, so that a chart draws one
    line for each (product, form, series). `samples` is absent where nothing could be measured: `reason` says
    why.
    """

    id: Annotated[str, Meta(min_length=1)]
    series: Annotated[str, Meta(min_length=1)]
    quantity: Quantity
    api: str
    product: str
    form: str
    cann: str
    direction: Annotated[str, Meta(description="h2d, d2h, d2d, peer, both, set, none")] = "none"
    memory: Annotated[str, Meta(description="pinned, pageable, registered, device, none")] = "none"
    mode: Annotated[str, Meta(description="sync, async, batch, descriptor, rows, call")] = "call"
    size: Annotated[int, Meta(ge=0, description="bytes of one operation")] = 0
    clock: Clock = "host"
    samples: Samples | None = None
    bandwidth: Annotated[Interval | None, Meta(description="bytes per second")] = None
    link: Link | None = None
    share: Annotated[Interval | None, Meta(description="bandwidth as a share of the link's peak")] = None
    parts: Annotated[
        dict[str, float], Meta(description="bytes per second of each direction or device, and their fairness")
    ] = {}
    criterion: Criterion | None = None
    verified: Verified = "none"
    mismatches: Annotated[
        Count, Meta(description="samples whose data was wrong; they invalidate the figure")
    ] = 0
    flags: Annotated[
        list[str], Meta(description="doubts: drift, two-modes, throttled, shared, clocks-disagree, …")
    ] = []
    reason: str = ""
    seed: int = 0
    order: Annotated[Count, Meta(description="its place in the shuffled order")] = 0
    environment: Annotated[str, Meta(description="hash of the environment that must be equal to compare")] = (
        ""
    )
    place: Place = msgspec.field(default_factory=Place)
    raw: Annotated[
        list[float | None],
        Meta(description="the samples in their order, seconds of one operation; null is no number"),
    ] = []

    @property
    def times(self) -> list[float]:
        """The samples in their order, in seconds of one operation; one that is no number is NaN."""
        return [float("nan") if value is None else value for value in self.raw]

    @property
    def profile(self) -> str:
        """The product and form as ids spell them: `910b-EP`."""
        return f"{self.product}-{self.form}"

    @property
    def valid(self) -> bool:
        """Whether there is a figure, and no data was found wrong."""
        return self.samples is not None and self.mismatches == 0
