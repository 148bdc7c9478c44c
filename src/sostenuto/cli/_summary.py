"""A replay in plain words: what would have happened, what it cost, what was lost from view and how to read it back."""

from __future__ import annotations

import math
import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sostenuto.cli._chart import chart
from sostenuto.cli._terminal import Style, count, percent
from sostenuto.replaying import MENDED, Figures, Row
from sostenuto.reporting import MARKS, OTHER, Mark, verdict

NOTICES = 8
"""Different notices that are printed; the rest is counted."""
SHOWN_KEYS = 3
LEAST_RATIO = 0.01
KINDS = {"torn": "broken or cut-off line"}
"""Kinds of left out records that need other words than their own."""
READERS = {
    "aider": "aider chat",
    "atif": "ATIF trajectory",
    "cassette": "VCR cassette",
    "claude_code": "Claude Code session",
    "codex": "Codex session",
    "gemini_cli": "Gemini CLI session",
    "inspect": "Inspect log",
    "litellm_log": "LiteLLM request log",
    "messages": "list of messages",
    "openclaw": "OpenClaw session",
    "pi": "pi session",
    "swe_agent": "SWE-agent trajectory",
    "tau_bench": "tau-bench results",
}
WIRES = {
    "anthropic": "Anthropic messages",
    "gemini": "Gemini contents",
    "openai_chat": "OpenAI chat messages",
    "openai_responses": "OpenAI Responses items",
}
GLUE = "\x1f"
"""Stands for a space at which no line may break."""
NUMBERS = re.compile(r"\bm?\d[\d,.]*(?:-m\d+)?(?:, (?=m\d))?")


@dataclass(frozen=True, slots=True)
class Told:
    """What the summary is made of. `source` and the words are for people; `left_out` counts records by kind.

    `unedited` are the tokens of each request had nothing been rewritten, comparable with the rows' own.
    """

    source: str
    reader: str
    format: str
    window_source: str
    counted: str
    rows: Sequence[Row]
    figures: Figures
    unedited: Sequence[int]
    kept_in: str | None
    left_out: dict[str, int]
    summarizer: str
    seconds: float


