"""The results of one run as a page that needs nothing beside itself."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from html import escape

from benchmarks import drawing
from benchmarks.canaries import ROUNDS, SHARES, SUMMARIZERS, Seen, after
from benchmarks.comparison import MOST_FAILED, Task, grouped
from sostenuto.app import Outcome

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; font-size: 12px; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid #ddd; padding: 2px 8px; text-align: right; white-space: nowrap }
td:first-child, th:first-child { text-align: left } svg { width: 100%; height: auto; font-family: inherit }
"""
_KEPT = ("task", "planted rule", "changed files", "read files", "facts")


def page(parts: Sequence[str], *, made: Sequence[tuple[Task, Outcome]], canaries: Sequence[Seen]) -> str:
    """The page. `parts` are Markdown, of which headings, tables, lists and paragraphs are understood."""
    drawn = [*_plots(made), *_canary_plots(canaries)]
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sostenuto, measured</title><style>{_STYLE}</style></head>'
    return f"{head}<body><h1>Sostenuto, measured</h1>{''.join(drawn)}{''.join(_html(part) for part in parts)}</body></html>\n"


def _plots(made: Sequence[tuple[Task, Outcome]]) -> list[str]:
    rows: list[tuple[str, list[float]]] = []
    marks: list[tuple[str, float, float]] = []
    groups = grouped(made)
    everywhere = max((len(group) for group in groups.values()), default=0)
    for label, group in groups.items():
        verdicts = [one.verdict for _, one in group if one.verdict is not None]
        if verdicts and len(group) == everywhere:  # a median over other sessions would not be comparable
            kept = [[v.task.mean, v.pins.mean, v.files_modified.mean, v.files_read.mean, v.facts] for v in verdicts]
            rows.append((label, [statistics.median(values) for values in zip(*kept, strict=True)]))
            priced = [(v.cost, v.forward.mean) for v in verdicts if v.failed <= MOST_FAILED * v.requests]
            if priced:
                cost, ahead = (statistics.median(values) for values in zip(*priced, strict=True))
                marks.append((label, cost, ahead))
    if not rows:
        return []
    return [
        "<h2>What stays in view</h2><p>Median over all sessions of the share of requests; a request above its budget shows nothing.</p>",
        drawing.bars(rows, names=_KEPT, title="What stays in view"),
        "<h2>Cost, and what the next steps need</h2><p>Median over the sessions. Cost against doing nothing, which is 1; "
        "up: of the names the next ten replies use, the share in view.</p>",
        drawing.points(marks, across="cost", up="names of the next steps in view", title="Cost and what the next steps need"),
    ]


def _canary_plots(canaries: Sequence[Seen]) -> list[str]:
    if not canaries:
        return []
    seen = {(one.summarizer, one.trial): one.sighting.in_view for one in canaries}
    rounds = [after(number) for number in ROUNDS]
    shares = [f"{percent} % of the characters" for percent in SHARES]
    return [
        "<h2>Canaries</h2><p>Share of planted sentences that stand verbatim in the request.</p>",
        drawing.lines({name: [seen[name, at] for at in shares] for name in SUMMARIZERS}, steps=shares, title="Canaries by share"),
        drawing.lines({name: [seen[name, at] for at in rounds] for name in SUMMARIZERS}, steps=rounds, title="Canaries over rounds"),
    ]


def _html(markdown: str) -> str:
    out: list[str] = []
    for block in re.split(r"\n\s*\n", markdown.strip()):
        lines = block.split("\n")
        if lines[0].startswith("#"):
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            out.append(f"<h{level}>{escape(lines[0].lstrip('# '))}</h{level}>")
        elif lines[0].startswith("|"):
            out.append(_table(lines))
        elif lines[0].startswith("- "):
            out.append("<ul>" + "".join(f"<li>{escape(line[2:])}</li>" for line in lines) + "</ul>")
        else:
            out.append(f"<p>{escape(' '.join(lines))}</p>")
    return "".join(out)


def _table(lines: Sequence[str]) -> str:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not set(line) <= set("|-: ")]
    head = "".join(f"<th>{escape(cell)}</th>" for cell in cells[0])
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in cells[1:])
    return f"<table><tr>{head}</tr>{body}</table>"
