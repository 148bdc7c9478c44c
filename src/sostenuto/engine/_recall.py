"""Reading back what left the context: by key, by listing, or by words (D39, D47)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sostenuto.checkpoint import EMPTY, fold, listing
from sostenuto.engine._state import State
from sostenuto.errors import UnknownKey
from sostenuto.ladder import Settings
from sostenuto.messages import Call, Media, Message, Opaque, Part, Result, Text, Thinking, key_of, parse_key

MOST_HITS = 20
EXCERPT_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing found: its address, its text (whole for a key, an excerpt for a search), its tokens, and where it comes from."""

    key: str
    text: str
    tokens: int
    source: str


def read(state: State, key: str, *, settings: Settings) -> Hit:
    """The original text under a key.

    Raises:
        UnknownKey: if the key names nothing in this conversation.
    """
    history = state.history
    address = parse_key(key)
    if address is None:
        text = listing(fold(EMPTY, history.units, policy=settings.policy), key)
        if text is not None:
            return Hit(key, text, history.ruler.text(text), "ledger")
        return _by_call(state, key)
    first, index, last = address
    if first >= state.length or (last is not None and last < first):
        raise UnknownKey(f"no message {key} in this conversation: it has m0 to m{state.length - 1}")
    if index is not None:
        parts = history.messages[first].parts
        if index >= len(parts):
            raise UnknownKey(f"message m{first} has parts 0 to {len(parts) - 1}, not {index}")
        return _hit(state, key, part_text(parts[index]), _source(history.messages[first], parts[index]))
    stop = min(state.length - 1, last if last is not None else first)
    texts = [message_text(history.messages[ordinal], ordinal) for ordinal in range(first, stop + 1)]
    return _hit(state, key, "\n\n".join(texts) if last is not None else texts[0], f"messages {first} to {stop}")


def _hit(state: State, key: str, text: str, source: str) -> Hit:
    return Hit(key, text, state.history.ruler.text(text), source)


def _by_call(state: State, call_id: str) -> Hit:
    """Call ids are accepted when they are unique in the conversation; else the answer lists the candidates (D47)."""
    found = [slot for unit in state.history.units for slot in unit.slots if slot.call_part.id == call_id and slot.result is not None]
    if not found:
        raise UnknownKey(f"nothing is kept under {call_id[:80]!r}; run the original tool again, or search with other words")
    if len(found) > 1:
        keys = ", ".join(slot.result.key for slot in found if slot.result)
        raise UnknownKey(f"{call_id[:80]!r} names {len(found)} results of this conversation: ask for one of {keys}")
    place = found[0].result
    assert place is not None
    return read(state, place.key, settings=Settings())


def search(state: State, words: str) -> tuple[Hit, ...]:
    """Messages that hold the words, those that are not sent whole first; without regard to case."""
    wanted = words.lower()
    found: list[tuple[int, int, Hit]] = []
    for ordinal, index, part, where in _searched(state):
        text = part_text(part)
        at = text.lower().find(wanted)
        if at < 0:
            continue
        start = max(0, at - EXCERPT_CHARACTERS // 2)
        excerpt = text[start : start + EXCERPT_CHARACTERS]
        visible = where == "" and _is_whole(state, ordinal, index)
        key = key_of(ordinal, index) + where
        hit = Hit(key, excerpt, state.history.ruler.text(text), _source(state.history.messages[ordinal], part) if not where else "branch")
        found.append((int(visible), -ordinal, hit))
    return tuple(hit for _, _, hit in sorted(found, key=lambda item: item[:2])[:MOST_HITS])


def _searched(state: State) -> Iterator[tuple[int, int, Part, str]]:
    for ordinal, message in enumerate(state.history.messages[: state.length]):
        for index, part in enumerate(message.parts):
            yield ordinal, index, part, ""


def _is_whole(state: State, ordinal: int, index: int) -> bool:
    if (ordinal, index) in state.view.forms:
        return False
    start = state.view.start
    units = state.history.units
    if start >= len(units):
        return False
    if ordinal >= units[start].first:
        return True
    return any(units[number].first <= ordinal <= units[number].last for number in state.view.standing)


def part_text(part: Part) -> str:
    """The text of one part, as it came."""
    match part:
        case Text(text) | Thinking(text) | Opaque(_, text):
            return text
        case Result():
            return part.text
        case Call():
            return part.arguments
        case Media():
            return part.label or part.kind


def message_text(message: Message, ordinal: int) -> str:
    """A whole message in words: who speaks, then each part under its key."""
    pieces = [f"[{key_of(ordinal, index)} {_source(message, part)}]\n{part_text(part)}" for index, part in enumerate(message.parts)]
    return "\n".join(pieces) or f"[{key_of(ordinal)} {message.role}: empty]"


def _source(message: Message, part: Part) -> str:
    if isinstance(part, Call):
        return f"call of {part.name}"
    if isinstance(part, Result):
        return f"tool result of call {part.call_id}"
    return message.role
