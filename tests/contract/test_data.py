"""Properties of the product's own data that the suites and the reference device rely on."""

import json

import pytest

from harness.contract import DATA, Contract, Rule, load, rule_prefix
from harness.contract.cases import expectation

CONVERTED = ("memory_copy", "memory_alloc", "virtual_memory", "allocator")


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load()


def names_of(rule: Rule) -> set[str]:
    """The texts of all values in a rule's cases."""
    values = [value for case in rule.cases for value in case.set.values()]
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return {item for item in flat if isinstance(item, str)}


def test_every_id_starts_with_its_function(contract: Contract) -> None:
    for rule in contract.rules.values():
        assert rule.id.startswith(rule_prefix(rule.api) + ".")


@pytest.mark.parametrize(
    ("api", "prefix"),
    [
        ("aclrtMemcpy2dAsync", "memcpy2d_async"),
        ("aclmdlRICaptureBegin", "ri_capture_begin"),
        ("aclInit", "init"),
        ("aclopExecWithHandle", "op_exec_with_handle"),
        ("aclrtDeviceGetP2PAtomicCapabilities", "device_get_p2p_atomic_capabilities"),
        ("aclsysGetCANNVersion", "sys_get_cann_version"),
        ("aclrtReserveMemAddressNoUCMemory", "reserve_mem_address_no_uc_memory"),
    ],
)
def test_the_prefix_of_a_function(api: str, prefix: str) -> None:
    assert rule_prefix(api) == prefix


def test_every_refused_null_argument_of_the_memory_files_has_cases(contract: Contract) -> None:
    converted = [rule for rule in contract.rules.values() if rule.file in CONVERTED]
    for rule in converted:
        if rule.type == "null-argument" and rule.expect == "error":
            assert rule.cases, rule.id
    assert len([rule for rule in converted if rule.cases]) > 400


def test_few_rules_are_untestable(contract: Contract) -> None:
    converted = [rule for rule in contract.rules.values() if rule.file in CONVERTED]
    untestable = [rule.id for rule in converted if rule.untestable]
    assert 0 < len(untestable) < 0.05 * len(converted)


def test_no_case_needs_what_its_product_or_form_does_not_have(contract: Contract) -> None:
    for rule in contract.rules.values():
        names = names_of(rule)
        if any("@pinned" in name for name in names):
            assert not any(rule.applies("IPV350", "EP", version) for version in ("8.0", "9.0")), rule.id
        if any("@reserved" in name or "@granularity" in name for name in names):
            assert not any(rule.applies("310b", "RC", version) for version in ("8.0", "9.0")), rule.id


def test_cases_only_stand_where_the_function_is_supported(contract: Contract) -> None:
    for rule in contract.rules.values():
        for product, form in contract.matrix() if rule.cases else ():
            if rule.applies(product, form, "9.0"):
                assert contract.supports(rule.api, product, form), f"{rule.id} on {product}-{form}"


def test_error_rules_never_contain_a_case_without_a_refusal(contract: Contract) -> None:
    for rule in contract.rules.values():
        if rule.cases and rule.expect == "error":
            assert "error" in {expectation(rule, case) for case in rule.cases}, rule.id


def test_rule_files_are_written_the_way_the_generator_reads_them() -> None:
    for file in (DATA / "rules").glob("*.json"):
        text = file.read_text(encoding="utf-8")
        assert text.rstrip("\n") == json.dumps(json.loads(text), indent=1, ensure_ascii=False), file.name


def test_the_guide_to_the_data_lists_every_field_of_a_rule() -> None:
    guide = (DATA / "README.md").read_text(encoding="utf-8")
    first_cells = [line.split("|")[1] for line in guide.splitlines() if line.startswith("|")]
    listed = {name.strip() for cell in first_cells for name in cell.split(",")}
    assert set(Rule.__struct_fields__) - {"file"} <= listed
