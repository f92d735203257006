"""How rule ids are made from function names."""

from __future__ import annotations

import re

# aclGetDeviceCapability and aclrtGetDeviceCapability share one prefix by this: their slugs must differ.
_BARE_FAMILIES = ("aclrt", "aclmdl", "acl")

# Ids in use before the naming was written down; an id never changes once a record may name it.
_GROWN = {
    "aclSetTensorPlaceMent": "set_tensor_placement",
    "aclblasCreateHandleForS8gemm": "blas_create_handle_for_s8_gemm",
    "aclblasCreateHandleForS8gemv": "blas_create_handle_for_s8_gemv",
    "aclblasS8gemm": "blas_s8_gemm",
    "aclblasS8gemv": "blas_s8_gemv",
}


def rule_prefix(api: str) -> str:
    """What stands before the dot in the rule ids of a C function: `aclrtMemcpy2dAsync` -> `memcpy2d_async`.

    The families `aclrt`, `aclmdl` and `acl` drop out; every other family stays (`aclopCast` -> `op_cast`).
    """
    grown = _GROWN.get(api)
    if grown is not None:
        return grown
    rest = api
    for family in _BARE_FAMILIES:
        if api.startswith(family) and api[len(family) : len(family) + 1].isupper():
            rest = api[len(family) :]
            break
    else:
        rest = api.removeprefix("acl")
    return snake_case(rest)


def snake_case(name: str) -> str:
    """CamelCase to snake_case; an acronym or a letter-digit run counts as one word."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return words.lower()
