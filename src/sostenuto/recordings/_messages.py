"""Plain message lists of any wire: a JSON array, a request body with its system and tools, or a message a line.

A body holds ``messages``, ``input`` (Responses items) or ``contents`` (Gemini).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sostenuto.recordings._recording import Line, Raw, Recording, Skipped, model_name, plain_exchanges

READER = "messages"

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_CHAT_ROLES = frozenset({"system", "developer", "tool"})
_GEMINI_ROLES = frozenset({"user", "model", "function"})
_ANTHROPIC_BLOCKS = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "document", "image"}
)
_ITEM_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file"})
_CALLS = ("function", "custom_tool", "local_shell", "shell", "apply_patch", "computer", "tool_search")
# Types of Responses items beside messages.
_ITEMS = frozenset(
    {
        *(f"{name}_call" for name in (*_CALLS, "web_search", "file_search", "code_interpreter", "image_generation", "mcp")),
        *(f"{name}_call_output" for name in _CALLS),
        "reasoning",
        "tool_search_output",
        "additional_tools",
        "compaction",
        "item_reference",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
    }
)


def recognises(record: object) -> bool:
    """Whether this value is a message, an item or a content, or an object that holds a list of them."""
    if not isinstance(record, dict):
        return False
    if any(isinstance(record.get(name), list) for name in _HOLDERS):
        return _held(record) is not None
    return _is_message(record) or _is_own_item(record) or _is_content(record)


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind one list of messages; its records are the messages."""
    lines = list(records)
    holder, others = _holder(lines)
    held = _held(holder)
    if held is not None:
        lines = list(enumerate(holder[held], start=1))
    system = holder.get("system")
    form = _HOLDERS[held][0] if held in _HOLDERS and held != "messages" else _form([value for _, value in lines], system)
    belongs = _MEMBERS[form]
    messages = tuple(value for _, value in lines if belongs(value))
    unlike = [(line, value) for line, value in lines if not belongs(value)]
    skipped = [Skipped(line=line, kind=_kind(value), reason="not a message with a known role") for line, value in unlike]
    skipped += [Skipped(line=line, kind="conversation", reason="another conversation; a recording is one") for line, _ in others]
    return Recording(
        reader=READER,
        format=form,
        messages=messages,
        exchanges=plain_exchanges(messages, form=form),
        system=_system(holder, form),
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
        if isinstance(value, dict) and recognises(value):
            return (value, lines[:position] + lines[position + 1 :]) if _held(value) is not None else ({}, [])
    return {}, []


def _held(record: Raw) -> str | None:
    """The field in which this object holds messages, items or contents."""
    for name, (_, belongs) in _HOLDERS.items():
        held = record.get(name)
        if isinstance(held, list) and any(belongs(one) for one in held):
            return name
    return None


def _form(values: Sequence[Any], system: Any) -> str:
    """The wire a list without the name of one is written for."""
    if system is None and any(_is_own_item(value) for value in values):
        return "openai_responses"
    if system is None and not any(_is_message(value) for value in values) and any(_is_content(value) for value in values):
        return "gemini"
    return "anthropic" if system is not None or _is_anthropic([value for value in values if _is_message(value)]) else "openai_chat"


def _system(holder: Raw, form: str) -> Any:
    if form == "gemini":
        return holder.get("systemInstruction", holder.get("system_instruction"))
    return holder.get("instructions" if form == "openai_responses" else "system")


def _is_anthropic(messages: Sequence[Raw]) -> bool:
    """Whether the structure says Anthropic; messages of plain text read alike in both formats and count as OpenAI chat (D58)."""
    if any(message.get("role") in _CHAT_ROLES or message.get("tool_calls") for message in messages):
        return False
    return any(_block_type(block) in _ANTHROPIC_BLOCKS for message in messages for block in _blocks(message))


def _is_message(value: object) -> bool:
    """Whether this is a message of OpenAI chat or Anthropic."""
    if not isinstance(value, dict):
        return False
    role = value.get("role")
    if not isinstance(role, str) or role not in _ROLES or not ("content" in value or "tool_calls" in value):
        return False
    return not any(_block_type(block) in _ITEM_BLOCKS for block in _blocks(value))


def _is_item(value: object) -> bool:
    """Whether this may stand in the input of a Responses request; a plain message may."""
    return _is_own_item(value) or (_is_message(value) and isinstance(value, dict) and value.get("type", "message") == "message")


def _is_own_item(value: object) -> bool:
    """Whether this can only be an item of the Responses wire."""
    if not isinstance(value, dict):
        return False
    kind, role = value.get("type"), value.get("role")
    if isinstance(kind, str) and kind != "message":
        return kind in _ITEMS
    spoken = isinstance(role, str) and role in _ROLES
    return spoken and any(_block_type(block) in _ITEM_BLOCKS for block in _blocks(value))


def _is_content(value: object) -> bool:
    """Whether this is a content of the Gemini wire."""
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list):
        return False
    role = value.get("role", "user")
    return isinstance(role, str) and role in _GEMINI_ROLES


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


_MEMBERS: dict[str, Callable[[object], bool]] = {
    "openai_chat": _is_message,
    "anthropic": _is_message,
    "openai_responses": _is_item,
    "gemini": _is_content,
}
# Where a body holds its history, and what may be in there.
_HOLDERS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "messages": ("openai_chat", lambda value: _is_message(value) or _is_own_item(value) or _is_content(value)),
    "input": ("openai_responses", _is_item),
    "contents": ("gemini", _is_content),
}
