"""``sostenuto inspect``: everything about one kept conversation, on the terminal or as a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sostenuto.cli._filling import beside
from sostenuto.cli._given import home
from sostenuto.cli._harmless import lines_of, one_line
from sostenuto.cli._input import Named
from sostenuto.cli._output import check_writable, write_page
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Style, count, folded, is_terminal, style
from sostenuto.cli._transcript import entries, transcript_lines
from sostenuto.cli._whose import SETTINGS, agent_option, json_option, print_json

if TYPE_CHECKING:
    from sostenuto.app import Event, Inspected

MARKED: Final = ("undo", "redo", "fork", "rewritten")
"""What has no tokens of its own before and after."""


@click.command("inspect", context_settings=SETTINGS)
@click.argument("conversation")
@click.option("--full", is_flag=True, help="All of every message.")
@click.option(
    "--html", "out", type=Named("file", output=True), metavar="FILE", help="Write a page there: tokens, requests, losses, search."
)
@agent_option
@json_option
def command(conversation: str, *, full: bool, out: Path | None, agent: str, as_json: bool) -> None:
    """Look at a CONVERSATION: its messages with their keys and what of them left the view, what was done to it in order, the checkpoint
    in view, and what was written down at compactions. Nothing is changed.

    On a terminal it is shown page by page (PAGER=cat for all at once). The page of --html is one file that asks nothing of any network;
    keys and passwords are [redacted] in it.

    \b
    Examples:
      sostenuto inspect review
      sostenuto inspect review --full > review.txt
      sostenuto inspect review --html review.html
    """
    if out is not None:
        _write_page(conversation, agent=agent, out=out, as_json=as_json)
        return
    from sostenuto.app import inspected

    found = inspected(home(), agent=agent, conversation=conversation)
    if as_json:
        print_json(_entry(found))
        return
    shown = style(sys.stdout, os.environ)
    lines = (f"{line}\n" for line in _lines(found, shown, full=full))
    if is_terminal(sys.stdout):
        click.echo_via_pager(lines, color=shown.colour and _shows_colours(os.environ))
    else:
        for line in lines:
            click.echo(line, nl=False)


def _shows_colours(environment: MutableMapping[str, str]) -> bool:
    """Whether the pager shows colours; less, which is there unless a person wants another, is asked to unless they set it up."""
    words = environment.get("PAGER", "").split() or ["less"]
    if Path(words[0]).stem != "less":
        return True
    wishes = environment.get("LESS", "")
    if not wishes:
        environment["LESS"] = "-R"
        return True
    return any("r" in wish.lower() for wish in (wishes, *words[1:]))


def _write_page(conversation: str, *, agent: str, out: Path, as_json: bool) -> None:
    from sostenuto.app import conversation_page

    check_writable(out, other_than=None)
    is_there = out.is_file()
    write_page(out, conversation_page(home(), agent=agent, conversation=conversation))
    if as_json:
        print_json({"agent": agent, "conversation": conversation, "file": str(out)})
    else:
        replaced = "; what was there before is replaced" if is_there else ""
        say(f"sostenuto: the page of {conversation} is in {one_line(str(out), width=400)}{replaced}")


def _lines(found: Inspected, shown: Style, *, full: bool) -> Iterable[str]:
    window = f", window {found.window:,} tokens" if found.window else ""
    spoken = f"{found.model or 'no model known'}, {found.format}{window}, {count(len(found.said), 'message')}"
    head = f"{found.conversation} of {found.agent}: {spoken}"
    yield shown.paint(one_line(head, width=shown.width), "bold")
    yield from (one_line(note, width=400) for note in found.notes)
    if found.branches:
        yield f"It went another way {count(found.branches, 'time')}; what was left is read with keys such as m12~0."
    yield from ("", shown.paint("Transcript", "bold"))
    yield from transcript_lines(found.said, shown, full=full)
    if not found.events:
        yield from ("", "Nothing was done to the view: everything is sent as it was said.")
    else:
        yield from ("", shown.paint("What was done to the view", "bold"))
        for event in found.events:
            yield from _event(event, found.undone, shown)
    if found.checkpoint:
        yield from ("", shown.paint("Checkpoint in view", "bold"))
        yield from (f"  {line}".rstrip() for line in lines_of(found.checkpoint))
    if found.records:
        yield from ("", shown.paint(f"Journal: {count(len(found.records), 'record')}", "bold"))
    for number, record in enumerate(found.records, start=1):
        by = "without a model" if record.mechanical else "by a model"
        when = one_line(record.recorded_at, width=40) or "at an unknown time"
        tokens = f"{record.tokens_before:,} -> {record.tokens_after:,} tokens"
        told = f"{when}, {by}: {tokens}, {count(record.messages_before, 'message')}"
        yield from folded(told, width=shown.width, first=f"  {number}  ", rest="     ")
        if full:
            yield from (f"     | {line}".rstrip() for line in lines_of(record.summary))


def _event(event: Event, undone: frozenset[int], shown: Style) -> Iterable[str]:
    happening = event.happening
    behind = f"behind {event.key}" if event.key else "at the start"
    number = f"#{event.edit}" if event.edit is not None else ""
    tokens = "" if happening.rung in MARKED else f"{happening.tokens_before:,} -> {happening.tokens_after:,}"
    mark = " (undone)" if event.edit in undone and happening.rung not in MARKED else ""
    line = f"  {behind:<14} {number:>4} {one_line(happening.rung, width=10):<10} {tokens}"
    return beside(f"{line}{'  ' if tokens else ''}", happening.keys, happening.reason, mark=mark, shown=shown)


def _entry(found: Inspected) -> dict[str, Any]:
    from sostenuto.work import record_value

    return {
        "agent": found.agent,
        "conversation": found.conversation,
        "model": found.model,
        "format": found.format,
        "window": found.window or None,
        "messages": entries(found.said),
        "events": [
            {
                "behind": event.key or None,
                "rung": event.happening.rung,
                "edit": event.edit,
                "tokensBefore": event.happening.tokens_before,
                "tokensAfter": event.happening.tokens_after,
                "reason": event.happening.reason,
                "keys": list(event.happening.keys),
            }
            for event in found.events
        ],
        "undone": sorted(found.undone),
        "checkpoint": found.checkpoint or None,
        "journal": [record_value(record) for record in found.records],
        "branches": found.branches,
    }
