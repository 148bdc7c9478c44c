"""What a person's ``provider:id`` says: its parts, its window's source, what to beware of."""

from __future__ import annotations

from sostenuto.catalogues.bundled import bundled
from sostenuto.errors import UnknownSetting
from sostenuto.window import Match, lookup, nearest, parted

DEFAULT_MODEL = "openai:gpt-4o"
"""Counts plain text where no model is named: the o200k encoding."""


def window_source(model: str, *, stated: int | None, named: bool) -> str:
    """Where the window comes from, in words. Raises UnknownSetting for a named model without a known window."""
    if stated:
        return "given with --window"
    match = _published(model)
    if match is not None:
        entry = match.entry
        return f"the published limit of {entry.provider}:{entry.model}" + ("" if match.is_exact else f", the nearest known to {model}")
    if not named:
        return f"assumed, because the window of the recorded model {model} is not known"
    raise UnknownSetting(f"--model {model!r}: its window is not known;{_nearest(model, ' ')} name the window with --window N")


def unknown_model(model: str | None) -> tuple[str, ...]:
    """A remark where the model that was named is in no catalogue: it may be misspelt."""
    if model is None or _published(model) is not None:
        return ()
    return (f"--model {model!r} is not in the catalogue{_nearest(model, ' (', ')')}; nothing is known about it beyond its name",)


def _published(model: str) -> Match | None:
    """What the package's own catalogue has of a model: a replay reads nothing in the data home (D56)."""
    return lookup(*parted(model), catalogue=bundled())


def _nearest(model: str, before: str, after: str = "") -> str:
    return "".join(f"{before}did you mean {near!r}?{after}" for near in nearest(*parted(model), catalogue=bundled(), limit=1))
