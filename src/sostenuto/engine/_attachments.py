"""What the attachments of a request weigh: no ratio of characters to tokens is learned from them (D3, origin 14.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sostenuto.engine._state import State
from sostenuto.messages import Media, Part, Result


def attached(state: State, *, before: State, edited: bool) -> int:
    """Tokens of all attachments in view; in time proportional to what is new while nothing was rewritten."""
    price = state.history.ruler.attachment
    if not edited and state.history is before.history:
        fresh = state.history.messages[before.sent_to : state.length]
        return before.media + _tokens((part for message in fresh for part in message.parts), price)
    history, view = state.history, state.view
    numbers = (*view.standing, *range(view.start, len(history.units)))
    places = (place for number in numbers if number not in view.flattened for place in history.units[number].parts)
    return _tokens((view.forms.get((place.ordinal, place.index), place.part) for place in places), price)


def _tokens(parts: Iterable[Part | None], price: Callable[[Media], int]) -> int:
    total = 0
    for part in parts:
        if isinstance(part, Result):
            total += sum(map(price, part.media))
        elif isinstance(part, Media):
            total += price(part)
    return total
