"""Cache markers for Anthropic requests (``cache="auto"``)."""

from __future__ import annotations

from typing import Any

from sostenuto.formats._blocks import bears_marker, fields
from sostenuto.formats._text import MARKER

MARKERS_AT_MOST = 4
"""Markers one request may carry; the endpoint refuses a fifth."""

_EPHEMERAL = {"type": "ephemeral"}


def marked(arguments: dict[str, Any], *, stable: int) -> dict[str, Any]:
    """A copy of `arguments` with a marker on the last message before index `stable` and one at the end of ``system``.

    The caller's markers count towards the four a request may carry; the message comes first, for its marker covers the instructions too.
    """
    free = MARKERS_AT_MOST - count(arguments.get("system")) - count(arguments.get("tools")) - count(arguments.get("messages"))
    out = dict(arguments)
    messages = arguments.get("messages") or []
    if free > 0 and 0 < stable <= len(messages):
        message = fields(messages[stable - 1])
        content = _with_marker(message.get("content")) if message is not None else None
        if content is not None:
            out["messages"] = [*messages[: stable - 1], {**(message or {}), "content": content}, *messages[stable:]]
            free -= 1
    if free > 0:
        system = _with_marker(arguments.get("system"))
        if system is not None:
            out["system"] = system
    return out


def count(held: Any) -> int:
    """Markers in a list of messages or blocks, inside results too."""
    if not isinstance(held, list | tuple):
        return 0
    found = 0
    for each in held:
        block = each if isinstance(each, dict) else None
        if block is not None:
            found += (block.get(MARKER) is not None) + count(block.get("content"))
    return found


def with_marker(message: dict[str, Any]) -> dict[str, Any]:
    """A copy of `message` with a marker on its last block; itself where none may carry one, or one has it."""
    content = _with_marker(message.get("content"))
    return message if content is None else {**message, "content": content}


def _with_marker(content: Any) -> list[Any] | None:
    """`content` with a marker on its last block that may carry one; None where none may, or where one has it already."""
    if isinstance(content, str):
        return [{"type": "text", "text": content, MARKER: dict(_EPHEMERAL)}] if content.strip() else None
    if not isinstance(content, list | tuple):
        return None
    for at in range(len(content) - 1, -1, -1):
        block = content[at]
        if bears_marker(block):
            if block.get(MARKER) is not None:
                return None
            return [*content[:at], {**block, MARKER: dict(_EPHEMERAL)}, *content[at + 1 :]]
    return None
