"""The HTML report: what it says, that it is one safe file, and that it cannot be mistaken for hardware."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.contract import load
from harness.results import (
    CaseRecord,
    ContractInfo,
    Footer,
    Header,
    ResultsError,
    Run,
    Store,
    TargetInfo,
    Verdict,
    Waived,
    calls_from,
    first_cause,
)
from harness.results.compare import compare
from harness.results.mustpass import must_pass_rules
from harness.results.summary import counts
from reports import Beside, Change, build, render, render_runs
from reports.synthetic import synthetic_run

CONTRACT = load()
START = datetime(2026, 1, 5, 8, 30, tzinfo=timezone.utc)
CALLS = calls_from(
    [
        {"function": "aclrtMalloc", "args": {"size": 64}, "code": 0, "name": "ACL_SUCCESS", "end_ns": 9_000},
        {
            "function": "aclrtMemcpy",
            "args": {"dst": "0x10", "count": 65},
            "code": 107000,
            "name": "ACL_ERROR_RT_PARAM_INVALID",
            "thread": 77,
            "start_ns": 12_300,
            "end_ns": 14_800,
        },
    ]
)


def case(rule: str = "memcpy.h2d", verdict: Verdict = Verdict.PASS, **fields: Any) -> CaseRecord:
    fields = {"product": "910b", "form": "EP", "surface": "c", **fields}
    profile = f"{fields['product']}-{fields['form']}-{fields['surface']}"
    return CaseRecord(
        id=f"suites/memory/test_x.py::test_{rule.replace('.', '_')}[{profile}]",
        rules=[rule],
        api=CONTRACT.rules[rule].api,
        cann="9.0",
        verdict=verdict,
        **fields,
    )


def run(*cases: CaseRecord, kind: str = "reference", finished: bool = True, **options: Any) -> Run:
    header = Header(
        schema=1,
        run_id="run-1",
        started=START,
        target=msgspec.convert({"kind": kind, "label": "the library", "path": "/opt/lib.so"}, TargetInfo),
        contract=ContractInfo(version="1.17.0", hash="ab" * 32),
        environment={"host": "rack-7", "cpu": {"model": "Kunpeng 920"}},
        options=options,
    )
    counted = {verdict.value: count for verdict, count in counts(cases).items() if count}
    footer = Footer(finished=START + timedelta(seconds=90), counts=counted, exitstatus=0)
    return Run(Path("results.jsonl"), header, list(cases), footer if finished else None)


def page(tmp_path: Path, *runs: Run, lang: str = "en") -> str:
    output = tmp_path / "report.html"
    render_runs(runs, output, lang)
    return output.read_text(encoding="utf-8")


class Reader(HTMLParser):
    """The page's elements, and its English text by the id of the section or article around it."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.sections: dict[str, str] = {}
        self._around: list[str] = []
        self._inline: list[str | None] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("section", "article"):
            self._around.append(dict(attrs).get("id") or "")
        if tag in ("span", "i"):
            self._inline.append(dict(attrs).get("lang"))
        elif tag not in ("b", "a", "small", "code"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("section", "article"):
            self._around.pop()
        if tag in ("span", "i"):
            self._inline.pop()

    def handle_data(self, data: str) -> None:
        if "zh" not in self._inline:
            for section in filter(None, self._around):
                self.sections[section] = self.sections.get(section, "") + data


def text_of(source: str, section: str) -> str:
    return " ".join(Reader(source).sections[section].split())


# --- one safe file ---------------------------------------------------------------------------------------


def test_the_page_loads_nothing_from_anywhere(tmp_path: Path) -> None:
    source = page(tmp_path, synthetic_run(2_000, CONTRACT))
    reader = Reader(source)
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form"), tag
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in source.replace("url(#", "")
    assert "default-src 'none'" in source


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    reader = Reader(page(tmp_path, synthetic_run(3_000, CONTRACT)))
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {(attributes.get("href") or "")[1:] for tag, attributes in reader.tags if tag == "a"}
    assert targets <= set(ids)
    labels = {attributes["for"] for tag, attributes in reader.tags if tag == "label"}
    assert labels <= set(ids)


HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"' \x1b[31mred\x1b[0m \u202etxt {{ 7*7 }}"
)


