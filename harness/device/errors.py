"""What goes wrong before or around a case."""

from __future__ import annotations


class UsageError(Exception):
    """Something the user gave cannot be used; one line that says what, where and what to do (exit status
    2).
    """

    def __init__(self, text: str) -> None:
        super().__init__(" ".join(text.split()))


class DeviceError(Exception):
    """The device could not be made ready for a case, or set-up around it failed; one line."""
