"""Messages of another wire: what a codec would read as nothing is refused by name, for silence would lose it (D20, D58)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sostenuto.errors import UnknownFormat
from sostenuto.protocols import Codec

_CHAT, _RESPONSES, _ANTHROPIC, _GEMINI = "openai_chat", "openai_responses", "anthropic", "gemini"
_FIELDS = ("tool_calls", "function_call", "tool_call_id")
"""What only a chat message has."""
_BLOCKS = frozenset({"tool_use", "tool_result", "redacted_thinking", "server_tool_use"})
_PARTS = ("functionCall", "function_call", "functionResponse", "function_response")

_SPEAKERS = ("user", "assistant")

_Read = Callable[[str], Any]


def refuse_other_wires(raw: object, ordinal: int, *, codec: Codec) -> None:
    """Refuse a message whose structure is that of another wire than `codec`'s; plain words pass wherever they can be read.

    Raises:
        UnknownFormat: naming the message, what it looks like, and the remedy.
    """
    if type(raw) is dict and len(raw) == 2 and codec.name != _GEMINI and type(raw.get("content")) is str and raw.get("role") != "tool":
        return  # a role and words: there is nothing else to look at
    if type(raw) is dict and len(raw) == 2 and codec.name == _ANTHROPIC and raw.get("role") in _SPEAKERS and _are_typed(raw.get("content")):
        return  # blocks that say what they are: there is nothing of another wire that could be read as nothing
    if isinstance(raw, str) and codec.name == _GEMINI:
        return  # its client takes a bare string for a message of the user's
    read = _reader(raw)
    if read is None:
        raise UnknownFormat(f"message {ordinal} is a {type(raw).__name__}, which is no message of {codec.name}; {_remedy('')}")
    found = _wire(read, raw, own=codec.name)
    if found is not None:
        wire, shown = found
        like = f" and looks like {wire}" if wire else ""
        raise UnknownFormat(f"message {ordinal} has {shown}{like}, which is no message of {codec.name}; {_remedy(wire)}")


def _are_typed(content: object) -> bool:
    """Whether this is a list of blocks with a type each, as only this wire writes them."""
    return type(content) is list and all(type(block) is dict and block.get("type") is not None for block in content)


def _remedy(wire: str) -> str:
    named = f'with format="{wire}"' if wire else "with format= (anthropic, gemini, openai_chat or openai_responses)"
    return f"name the format it is in {named}; after a switch to another wire go on with the `messages` of its answer"


def _reader(raw: object) -> _Read | None:
    """How to look up a field of a message: of a mapping, or of a client's object; None for anything else."""
    if isinstance(raw, Mapping):
        return raw.get
    return (lambda name: getattr(raw, name, None)) if hasattr(raw, "model_dump") else None


def _wire(read: _Read, raw: object, *, own: str) -> tuple[str, str] | None:
    """The other wire that a message is of ("" where nobody knows which) and what shows it; None where `own` can read it."""
    parts, content, kind, role = read("parts"), read("content"), read("type"), read("role")
    if own == _GEMINI and parts is not None:
        return None
    if isinstance(parts, list | tuple) and content is None:
        return _GEMINI, "parts"
    if own != _CHAT:
        shown = next((name for name in _FIELDS if read(name)), None)
        if shown is not None or (role in ("tool", "function") and not isinstance(content, list | tuple)):
            return _CHAT, shown or f"the role {role}"
    if own != _RESPONSES and role is None and isinstance(kind, str) and (not content or kind == "reasoning"):
        if isinstance(read("call_id"), str) or kind in ("reasoning", "item_reference") or kind.endswith(("_call", "_output")):
            return _RESPONSES, f"the type {kind[:40]} and no role"
        keys = ", ".join(sorted(map(str, raw))[:8]) if isinstance(raw, Mapping) else f"the type {kind[:40]} and no role"
        return "", keys
    if isinstance(content, list | tuple) and not (own == _CHAT and read("tool_calls")):
        found = next((found for block in content if (found := _block(block, own=own)) is not None), None)
        if found is not None:
            return found
    return ("", "content but no parts, as openai_chat and anthropic messages have") if own == _GEMINI and content else None


def _block(block: object, *, own: str) -> tuple[str, str] | None:
    read = _reader(block)
    if read is None:
        return None
    kind = read("type")
    if kind is None:
        shown = next((name for name in _PARTS if read(name) is not None), None)
        return (_GEMINI, shown) if shown is not None else None
    is_theirs = isinstance(kind, str) and (kind in _BLOCKS or (kind == "thinking" and isinstance(read("signature"), str)))
    return (_ANTHROPIC, f"a block of type {kind}") if is_theirs and own != _ANTHROPIC else None
