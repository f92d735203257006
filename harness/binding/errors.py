"""What can go wrong before a call is made."""

from __future__ import annotations


class LibraryError(Exception):
    """A library cannot be used. The text is one line: which file, what is wrong, and what to do where that
    helps.
    """


class AbsentFunction(LibraryError):
    """The contract documents a function that the library does not export.

    `function` is its C name, `library` the path of the library that was asked.
    """

    def __init__(self, function: str, library: str, reason: str = "") -> None:
        super().__init__(f"{library} does not export {function}" + (f" ({reason})" if reason else ""))
        self.function = function
        self.library = library
