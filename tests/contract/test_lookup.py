"""What the contract answers: promises by product, form and version; support; names, codes and chapters."""

import pytest

from harness.contract import Contract, ContractError, Rule, load


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load()


def ids(rules: tuple[Rule, ...] | list[Rule]) -> set[str]:
    return {rule.id for rule in rules}


def test_the_default_contract_is_read_once() -> None:
    assert load() is load()


def test_hash_and_version_name_the_data(contract: Contract) -> None:
    assert contract.version == "1.17.0"
    assert len(contract.hash) == 64
    assert set(contract.hash) <= set("0123456789abcdef")


def test_a_promise_depends_on_the_cann_version(contract: Contract) -> None:
    old = ids(contract.promised("aclrtMemcpy2dAsync", "910b", "EP", "8.0"))
    new = ids(contract.promised("aclrtMemcpy2dAsync", "910b", "EP", "9.0"))
    assert {"memcpy2d_async.founding_host_device_only"} <= old - new
    assert {"memcpy2d_async.kind_d2d", "memcpy2d_async.kind_h2h", "memcpy2d_async.width_limit"} <= new - old
    assert "memcpy2d_async.height_limit" in old & new


def test_a_promise_depends_on_the_product(contract: Contract) -> None:
    training = ids(contract.promised("aclrtMemcpy2dAsync", "910", "EP", "9.0"))
    a2 = ids(contract.promised("aclrtMemcpy2dAsync", "910b", "EP", "9.0"))
    assert "memcpy2d_async.kind_d2d_other" in training - a2
    assert "memcpy2d_async.kind_d2d" in a2 - training


def test_a_promise_depends_on_the_host_form(contract: Contract) -> None:
    endpoint = ids(contract.promised("aclrtMemcpy2d", "310b", "EP"))
    root = ids(contract.promised("aclrtMemcpy2d", "310b", "RC"))
    assert "memcpy2d.rc_unsupported" in root - endpoint
    assert "memcpy2d.h2d" in endpoint - root


def test_applies_agrees_with_promised_over_the_whole_matrix(contract: Contract) -> None:
    for product, form in contract.matrix():
        for version in ("8.0", "9.0"):
            promised = ids(contract.promised("aclrtMalloc", product, form, version))
            applying = {
                rule.id
                for rule in contract.rules.values()
                if rule.api == "aclrtMalloc" and rule.applies(product, form, version)
            }
            assert promised == applying


def test_an_unknown_function_is_an_error_and_not_an_empty_answer(contract: Contract) -> None:
    with pytest.raises(ContractError, match="no such function: aclrtMemcpi"):
        contract.promised("aclrtMemcpi")


@pytest.mark.parametrize(
    ("api", "product", "form", "supported"),
    [
        ("aclrtMalloc", "IPV350", "EP", True),
        ("aclrtMemcpyBatch", "910b", "EP", True),
        ("aclrtMemcpyBatch", "310p", "EP", False),
        ("aclrtMemcpy2d", "310b", "EP", True),
        ("aclrtMemcpy2d", "310b", "RC", False),
        ("aclrtMemcpy2d", "310p", "ccpu", False),
        ("aclrtSetGroup", "310p", "EP", False),
        ("aclrtSetGroup", "310p", "ccpu", True),
        ("aclrtAllocBuf", "910b", "EP", False),
        ("aclrtGetFloatOverflowStatus", "910b", "EP", False),
    ],
)
def test_support_follows_table_and_form(
    contract: Contract, api: str, product: str, form: str, supported: bool
) -> None:
    assert contract.supports(api, product, form) is supported


def test_members_of_one_product_may_differ(contract: Contract) -> None:
    assert contract.supports("aclrtSnapShotProcessLock", "950")
    assert contract.supports("aclrtSnapShotProcessLock", "950", soc="Ascend950PR_9599")
    assert not contract.supports("aclrtSnapShotProcessLock", "950", soc="Ascend950DT_9571")


def test_an_unknown_product_is_named_with_the_known_ones(contract: Contract) -> None:
    with pytest.raises(ContractError, match=r"no such product: 910c: expected one of 950, A3, 910b"):
        contract.supports("aclrtMalloc", "910c")


