"""Made-up results of any size: what the report's size and speed are measured with, and a first look at it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

from harness.contract import CURRENT_VERSION, Contract, Rule
from harness.results import (
    SCHEMA,
    BenchmarkRecord,
    Call,
    CaseRecord,
    ContractInfo,
    Criterion,
    Footer,
    Header,
    Interval,
    Link,
    Run,
    Samples,
    TargetInfo,
    Verdict,
    first_cause,
)
from harness.results.summary import counts

_FIRST_FILES = ("memory", "virtual", "allocator")
_SURFACES = ("c", "pyacl")
_FAILING_SHARE = 0.012
_START = datetime(2026, 1, 5, 8, 30, tzinfo=timezone.utc)


def synthetic_run(number: int, contract: Contract, seed: int = 1) -> Run:
    """A run of `number` cases over every product of the contract; the same seed gives the same run.

    About one rule in a hundred is broken on some products. The report marks such a run as synthetic.
    """
    cases = list(_cases(number, contract, random.Random(seed)))
    header = Header(
        schema=SCHEMA,
        run_id=f"synthetic-{number}",
        started=_START,
        target=TargetInfo(kind="reference", label="synthetic results", path="(none)"),
        contract=ContractInfo(version=contract.version, hash=contract.hash),
        environment={"host": "(none)", "python": "(none)"},
        products=list(dict.fromkeys(product for product, _ in contract.matrix())),
        forms=list(dict.fromkeys(form for _, form in contract.matrix())),
        cann=CURRENT_VERSION,
        surfaces=list(_SURFACES),
        options={"synthetic": number, "strict": True},
        seed=seed,
    )
    counted = {verdict.value: count for verdict, count in counts(cases).items() if count}
    seconds = sum(case.duration_s for case in cases)
    benchmarks = list(_benchmarks(random.Random(seed)))
    finished = _START + timedelta(seconds=seconds / 8)
    footer = Footer(finished=finished, counts=counted, exitstatus=1, benchmarks=len(benchmarks))
    return Run(Path("(synthetic)"), header, cases, footer, benchmarks=benchmarks)


def _cases(number: int, contract: Contract, chance: random.Random) -> Iterator[CaseRecord]:
    rules = sorted(contract.rules.values(), key=lambda rule: not rule.file.startswith(_FIRST_FILES))
    made = 0
    variant = 0
    while made < number:
        variant += 1
        for rule in rules:
            outcome = _Outcome(rule, chance)
            for product, form in contract.matrix():
                supported = contract.supports(rule.api, product, form)
                if supported and not rule.applies(product, form, CURRENT_VERSION):
                    continue
                for surface in _SURFACES:
                    yield outcome.case(product, form, surface, variant, supported)
                    made += 1
                    if made == number:
                        return


class _Outcome:
    """How the cases of one rule end: alike on most products, as a driver's defect would be."""

    def __init__(self, rule: Rule, chance: random.Random) -> None:
        self.rule = rule
        self.chance = chance
        self.broken = chance.random() < _FAILING_SHARE
        self.spared = set(chance.sample(("950", "A3", "910b", "310b", "310p", "910"), 3))
        self.bad = chance.choices((Verdict.FAIL, Verdict.CRASH, Verdict.HANG, Verdict.ABSENT), (12, 1, 1, 1))[
            0
        ]
        self.code = chance.choice((107000, 207000, 507011, 107003))

    def case(self, product: str, form: str, surface: str, variant: int, supported: bool) -> CaseRecord:
        rule = self.rule
        test = f"suites/{rule.file}/test_{rule.id.replace('.', '_')}.py::test_{variant}"
        record = CaseRecord(
            id=f"{test}[{product}-{form}-{surface}]",
            rules=[rule.id],
            api=rule.api,
            surface=surface,
            product=product,
            form=form,
            cann=CURRENT_VERSION,
            verdict=Verdict.PASS,
            duration_s=round(self.chance.expovariate(200), 6),
        )
        if not supported:
            record.verdict = Verdict.REFUSED_AS_DOCUMENTED
        elif self.broken and product not in self.spared:
            self._break(record)
        elif rule.strength == "observed":
            record.verdict = Verdict.OBSERVED
            code = 0 if product in self.spared else self.code
            record.observed = f"{rule.api} returned {code}; nothing else was touched"
        elif self.chance.random() < 0.004:
            record.verdict = Verdict.BLOCKED
            record.reason = "needs a second device; this host has one"
        return record

    def _break(self, record: CaseRecord) -> None:
        record.verdict = self.bad
        if self.bad is Verdict.ABSENT:
            record.reason = f"{record.api} is not exported"
            return
        ended = self.bad in (Verdict.CRASH, Verdict.HANG)
        args = {
            "dst": "0x120000000000",
            "destMax": 4096,
            "src": "0x7f3a5c000010",
            "count": 4097,
            "kind": "ACL_MEMCPY_HOST_TO_DEVICE",
        }
        huge = {"size": 4096, "policy": "ACL_MEM_MALLOC_HUGE_FIRST", "devPtr": "0x120000000000"}
        record.calls = [
            _call(0, "aclrtSetDevice", {"deviceId": 0}, 0),
            _call(1, "aclrtMalloc", huge, 0),
            _call(2, record.api, args, None if ended else self.code),
        ]
        record.first_cause = first_cause(record.calls)
        seen = "the process died with SIGSEGV" if ended else f"returned {self.code}"
        record.reason = f"{self.rule.id}: {record.api}\nexpected: {self.rule.expect}\nobserved: {seen}"
        record.error_text = "EE1001: the argument is invalid.\n Solution: check the arguments."
        record.log = "[ERROR] RUNTIME(4242) api_error.cc: \x1b[31mcheck failed\x1b[0m <retCode=0x7110001>"


