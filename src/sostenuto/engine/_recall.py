"""Reading back what left the context: by key, by listing, or by words (D39, D47)."""

from __future__ import annotations

from dataclasses import dataclass

from sostenuto import checkpoint
from sostenuto.engine._state import State
from sostenuto.errors import UnknownKey
from sostenuto.ladder import Settings
from sostenuto.messages import Call, Media, Message, Opaque, Part, Result, Text, Thinking, key_of, parse_key

LISTINGS = frozenset({"files:read", "files:modified", "files:failed", "requests", "commands", "values", "running"})


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
    if "~" in key:
        return _on_branch(state, key)
    address = parse_key(key)
    if address is None:
        text = checkpoint.listing(checkpoint.fold(checkpoint.EMPTY, history.units, policy=settings.policy), key)
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
        return _hit(state, key, part_text(parts[index]), source_of(history.messages[first], parts[index]))
    stop = min(state.length - 1, last if last is not None else first)
    texts = [message_text(history.messages[ordinal], ordinal) for ordinal in range(first, stop + 1)]
    return _hit(state, key, "\n\n".join(texts) if last is not None else texts[0], f"messages {first} to {stop}")


def _on_branch(state: State, key: str) -> Hit:
    """What a fork or a rewrite by the host left behind, under its own keys (D46)."""
    name, _, number = key.partition("~")
    address = parse_key(name)
    known = len(state.branches)
    if address is None or not number.isdecimal() or len(number) > 9 or int(number) >= known:
        raise UnknownKey(f"no branch has the key {key[:80]!r}; this conversation has {known} branches, numbered from 0")
    branch = state.branches[int(number)]
    first, index, last = address
    said = branch.messages[first - branch.at : (first if last is None else last) - branch.at + 1] if first >= branch.at else ()
    if not said or (index is not None and index >= len(said[0].parts)):
        raise UnknownKey(f"branch {number} has the messages m{branch.at} to m{branch.at + len(branch.messages) - 1}, not {name}")
    if index is not None:
        return _hit(state, key, part_text(said[0].parts[index]), source_of(said[0], said[0].parts[index]))
    text = "\n\n".join(message_text(message, first + number) for number, message in enumerate(said))
    return _hit(state, key, text, f"messages {first} to {first + len(said) - 1} of branch {number}")


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


def _names_call(state: State, words: str) -> bool:
    """Whether some call of this conversation that was answered has exactly this id."""
    return any(slot.call_part.id == words and slot.result is not None for unit in state.history.units for slot in unit.slots)


def names_key(state: State, words: str) -> bool:
    """Whether these words are an address: a key of the log or of a branch, a listing, or the id of an answered call."""
    return parse_key(words.partition("~")[0]) is not None or words in LISTINGS or _names_call(state, words)


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
    pieces = [f"[{key_of(ordinal, index)} {source_of(message, part)}]\n{part_text(part)}" for index, part in enumerate(message.parts)]
    return "\n".join(pieces) or f"[{key_of(ordinal)} {message.role}: empty]"


def source_of(message: Message, part: Part) -> str:
    """Who speaks in a part: a role, a call, or the result of one."""
    if isinstance(part, Call):
        return f"call of {part.name}"
    if isinstance(part, Result):
        return f"tool result of call {part.call_id}"
    return message.role
