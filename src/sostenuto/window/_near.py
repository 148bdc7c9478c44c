"""Names of the catalogue that look like one that is not in it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from sostenuto.window._names import maker
from sostenuto.window._providers import known_as, nicknames
from sostenuto.window._table import Table

_CUTOFF: Final = 0.5
_LONGEST: Final = 100


def nearest(provider: str, model: str, /, *, catalogue: Table, limit: int = 5) -> tuple[str, ...]:
    """Names (``provider:id``) that look like this one, the most alike first: those of its provider, if it is known, else makers' own."""
    own = [name for name in known_as(provider) if catalogue.has_provider(name)]
    wanted = model.strip().lower()[:_LONGEST]
    if own:
        known = {name: who for who, name in catalogue.names() if who in own}
        return tuple(f"{known[name]}:{name}" for name in get_close_matches(wanted, known, n=limit, cutoff=_CUTOFF))
    known = {name: who for who, name in catalogue.names() if who == maker(name)}
    near = get_close_matches(wanted, known, n=limit, cutoff=_CUTOFF)
    return tuple(f"{known[name]}:{name}" for name in near)


def nearest_providers(provider: str, /, *, catalogue: Table, limit: int = 5) -> tuple[str, ...]:
    """Providers, by what the catalogue or people call them, that look like this one, the most alike first."""
    known = sorted({who for who, _ in catalogue.names()} | set(nicknames()))
    return tuple(get_close_matches(provider.strip().lower()[:_LONGEST], known, n=limit))