def test_hostile_text_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    bad = case(
        verdict=Verdict.FAIL,
        reason=HOSTILE,
        error_text=HOSTILE,
        log=HOSTILE,
        surface=HOSTILE,
        calls=calls_from([{"function": HOSTILE, "args": {HOSTILE: HOSTILE}, "code": 1, "name": HOSTILE}]),
    )
    seen = case("memcpy.kind_inner", Verdict.OBSERVED, observed=HOSTILE)
    blocked = case("memcpy.d2h", Verdict.BLOCKED, reason=HOSTILE)
    unknown = case(verdict=Verdict.CRASH)
    unknown.id, unknown.rules, unknown.api = HOSTILE, [HOSTILE], HOSTILE
    unknown.product, unknown.form = HOSTILE, HOSTILE
    made = run(bad, seen, blocked, unknown, fault=HOSTILE)
    made.header.target.label = made.header.environment["host"] = HOSTILE
    source = page(tmp_path, made)
    reader = Reader(source)
    assert [tag for tag, _ in reader.tags].count("script") == 1
    assert not [tag for tag, _ in reader.tags if tag == "img"]
    assert not [name for _, attributes in reader.tags for name in attributes if name.startswith("on")]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", source)
    assert "&lt;/script&gt;" in source
    assert "{{ 7*7 }}" in source


def test_the_only_script_is_the_one_the_page_allows(tmp_path: Path) -> None:
    source = page(tmp_path, run(case()))
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='", source)
    assert "'unsafe-inline'; script" in source


def test_ten_megabytes_of_error_text_stay_out_of_the_page(tmp_path: Path) -> None:
    bad = case(
        verdict=Verdict.FAIL, reason="r" * 10_000_000, error_text="e" * 10_000_000, log="l" * 10_000_000
    )
    source = page(tmp_path, run(bad))
    assert len(source) < 200_000
    assert "… (+9994000)" in source


# --- what it says ----------------------------------------------------------------------------------------


def test_a_clean_run_has_met_must_pass(tmp_path: Path) -> None:
    source = page(tmp_path, run(case(), case("memcpy.d2h")))
    assert "Must-pass met" in text_of(source, "summary")
    assert "All 2 promises that must hold were judged, and none is broken." in text_of(source, "summary")
    assert "Nothing failed" in text_of(source, "failures")


def test_a_broken_promise_is_told_with_its_evidence(tmp_path: Path) -> None:
    bad = case(
        verdict=Verdict.FAIL,
        reason="memcpy.h2d\n  promise:  told above\n  expected: 64 bytes, observed 65\n  again:    pytest x",
        calls=CALLS,
        first_cause=first_cause(CALLS),
        error_text="EE1001 invalid",
    )
    source = page(tmp_path, run(bad, case("memcpy.d2h")))
    failure = text_of(source, "x-1")
    for evidence in (
        "memcpy.h2d",
        CONTRACT.rules["memcpy.h2d"].rule,
        CONTRACT.rules["memcpy.h2d"].doc,
        "910b-EP",
        "expected: 64 bytes, observed 65",
        "aclrtMemcpy → 107000 ACL_ERROR_RT_PARAM_INVALID call 2",
        "aclrtMemcpy(dst=0x10, count=65)",
        "2 12.3 2.5",
        "EE1001 invalid",
        "pytest 'suites/memory/test_x.py::test_memcpy_h2d[910b-EP-c]' --target reference --cann 9.0",
    ):
        assert evidence in failure, evidence
    assert "told above" not in failure
    assert "1 of the 2 promises that must hold and were judged are broken." in text_of(source, "summary")


