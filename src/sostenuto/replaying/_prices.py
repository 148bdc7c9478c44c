"""What a token costs next to a fresh one, in one table (decisions D52)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prices:
    """Multiples of the plain input price."""

    cached: float = 0.1
    """The common prefix with the previous request is read from the provider's cache."""
    written: float = 1.25
    """Everything after the prefix is written to the cache again, whether it was seen before or not."""
    summarizer: float = 1.0
    """Input and output of the summarizer are added as they are."""


PRICES = Prices()
