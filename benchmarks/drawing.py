"""Plain SVG for the page: points with names, bars, and lines over rounds. No script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

INKS: Final = ("#0b6e4f", "#b5541c", "#2f5fa8", "#8a3d78", "#6b6b6b", "#a58a00")
_WIDTH, _LEFT, _RIGHT = 860, 330, 30


def bars(rows: Sequence[tuple[str, Sequence[float]]], *, names: Sequence[str], title: str) -> str:
    """Groups of bars, one group a row, each from 0 to 100 percent."""
    high, gap = 7, 12
    each = high * len(names) + gap
    height = 50 + each * len(rows)
    out = [_open(height, title)]
    for place, name in enumerate(names):
        out.append(f'<rect x="{_LEFT + place * 105}" y="8" width="10" height="10" fill="{INKS[place]}"/>')
        out.append(_text(_LEFT + 14 + place * 105, 17, name))
    for number, (label, values) in enumerate(rows):
        top = 34 + number * each
        out.append(_text(_LEFT - 8, top + each / 2, label, anchor="end", size=11))
        for place, value in enumerate(values):
            wide = (_WIDTH - _LEFT - _RIGHT) * max(0.0, min(1.0, value))
            y = top + place * high
            out.append(f'<rect x="{_LEFT}" y="{y}" width="{wide:.1f}" height="{high - 1}" fill="{INKS[place]}"><title>')
            out.append(f"{escape(label)}: {escape(names[place])} {100 * value:.0f} %</title></rect>")
    return "".join([*out, "</svg>"])


def points(marks: Sequence[tuple[str, float, float]], *, across: str, up: str, title: str) -> str:
    """Numbered points and their names below; `across` from 0 to the largest value or 2, `up` from 0 to 100 percent."""
    left, bottom, names_at = 60, 370, 420
    most = min(2.0, max((x for _, x, _ in marks), default=1.0) * 1.1)
    out = [_open(names_at + 18 * (len(marks) + 1) // 2 + 10, title)]
    for step in range(0, 101, 25):
        y = bottom - 340 * step / 100
        out.append(f'<line x1="{left}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}" stroke="#ddd"/>')
        out.append(_text(left - 6, y + 4, f"{step} %", anchor="end"))
    for number, (label, x, y) in enumerate(marks, start=1):
        at = left + (_WIDTH - _RIGHT - left) * min(x, most) / most
        high = bottom - 340 * y
        ink = INKS[0] if label.startswith("Sostenuto") else INKS[2]
        words = f"{label}: {across} {x:.2f}, {up} {100 * y:.0f} %"
        out.append(f'<circle cx="{at:.1f}" cy="{high:.1f}" r="9" fill="{ink}" fill-opacity="0.75"><title>{escape(words)}</title></circle>')
        out.append(_text(at, high + 3.5, str(number), anchor="middle", size=10, ink="#fff"))
        column, line = (number - 1) % 2, (number - 1) // 2
        out.append(_text(left + 400 * column, names_at + 18 * line, f"{number}  {label}: {x:.2f}, {100 * y:.0f} %", size=11))
    out.append(_text(_WIDTH - _RIGHT, bottom + 24, f"{across} (0 to {most:.1f})", anchor="end"))
    return "".join([*out, _text(left, 16, up), "</svg>"])


def lines(curves: Mapping[str, Sequence[float]], *, steps: Sequence[str], title: str) -> str:
    """One line for each name over equal steps, from 0 to 100 percent."""
    height, left, bottom = 300, 60, 240
    out = [_open(height, title)]
    for percent in range(0, 101, 25):
        y = bottom - 210 * percent / 100
        out.append(f'<line x1="{left}" y1="{y}" x2="640" y2="{y}" stroke="#ddd"/>')
        out.append(_text(left - 6, y + 4, f"{percent} %", anchor="end"))
    wide = 560 / max(1, len(steps) - 1)
    for place, step in enumerate(steps):
        out.append(_text(left + 10 + place * wide, bottom + 20, step, anchor="middle"))
    for number, (name, values) in enumerate(curves.items()):
        ink = INKS[number % len(INKS)]
        path = " ".join(f"{left + 10 + place * wide:.1f},{bottom - 210 * value:.1f}" for place, value in enumerate(values))
        out.append(f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="{6 - number}" opacity="0.75"/>')
        out.append(f'<rect x="660" y="{30 + number * 20}" width="10" height="10" fill="{ink}"/>')
        out.append(_text(676, 39 + number * 20, name))
    return "".join([*out, "</svg>"])


def _open(height: float, title: str) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}"><title>{escape(title)}</title>'


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 12, ink: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{ink}">{escape(words)}</text>'
