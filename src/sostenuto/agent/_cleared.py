"""Which calls have lost their results to a rung, so that what remembers them can forget (D14)."""

from __future__ import annotations

from collections.abc import Sequence

from sostenuto.ladder import Event
from sostenuto.messages import Result, parse_key
from sostenuto.protocols import Codec, Raw

LEAVING = frozenset({"clear", "clip", "compact", "trim"})
"""Rungs after which the model no longer sees what it saw."""


def cleared_calls(events: Sequence[Event], history: Sequence[Raw], *, codec: Codec) -> frozenset[str]:
    """Ids of the calls whose results these rungs took out of the context; keys address the history as it is handed over (D47)."""
    keys = [key for event in events if event.rung in LEAVING for key in event.keys]
    if not keys:
        return frozenset()
    rest = history[codec.split_system(history) :]
    ordinals = {ordinal for key in keys for ordinal in _ordinals(key, len(rest))}
    parts = (part for ordinal in ordinals for part in codec.decode(rest[ordinal]).parts)
    return frozenset(part.call_id for part in parts if isinstance(part, Result) and part.call_id)


def _ordinals(key: str, stop: int) -> range:
    found = parse_key(key)
    if found is None:
        return range(0)
    first, _, last = found
    return range(first, min(stop, (first if last is None else last) + 1))
