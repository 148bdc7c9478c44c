"""What calls cost: the published prices, nothing for what runs on the person's own machine (origin 7.3)."""

from __future__ import annotations

from sostenuto.budget import request_cost
from sostenuto.catalogues.bundled import bundled
from sostenuto.tokens import Reported
from sostenuto.window import is_local, lookup, parted

EMBEDDED = "local"
_REMOTE = (":cloud", "-cloud")
"""How a local server marks what it only passes on to somebody who bills."""


def is_free(model: str, /) -> bool:
    """Whether a model truly runs on the person's own machine: a local server's name with remote billing does not count."""
    provider, name = parted(model)
    return (is_local(provider) or provider.lower() == EMBEDDED) and not name.lower().endswith(_REMOTE)


def price(model: str, reported: Reported | None, /) -> float | None:
    """Dollars of one call; None where no price is published for exactly this model, or nothing was reported."""
    if is_free(model):
        return 0.0
    if reported is None:
        return None
    found = lookup(*parted(model), catalogue=bundled())
    return request_cost(found.entry, reported) if found is not None and found.is_exact else None
