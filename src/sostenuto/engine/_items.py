"""Items without their reasoning: on wires of items, one whose reasoning is not sent may not carry its id (D57)."""

from __future__ import annotations

from dataclasses import dataclass, field

from sostenuto.ladder import History, View
from sostenuto.messages import Thinking, trailing_thoughts


@dataclass(slots=True)
class Unled:
    """Ordinals of the assistant's items from a start on whose reasoning is not sent. Grown by `extend` as the history grows.

    What is not visible in a list of items is which response they came from, so an item is taken to belong to the nearest reasoning
    before it in its turn: an id too few costs nothing, an id too many is refused. Another model's server knows none of the ids.
    """

    upto: int
    lost: bool
    ordinals: set[int] = field(default_factory=set)

    def extend(self, history: History, view: View) -> list[int]:
        """Look at the messages that were not seen yet; those whose id must go."""
        found: list[int] = []
        stop = _certain(history)
        for ordinal in range(self.upto, stop):
            message = history.messages[ordinal]
            if message.role in ("user", "system"):
                self.lost = False
            thoughts = [(ordinal, index) for index, part in enumerate(message.parts) if isinstance(part, Thinking)]
            if thoughts:
                self.lost = any(_is_gone(place, history, view) for place in thoughts)
            elif message.role == "assistant" and (self.lost or ordinal < history.folding.foreign):
                found.append(ordinal)
        self.upto = max(self.upto, stop)
        self.ordinals.update(found)
        return found


def _is_gone(place: tuple[int, int], history: History, view: View) -> bool:
    """Whether this reasoning is not sent: left out, or in a cycle that was made one message of the user's."""
    form = view.forms[place] if place in view.forms else history.mended_part(*place)
    return form is None or (bool(view.flattened) and history.owner(place) in view.flattened)


def _certain(history: History) -> int:
    """The ordinal up to which it is settled what is sent: reasoning at the very end waits for its item."""
    running = history.folding.running
    waiting = trailing_thoughts(history.units[running]) if running is not None else []
    return waiting[0].ordinal if waiting else len(history.messages)


def unled(history: History, start: int) -> Unled:
    """Where nothing before the ordinal `start` is sent: whether a turn goes on there whose reasoning stood before it."""
    for ordinal in range(start - 1, -1, -1):
        message = history.messages[ordinal]
        if message.role in ("user", "system"):
            break
        if any(isinstance(part, Thinking) for part in message.parts):
            return Unled(start, lost=True)
    return Unled(start, lost=False)
