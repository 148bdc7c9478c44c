"""The caller's cache markers: one whose message was covered moves to the end of what stands for it (DESIGN 5)."""

from __future__ import annotations

from typing import Any

from sostenuto.engine._matching import NEWEST
from sostenuto.engine._state import State
from sostenuto.ladder import checkpoint_messages
from sostenuto.protocols import Codec, Raw

MOST = 4
"""Markers one request may carry; the endpoint refuses a fifth."""


def carried(state: State, *, codec: Codec, system: Any, tools: Any) -> tuple[Raw, ...]:
    """The checkpoint and its continuation, with a marker if the caller's stood on a recent message that is now covered.

    Callers move their markers along with the newest messages, so only those are looked at. Once there, the marker stays until the
    next cover, so that the prefix keeps its bytes; only where the caller's own markers fill what a request may carry it goes.
    """
    units, start, cover = state.history.units, state.view.start, state.view.cover
    if cover is None or start >= len(units):
        return state.heads
    heads = state.heads or tuple(codec.encode(message) for message in checkpoint_messages(cover))
    if not codec.has_marker(heads[-1]) and not _is_orphaned(state, first_kept=units[start].first, codec=codec):
        return heads
    newest = state.raws[max(units[start].first, state.length - NEWEST) : state.length]
    own = sum(map(codec.has_marker, newest)) + sum(codec.has_marker({"content": held}) for held in (system, tools))
    if own >= MOST:
        return (*heads[:-1], codec.encode(checkpoint_messages(cover)[-1]))
    return (*heads[:-1], codec.with_marker(heads[-1]))


def _is_orphaned(state: State, *, first_kept: int, codec: Codec) -> bool:
    """Whether a marker stood on one of the newest messages that are covered and do not stand."""
    stays = {place.ordinal for number in state.view.standing for place in state.history.units[number].parts}
    covered = range(max(0, state.length - NEWEST), first_kept)
    return any(ordinal not in stays and codec.has_marker(state.raws[ordinal]) for ordinal in covered)
