"""What still reads differently in this view because the history arrived broken: every request names it, not only the first (D20)."""

from __future__ import annotations

from sostenuto.engine._state import State
from sostenuto.messages import key_of, trailing_thoughts


def held_back(state: State) -> tuple[str, ...]:
    """Keys of reasoning at the very end, whose item has not come yet: it leaves with that item, not before (D57)."""
    running = state.history.folding.running
    return tuple(place.key for place in trailing_thoughts(state.history.units[running])) if running is not None else ()


def mended(state: State) -> tuple[str, ...]:
    """Keys of parts and messages in view that were left out or changed so that the request is valid."""
    folding, units = state.history.folding, state.history.units
    if not folding.mended and not folding.empty:
        return held_back(state)
    first = units[state.view.start].first if state.view.start < len(units) else state.length
    if state.view.start == 0:
        first = 0
    parts = [key_of(ordinal, index) for ordinal, index in folding.mended if ordinal >= first]
    # a message without any part had nothing to lose
    whole = [key_of(ordinal) for ordinal in folding.empty if ordinal >= first and state.history.messages[ordinal].parts]
    return (*parts, *whole, *held_back(state))
