"""The caller's cache markers: one whose message was covered moves to the end of what stands for it (DESIGN 5)."""

from __future__ import annotations

from sostenuto.engine._matching import NEWEST
from sostenuto.engine._state import State
from sostenuto.protocols import Codec, Raw


def carried(out: list[Raw], state: State, heads: tuple[Raw, ...], *, codec: Codec) -> list[Raw]:
    """The messages, with a marker on the continuation if the caller's stood on a recent message that is now covered.

    Callers move their markers along with the newest messages, so only those are looked at; a request never gets more
    markers than its caller had set.
    """
    units, start = state.history.units, state.view.start
    if not heads or start >= len(units):
        return out
    stays = {place.ordinal for number in state.view.standing for place in units[number].parts}
    covered = range(max(0, state.length - NEWEST), units[start].first)
    if not any(ordinal not in stays and codec.has_marker(state.raws[ordinal]) for ordinal in covered):
        return out
    at = next((position for position, message in enumerate(out) if message is heads[-1]), None)
    return out if at is None else [*out[:at], codec.with_marker(out[at]), *out[at + 1 :]]
