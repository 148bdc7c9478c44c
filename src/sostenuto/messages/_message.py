"""A message: who speaks, in which pieces, and of which kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sostenuto.messages._parts import Part

Role = Literal["system", "user", "assistant", "tool"]
Kind = Literal["plain", "task", "summary", "continuation", "ephemeral"]
"""``task`` is pinned by its caller; ``summary``, ``continuation`` and ``ephemeral`` (a nudge) are written by us (D40)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. Several parts of any kind; tool results may stand in a ``user`` message (Anthropic) or be one ``tool`` message each."""

    role: Role
    parts: tuple[Part, ...]
    kind: Kind = "plain"