def test_a_call_that_did_not_return_is_the_first_cause(tmp_path: Path) -> None:
    calls = calls_from([{"function": "aclrtSynchronizeStream", "code": None, "returned": False}])
    hung = case(verdict=Verdict.HANG, calls=calls, first_cause=first_cause(calls))
    assert "First cause: aclrtSynchronizeStream → did not return" in text_of(page(tmp_path, run(hung)), "x-1")


def test_the_same_failure_on_several_products_is_one_group(tmp_path: Path) -> None:
    cases = [
        case(verdict=Verdict.FAIL, product=product, surface=surface)
        for product in ("910b", "A3", "950")
        for surface in ("c", "pyacl")
    ]
    report = build([run(*cases, case("memcpy.d2h", Verdict.FAIL))], CONTRACT)
    assert [(group.cases, group.profiles) for group in report.failures] == [
        (1, ["910b-EP"]),
        (6, ["910b-EP", "A3-EP", "950-EP"]),
    ]


def test_a_missing_function_is_one_failure_whatever_was_tried() -> None:
    rules = [rule.id for rule in CONTRACT.promised("aclrtMemcpy")][:12]
    cases = [case(rule, Verdict.ABSENT, reason="aclrtMemcpy is not exported") for rule in rules]
    (group,) = build([run(*cases)], CONTRACT).failures
    assert (group.cases, len(group.rules), group.more_rules) == (12, 8, 4)


def test_addresses_do_not_make_two_outcomes_of_one() -> None:
    cases = [
        case("memcpy.kind_inner", Verdict.OBSERVED, observed=f"wrote 1 byte at {address}", product=product)
        for product, address in (("910b", "0x7f00"), ("A3", "0x7fe8"))
    ]
    (row,) = build([run(*cases)], CONTRACT).observed
    assert [(outcome.text, outcome.profiles) for outcome in row.outcomes] == [
        ("wrote 1 byte at 0x7f00", ["910b-EP", "A3-EP"])
    ]


def test_failures_come_worst_first() -> None:
    verdicts = [Verdict.DEVIATES, Verdict.ABSENT, Verdict.FAIL, Verdict.HANG, Verdict.CRASH]
    rules = ["memcpy.h2d", "memcpy.d2h", "memcpy.h2h", "memcpy.pageable_host", "memcpy.tail_untouched"]
    report = build([run(*(case(*pair) for pair in zip(rules, verdicts, strict=True)))], CONTRACT)
    assert [group.verdict for group in report.failures] == verdicts[::-1]


def test_very_many_failures_stay_readable(tmp_path: Path) -> None:
    rules = [rule for rule in CONTRACT.rules if CONTRACT.rules[rule].strength == "must"][:450]
    source = page(tmp_path, run(*(case(rule, Verdict.FAIL, calls=CALLS) for rule in rules)))
    reader = Reader(source)
    assert len([tag for tag, _ in reader.tags if tag == "article"]) == 400
    assert [attributes for tag, attributes in reader.tags if tag == "tr" and attributes.get("id") == "x-450"]
    assert "The groups after these stand in the table above" in text_of(source, "failures")


def test_a_deviation_is_a_failure_only_when_strict() -> None:
    deviating = case("memcpy.null_dst", Verdict.DEVIATES, observed="returned 0")
    assert len(build([run(deviating, kind="cann")], CONTRACT).failures) == 0
    assert len(build([run(deviating, kind="cann", strict=True)], CONTRACT).failures) == 1


def test_what_was_observed_is_told_by_outcome(tmp_path: Path) -> None:
    source = page(
        tmp_path,
        run(
            case("memcpy.kind_inner", Verdict.OBSERVED, observed="returned 0", product="910b"),
            case("memcpy.kind_inner", Verdict.OBSERVED, observed="returned 0", product="A3"),
            case("memcpy.kind_inner", Verdict.OBSERVED, observed="returned 107000", product="950"),
        ),
    )
    observed = text_of(source, "observed")
    assert "returned 0 910b-EP A3-EP" in observed
    assert "returned 107000 950-EP" in observed


