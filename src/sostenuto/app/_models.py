"""What is published about models: looked up, searched, compared, and refreshed when a person asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from sostenuto.app._pricing import is_free
from sostenuto.catalogues import kept as own
from sostenuto.catalogues.bundled import bundled
from sostenuto.catalogues.models_dev import Listing, fetch, read
from sostenuto.errors import UnusableInput
from sostenuto.window import (
    Entry,
    Facts,
    Match,
    Table,
    Window,
    is_local,
    known_as,
    listings,
    lookup,
    maker,
    nearest,
    nearest_providers,
    parted,
    resolve,
    start_warning,
)

BUNDLED, REFRESHED = "bundled", "refreshed"
_NEAREST = 5
_PARTIAL = 2
"""A refreshed catalogue with less than one part in so many of the bundled one's models holds what somebody added, not everything."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A catalogue that is there: ``bundled`` or ``refreshed``, how many models it has, of when and from where it is."""

    name: str
    table: Table
    models: int
    source: str

    @property
    def snapshot(self) -> str:
        """The day it was taken."""
        return self.table.snapshot


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry and the catalogue it stands in."""

    entry: Entry
    catalogue: Catalogue


Found = tuple[str, str, Catalogue]
"""Provider and id, in small letters, and where they are listed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What `models` found.

    Attributes:
        catalogues: those that were asked, the one that comes first first.
        asked: the name or words that were asked for; `is_exact`: the named model is listed exactly so.
        window: what is used for the named model by who goes by the catalogues that are there; None where a list was asked for.
        match: the entry the window is from; None where only the window is known.
        bundled: the window without a refreshed catalogue, which is what replay and the library use; None where it is the same.
        warning: what is said at a start with a local server that pins nothing.
        is_local, is_free: a server of the person's own serves the named model, and nobody bills it.
        refreshed: the entry of a refreshed catalogue, where it says something else about the named model.
        models: the entries to show, the named one first; `more`: how many others there are.
        remarks: lines for the person.
    """

    catalogues: tuple[Catalogue, ...]
    models: tuple[Listed, ...]
    more: int
    asked: str = ""
    is_exact: bool = False
    match: Match | None = None
    window: Window | None = None
    bundled: Window | None = None
    warning: str | None = None
    is_local: bool = False
    is_free: bool = False
    refreshed: Entry | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did: the catalogue it left, where, and how the makers' own models differ from what was there `before`.

    `bundled` is the day of the bundled catalogue; `comes_first`: the new one is newer; `is_partial`: it holds so few models that it
    cannot be meant to replace the bundled one, so nothing counts as removed.
    """

    path: Path
    listing: Listing
    providers: int
    before: Catalogue
    bundled: str
    comes_first: bool
    is_partial: bool
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[tuple[Entry, Entry], ...]


def models(query: str, *, home: Path, provider: str = "", limit: int = 10) -> Answer:
    """What the catalogues have for a name or for words, or of a provider.

    Raises UnusableInput naming the nearest names where there is nothing.
    """
    catalogues, remarks = _catalogues(home)
    if provider and not is_local(provider) and not _is_provider(provider, catalogues):
        raise UnusableInput(_no_provider(provider, catalogues))
    asked = f"{provider}:{query}" if provider and query else query
    matches = [(one, lookup(*parted(asked), catalogue=one.table)) for one in catalogues] if query.strip() else []
    named = next(((one, match) for one, match in matches if match is not None and match.is_exact), None)
    found = _search(query, provider=provider, catalogues=catalogues)
    if named is None and (not found or _is_whole_name(query, provider=provider, catalogues=catalogues)):
        named = next(((one, match) for one, match in matches if match is not None), None)
    if named is None and not found:
        raise UnusableInput(_nothing(query, provider, catalogues))
    if named is None:
        return Answer(catalogues, _listed(found[:limit]), len(found[limit:]), remarks=remarks)
    return replace(_named(asked, named, catalogues, limit=limit), remarks=remarks)


def refresh(name: str, *, home: Path, today: str) -> Refreshed:
    """Replace the person's own catalogue by the models.dev ``api.json`` in a file or at an address. `today`: for one without a date.

    Raises UnusableInput where it cannot be read, holds no model, or cannot be written; then the one that is there stays.
    """
    found = fetch(name) if "://" in name else read(name)
    found = replace(found, snapshot=min(found.snapshot or today, today), source=name)
    there = {one.name: one for one in _catalogues(home)[0]}
    before = there.get(REFRESHED, there[BUNDLED])
    path = own.keep(home, found)
    old, new = _makers(before.table), _makers(found.entries)
    is_partial = len(found.entries) * _PARTIAL < len(bundled())
    return Refreshed(
        path=path,
        listing=found,
        providers=len({entry.provider for entry in found.entries}),
        before=before,
        bundled=bundled().snapshot,
        comes_first=found.snapshot > bundled().snapshot,
        is_partial=is_partial,
        added=tuple(new[key].name for key in sorted(set(new) - set(old))),
        removed=tuple(old[key].name for key in sorted(set(old) - set(new)) if not is_partial),
        changed=tuple((old[key], new[key]) for key in sorted(set(old) & set(new)) if _facts(old[key]) != _facts(new[key])),
    )


