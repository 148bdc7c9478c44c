"""What a person should be told about a place where things are kept: one line a cause, until it is overcome (D34)."""

from __future__ import annotations


class Notes:
    """Lines by cause. The same cause twice is one line, its newest."""

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}

    def say(self, cause: str, line: str) -> None:
        """Note a line under its cause."""
        self._lines[cause] = line

    def overcome(self, cause: str) -> None:
        """Forget a cause that is no more."""
        self._lines.pop(cause, None)

    def lines(self) -> tuple[str, ...]:
        """The lines, in the order their causes first arose."""
        return tuple(self._lines.values())
