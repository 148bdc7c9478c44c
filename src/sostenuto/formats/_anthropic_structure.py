"""What gives Anthropic messages away (D58)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sostenuto.formats._blocks import fields

_SURE = 3
_LIKELY = 2
_HINT = 1
_OWN_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result"})


def looks_like(messages: Sequence[Any], system: Any) -> int:
    """How surely `messages` are Anthropic messages, by structure alone (D58): 0 no, 1 a hint, 2 likely, 3 sure."""
    best = _LIKELY if system else 0
    for raw in messages:
        best = max(best, _resemblance(fields(raw) or {}))
        if best == _SURE:
            break
    return best


def _resemblance(raw: dict[str, Any]) -> int:
    content = raw.get("content")
    best = 0
    for block in content if isinstance(content, list) else ():
        held = fields(block) or {}
        kind = held.get("type")
        if isinstance(kind, str) and (kind in _OWN_BLOCKS or (kind in ("image", "document") and "source" in held)):
            return _SURE
        if "cache_control" in held:
            best = _HINT
    return best
