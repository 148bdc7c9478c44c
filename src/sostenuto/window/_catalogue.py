"""How a model's name finds what is published about it (D6, D7)."""

from __future__ import annotations

from collections.abc import Iterable

from sostenuto.window._entry import Entry, Match
from sostenuto.window._providers import is_local, known_as
from sostenuto.window._table import Table


def lookup(provider: str, model: str, /, *, catalogue: Table | Iterable[Entry]) -> Match | None:
    """The entry of a model: exactly (provider, id), else the smallest plausible of those with the same or the most alike name.

    Providers may be called what people call them (``gemini``, ``bedrock``, ``x-ai``); a name without a provider means the listing
    of who makes it. A model served locally is never matched by likeness: a hosted listing of similar weights says nothing about
    the server.
    """
    table = catalogue if isinstance(catalogue, Table) else Table.of(catalogue)
    provider, model = _sides(provider, model, table=table)
    if not model.strip():
        return None
    for name in known_as(provider):
        entry = table.exact(name, model.strip())
        if entry is not None:
            return Match(entry, is_exact=True, why=f"{name} lists this id")
    from sostenuto.window._likeness import likened  # most names are typed as they are listed, and this takes longer to load

    return likened(provider, model, table=table)


def _sides(provider: str, model: str, *, table: Table) -> tuple[str, str]:
    """Provider and id; ``anthropic/claude-…`` without a provider names one too."""
    if provider.strip():
        return provider, model
    head, slash, rest = model.strip().partition("/")
    if slash and rest and (is_local(head) or any(table.has_provider(name) for name in known_as(head))):
        return head, rest
    return "", model