def test_what_could_not_be_tried_is_listed_with_its_reason(tmp_path: Path) -> None:
    blocked = [
        case(rule, Verdict.BLOCKED, reason="needs a second device") for rule in ("memcpy.h2d", "memcpy.d2h")
    ]
    untried = text_of(page(tmp_path, run(*blocked, case("memcpy.h2h"))), "untried")
    assert "needs a second device 2 910b-EP memcpy.h2d memcpy.d2h" in untried


def test_what_is_waived_says_who_answers_until_when(tmp_path: Path) -> None:
    waived = Waived(
        verdict=Verdict.FAIL,
        pattern="memcpy.*",
        owner="copy <team>",
        reason="the pitch is rounded up",
        link="https://example.com/7",
        expires="2099-12-31",
    )
    excused = [
        msgspec.structs.replace(case(rule, Verdict.WAIVED), reason=f"{rule} failed", waived=waived)
        for rule in ("memcpy.h2d", "memcpy.d2h")
    ]
    untried = text_of(page(tmp_path, run(*excused, case("memcpy.h2h"))), "untried")
    assert (
        "the pitch is rounded up (copy <team>, until 2099-12-31, https://example.com/7) 2 910b-EP" in untried
    )


def test_the_matrix_counts_rules_per_function_and_product(tmp_path: Path) -> None:
    report = build(
        [
            run(
                case(verdict=Verdict.FAIL),
                case(verdict=Verdict.PASS, surface="pyacl"),
                case("memcpy.d2h"),
                case("memcpy.d2h", product="A3"),
                case("memcpy.kind_inner", Verdict.OBSERVED, product="A3"),
                case("memcpy2d.height_limit", Verdict.REFUSED_AS_DOCUMENTED, product="310b"),
            )
        ],
        CONTRACT,
    )
    (chapter,) = report.chapters
    assert (report.profiles, chapter.token) == (["A3-EP", "910b-EP", "310b-EP"], "11-03")
    shown = {
        function.name: [
            tally and ([(part.sign, part.rules) for part in tally.parts], tally.total)
            for tally in function.tallies
        ]
        for function in chapter.functions
    }
    assert shown == {
        "aclrtMemcpy": [([("good", 1), ("remark", 1)], 2), ([("bad", 1)], 2), None],
        "aclrtMemcpy2d": [None, None, ([("refused-as-documented", 1)], 1)],
    }


def test_rules_without_a_result_are_named(tmp_path: Path) -> None:
    (chapter,) = build([run(case())], CONTRACT).chapters
    (function,) = chapter.functions
    assert len(function.silent) == len(CONTRACT.promised("aclrtMemcpy")) - 1
    assert "memcpy.d2h" in function.silent


def test_a_run_that_was_cut_off_says_so_and_decides_nothing(tmp_path: Path) -> None:
    summary = text_of(page(tmp_path, run(case(), finished=False)), "summary")
    assert "This run was cut off." in summary
    assert "Must-pass undecided" in summary


def test_a_run_in_which_nothing_could_be_tried_decides_nothing() -> None:
    assert build([run(case(verdict=Verdict.BLOCKED))], CONTRACT).state.value == "undecided"
    assert build([run()], CONTRACT).state.value == "undecided"


def test_an_empty_run_has_a_page(tmp_path: Path) -> None:
    assert "Must-pass undecided" in page(tmp_path, run())


def test_a_run_with_a_fault_says_which(tmp_path: Path) -> None:
    bad = case(verdict=Verdict.FAIL)
    source = page(tmp_path, run(bad, fault="memcpy_tail_overrun"))
    assert "memcpy_tail_overrun" in text_of(source, "summary")
    assert "--fault memcpy_tail_overrun" in text_of(source, "x-1")


