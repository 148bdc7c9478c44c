"""What gives Gemini contents away (D58)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sostenuto.formats._blocks import fields
from sostenuto.formats._gemini_fields import SNAKE

_SURE = 3
_LIKELY = 2
_OWN = frozenset({"codeExecutionResult", "code_execution_result", "executableCode", "executable_code", "text"}).union(
    *((name, SNAKE[name]) for name in ("fileData", "functionCall", "functionResponse", "inlineData"))
)


def looks_like(messages: Sequence[Any], system: Any) -> int:
    """How surely `messages` are Gemini contents, by structure alone (D58): 0 no, 2 likely, 3 sure."""
    del system
    best = 0
    for raw in messages:
        best = max(best, _resemblance(fields(raw) or {}))
        if best == _SURE:
            break
    return best


def _resemblance(raw: dict[str, Any]) -> int:
    parts = raw.get("parts")
    if not isinstance(parts, list | tuple) or "content" in raw:
        return 0
    for part in parts:
        block = fields(part) or {}
        if "type" not in block and not _OWN.isdisjoint(block):  # other clients have parts too, and name their types
            return _SURE
    return _LIKELY if raw.get("role") == "model" else 0
