"""The one exception of this room."""


class ContractError(Exception):
    """The contract's data is broken, or was asked for something it does not hold.

    The text is one line: file, rule id and field where they are known, then what is wrong.
    """

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(text: str) -> str:
    """The text with control characters, which broken data may carry, spelled out."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