def test_environment_and_options_are_in_the_page(tmp_path: Path) -> None:
    summary = text_of(page(tmp_path, run(case())), "summary")
    assert "cpu.model Kunpeng 920" in summary
    assert "1 min 30 s" in summary


# --- reference or hardware -------------------------------------------------------------------------------

SECTIONS = ("summary", "matrix", "failures", "observed", "untried", "functions", "legend")


def test_every_section_of_a_reference_report_is_marked(tmp_path: Path) -> None:
    source = page(tmp_path, run(case()))
    for section in SECTIONS:
        assert "REFERENCE DEVICE" in text_of(source, section), section
    assert '@page { @top-center { content: "REFERENCE DEVICE' in source
    assert "<title>REFERENCE DEVICE" in source


def test_a_hardware_report_carries_no_such_mark(tmp_path: Path) -> None:
    source = page(tmp_path, run(case(), kind="cann"))
    assert "REFERENCE DEVICE" not in source
    assert "@top-center" not in source


def test_a_synthetic_report_says_that_nothing_was_tested(tmp_path: Path) -> None:
    source = page(tmp_path, synthetic_run(100, CONTRACT))
    for section in SECTIONS:
        assert "SYNTHETIC DATA" in text_of(source, section), section


def test_reference_and_hardware_never_share_a_report() -> None:
    hardware = run(case("memcpy.d2h"), kind="cann")
    with pytest.raises(ResultsError, match="report them apart"):
        build([run(case()), hardware], CONTRACT)


# --- languages -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lang", "words"), [("en", "Must-pass met"), ("zh", "必过项")])
def test_the_page_opens_in_the_language_asked_for_and_holds_both(
    tmp_path: Path, lang: str, words: str
) -> None:
    source = page(tmp_path, run(case()), lang=lang)
    checked = [
        attributes for tag, attributes in Reader(source).tags if tag == "input" and "checked" in attributes
    ]
    assert f"lang-{lang}" in [attributes["id"] for attributes in checked]
    assert f'<html lang="{lang}">' in source
    title = re.search(r"<title>(.*)</title>", source)
    assert title is not None
    assert words in title[1]
    assert "Must-pass met" in source
    assert "必过项" in source


# --- files -----------------------------------------------------------------------------------------------


def test_a_report_is_rendered_from_a_results_folder(tmp_path: Path) -> None:
    made = run(case(), case("memcpy.d2h", Verdict.FAIL))
    store = Store(tmp_path / "out", made.header)
    for record in made.cases:
        store.append(record)
    store.finish(1)
    render([tmp_path / "out"], tmp_path / "deep" / "report.html")
    assert "Must-pass not met" in (tmp_path / "deep" / "report.html").read_text()


def test_two_runs_of_different_products_are_one_report(tmp_path: Path) -> None:
    source = page(tmp_path, run(case(product="910b")), run(case(product="A3")))
    assert "A3-EP" in text_of(source, "matrix")
    assert "910b-EP" in text_of(source, "matrix")


