"""``sostenuto demo``: a scripted model audits the installed package in a 16,000-token window; every rung is seen at work."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._audit import AT_ONCE, GREEDY, Tools
from sostenuto.cli._chart import chart
from sostenuto.cli._input import Named
from sostenuto.cli._output import check_writable, write_page
from sostenuto.cli._rehearsal import PASTED_AT, REFUSED_AT, THANKED_AT, Rehearsal
from sostenuto.cli._terminal import Style, count, style
from sostenuto.reporting import MARKS

if TYPE_CHECKING:
    from sostenuto.replaying import Happening, Row

WINDOW = 16_000
REQUESTS = 40
INDENT = " " * 6
SCENES = {
    0: "The model lists the files, then it reads them one after the other.",
    GREEDY + 1: f"The model has read the {AT_ONCE} largest files at once.",
    PASTED_AT: "A person pastes a long log.",
    THANKED_AT: "The person says to go on.",
    REFUSED_AT: "The provider refuses a request as too long, although it is not.",
}
"""Request (from 0) -> what the script does there."""
TOLD = {
    "admit": "New results are too large: each is cut to its beginning and end before it is sent at all.",
    "warn": "The person is warned that the window is filling up; nothing is changed.",
    "compact": "A summary takes the place of the older messages.",
    "trim": "Still too much, so the oldest messages are left out, with a key.",
    "recover": "The request was made smaller and is sent once more.",
}
"""Rung -> what it does, for who sees it for the first time."""
UNUSED = "The summary was not used and the messages stay as they are"
BY_RULE = "Without it, a summary made by rule, from the messages themselves, takes the place of the older messages."
EXPECTED = {
    "admit": "a result cut before it was first sent",
    "clear": "old results cleared",
    "warn": "the warning",
    "summary": "a summary that could not be used",
    "compact": "a summary in place of old messages",
    "trim": "a trim",
    "recover": "the recovery from an overflow",
}
"""Rung -> what it is called when it did not happen."""
ACCEPTED, REFUSED, RECOVERED, RETRIEVED = 2, 1, 1, 1


@click.command("demo", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--report", "report_file", type=Named("file", output=True), metavar="OUT.html", help="Write the run as a page for a browser.")
def command(report_file: Path | None) -> None:
    """Watch a scripted model audit this package in a window of 16,000 tokens: no key, no network, under a minute.

    The model is a script, but its tools really list, read and search the installed files, and the engine does what it would
    do for any other model. It tells what happens and what the engine does about it; the chart at the end shows how full the
    window was.

    \b
    Examples:
      sostenuto demo
      sostenuto demo --report demo.html
    """
    started = time.perf_counter()
    shown = style(sys.stdout, os.environ)
    from sostenuto.app import Rehearsed, conversation, weighing

    if report_file is not None:
        check_writable(report_file, other_than=None)
    opening = (
        f"A scripted model audits the installed package in a window of {WINDOW:,} tokens. Its tools really read the files; "
        "what it has read would soon not fit. After each request the tokens before and after are shown."
    )
    click.echo("\n".join(textwrap.wrap(opening, shown.width)) + "\n")
    rehearsed = Rehearsal(
        make=lambda summarizer: conversation(window=WINDOW, summarizer=summarizer),
        tools=Tools(package()),
        weigh=weighing(),
        cycles=REQUESTS,
    )
    told = ""
    for row in rehearsed.run():
        if rehearsed.read_back != told:
            told = rehearsed.read_back
            click.echo("\n".join(_scene(row.index - 1, f"The model asks for {told} by its key and gets the whole text.", shown)))
        for line in _happenings(row, shown):
            click.echo(line)
    run = Rehearsed(rehearsed.rows, rehearsed.handed, rehearsed.plain, rehearsed.snapshot)
    if report_file is not None:
        write_page(report_file, run.report())
    click.echo("\n" + "\n".join(_closing(rehearsed, shown, verdict=run.verdict(), seconds=time.perf_counter() - started)))
    missing = missed(rehearsed)
    if missing:
        raise click.ClickException(f"the demo did not show {', '.join(missing)}; the installed version is at fault, please report it")


def missed(rehearsed: Rehearsal) -> list[str]:
    """What the demo promises and did not show."""
    fired = {event.rung for row in rehearsed.rows for event in row.events}
    missing = [words for rung, words in EXPECTED.items() if rung not in fired]
    for name, seen, wanted in (
        ("accepted summary", rehearsed.accepted, ACCEPTED),
        ("refused summary", rehearsed.refused, REFUSED),
        ("overflow recovery", rehearsed.recovered, RECOVERED),
        ("retrieval", rehearsed.retrieved, RETRIEVED),
    ):
        if seen < wanted:
            missing.append(f"{wanted} of: {name} (saw {seen})")
    over = sum(row.tokens > row.window for row in rehearsed.rows)
    return missing + ([f"{count(over, 'request')} inside the window"] if over else [])


def _happenings(row: Row, shown: Style) -> Iterator[str]:
    """What happened at one request: a line of the script, then each thing the engine did and why."""
    if row.index in SCENES:
        yield from _scene(row.index, SCENES[row.index], shown)
    for event in row.events:
        meaning = MARKS[event.rung].meaning if event.rung in MARKS else event.rung
        change = "" if event.tokens_before == event.tokens_after else f"{event.tokens_before:>6,} -> "
        yield f"  request {row.index + 1:>2}  {meaning:<20} {change}{event.tokens_after:>6,} tokens"
        yield from textwrap.wrap(_explained(event), shown.width, initial_indent=INDENT, subsequent_indent=INDENT)


def _scene(index: int, text: str, shown: Style) -> list[str]:
    return textwrap.wrap(f"request {index + 1:>2}  {text}", shown.width, initial_indent="  ", subsequent_indent=INDENT)


def _explained(event: Happening) -> str:
    if event.rung == "summary":
        outcome, colon, why = event.reason.partition(": ")
        said = "the summarizer answered that it cannot help" if outcome == "refused" else f"{why if colon else event.reason}"
        return f"{UNUSED}: {said}."
    if event.rung == "compact" and event.reason.startswith("mechanical"):
        return BY_RULE
    if event.rung == "clear":
        one = len(event.keys) == 1
        results = "1 old result gives way to one line" if one else f"{len(event.keys)} old results give way to one line each"
        return f"{results}; the whole text comes back by its key."
    return TOLD.get(event.rung, event.reason)


def _closing(rehearsed: Rehearsal, shown: Style, *, verdict: str, seconds: float) -> Iterator[str]:
    from sostenuto.cli._summary import losses

    rows = rehearsed.rows
    yield from chart(
        [row.tokens for row in rows],
        window=WINDOW,
        rungs=[[event.rung for event in row.events] for row in rows],
        doing_nothing=rehearsed.plain,
        style=shown,
    )
    yield ""
    yield from losses(rows, shown)
    yield ""
    yield from textwrap.wrap(verdict, shown.width)
    yield ""
    largest = f"The largest request has {max(row.tokens for row in rows):,} of {WINDOW:,} tokens; doing nothing, it would have "
    yield from textwrap.wrap(f"{largest}{max(rehearsed.plain):,}. It took {seconds:.1f} s.", shown.width)
    unused = f"{rehearsed.unused} not used ({rehearsed.refused} refused)"
    seen = f"Summaries: {rehearsed.accepted} accepted, {unused}. Overflows recovered: {rehearsed.recovered}."
    yield from textwrap.wrap(seen, shown.width)
    yield f"Originals read back by key: {rehearsed.retrieved}."


def package() -> Path:
    """The folder of the installed package."""
    return Path(__file__).resolve().parents[1]
