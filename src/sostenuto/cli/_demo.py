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

from sostenuto.cli._terminal import Style, progress, style

if TYPE_CHECKING:
    from sostenuto.cli._rehearsal import Rehearsal
    from sostenuto.replaying import Row

WINDOW = 16_000
CYCLES = 40
LONGEST_LINE = 80
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
def command() -> None:
    """Watch a scripted model audit this package in a window of 16,000 tokens: no key, no network, under a minute.

    The model is a script, but its tools really list, read and search the installed files, and the engine does what it would
    do for any other model. Each line is something the engine did; the chart at the end shows how full the window was.

    \b
    Example:
      sostenuto demo
    """
    started = time.perf_counter()
    shown = style(sys.stdout, os.environ)
    from sostenuto.app import conversation, weighing
    from sostenuto.cli._audit import Tools
    from sostenuto.cli._rehearsal import Rehearsal

    click.echo(f"A scripted model audits the installed package in a window of {WINDOW:,} tokens.\n")
    rehearsed = Rehearsal(
        make=lambda summarizer: conversation(window=WINDOW, summarizer=summarizer),
        tools=Tools(package()),
        weigh=weighing(),
        cycles=CYCLES,
    )
    for row in progress(rehearsed.run(), total=CYCLES, what="cycle", stream=sys.stderr, environment=os.environ):
        for line in _happenings(row, shown):
            click.echo(line)
    click.echo("\n" + "\n".join(_closing(rehearsed, shown, seconds=time.perf_counter() - started)))
    missing = missed(rehearsed)
    if missing:
        raise click.ClickException(f"the demo did not show {', '.join(missing)}; the installed version is at fault, please report it")


def missed(rehearsed: Rehearsal) -> list[str]:
    """What the demo promises and did not show."""
    fired = {event.rung for row in rehearsed.rows for event in row.events}
    missing = [words for rung, words in EXPECTED.items() if rung not in fired]
    for name, count, wanted in (
        ("accepted summary", rehearsed.accepted, ACCEPTED),
        ("refused summary", rehearsed.refused, REFUSED),
        ("overflow recovery", rehearsed.recovered, RECOVERED),
        ("retrieval", rehearsed.retrieved, RETRIEVED),
    ):
        if count < wanted:
            missing.append(f"{wanted} of: {name} (saw {count})")
    over = sum(row.tokens > row.window for row in rehearsed.rows)
    return missing + ([f"{over} requests inside the window"] if over else [])


def _happenings(row: Row, shown: Style) -> Iterator[str]:
    cut = " …" if shown.unicode else " ..."
    for event in row.events:
        tokens = f"{event.tokens_before:>6,} -> {event.tokens_after:>6,}"
        told = f"cycle {row.index + 1:>2}  {event.rung:<8} {tokens}  "
        yield f"  {told}{textwrap.shorten(event.reason, LONGEST_LINE - 2 - len(told), placeholder=cut)}"


def _closing(rehearsed: Rehearsal, shown: Style, *, seconds: float) -> Iterator[str]:
    from sostenuto.cli._chart import chart
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
    told = (
        f"{len(rows)} requests, the largest {max(row.tokens for row in rows):,} of {WINDOW:,} tokens; doing nothing would have needed "
        f"{max(rehearsed.plain):,}. Summaries: {rehearsed.accepted} accepted, {rehearsed.refused} refused. "
        f"Overflows recovered: {rehearsed.recovered}. Originals read back by key: {rehearsed.retrieved}. It took {seconds:.1f} s."
    )
    yield from textwrap.wrap(told, shown.width)


def package() -> Path:
    """The folder of the installed package."""
    return Path(__file__).resolve().parents[1]