def test_a_report_that_cannot_be_written_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(ResultsError, match=r"report\.html: the report cannot be written \(.+\)") as refusal:
        render_runs([run(case())], tmp_path / "report.html")
    assert "\n" not in str(refusal.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    runs = [synthetic_run(1_000, CONTRACT)]
    assert page(tmp_path, *runs) == page(tmp_path, *runs)


# --- benchmarks, capture, coverage -------------------------------------------------------------------------


def test_benchmarks_are_charts_with_their_tables(tmp_path: Path) -> None:
    made = synthetic_run(50, CONTRACT)
    source = page(tmp_path, made)
    figure = text_of(source, "b-910b-EP-bandwidth-h2d")
    largest = next(one for one in made.benchmarks if one.id == "910b-EP-h2d-pinned-268435456")
    assert largest.bandwidth is not None
    assert f"256 MiB {largest.bandwidth.value / 1e9:.2f}" in figure
    assert f"{largest.bandwidth.low / 1e9:.2f} … {largest.bandwidth.high / 1e9:.2f}" in figure
    assert "PCIe Gen4 x16: 31.50 GB/s" in figure
    assert source.count("<svg") == 2


def test_a_benchmark_without_a_figure_shows_why_and_no_number(tmp_path: Path) -> None:
    made = synthetic_run(50, CONTRACT)
    wrong = made.benchmarks[11]
    wrong.mismatches = 3
    made.benchmarks[1].samples = None
    made.benchmarks[1].bandwidth = None
    made.benchmarks[1].reason = "no <pinned> memory of that size"
    figure = text_of(page(tmp_path, made), "b-910b-EP-bandwidth-h2d")
    assert wrong.bandwidth is not None
    assert "wrong-data: 3" in figure
    assert f"{wrong.bandwidth.value / 1e9:.2f}" not in figure
    assert "no <pinned> memory of that size" in figure


def test_virtual_time_is_never_taken_for_speed(tmp_path: Path) -> None:
    made = synthetic_run(50, CONTRACT)
    for record in made.benchmarks:
        record.clock = "virtual"
    assert "virtual clock" in text_of(page(tmp_path, made), "b-910b-EP-bandwidth-h2d")


def test_a_comparison_stands_beside_its_benchmark(tmp_path: Path) -> None:
    made = synthetic_run(50, CONTRACT)
    changes = {made.benchmarks[0].id: Change("SLOWER", "the intervals are apart", "1.07 (1.05 … 1.09)")}
    output = tmp_path / "report.html"
    render_runs([made], output, beside=Beside(bench_changes=changes))
    figure = text_of(output.read_text(encoding="utf-8"), "b-910b-EP-bandwidth-h2d")
    assert "SLOWER 1.07 (1.05 … 1.09) the intervals are apart" in figure


def test_hostile_names_of_benchmarks_stay_text(tmp_path: Path) -> None:
    made = synthetic_run(50, CONTRACT)
    for record in made.benchmarks:
        record.series = "</svg><script>alert(1)</script>"
        record.direction = "<b>up"
    source = page(tmp_path, made)
    assert "<script>alert" not in source
    assert "<b>up" not in source


def test_the_capture_matrix_sums_up_the_rules_about_capture(tmp_path: Path) -> None:
    rules = [rule for rule in CONTRACT.rules.values() if rule.type == "capture" and rule.strength == "must"]
    first, second = rules[:2]
    source = page(tmp_path, run(case(first.id), case(second.id, Verdict.FAIL), case("memcpy.h2d")))
    capture = text_of(source, "capture")
    assert first.api in capture
    assert second.api in capture
    assert "aclrtMemcpy " not in capture


def test_coverage_counts_what_was_judged_of_what_is_promised(tmp_path: Path) -> None:
    report = build(
        [run(case("memcpy.h2d"), case("memcpy.d2h", Verdict.BLOCKED))],
        CONTRACT,
        Beside(proofs={"memcpy.h2d": ["copy_h2d_tail_lost"]}),
    )
    chapter = CONTRACT.functions["aclrtMemcpy"].chapter
    row = next(row for row in report.coverage if row.token == chapter)
    promised = [
        rule
        for rule in CONTRACT.rules.values()
        if CONTRACT.functions[rule.api].chapter == chapter and rule.applies("910b", "EP", "9.0")
    ]
    assert (row.rules, row.judged, row.untried, row.missing) == (len(promised), 1, 1, len(promised) - 2)
    assert row.proved == 1
    assert all(other.judged == 0 for other in report.coverage if other.token != chapter)


# --- changes -----------------------------------------------------------------------------------------------


def test_changes_since_a_run_before_are_told_worst_first(tmp_path: Path) -> None:
    old = run(case("memcpy.h2d"), case("memcpy.d2h", Verdict.FAIL), case("memcpy.tail_untouched"))
    new = run(case("memcpy.h2d", Verdict.CRASH), case("memcpy.d2h"), case("memcpy.count_zero"))
    for one in (old, new):
        one.header.products, one.header.forms, one.header.surfaces = ["910b"], ["EP"], ["c"]
    output = tmp_path / "report.html"
    render_runs([new], output, beside=Beside(baseline="driver <24.1>", comparison=compare(old, new)))
    changes = text_of(output.read_text(encoding="utf-8"), "changes")
    assert "driver <24.1>" in changes
    places = [changes.index(f"memcpy.{name}") for name in ("h2d", "tail_untouched", "d2h", "count_zero")]
    assert places == sorted(places)
    assert "memcpy.h2d pass crash 1 910b-EP-c" in changes


def test_a_run_like_the_one_before_has_no_changes(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    same = run(case("memcpy.h2d"))
    render_runs([same], output, beside=Beside(baseline="before", comparison=compare(same, same)))
    assert "Nothing has changed." in text_of(output.read_text(encoding="utf-8"), "changes")


def test_a_failure_comes_as_a_program_in_c_and_for_pyacl(tmp_path: Path) -> None:
    policy = "ACL_MEM_MALLOC_HUGE_FIRST"
    calls = calls_from(
        [{"function": "aclrtMalloc", "args": {"devPtr": "0x0", "size": 64, "policy": policy}, "code": 107000}]
    )
    failed = case("memcpy.h2d", Verdict.FAIL, reason="observed: 107000", calls=calls)
    shown = text_of(page(tmp_path, run(failed)), "x-1")
    assert "As a standalone program (C)" in shown
    assert '#include "acl/acl.h"' in shown
    assert "As a standalone program (pyACL)" in shown
    assert "import acl" in shown


def test_a_trace_that_is_no_program_leaves_it_out(tmp_path: Path) -> None:
    """The record lacks arguments: the failure is told without a program."""
    shown = text_of(page(tmp_path, run(case("memcpy.h2d", Verdict.FAIL, calls=CALLS))), "x-1")
    assert "standalone program" not in shown


def test_a_narrow_run_says_what_a_release_needs_besides(tmp_path: Path) -> None:
    """Must-pass is met by what was judged; that hardly anything was is no good news."""
    narrow = run(case("memcpy.h2d"))
    narrow.header = msgspec.structs.replace(narrow.header, products=["910b"], forms=["EP"], cann="9.0")
    required = {rule.id for rule in must_pass_rules(CONTRACT, "910b", "EP", "9.0")}
    assert build([narrow], CONTRACT).must_missing == len(required) - 1
    summary = Reader(page(tmp_path, narrow)).sections["summary"]
    lacking = f"{len(required) - 1:,}".replace(",", "\u202f")
    assert f"{lacking} further promises that must hold on these products have no" in summary
    whole = run(*(case(rule) for rule in required))
    whole.header = narrow.header
    assert build([whole], CONTRACT).must_missing == 0
    assert "further promises" not in page(tmp_path, whole)


@pytest.mark.parametrize("version", ["", "new"])
def test_a_case_without_a_version_does_not_keep_the_page_from_being_made(
    tmp_path: Path, version: str
) -> None:
    """The process of a case that was lost has told nothing about it."""
    lost = msgspec.structs.replace(case("memcpy.h2d", Verdict.CRASH), cann=version)
    strange = run(lost)
    strange.header = msgspec.structs.replace(strange.header, products=["910b"], forms=["EP"], cann=version)
    assert "memcpy.h2d" in page(tmp_path, strange)


def test_what_a_run_was_narrowed_to_stands_with_its_facts(tmp_path: Path) -> None:
    narrow = run(case(), tier="must-pass", chapter=["allocator", "11-03"])
    assert "Only tier must-pass, chapter allocator, 11-03" in facts_of(page(tmp_path, narrow))
    assert "Only " not in facts_of(page(tmp_path, run(case())))


def facts_of(source: str) -> str:
    return " ".join(Reader(source).sections["summary"].split())
