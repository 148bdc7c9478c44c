"""What of a conversation is no longer sent as it was said: every such piece, and how much of it is left (D48)."""

from __future__ import annotations

from typing import Final, Literal

from sostenuto.engine._state import State

Level = Literal["clipped", "cleared", "covered", "dropped"]
"""Cut to its head and tail; replaced by a line; told by the checkpoint; left out with nothing but the checkpoint's digest."""

_SHORTENED: Final[dict[int, Level]] = {1: "clipped", 2: "cleared"}


def levels(state: State) -> dict[str, Level]:
    """Key of a piece -> its level, in the order of the transcript; a piece that is sent whole is not in it."""
    view, units = state.view, state.history.units
    covers = [(edit.cover.upto, edit.kind) for edit in state.edits if edit.active and edit.cover is not None]
    dropped = max((upto for upto, kind in covers if kind == "drop"), default=0)
    standing = frozenset(view.standing)
    found: dict[str, Level] = {}
    for number, unit in enumerate(units):
        is_away = number < view.start and number not in standing
        for place in unit.parts:
            if is_away:
                found[place.key] = "dropped" if number < dropped else "covered"
            elif number in view.flattened:
                found[place.key] = "cleared"
            elif level := _SHORTENED.get(view.levels.get((place.ordinal, place.index), 0)):
                found[place.key] = level
    return found
