"""Plain message lists in either wire format: a JSON array, an object with ``messages`` (and ``system``, ``tools``), or a message a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sostenuto.recordings._recording import Line, Raw, Recording, Skipped, model_name, plain_exchanges

READER = "messages"

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_CHAT_ROLES = frozenset({"system", "developer", "tool"})
_ANTHROPIC_BLOCKS = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "document", "image"}
)
# Items of the Responses API also have roles; they are another wire format.
_FOREIGN_BLOCKS = frozenset({"input_text", "output_text", "input_image"})


def recognises(record: object) -> bool:
    """Whether this value is a message, or an object that holds a list of them."""
    if not isinstance(record, dict):
        return False
    held = record.get("messages")
    if isinstance(held, list):
        return any(_is_message(one) for one in held)
    return _is_message(record)


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind one list of messages; its records are the messages."""
    lines = list(records)
    holder, others = _holder(lines)
    if holder:
        lines = list(enumerate(holder["messages"], start=1))
    messages = tuple(value for _, value in lines if _is_message(value))
    unlike = [(line, value) for line, value in lines if not _is_message(value)]
    skipped = [Skipped(line=line, kind=_kind(value), reason="not a message with a known role") for line, value in unlike]
    skipped += [Skipped(line=line, kind="conversation", reason="another conversation; a recording is one") for line, _ in others]
    system = holder.get("system")
    form = "anthropic" if system is not None or _is_anthropic(messages) else "openai_chat"
    return Recording(
        reader=READER,
        format=form,
        messages=messages,
        exchanges=plain_exchanges(messages, merged=form == "anthropic"),
        system=system,
        tools=holder.get("tools"),
        model=model_name(holder.get("model")),
        used=len(messages),
        meta=0,
        skipped=tuple(skipped),
        source=source,
    )


def _holder(lines: list[Line]) -> tuple[Raw, list[Line]]:
    """The first object that holds a list of messages, and what stands beside it; nothing where the lines are messages themselves."""
    for position, (_, value) in enumerate(lines):
        if _is_message(value):
            break
        if isinstance(value, dict) and recognises(value):
            return value, lines[:position] + lines[position + 1 :]
    return {}, []


def _is_anthropic(messages: Sequence[Raw]) -> bool:
    """Whether the structure says Anthropic; messages of plain text read alike in both formats and count as OpenAI chat (D58)."""
    if any(message.get("role") in _CHAT_ROLES or message.get("tool_calls") for message in messages):
        return False
    return any(_block_type(block) in _ANTHROPIC_BLOCKS for message in messages for block in _blocks(message))


def _is_message(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    role = value.get("role")
    if not isinstance(role, str) or role not in _ROLES or not ("content" in value or "tool_calls" in value):
        return False
    return not any(_block_type(block) in _FOREIGN_BLOCKS for block in _blocks(value))


def _blocks(message: Raw) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _block_type(block: object) -> str:
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def _kind(value: object) -> str:
    if not isinstance(value, dict):
        return type(value).__name__
    name = value.get("role") or value.get("type")
    return name if isinstance(name, str) else "untyped"
