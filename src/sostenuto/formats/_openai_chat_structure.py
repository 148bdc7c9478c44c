"""What gives OpenAI chat messages away (D58)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sostenuto.formats._blocks import fields

_SURE = 3
_LIKELY = 2
_SYSTEM = ("system", "developer")
_OWN_BLOCKS = ("image_url", "input_audio", "refusal", "video_url")


def looks_like(messages: Sequence[Any], system: Any) -> int:
    """How surely `messages` are OpenAI chat messages, by structure alone (D58): 0 no, 2 likely, 3 sure."""
    del system
    best = 0
    for raw in messages:
        best = max(best, _resemblance(fields(raw) or {}))
        if best == _SURE:
            break
    return best


def _resemblance(raw: dict[str, Any]) -> int:
    role = raw.get("role")
    if "parts" in raw:  # Gemini's contents may have the role ``function`` too
        return 0
    if role in ("tool", "function") or raw.get("function_call") or isinstance(raw.get("reasoning_content"), str):
        return _SURE
    calls, content = raw.get("tool_calls"), raw.get("content")
    if isinstance(calls, list) and any("function" in call or "custom" in call for call in calls if isinstance(call, dict)):
        return _SURE
    blocks = content if isinstance(content, list) else ()
    if any(isinstance(block, dict) and block.get("type") in _OWN_BLOCKS for block in blocks):
        return _SURE
    return _LIKELY if role in _SYSTEM and "type" not in raw else 0