def summary(told: Told, style: Style) -> str:
    """The whole text, no line wider than the style."""
    drawn = chart(
        [row.tokens for row in told.rows],
        window=told.figures.window,
        rungs=[[event.rung for event in row.events if event.rung != MENDED] for row in told.rows],
        doing_nothing=told.unedited,
        style=style,
    )
    blocks = [
        _wrapped(_opening(told), style),
        _wrapped([verdict(told.rows, told.figures, unedited=told.unedited)], style),
        _wrapped(_outcome(told), style),
        drawn,
        losses(told.rows, style),
        _view(told, style),
        _price(told, style),
        _recall(told, style),
        _wrapped(_asides(told), style),
        _notices(told.rows, style),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def losses(rows: Sequence[Row], style: Style) -> list[str]:
    """The loss report: for each rung how often it fired, how many pieces it rewrote, and the tokens that freed."""
    events = [event for row in rows for event in row.events if event.rung != MENDED]
    fired = Counter(event.rung for event in events)
    if not fired:
        return ["Nothing was rewritten: every request is the history as it was handed over."]
    cells: list[tuple[str, ...]] = []
    marks: list[Mark] = []
    for rung in [*(name for name in MARKS if name in fired), *sorted(fired.keys() - MARKS.keys())]:
        of_rung = [event for event in events if event.rung == rung]
        freed = 0 if rung == "recover" else sum(max(0, event.tokens_before - event.tokens_after) for event in of_rung)
        keys = len({key for event in of_rung for key in event.keys})
        marks.append(MARKS.get(rung, replace(OTHER, meaning=rung)))
        told = f"{count(freed, 'token')} freed" if freed else ""
        cells.append((marks[-1].meaning, _times(len(of_rung)), told, count(keys, "key") if keys else ""))
    told_rows = _table(cells, width=style.width - 5)
    marked = [f"  {style.paint(mark.letter, mark.colour)}  {row}" for mark, row in zip(marks, told_rows, strict=True)]
    return [style.paint("What was done", "bold"), *marked]


def _table(cells: Sequence[tuple[str, ...]], *, width: int) -> list[str]:
    """The first column to the left, the others to the right, as far apart as the width allows; words it has no room for are left out."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if sum(widths) + len(widths) > width and any(" tokens freed" in cell for row in cells for cell in row):
        return _table([tuple(cell.replace(" tokens freed", " freed") for cell in row) for row in cells], width=width)
    gap = max(1, min(3, (width - sum(widths)) // len(widths)))
    return [
        (" " * gap).join([first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(rest, widths[1:], strict=True))]).rstrip()
        for first, *rest in cells
    ]


def _opening(told: Told) -> Iterable[str]:
    reader, wire = READERS.get(told.reader, told.reader), WIRES.get(told.format, told.format)
    yield f"{told.source}: {reader}, {count(told.figures.requests, 'request')}, replayed as {wire}."
    yield (
        f"Window {told.figures.window:,} tokens ({told.window_source}), counted with {told.counted}, "
        f"summaries: {told.summarizer}. Took {told.seconds:.1f} s."
    )


def _outcome(told: Told) -> Iterable[str]:
    figures = told.figures
    largest = max((row.tokens for row in told.rows), default=0)
    share = percent(largest / figures.window if figures.window else 0)
    most = max(told.unedited, default=0)
    yield f"The largest request has {largest:,} tokens, {share} of the window; doing nothing, it would have {most:,}."
    if figures.invalid:
        yield f"{count(figures.invalid, 'request')} would be refused as malformed."


def _view(told: Told, style: Style) -> list[str]:
    shares = told.figures.retention
    planted = any(row.arrived.pins for row in told.rows)
    words = [
        f"task {percent(shares.task)}",
        f"newest user text {percent(shares.latest_user)}",
        *([f"pins {percent(shares.pins)}"] if planted else []),
        f"user texts verbatim {percent(shares.user_requests)}",
        f"files modified {percent(shares.files_modified)}",
        f"files read {percent(shares.files_read)}",
    ]
    lines = [""]
    for word in words:
        if len(lines[-1]) + 3 + len(word) > style.width:
            lines.append("")
        lines[-1] += ("   " if lines[-1] else "  ") + word
    return [style.paint("Still in view, in the worst request", "bold"), *lines]


def _price(told: Told, style: Style) -> list[str]:
    figures, run = told.figures, told.figures.costs
    words = [f"{count(sum(row.tokens for row in told.rows), 'token')} sent (doing nothing: {sum(told.unedited):,})"]
    if run.rebilled:
        again = f"{run.rebilled:,} of them billed again ({percent(run.rebilled / run.sent)} of the messages)"
        words.append(f"{again}, after {count(run.breaks, 'rewrite')} of the prefix")
    else:
        words.append("none of them billed again")
    if run.sent:
        ratio = f"{figures.input_cost_ratio:.2f}" if figures.input_cost_ratio >= LEAST_RATIO else f"under {LEAST_RATIO}"
        words.append(f"input cost of the messages {ratio} of doing nothing, with cached tokens at a tenth of the price")
    lines = [line for word in words for line in _wrapped([word], replace(style, width=style.width - 2))]
    return [style.paint("What it costs", "bold"), *(f"  {line}" for line in lines)]


def _recall(told: Told, style: Style) -> list[str]:
    keys = sorted({key for row in told.rows for event in row.events for key in event.keys}, key=_in_order)
    if not keys:
        return []
    some = ", ".join(keys[:SHOWN_KEYS]) + (", …" if style.unicode else ", ...") * (len(keys) > SHOWN_KEYS)
    found = f"Nothing was lost: {count(len(keys), 'key')} ({some})."
    if told.kept_in is None:
        return _wrapped([f"{found} Add --keep DIR to read the originals back."], style)
    command = f"  sostenuto recall --keep {shlex.quote(told.kept_in)} {keys[0]}"
    return [*_wrapped([f"{found} Read an original back with"], style), command]


def _in_order(key: str) -> tuple[bool, list[int], str]:
    """Keys as they follow each other in the conversation, single pieces before ranges: m2.0, m10.0, m0-m40."""
    return "-" in key, [int(number) for number in re.findall(r"\d+", key)], key


def _asides(told: Told) -> Iterable[str]:
    error = told.figures.estimator_error
    if error.median is not None and error.p95 is not None:
        yield (
            f"An estimator that learns from recorded usage predicts the {count(error.samples, 'recorded prompt size')}, which include "
            f"what the file does not show, half of them within {_upto(error.median)} and 95 of 100 within {_upto(error.p95)}; "
            f"the numbers above are not its work."
        )
    if told.left_out:
        kinds = ", ".join(f"{number:,} {KINDS.get(kind, kind)}" for kind, number in sorted(told.left_out.items()))
        yield f"Not part of the history: {kinds}."


def _notices(rows: Sequence[Row], style: Style) -> list[str]:
    said = [" ".join(notice.split()) for row in rows for notice in row.notices]
    if not said:
        return []
    alike = Counter(map(_shape, said))
    first = {_shape(notice): notice for notice in reversed(said)}
    lines = [style.paint("Notices", "bold")]
    for shape, times in list(alike.items())[:NOTICES]:
        text = first[shape] + (f" (the first of {times:,})" if times > 1 else "")
        lines += textwrap.wrap(text, style.width - 2, initial_indent="  - ", subsequent_indent="    ")
    return [*lines, f"  - and {count(len(alike) - NOTICES, 'other')}"] if len(alike) > NOTICES else lines


def _shape(notice: str) -> str:
    """A notice without its numbers and keys: the same thing said again."""
    return NUMBERS.sub("#", notice)


def _wrapped(sentences: Iterable[str], style: Style) -> list[str]:
    glued = (re.sub(r"(?<=\d) (?=%)", GLUE, sentence) for sentence in sentences)
    lines = [line for sentence in glued for line in textwrap.wrap(sentence, style.width, break_on_hyphens=False)]
    return [line.replace(GLUE, " ") for line in lines]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _upto(share: float) -> str:
    """A share that is an upper bound: rounded up to a tenth of a percent."""
    return percent(math.ceil(share * 1000 - 1e-9) / 1000)
