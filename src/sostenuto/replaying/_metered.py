"""What a summarizer costs: its input and output are part of the price of a run (decisions D52)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Metered:
    """A summarizer that counts what goes in and comes out, in tokens of the replay's ruler, for the cost figure (D52)."""

    inner: Callable[[str], str]
    count: Callable[[str], int]
    calls: int = field(default=0, init=False)
    tokens: int = field(default=0, init=False)

    def __call__(self, prompt: str) -> str:
        """The inner summary; an empty one or an exception passes through after its input was counted."""
        self.calls += 1
        self.tokens += self.count(prompt)
        summary = self.inner(prompt)
        self.tokens += self.count(summary)
        return summary
