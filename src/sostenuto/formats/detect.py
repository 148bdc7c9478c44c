"""Which wire a list of messages is written in, by its structure (D58)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sostenuto.formats import _anthropic_structure, _gemini_structure, _openai_chat_structure, _responses_structure

_WIRES = (
    ("openai_chat", _openai_chat_structure.looks_like),
    ("anthropic", _anthropic_structure.looks_like),
    ("gemini", _gemini_structure.looks_like),
    ("openai_responses", _responses_structure.looks_like),
)


def detect(messages: Sequence[Any], system: Any = None) -> str | None:
    """The name of the format, or None where the structure leaves it open, as plain role and content strings do."""
    scores = sorted(((looks_like(messages, system), name) for name, looks_like in _WIRES), reverse=True)
    best, second = scores[0], scores[1]
    return best[1] if best[0] > second[0] else None
