"""What a run has spent: its own calls, internal ones, and everything it handed on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sostenuto.budget import Spent
from sostenuto.tokens import Reported, usage_of

Price = Callable[[str, Reported | None], float | None]
"""From a model's name and the reported tokens of one call (None where nothing was reported) to dollars; None where that is not known."""


class Purse:
    """Counts as it goes, so that nothing is lost with a run that is cancelled. A price of None makes the cost unknown, not free.

    Args:
        price: what a call costs; without one every cost is unknown.
        above: the purse of the run that handed this one its work.
    """

    def __init__(self, price: Price | None = None, *, above: Purse | None = None) -> None:
        self.spent = Spent()
        self.price = price
        self._above = above
        self._internal: float | None = 0.0

    def begin_iteration(self) -> None:
        """Count one more."""
        self.spent = replace(self.spent, iterations=self.spent.iterations + 1)

    def pay(self, model: str, usage: object, *, internal: bool = False) -> tuple[Reported | None, float | None]:
        """Book one call: its tokens and dollars, each None where it is not known.

        Args:
            usage: what the endpoint reported, in any shape.
            internal: a call that the run's own machinery made (a summary): its dollars count, its tokens do not (origin 7.3).
        """
        reported = usage_of(usage)
        dollars = self.price(model, reported) if self.price is not None else None
        known = self.spent.cost_known and dollars is not None
        spent = replace(self.spent, cost_usd=self.spent.cost_usd + (dollars or 0.0), cost_known=known)
        if reported is not None and not internal:
            spent = replace(
                spent, input=spent.input + reported.input, output=spent.output + reported.output, cached=spent.cached + reported.cached
            )
        self.spent = spent
        if internal:
            self._internal = None if self._internal is None or dollars is None else self._internal + dollars
        self._pass_up(dollars)
        return reported, dollars

    def internal_usd(self) -> float | None:
        """What internal calls cost since this was last asked; None where that is not known."""
        dollars, self._internal = self._internal, 0.0
        return dollars

    def _pass_up(self, dollars: float | None) -> None:
        above = self._above
        while above is not None:
            old = above.spent
            above.spent = replace(
                old, delegated_usd=old.delegated_usd + (dollars or 0.0), cost_known=old.cost_known and dollars is not None
            )
            above = above._above
