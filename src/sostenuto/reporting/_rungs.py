"""The rungs as people see them: a letter, a meaning, a colour and a shape, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Shape = Literal["circle", "down", "up", "square", "diamond", "cross"]


@dataclass(frozen=True, slots=True)
class Mark:
    """How a rung is shown: one letter under the chart, and what it means. The page draws the letter inside the shape."""

    letter: str
    meaning: str
    colour: str
    shape: Shape = "circle"


MARKS: Mapping[str, Mark] = MappingProxyType(
    {
        "insert": Mark("n", "nudge kept", "cyan"),
        "repair": Mark("r", "history repaired", "cyan"),
        "rewritten": Mark("h", "changed by the host", "cyan"),
        "absent": Mark("h", "changed by the host", "cyan"),
        "fork": Mark("f", "history forked", "cyan"),
        "undo": Mark("u", "undone", "cyan"),
        "redo": Mark("u", "put on again", "cyan"),
        "warn": Mark("w", "warned", "yellow", "up"),
        "admit": Mark("a", "new result cut", "cyan", "cross"),
        "clip": Mark("k", "read result cut", "cyan", "cross"),
        "strip": Mark("t", "thinking left out", "cyan", "cross"),
        "flatten": Mark("t", "thinking left out", "cyan", "cross"),
        "clear": Mark("c", "old results cleared", "green", "down"),
        "summary": Mark("s", "summary not used", "yellow", "up"),
        "compact": Mark("S", "summarised", "blue", "square"),
        "trim": Mark("T", "trimmed", "red", "diamond"),
        "recover": Mark("R", "overflow recovered", "red", "diamond"),
    }
)
"""From the mildest to the most drastic: where several rungs share a column the last one is shown."""
OTHER = Mark("x", "other", "cyan")
