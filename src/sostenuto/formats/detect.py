"""Which wire a list of messages is written in, by its structure (D58)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    return likeliest(scores(messages, system))


def scores(messages: Sequence[Any], system: Any = None) -> dict[str, int]:
    """How surely messages are of each wire, 0 for not at all. Of two lists together it is the larger score of each wire."""
    return {name: looks_like(messages, system) for name, looks_like in _WIRES}


def likeliest(scores: Mapping[str, int], /) -> str | None:
    """The wire with the highest score; None where two have it."""
    best, second = sorted(scores, key=lambda name: scores[name], reverse=True)[:2]
    return best if scores[best] > scores[second] else None
