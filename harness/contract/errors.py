"""The one exception of this room."""


class ContractError(Exception):
    """The contract's data is broken, or was asked for something it does not hold.

    The text is one line: file, rule id and field where they are known, then what is wrong.
    """