def test_the_matrix_has_every_product_and_form_of_the_tables(contract: Contract) -> None:
    assert [f"{product}-{form}" for product, form in contract.matrix()] == [
        "950-EP",
        "A3-EP",
        "910b-EP",
        "310b-EP",
        "310b-RC",
        "310p-EP",
        "310p-ccpu",
        "910-EP",
        "IPV350-EP",
    ]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (0, "success"),
        (100000, "caller"),
        (107000, "caller"),
        (148053, "caller"),
        (207001, "resource"),
        (300000, "business"),
        (507018, "internal"),
        (545601, "internal"),
        (-1, "unknown"),
        (7, "unknown"),
        (400000, "unknown"),
        (1000000, "unknown"),
    ],
)
def test_a_code_belongs_to_a_class(contract: Contract, code: int, kind: str) -> None:
    assert contract.error_class(code) == kind


def test_every_code_of_the_headers_has_a_class_and_a_name(contract: Contract) -> None:
    for name, error in contract.errors.items():
        assert contract.error_class(error.value) != "unknown", name
        assert contract.errors[contract.error_name(error.value)].value == error.value


def test_names_of_codes_and_values_of_names(contract: Contract) -> None:
    assert contract.error_name(0) == "ACL_SUCCESS"
    assert contract.error_name(207000) == "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"
    assert contract.error_name(123) == "unknown (123)"
    assert contract.value("ACL_MEMCPY_DEFAULT") == 4
    assert contract.value("ACL_RT_MEM_TYPE_DVPP") == 8
    assert contract.value("ACL_ERROR_RT_PARAM_INVALID") == 107000
    with pytest.raises(ContractError, match="no such enumerator, macro or return code: ACL_MEMCPY_SIDEWAYS"):
        contract.value("ACL_MEMCPY_SIDEWAYS")


def test_chapter_11_is_the_seven_memory_files(contract: Contract) -> None:
    assert {rule.file for rule in contract.rules_of_chapter("11")} == {
        "memory_alloc",
        "memory_copy",
        "virtual_memory",
        "unified_addressing",
        "ipc_memory",
        "allocator",
        "stream_memory",
    }
    assert contract.rules_of_chapter("memory") == contract.rules_of_chapter("11")
    assert ids(contract.rules_of_chapter("allocator")) <= ids(contract.rules_of_chapter("11"))


def test_a_section_a_file_and_a_group_are_tokens_too(contract: Contract) -> None:
    assert {contract.functions[rule.api].chapter for rule in contract.rules_of_chapter("11-03")} == {"11-03"}
    assert ids(contract.rules_of_chapter("memory_copy")) == ids(contract.rules_of_chapter("11-03"))
    assert {rule.file for rule in contract.rules_of_chapter("models")} == {
        "founding_model_load",
        "model_desc",
        "model_dynamic",
        "model_execute",
        "model_load",
    }
    assert all(contract.pyacl_of(rule.api) for rule in contract.rules_of_chapter("pyacl"))


@pytest.mark.parametrize("token", ["1", "11-99", "memories", "", "11-"])
def test_an_unknown_chapter_is_an_error(contract: Contract, token: str) -> None:
    with pytest.raises(ContractError, match="no such chapter"):
        contract.rules_of_chapter(token)


def test_strength_and_the_only_code_that_may_be_asserted(contract: Contract) -> None:
    named = contract.rule("memcpy_async.h2h_ep")
    assert (named.strength, named.doc_error) == ("must", "ACL_ERROR_RT_FEATURE_NOT_SUPPORT")
    evidence = contract.rule("memcpy.null_dst")
    assert (evidence.strength, evidence.error, evidence.doc_error) == (
        "expected",
        "ACL_ERROR_INVALID_PARAM",
        None,
    )
    assert contract.rule("memcpy.overlap").strength == "observed"


def test_which_parameters_a_call_needs(contract: Contract) -> None:
    def needed(api: str) -> list[str]:
        return [param.name for param in contract.functions[api].params if contract.given_by_caller(param)]

    assert needed("aclrtMalloc") == ["size", "policy"]
    assert needed("aclmdlAddDatasetBuffer") == ["dataset", "dataBuffer"]
    assert needed("aclrtSetMemcpyDesc") == ["desc", "kind", "srcAddr", "dstAddr", "count", "config"]
    assert needed("aclrtMemSetAccess") == ["virPtr", "size", "desc", "count"]


def test_a_struct_finds_the_fields_of_its_anonymous_unions(contract: Contract) -> None:
    params = contract.structs["aclmdlRITaskParams"]
    kernel = params.field("kernelTaskParams")
    assert kernel is not None
    assert (kernel.offset, kernel.size) == (72, 88)
    assert params.field("nothing") is None
