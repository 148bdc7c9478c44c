"""Is a run going in circles? Repeated calls among the newest ones (origin 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class StallNumbers:
    """When calls count as repeating themselves."""

    window: int = 10  # newest calls looked at; with fewer nothing is said
    distinct: float = 0.4  # share of different ones below which the run is stuck: three or fewer of ten


STALL: Final = StallNumbers()

MELTDOWN: Final = (
    "[MELTDOWN: the last {window} tool calls were the same {distinct} over and over. Stop calling them. Sum up what is known, say what "
    "does not work, and either take another way or give the answer with what there is. If this goes on the run is ended.]"
)


def call_key(name: str, arguments: str, /) -> str:
    """What makes two calls the same: the tool and its arguments, letter for letter. A search with other words is another call."""
    return f"{name}:{arguments}"


def is_stalled(keys: Sequence[str], /, *, numbers: StallNumbers = STALL) -> bool:
    """Whether the newest calls, by `call_key`, are too few different ones."""
    newest = keys[-numbers.window :]
    return len(newest) == numbers.window and len(set(newest)) / numbers.window < numbers.distinct


def stall_nudge(keys: Sequence[str], /, *, numbers: StallNumbers = STALL) -> str:
    """What the model is told the first time."""
    return MELTDOWN.format(window=numbers.window, distinct=len(set(keys[-numbers.window :])))
