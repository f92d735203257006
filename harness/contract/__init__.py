"""What the documents of CANN's runtime promise, as data: facts, rules and look-ups over them.

`load()` reads the JSON in `harness/contract/data` once and gives a `Contract`;
nothing here touches a library.
"""

from harness.contract.errors import ContractError
from harness.contract.loading import DATA, load
from harness.contract.lookup import CURRENT_VERSION, Contract
from harness.contract.model import (
    ArgumentCase,
    Enum,
    ErrorCode,
    Field,
    Function,
    Macro,
    Overload,
    OverloadParam,
    Overloads,
    Param,
    Product,
    PyAclFunction,
    PyAclNotes,
    Rule,
    Soc,
    Struct,
    Typedef,
)
from harness.contract.naming import rule_prefix
from harness.contract.nearest import nearest, perhaps
from harness.contract.versions import matches, parse_version

__all__ = [
    "CURRENT_VERSION",
    "DATA",
    "ArgumentCase",
    "Contract",
    "ContractError",
    "Enum",
    "ErrorCode",
    "Field",
    "Function",
    "Macro",
    "Overload",
    "OverloadParam",
    "Overloads",
    "Param",
    "Product",
    "PyAclFunction",
    "PyAclNotes",
    "Rule",
    "Soc",
    "Struct",
    "Typedef",
    "load",
    "matches",
    "nearest",
    "parse_version",
    "perhaps",
    "rule_prefix",
]
