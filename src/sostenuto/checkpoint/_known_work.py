"""Known work state in a checkpoint: a block of its own before the sections, written by code after every rewrite (D43)."""

from __future__ import annotations

from sostenuto.checkpoint._items import one_line
from sostenuto.checkpoint._numbers import NUMBERS
from sostenuto.checkpoint._redaction import redacted
from sostenuto.checkpoint._rendering import Count

_TITLE = "Work state, as the agent wrote it down (kept outside this conversation; claims, to be checked before they are built on):"


def work_block(known: str, *, budget: int, count: Count) -> str:
    """The block for the plain text `known`, at most `budget` tokens; "" where there is nothing or not even one line has room.

    It is whole where it fits. Else lines over 300 characters are cut to that, and as many lines stay as fit, from the first on, with one
    behind them that counts the others. Every line stands behind a mark, so that none can pass for a heading, a record or a tag of ours.
    """
    lines = [line.strip() for line in redacted(known[: NUMBERS.work_block]).splitlines() if line.strip()]
    if not lines:
        return ""
    whole = _marked(lines)
    if count(whole) <= budget:
        return whole
    lines = [one_line(line, NUMBERS.work_line) for line in lines]
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(_started(lines, middle)) <= budget else (low, middle - 1)
    while low and count(_started(lines, low)) > budget:  # counts of lines need not add up
        low -= 1
    return _started(lines, low) if low else ""


def _started(lines: list[str], kept: int) -> str:
    left = len(lines) - kept
    return _marked([*lines[:kept], *([f"(+{left:,} more lines)"] if left else [])])


def _marked(lines: list[str]) -> str:
    return "\n".join([_TITLE, *(f"> {line}" for line in lines)])
