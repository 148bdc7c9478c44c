"""Names that are not listed as they were typed: other spellings, dates, versions, hosts (D7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sostenuto.window._entry import Entry, Match
from sostenuto.window._names import maker, meant, spellings, words
from sostenuto.window._providers import is_local, known_as
from sostenuto.window._table import Table

SMALLEST_PLAUSIBLE: Final = 4_096
"""Tokens; a smaller number found by likeness is a slip of the listing, not a window."""
_WORDS_IN_COMMON: Final = 2


def likened(provider: str, model: str, /, *, table: Table) -> Match | None:
    """What a provider lists under another spelling of the very id, else the smallest plausible of the same or the most alike name."""
    return _exact(provider, model, table=table) or _fuzzy(provider, model, table=table)


def listings(model: str, /, *, catalogue: Table) -> tuple[tuple[str, str], ...]:
    """Provider and id, in small letters, of everything that lists the same model, under whatever spelling of its name."""
    wanted = words(model, tagged=False)
    named = catalogue.names(wanted[0]) if wanted else ()
    return tuple(dict.fromkeys((who, name) for who, name in named if words(name) == wanted))


def _exact(provider: str, model: str, *, table: Table) -> Match | None:
    """What the provider lists under this name; a name without a provider is looked up at its maker's."""
    typed = known_as(provider)
    for name in typed or (meant(model),):
        for spelling in spellings(model):
            entry = table.exact(name, spelling)
            if entry is not None:
                told = f"{name} lists this id" if typed else f"no provider is named; {name}, whose model it is, lists this id"
                return Match(entry, is_exact=True, why=told)
    return None


def _fuzzy(provider: str, model: str, *, table: Table) -> Match | None:
    local = is_local(provider)
    # at a local server the tag behind a colon is another size of the weights; elsewhere it is a variant at the same host
    wanted = words(model, tagged=local)
    if not wanted:
        return None
    listed = [(who, name, words(name)) for who, name in table.names(wanted[0])]
    same = [(who, name) for who, name, found in listed if found == wanted]
    own = known_as(provider) or (meant(model),)
    found = _smallest(same, own=own, table=table)
    if found is not None:
        return Match(found, is_exact=False, why=_told(found, own))
    if local:
        return None
    alike = _alike(wanted, listed)
    found = _smallest(alike, own=(*own, maker(model)), table=table)
    return None if found is None else Match(found, is_exact=False, why="the smallest window of those with the most alike names")


def _told(entry: Entry, own: Sequence[str]) -> str:
    if entry.provider in own:
        return f"{entry.provider} lists the same model under another id; of several, the smallest window"
    if own == ("",):
        return "no provider is named; the smallest window of those that list this model"
    return "not listed there; the smallest window of the hosts that list this model"


def _smallest(named: Sequence[tuple[str, str]], *, own: Sequence[str], table: Table) -> Entry | None:
    """The plausible entry that takes least, of one's own provider's if it has any."""
    for names in ([pair for pair in named if pair[0] in own], named):
        known = [entry for who, name in names if (entry := table.exact(who, name)) is not None and entry.takes >= SMALLEST_PLAUSIBLE]
        if known:
            return min(known, key=lambda entry: (entry.takes, entry.provider, entry.model))
    return None


def _alike(wanted: list[str], listed: list[tuple[str, str, list[str]]]) -> list[tuple[str, str]]:
    """Entries that share the most leading words of the name, at least two, and no other version: gpt-4 is not gpt-4.1."""
    shared = [(_leading(wanted, found), who, name) for who, name, found in listed if not _other_version(wanted, found)]
    most = max((count for count, _, _ in shared), default=0)
    return [(who, name) for count, who, name in shared if count == most] if most >= _WORDS_IN_COMMON else []


def _other_version(one: list[str], other: list[str]) -> bool:
    """Both share a version's first number, and the second differs or is missing."""
    at = _leading(one, other)
    mine, theirs = one[at : at + 1], other[at : at + 1]
    return at > 0 and one[at - 1].isdigit() and mine != theirs and any(word and word[0].isdigit() for word in (mine, theirs))


def _leading(one: list[str], other: list[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
