"""Names of the catalogue that look like one that is not in it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from sostenuto.window._names import maker
from sostenuto.window._providers import is_local, known_as, nicknames
from sostenuto.window._table import Table

_CUTOFF: Final = 0.6
"""A likeness below this is chance: one letter more or less, or two that changed places, lies far above it."""
_PROVIDER_CUTOFF: Final = 0.7
_LONGEST: Final = 100


def nearest(provider: str, model: str, /, *, catalogue: Table, limit: int = 5) -> tuple[str, ...]:
    """Names (``provider:id``) that look like this one, the most alike first: those of its provider, if it is known, else makers' own.

    A local server serves anybody's weights, so for one they are the ids of all, without who lists them: its own prefix stands before.
    """
    wanted = model.strip().lower()[:_LONGEST]
    if is_local(provider):
        served = {name.rsplit("/", 1)[-1] for _, name in catalogue.names()}
        return tuple(f"{provider}:{name}" for name in get_close_matches(wanted, sorted(served), n=limit, cutoff=_CUTOFF))
    own = [name for name in known_as(provider) if catalogue.has_provider(name)]
    if own:
        known = {name: who for who, name in catalogue.names() if who in own}
        return tuple(f"{known[name]}:{name}" for name in get_close_matches(wanted, known, n=limit, cutoff=_CUTOFF))
    known = {name: who for who, name in catalogue.names() if who == maker(name)}
    near = get_close_matches(wanted, known, n=limit, cutoff=_CUTOFF)
    return tuple(f"{known[name]}:{name}" for name in near)


def nearest_providers(provider: str, /, *, catalogue: Table, limit: int = 5) -> tuple[str, ...]:
    """Providers, by what the catalogue or people call them, that look like this one, the most alike first."""
    known = sorted({who for who, _ in catalogue.names()} | set(nicknames()))
    return tuple(get_close_matches(provider.strip().lower()[:_LONGEST], known, n=limit, cutoff=_PROVIDER_CUTOFF))
