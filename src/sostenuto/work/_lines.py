"""Words of a model as lines that cannot be taken for anything of ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def one_line(text: str) -> str:
    """`text` with every run of white space, line ends included, as one space."""
    return " ".join(text.split())


def quoted(text: str) -> list[str]:
    """The lines of `text`, each behind a mark, so that no heading in it is one."""
    return [f"> {line}" for line in text.splitlines()]


def within(lines: Sequence[str], fits: Callable[[list[str]], bool], *, what: str) -> list[str]:
    """The longest start of `lines` that fits with a line behind it that counts the others; none where not even that fits."""
    if fits(list(lines)):
        return list(lines)
    low, high = 0, max(0, len(lines) - 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(_cut(lines, middle, what)) else (low, middle - 1)
    cut = _cut(lines, low, what)
    return cut if fits(cut) else []


def _cut(lines: Sequence[str], kept: int, what: str) -> list[str]:
    return [*lines[:kept], f"(+{len(lines) - kept:,} more lines of {what})"]
