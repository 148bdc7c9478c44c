"""What a person's ``provider:id`` says: its parts, its window's source, what to beware of."""

from __future__ import annotations

from difflib import get_close_matches

from sostenuto.errors import UnknownSetting
from sostenuto.window import BUILT_IN, lookup

DEFAULT_MODEL = "openai:gpt-4o"
"""Counts plain text where no model is named: the o200k encoding."""


def window_source(model: str, *, stated: int | None, named: bool) -> str:
    """Where the window comes from, in words. Raises UnknownSetting for a named model without a known window."""
    if stated:
        return "given with --window"
    match = lookup(*parted(model))
    if match is not None:
        entry = match.entry
        return f"the published limit of {entry.provider}:{entry.model}" + ("" if match.is_exact else f", the nearest known to {model}")
    if not named:
        return f"assumed, because the window of the recorded model {model} is not known"
    raise UnknownSetting(f"--model {model!r}: its window is not known;{_nearest(model, ' ')} name the window with --window N")


def parted(model: str) -> tuple[str, str]:
    """Provider ("" if none is named) and id."""
    provider, colon, name = model.partition(":")
    return (provider, name) if colon else ("", model)


def unknown_model(model: str | None) -> tuple[str, ...]:
    """A remark where the model that was named is in no catalogue: it may be misspelt."""
    if model is None or lookup(*parted(model)) is not None:
        return ()
    return (f"--model {model!r} is not in the catalogue{_nearest(model, ' (', ')')}; nothing is known about it beyond its name",)


def _nearest(model: str, before: str, after: str = "") -> str:
    known = [f"{entry.provider}:{entry.model}" for entry in BUILT_IN]
    return "".join(f"{before}did you mean {near!r}?{after}" for near in get_close_matches(model, known, n=1))
