"""aclrtGetSymbolAddress and aclrtGetSymbolSize: where a device variable is, and how large."""

from __future__ import annotations

import numpy as np
import pytest

from harness.plugin import covers, pattern
from suites.memory.stream.variables import BYTES, FAR, FUNCTION, QUAD, RECORD, SCALAR


@covers("get_symbol_address.ok")
@pytest.mark.parametrize("name", [QUAD, SCALAR])
def test_address(acl, variables, symbol_claims, name):
    """The address shows the initial bytes of the variable."""
    result = acl.aclrtGetSymbolAddress(symbol=variables.named(name).symbol)
    symbol_claims.expect_initial(result, name)


@covers("get_symbol_address.ok")
def test_addresses_differ(variables, symbol_claims):
    """Each variable has memory of its own."""
    results = [variables.block(BYTES, pattern(37, 1)), variables.block(QUAD), variables.block(RECORD)]
    symbol_claims.expect_apart(results)


@covers("get_symbol_address.ok")
def test_address_stays(acl, variables, symbol_claims):
    """The same variable has the same address each time."""
    results = [acl.aclrtGetSymbolAddress(symbol=variables.named(BYTES).symbol) for _ in range(3)]
    symbol_claims.expect_same(results, "devPtr")


@covers("get_symbol_address.null_out")
def test_address_to_nowhere(acl, variables, expect):
    """A null place for the address is refused."""
    result = acl.aclrtGetSymbolAddress(symbol=variables.named(QUAD).symbol, devPtr=None)
    expect.refused(result)


@covers("get_symbol_address.per_device")
def test_address_on_each_device(variables, peer, expect):
    """Each device has a variable of its own: what is written to one is not in the other."""
    first = variables.block(BYTES, pattern(37, 1))
    second = variables.block(BYTES, pattern(37, 2), caller=peer)
    expect.unchanged(first, where="after the write on the second device")
    expect.unchanged(second, where="on the second device")


@covers("get_symbol_address.per_device")
def test_initial_bytes_on_each_device(variables, peer, expect):
    """What a variable begins as it begins as on the second device too, whatever the first one's holds."""
    variables.block(QUAD, pattern(16, 1))
    result = variables.block(QUAD, caller=peer)
    expect.unchanged(result, where="on the second device")
    variables.block(QUAD, np.frombuffer(variables.named(QUAD).initial, np.uint8))


@covers("get_symbol_address.supported_types")
@pytest.mark.parametrize("name", [SCALAR, FUNCTION, RECORD, QUAD])
def test_kinds_of_variables(acl, variables, expect, name):
    """What each kind of variable gives is recorded: a number, a function pointer, a struct, an array."""
    result = acl.aclrtGetSymbolAddress(symbol=variables.named(name).symbol)
    expect.observed(result)


@covers("get_symbol_address.extern_files")
def test_variable_of_another_file(acl, variables, symbol_claims):
    """A variable that another source file defines is found."""
    result = acl.aclrtGetSymbolAddress(symbol=variables.named(FAR).symbol)
    symbol_claims.expect_initial(result, FAR)


@covers("get_symbol_size.ok")
@pytest.mark.parametrize("name", [QUAD, BYTES, RECORD, SCALAR])
def test_size(acl, variables, expect, name):
    """The size is that of the variable's type."""
    result = acl.aclrtGetSymbolSize(symbol=variables.named(name).symbol)
    expect.success(result)
    expect.true("the size in bytes", result["size"], variables.named(name).size)


@covers("get_symbol_size.null_out")
def test_size_to_nowhere(acl, variables, expect):
    """A null place for the size is refused."""
    result = acl.aclrtGetSymbolSize(symbol=variables.named(QUAD).symbol, size=None)
    expect.refused(result)
