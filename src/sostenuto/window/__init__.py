"""How many tokens will the model really take? Facts in, one window with its source out; what a refusal says of it (rank 2, pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door
from sostenuto.window._catalogue import lookup
from sostenuto.window._entry import Entry, Match, Price, entries, shaped
from sostenuto.window._providers import LOCAL_PROVIDERS, is_local, known_as, parted
from sostenuto.window._resolve import FALLBACK, Facts, Source, Window, resolve, start_warning
from sostenuto.window._table import Table

if TYPE_CHECKING:
    from sostenuto.window._learned import Endpoint, Limit, Limits
    from sostenuto.window._likeness import SMALLEST_PLAUSIBLE, listings
    from sostenuto.window._names import maker
    from sostenuto.window._near import nearest, nearest_providers
    from sostenuto.window._refusal import Refusal, cut_off, refused

__all__ = [
    "FALLBACK",
    "LOCAL_PROVIDERS",
    "SMALLEST_PLAUSIBLE",
    "Endpoint",
    "Entry",
    "Facts",
    "Limit",
    "Limits",
    "Match",
    "Price",
    "Refusal",
    "Source",
    "Table",
    "Window",
    "cut_off",
    "entries",
    "is_local",
    "known_as",
    "listings",
    "lookup",
    "maker",
    "nearest",
    "nearest_providers",
    "parted",
    "refused",
    "resolve",
    "shaped",
    "start_warning",
]

# loaded when first used: a hundred patterns are compiled for refusals, and most conversations never meet one
_HOMES = {
    "Endpoint": "_learned",
    "Limit": "_learned",
    "Limits": "_learned",
    "Refusal": "_refusal",
    "SMALLEST_PLAUSIBLE": "_likeness",
    "cut_off": "_refusal",
    "listings": "_likeness",
    "maker": "_names",
    "nearest": "_near",
    "nearest_providers": "_near",
    "refused": "_refusal",
}

__getattr__ = door(__name__, _HOMES)
