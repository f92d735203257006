"""The records of a results file, a JSON object each: docs/results-format.md says what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from harness.results.benchmarks import BenchmarkRecord
from harness.results.verdicts import Verdict

SCHEMA = 1
"""The version of the record format that this harness writes and reads."""

Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0, description="seconds")]
Moment = Annotated[datetime, Meta(tz=True)]


class _Record(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every part of a record has in common: named fields, no unknown ones, defaults left out."""


class TargetInfo(_Record):
    """The library that was tested."""

    kind: Literal["reference", "cann", "other"]
    label: str
    path: str
    sha256: str = ""


class ContractInfo(_Record):
    """The contract that the run was judged by."""

    version: str
    hash: str


class Header(_Record, tag_field="kind", tag="header"):
    """The first record: what was run, on what, by which contract."""

    schema: int
    run_id: Annotated[str, Meta(min_length=1)]
    started: Moment
    target: TargetInfo
    contract: ContractInfo
    environment: dict[str, Any] = {}
    products: list[str] = []
    forms: list[str] = []
    cann: str = ""
    surfaces: list[str] = []
    options: dict[str, Any] = {}
    seed: int | None = None

    @property
    def strict(self) -> bool:
        """Whether `deviates` counts as bad: the option, else true for the reference device."""
        return bool(self.options.get("strict", self.target.kind == "reference"))


class Call(_Record):
    """One ACL call of a case as the recorder saw it."""

    function: str
    args: dict[str, Any] = {}
    code: Annotated[int | None, Meta(description="null where the function returns no aclError")] = None
    name: Annotated[str, Meta(description="the name of the code, empty where it has none")] = ""
    thread: int = 0
    start_ns: Annotated[int, Meta(description="nanoseconds of a monotonic clock")] = 0
    end_ns: int = 0
    returned: Annotated[bool, Meta(description="false where the process died or hung in the call")] = True


class FirstCause(_Record):
    """The earliest call of a case that did not return 0, or did not return at all."""

    function: str
    code: Annotated[int | None, Meta(description="null for a call that did not return")] = None
    name: str = ""
    call: Annotated[Count, Meta(description="its index in the case's calls")] = 0


class Waived(_Record):
    """Why a case that ended badly is neutral: how it ended, and who answers for it until when."""

    verdict: Verdict
    pattern: Annotated[str, Meta(description="the rule or id pattern of the waiver")]
    owner: str
    reason: str
    link: str
    expires: Annotated[str, Meta(description="the last day it counts, YYYY-MM-DD")]


class CaseRecord(_Record, tag_field="kind", tag="case"):
    """One run of one test for one product, form and surface, and how it ended.

    `id` is the pytest id, with `::rule id` after it for a derived argument rule.
    `calls` is left out of good cases.
    """

    id: Annotated[str, Meta(min_length=1)]
    rules: list[str]
    api: str
    surface: str
    product: str
    form: str
    cann: str
    verdict: Verdict
    reason: str = ""
    observed: str = ""
    duration_s: Seconds = 0.0
    first_cause: FirstCause | None = None
    calls: list[Call] = []
    error_text: Annotated[str, Meta(description="what aclGetRecentErrMsg said")] = ""
    log: str = ""
    attachments: Annotated[list[str], Meta(description="paths relative to the results folder")] = []
    waived: Waived | None = None

    @property
    def profile(self) -> str:
        """The product and form as ids spell them: `910b-EP`."""
        return f"{self.product}-{self.form}"


class Footer(_Record, tag_field="kind", tag="footer"):
    """The last record of a run that ended in order; a run without one was cut off."""

    finished: Moment
    counts: dict[str, Count]
    exitstatus: int
    benchmarks: Annotated[Count, Meta(description="how many benchmarks the file has")] = 0
    items: Annotated[
        Count,
        Meta(description="how many tests ended; one whose surface cannot say any of its rules has no case"),
    ] = 0


Record = Header | CaseRecord | BenchmarkRecord | Footer


def calls_from(snapshot: Iterable[Mapping[str, Any]]) -> list[Call]:
    """The recorder's snapshot as calls; msgspec.ValidationError names a field that does not fit."""
    return msgspec.convert(list(snapshot), list[Call])


def first_cause(calls: Iterable[Call]) -> FirstCause | None:
    """The earliest call that returned an error or never returned; None where every call returned 0."""
    for position, call in enumerate(calls):
        if call.code or not call.returned:
            return FirstCause(function=call.function, code=call.code, name=call.name, call=position)
    return None
