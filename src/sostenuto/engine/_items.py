"""Items without their reasoning: on wires of items, one whose reasoning is not sent may not carry its id (D57)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sostenuto.ladder import History
from sostenuto.messages import Part, Thinking

Forms = Mapping[tuple[int, int], Part | None]


@dataclass(slots=True)
class Unled:
    """Ordinals of the assistant's items from a start on whose reasoning is not sent. Grown by `extend` as the history grows.

    What is not visible in a list of items is which response they came from, so an item is taken to belong to the nearest reasoning
    before it in its turn: an id too few costs nothing, an id too many is refused.
    """

    upto: int
    lost: bool
    ordinals: set[int] = field(default_factory=set)

    def extend(self, history: History, forms: Forms) -> list[int]:
        """Look at the messages that were not seen yet; those whose id must go."""
        found: list[int] = []
        for ordinal in range(self.upto, len(history.messages)):
            message = history.messages[ordinal]
            if message.role in ("user", "system"):
                self.lost = False
            thoughts = [index for index, part in enumerate(message.parts) if isinstance(part, Thinking)]
            if thoughts:
                self.lost = any(forms.get((ordinal, index), ordinal) is None for index in thoughts)
            elif self.lost and message.role == "assistant":
                found.append(ordinal)
        self.upto = len(history.messages)
        self.ordinals.update(found)
        return found


def unled(history: History, start: int) -> Unled:
    """Where nothing before the ordinal `start` is sent: whether a turn goes on there whose reasoning stood before it."""
    for ordinal in range(start - 1, -1, -1):
        message = history.messages[ordinal]
        if message.role in ("user", "system"):
            break
        if any(isinstance(part, Thinking) for part in message.parts):
            return Unled(start, lost=True)
    return Unled(start, lost=False)