def _call(position: int, function: str, args: dict[str, object], code: int | None) -> Call:
    start = 1_000_000 + position * 41_300
    return Call(
        function=function,
        args=args,
        code=code,
        name="ACL_SUCCESS" if code == 0 else "",
        thread=4242,
        start_ns=start,
        end_ns=start + 18_400 if code is not None else 0,
        returned=code is not None,
    )


_LINK = Link(name="PCIe Gen4 x16", peak=31.5e9, source="lanes x rate x encoding")
_MEMORIES = {"pinned": 25.0e9, "pageable": 7.5e9, "registered": 24.0e9}


def _benchmarks(chance: random.Random) -> Iterator[BenchmarkRecord]:
    """Copies by size over a link of known speed, with a start-up cost of some microseconds."""
    for direction, factor in (("h2d", 1.0), ("d2h", 1.08)):
        for memory, rate in _MEMORIES.items():
            for power in range(6, 30, 2):
                size = 1 << power
                yield _benchmark(direction, memory, size, 9e-6 + size / (rate * factor), chance)


def _benchmark(
    direction: str, memory: str, size: int, seconds: float, chance: random.Random
) -> BenchmarkRecord:
    times = sorted(seconds * chance.gauss(1.0, 0.01) for _ in range(20))
    median = Interval(value=times[10], low=times[5], high=times[14])
    bandwidth = Interval(value=size / median.value, low=size / median.high, high=size / median.low)
    share = Interval(
        value=bandwidth.value / _LINK.peak, low=bandwidth.low / _LINK.peak, high=bandwidth.high / _LINK.peak
    )
    reached = (median.high - median.low) / 2 / median.value
    return BenchmarkRecord(
        id=f"910b-EP-{direction}-{memory}-{size}",
        series=f"{memory} async",
        quantity="bandwidth",
        api="aclrtMemcpyAsync",
        product="910b",
        form="EP",
        cann=CURRENT_VERSION,
        direction=direction,
        memory=memory,
        mode="async",
        size=size,
        clock="device",
        samples=Samples(
            n=20,
            median=median,
            mean=sum(times) / 20,
            minimum=times[0],
            maximum=times[-1],
            iqr=times[14] - times[5],
            p95=times[18],
            p99=times[19],
            warmups=3,
        ),
        bandwidth=bandwidth,
        link=_LINK,
        share=share,
        criterion=Criterion(met=reached <= 0.01, name="interval", wanted=0.01, reached=reached),
        verified="ends",
    )
