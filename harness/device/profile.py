"""Which product, host form and CANN version a case runs for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.contract import CURRENT_VERSION, Contract, ContractError, parse_version
from harness.device.errors import UsageError

OLDEST_VERSION = "7.0"
"""The oldest CANN version whose documents the rules were read from."""


_LONGEST_NUMBER = 20


@dataclass(frozen=True, slots=True)
class Profile:
    """A product key, a host form and a CANN version of the contract; its text is `910b-EP`."""

    product: str
    form: str
    cann: str = CURRENT_VERSION

    def __str__(self) -> str:
        return f"{self.product}-{self.form}"

    @property
    def spec(self) -> str:
        """The profile as the reference device's control interface takes it."""
        return f"product={self.product};form={self.form};cann={self.cann}"


def split_list(values: Iterable[str]) -> list[str]:
    """The entries of options that may be given several times and hold comma-separated entries."""
    return list(dict.fromkeys(part.strip() for value in values for part in value.split(",") if part.strip()))


def whole_number(text: str) -> int | None:
    """The number that a text of decimal digits is; None for any other, and for one that no 64 bits hold."""
    # str.isdigit takes digits such as a superscript two, and int refuses thousands of digits with an error.
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        return None
    number = int(text)
    return number if number < 1 << 64 else None


def check_version(text: str) -> str:
    """The CANN version when the contract covers it; UsageError for anything else."""
    try:
        version = parse_version(text)
    except ContractError as error:
        raise UsageError(f"--cann: {error}") from None
    if not parse_version(OLDEST_VERSION) <= version <= parse_version(CURRENT_VERSION):
        raise UsageError(
            f"--cann: version {text} is unknown; the contract covers {OLDEST_VERSION} to {CURRENT_VERSION}"
        )
    return text


def select_profiles(
    contract: Contract,
    products: Iterable[str] = (),
    forms: Iterable[str] = (),
    cann: str | None = None,
) -> tuple[Profile, ...]:
    """Every profile of the support matrix that the options leave: no option, all of them.

    Raises UsageError for a product, form or version the contract does not know, and for a choice that leaves
    none.
    """
    matrix = contract.matrix()
    known_products = list(dict.fromkeys(product for product, _ in matrix))
    known_forms = list(dict.fromkeys(form for _, form in matrix))
    products, forms = split_list(products), split_list(forms)
    for name in products:
        if name not in known_products:
            raise UsageError(f"--sku: no product {name!r}; choose from {', '.join(known_products)}")
    for name in forms:
        if name not in known_forms:
            raise UsageError(f"--form: no host form {name!r}; choose from {', '.join(known_forms)}")
    version = check_version(cann) if cann is not None else CURRENT_VERSION
    chosen = tuple(
        Profile(product, form, version)
        for product, form in matrix
        if (not products or product in products) and (not forms or form in forms)
    )
    if not chosen:
        has = ", ".join(f"{product}: {'/'.join(contract.forms(product))}" for product in products)
        raise UsageError(f"--form: {', '.join(forms)} is no host form of the chosen products ({has})")
    return chosen
