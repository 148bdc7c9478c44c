"""What an OpenAI Responses item is: who made it, which parts it has, and how it reads with some of them changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sostenuto.formats import _media
from sostenuto.formats._blocks import fields, opaque
from sostenuto.formats._changes import Change, effective
from sostenuto.formats._responses_blocks import part_of, reworded
from sostenuto.formats._responses_calls import ANSWERS, CALLS, Item, call_of, new_call, new_result, result_of
from sostenuto.formats._text import compact, word
from sostenuto.messages import Call, Opaque, Part, Result, Role, Text, Thinking

MESSAGE = "message"
REASONING = "reasoning"
REFERENCE = "item_reference"

SPEAKERS: Mapping[str, Role] = {"assistant": "assistant", "developer": "system", "system": "system", "user": "user"}
_MAKERS: Mapping[str, Role] = {
    "additional_tools": "system",
    "compaction_trigger": "user",
    "configuration_update": "system",
    "mcp_approval_response": "user",
}
"""Who made the items that are no message and no answer. All others are the assistant's: what the server ran and found (an unknown
``..._output`` too) then stays in one unit with the item that asked for it."""

_NAMED_BY_ID = (REFERENCE, "mcp_approval_request")
"""Items that say nothing without their id."""

_PASSING = ("id", "status")
"""Fields of an item that hosts drop between requests: an item is the same without them (D46)."""


def kind_of(item: Item) -> str:
    """The type of an item, ``message`` and ``item_reference`` where it is left out; ``unknown`` for what is neither."""
    kind = item.get("type")
    if isinstance(kind, str) and kind:
        return kind
    if not item or "role" in item or "content" in item:
        return MESSAGE
    return REFERENCE if "id" in item else "unknown"


def role_of(item: Item) -> Role:
    """Whose turn an item belongs to."""
    kind = kind_of(item)
    speaker = item.get("role")
    if kind == MESSAGE:
        return SPEAKERS.get(speaker, "user") if isinstance(speaker, str) else "user"
    if kind in ANSWERS:
        return "tool"
    maker = _MAKERS.get(kind)
    if maker is not None or kind in CALLS:
        return maker or "assistant"
    return SPEAKERS.get(speaker, "assistant") if isinstance(speaker, str) else "assistant"


def parts_of(item: Item) -> tuple[Part, ...]:
    """The parts of an item: one for each content block of a message, one in all of any other kind."""
    kind = kind_of(item)
    if kind == MESSAGE:
        return _content(item.get("content"))
    if kind in CALLS:
        return (call_of(item, kind=CALLS[kind]),)
    if kind in ANSWERS:
        return (result_of(item),)
    return (_thinking(item),) if kind == REASONING else (_opaque(item, kind),)


def _content(content: Any) -> tuple[Part, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list | tuple):
        return tuple(part_of(block) for block in content)
    return () if content is None else (opaque(content),)


def _thinking(item: Item) -> Thinking:
    """Reasoning. Where it is sealed the seal is what is sent again and counts (D5); the summary beside it is only for people."""
    sealed = word(item.get("encrypted_content"))
    text = _spoken(item.get("content")) or _spoken(item.get("summary"))
    return Thinking("" if sealed else text, sealed, redacted=bool(sealed) and not text)


def _spoken(blocks: Any) -> str:
    if not isinstance(blocks, list | tuple):
        return word(blocks)
    texts = (block if isinstance(block, str) else (fields(block) or {}).get("text") for block in blocks)
    return "\n".join(text for text in texts if isinstance(text, str))


def _opaque(item: Item, kind: str) -> Opaque:
    held = item if kind in _NAMED_BY_ID else {name: value for name, value in item.items() if name not in _PASSING}
    picture = held.get("result")
    if kind == "image_generation_call" and isinstance(picture, str):
        held = {**held, "result": _media.digest(picture)}
    return Opaque(kind, compact(held))


def rewritten(item: Item, changes: Mapping[int, Change]) -> Item | None:
    """A copy of `item` in which only the named parts differ; None when no part remains."""
    parts = parts_of(item)
    wanted = effective(parts, changes)
    if parts and sum(new is None for new in wanted.values()) == len(parts):
        return None
    if not wanted:
        return dict(item)
    if kind_of(item) == MESSAGE:
        return {**item, "content": _new_content(item.get("content"), wanted, role=role_of(item))}
    old, new = parts[0], wanted[0]
    if isinstance(old, Call) and isinstance(new, Call):
        return new_call(item, old, new=new, kind=CALLS[kind_of(item)])
    if isinstance(old, Result) and isinstance(new, Result):
        return new_result(item, old, new=new)
    return dict(item)


def _new_content(content: Any, wanted: Mapping[int, Change], *, role: Role) -> Any:
    if not isinstance(content, list | tuple):
        new = wanted[0]
        return new.text if isinstance(new, Text) else content
    blocks: list[Any] = []
    for index, block in enumerate(content):
        new = wanted.get(index)
        if isinstance(new, Text):
            blocks.append(reworded(block, new.text, role=role))
        elif index not in wanted:
            blocks.append(block)
    return blocks


def without_id(item: Item) -> Item:
    """A copy of `item` without its ``id``; itself where it has none, or would say nothing without it."""
    if "id" not in item or kind_of(item) in _NAMED_BY_ID:
        return item
    return {name: value for name, value in item.items() if name != "id"}
