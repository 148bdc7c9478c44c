"""What a text or a message weighs, before any ratio is applied. Sums hold weights, never tokens (D2)."""

from __future__ import annotations

from dataclasses import dataclass

UNIT = 100
"""Weight units in one weighted character. Units are integers so that sums are exact in any order."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A sum that can be added and subtracted.

    Attributes:
        weight: units of text (hundredths of a weighted character; tokens where the weigher is exact).
        flat: tokens that no ratio touches: framing of messages and media.
    """

    weight: int = 0
    flat: int = 0

    def __add__(self, other: Measure) -> Measure:
        return Measure(self.weight + other.weight, self.flat + other.flat)

    def __sub__(self, other: Measure) -> Measure:
        return Measure(self.weight - other.weight, self.flat - other.flat)
