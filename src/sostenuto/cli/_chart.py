"""Tokens over requests as a chart for a terminal, with the rungs marked below."""

from __future__ import annotations

from collections.abc import Sequence

from sostenuto.cli._terminal import PLAIN, Style
from sostenuto.reporting import MARKS, OTHER, Mark

LABEL = 9
"""Columns of the scale at the left, its axis included."""
HEIGHT = 10
"""Rows of the plot."""
LEVELS = " ▁▂▃▄▅▆▇█"
CRAMPED = 4
"""A window more than this many times the largest request is not drawn: the requests would be a flat line."""


def chart(
    tokens: Sequence[int],
    *,
    window: int,
    rungs: Sequence[Sequence[str]] = (),
    doing_nothing: Sequence[int] = (),
    style: Style = PLAIN,
) -> list[str]:
    """The lines of the chart; none is wider than the style.

    `tokens` are the tokens of each request, `rungs` the rungs that fired for it, `doing_nothing` what it would have been
    without any. A column shows the largest of the requests it stands for.
    """
    if not tokens:
        return []
    columns = _columns(len(tokens), style.width - LABEL)
    drawn = window <= CRAMPED * max(tokens)
    top = max([1, window, *tokens]) if drawn else max([1, *tokens])
    heights = [max(tokens[a:b]) for a, b in columns]
    without = [max(doing_nothing[a:b], default=0) for a, b in columns] if len(doing_nothing) == len(tokens) else []
    lines = [
        _row(row, top=top, heights=heights, without=without, window=window if drawn else 0, style=style) for row in range(HEIGHT, 0, -1)
    ]
    marks = _marks(columns, rungs) if any(rungs) else []
    dotted = any(_dot(style) in line for line in lines)
    axis = _axis(len(tokens), width=len(columns), style=style)
    return [line.rstrip() for line in (*lines, *_marked(marks, style=style), axis, *_legend(marks, dotted=dotted, style=style))]


def short(tokens: int) -> str:
    """Tokens in at most six characters: 950, 9.5k, 16k, 1.2M."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if tokens >= size:
            value = tokens / size
            return f"{value:.1f}{unit}" if value < 10 and tokens % size >= size // 20 else f"{value:.0f}{unit}"
    return str(tokens)


def _columns(count: int, room: int) -> list[tuple[int, int]]:
    """For each column the requests it stands for, as a half-open range."""
    if count <= room:
        wide = min(room // count, 4)
        return [(index, index + 1) for index in range(count) for _ in range(wide)]
    return [(column * count // room, max(column * count // room + 1, (column + 1) * count // room)) for column in range(room)]


def _row(row: int, *, top: int, heights: list[int], without: list[int], window: int, style: Style) -> str:
    low, high = (row - 1) * top / HEIGHT, row * top / HEIGHT
    line = bool(window) and low < window <= high
    label = short(window) if line else (short(round(high)) if row % 3 == 1 else "")
    axis = ("┤" if label else "│") if style.unicode else ("+" if label else "|")
    cells = [
        _cell(value, low=low, high=high, line=line, without=without[i] if without else 0, style=style) for i, value in enumerate(heights)
    ]
    shown = "".join(cells).rstrip()
    return f"{label:>{LABEL - 2}} {axis}" + style.paint(shown, "dim" if line and not any(v > low for v in heights) else "bold")


def _cell(value: int, *, low: float, high: float, line: bool, without: int, style: Style) -> str:
    share = (value - low) / (high - low)
    if share > 0:
        if style.unicode:
            return LEVELS[max(1, min(8, round(share * 8)))]
        return "#" if share >= 0.5 else "."
    if low < without <= high:
        return _dot(style)
    if line:
        return "┄" if style.unicode else "-"
    return " "


def _dot(style: Style) -> str:
    """How doing nothing is shown."""
    return "·" if style.unicode else "'"


def _marks(columns: list[tuple[int, int]], rungs: Sequence[Sequence[str]]) -> list[Mark | None]:
    """The mark of each column: the most drastic rung that fired in it, shown once where a request is several columns wide."""
    ranks = {name: rank for rank, name in enumerate(MARKS)}
    found: list[Mark | None] = []
    shown: tuple[int, int] | None = None
    for column in columns:
        names = [name for fired in rungs[column[0] : column[1]] for name in fired] if column != shown else []
        shown = column
        found.append(MARKS.get(max(names, key=lambda name: ranks.get(name, -1)), OTHER) if names else None)
    return found


def _marked(marks: Sequence[Mark | None], *, style: Style) -> list[str]:
    cells = "".join(style.paint(mark.letter, mark.colour) if mark else " " for mark in marks)
    return [f"{'rungs':>{LABEL - 2}}  {cells}"] if marks else []


def _axis(count: int, *, width: int, style: Style) -> str:
    corner, dash = ("└", "─") if style.unicode else ("+", "-")
    words = f" request 1 to {count:,} " if count > 1 else " request 1 "
    inner = words.center(width, dash) if width >= len(words) else words.strip()
    return " " * (LABEL - 1) + corner + inner[: style.width - LABEL]


def _legend(marks: Sequence[Mark | None], *, dotted: bool, style: Style) -> list[str]:
    """What the marks mean that are really there."""
    known = [*MARKS.values(), OTHER]
    words = list(dict.fromkeys(f"{mark.letter} {mark.meaning}" for mark in known if mark in marks))
    words += [f"{_dot(style)} doing nothing"] if dotted else []
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 3 + len(word) <= style.width:
            lines[-1] += "   " + word
        else:
            lines.append(" " * LABEL + word)
    return lines
