"""What the results of each tool weigh, for the metrics of a run (origin 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Size:
    """The results of one tool together: how many, how many of them failed, their characters."""

    calls: int = 0
    failures: int = 0
    characters: int = 0

    @property
    def tokens(self) -> int:
        """About so many tokens: four characters each, rounded up."""
        return about_tokens(self.characters)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes by tool; a value, so that a run and each of its iterations can hold their own."""

    tools: Mapping[str, Size] = field(default_factory=dict)

    def added(self, tool: str, characters: int, *, succeeded: bool = True) -> Sizes:
        """These sizes with one more result."""
        old = self.tools.get(tool, Size())
        new = replace(
            old, calls=old.calls + 1, failures=old.failures + (0 if succeeded else 1), characters=old.characters + max(0, characters)
        )
        return Sizes({**self.tools, tool: new})

    @property
    def total(self) -> Size:
        """All tools together."""
        held = self.tools.values()
        return Size(sum(size.calls for size in held), sum(size.failures for size in held), sum(size.characters for size in held))


def about_tokens(characters: int) -> int:
    """Four characters a token, rounded up."""
    return -(-max(0, characters) // 4)
