"""Which original message does a rewritten one stand for? Known by the ids of its calls and results, else by its words or its place."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from sostenuto.messages import Call, Message, Result
from sostenuto.reporting._bodies import words

KNOWN_BY = 60
"""Characters at the beginning by which a shortened text is known again."""


@dataclass(slots=True)
class Originals:
    """The messages of a history by what can be known of them again; grown by `add` alone."""

    roles: list[str] = field(default_factory=list)
    _by_trace: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, message: Message) -> None:
        """Take in the next message of the history."""
        for trace in _traces(message):
            places = self._by_trace.setdefault(trace, [])
            if places[-1:] != [len(self.roles)]:
                places.append(len(self.roles))
        self.roles.append(message.role)

    def ordinal(self, message: Message, *, after: int) -> int | None:
        """The ordinal of the message this is a form of; `after` is the ordinal that stands before it (-1: none)."""
        for trace in _traces(message):
            places = self._by_trace.get(trace)
            if places:
                at = bisect_right(places, after)
                return places[at] if at < len(places) else places[-1]
        following = after + 1
        return following if following < len(self.roles) and self.roles[following] == message.role else None


def _traces(message: Message) -> list[tuple[str, str]]:
    """By what a message is known, the surest first."""
    found = [("result", part.call_id) for part in message.parts if isinstance(part, Result) and part.call_id]
    found += [("call", part.id) for part in message.parts if isinstance(part, Call) and part.id]
    text = words(message)
    if text and not found:
        found.append((message.role, text[:KNOWN_BY]))
    return found