def _catalogues(home: Path) -> tuple[tuple[Catalogue, ...], tuple[str, ...]]:
    """The bundled catalogue, and the refreshed one if there is one: before it if it is newer, behind it if not. And remarks."""
    table = bundled()
    ours = Catalogue(BUNDLED, table, len(table), "models.dev")
    try:
        found = own.kept(home)
    except UnusableInput as problem:
        return (ours,), (f"the refreshed catalogue is not used: {problem}",)
    if found is None:
        return (ours,), ()
    theirs = Catalogue(REFRESHED, Table.of(found.entries, snapshot=found.snapshot), len(found.entries), found.source)
    if theirs.snapshot > ours.snapshot:
        return (theirs, ours), ()
    return (ours, theirs), (f"the refreshed catalogue is of {theirs.snapshot}, not newer than the bundled one of {ours.snapshot}",)


def _is_whole_name(query: str, *, provider: str, catalogues: tuple[Catalogue, ...]) -> bool:
    """Somebody typed a model's name in another spelling, not a word of it: ``claude-3.5-sonnet``, but not ``kimi``."""
    if ":" in query:
        return True
    has_parts = len(query.split()) == 1 and any(mark in query for mark in "-./@")
    return has_parts and not provider and any(listings(query, catalogue=one.table) for one in catalogues)


def _named(asked: str, named: tuple[Catalogue, Match], catalogues: tuple[Catalogue, ...], *, limit: int) -> Answer:
    """Everything about one model: what would be used, what is published, and who else lists it."""
    catalogue, best = named
    provider, model = parted(asked)
    match = lookup(provider, model, catalogue=bundled())
    facts = Facts(provider, model, match=best)
    window, without = resolve(facts), resolve(Facts(provider, model, match=match))
    other = best.entry if catalogue.name == REFRESHED and (match is None or _facts(best.entry) != _facts(match.entry)) else None
    shown = Listed(best.entry, catalogue)
    keys = {key: one for one in reversed(catalogues) for key in listings(shown.entry.model, catalogue=one.table)}
    same = sorted(((*key, one) for key, one in keys.items() if ":".join(key) != shown.entry.name.lower()), key=lambda one: one[:2])
    return Answer(
        catalogues=catalogues,
        models=(shown, *_listed(same[:limit])),
        more=len(same[limit:]),
        asked=asked,
        is_exact=best.is_exact,
        match=best,
        window=window,
        bundled=without if other is not None else None,
        warning=start_warning(facts, window),
        is_local=is_local(provider),
        is_free=is_free(asked),
        refreshed=other,
    )


def _search(query: str, *, provider: str, catalogues: tuple[Catalogue, ...]) -> list[Found]:
    """Names that hold every word, makers' own first; without a word or a provider only those, the newest first."""
    words, wanted = query.lower().split(), known_as(provider)
    if not words and not wanted:
        return _newest(catalogues)
    rarest = max((word for word in words if ":" not in word), key=len, default="")
    found: dict[tuple[str, str], Catalogue] = {}
    for catalogue in catalogues:
        for who, name in catalogue.table.names(rarest):
            if (not wanted or who in wanted) and all(word in f"{who}:{name}" for word in words):
                found.setdefault((who, name), catalogue)
    return sorted(((who, name, one) for (who, name), one in found.items()), key=lambda one: (maker(one[1]) != one[0], one[:2]))


def _newest(catalogues: tuple[Catalogue, ...]) -> list[Found]:
    dated = {name: (entry.date, one) for one in reversed(catalogues) for name, entry in _makers(one.table).items()}
    ordered = sorted(sorted(dated), key=lambda name: dated[name][0], reverse=True)
    return [(*name, dated[name][1]) for name in ordered]


def _listed(found: Iterable[Found]) -> tuple[Listed, ...]:
    entries = ((catalogue.table.exact(who, name), catalogue) for who, name, catalogue in found)
    return tuple(Listed(entry, catalogue) for entry, catalogue in entries if entry is not None)


def _nothing(query: str, provider: str, catalogues: tuple[Catalogue, ...]) -> str:
    near = nearest(*parted(f"{provider}:{query}" if provider else query), catalogue=_joined(catalogues), limit=_NEAREST)
    return f"no model {query!r} in the catalogue" + (_hint(near) or "; search for a part of its name")


def _is_provider(provider: str, catalogues: tuple[Catalogue, ...]) -> bool:
    return any(one.table.has_provider(name) for one in catalogues for name in known_as(provider))


def _no_provider(provider: str, catalogues: tuple[Catalogue, ...]) -> str:
    near = nearest_providers(provider, catalogue=_joined(catalogues), limit=_NEAREST)
    return f"no provider {provider!r} in the catalogue" + _hint(near)


def _joined(catalogues: tuple[Catalogue, ...]) -> Table:
    first, *others = (one.table for one in catalogues)
    return first.before(others[0]) if others else first


def _hint(near: tuple[str, ...]) -> str:
    return f"; did you mean {', '.join(near)}?" if near else ""


def _makers(found: Iterable[Entry]) -> dict[tuple[str, str], Entry]:
    """The entries that makers list themselves, by provider and id: what most people use, and what is reported."""
    return {(entry.provider.lower(), entry.model.lower()): entry for entry in found if maker(entry.model) == entry.provider}


def _facts(entry: Entry) -> tuple[object, ...]:
    return entry.context, entry.takes, entry.output, entry.prices
