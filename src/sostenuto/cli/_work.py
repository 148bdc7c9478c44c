"""``sostenuto work``: the state, todos and journal of a conversation's work (origin 11.1)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import click

from sostenuto.cli._given import home
from sostenuto.cli._harmless import lines_of, one_line
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Style, count, folded, style
from sostenuto.cli._whose import SETTINGS, agent_option, json_option, print_json, remove_confirmed, size, yes_option

if TYPE_CHECKING:
    from sostenuto.app import Work

SUMMARY: Final = 500
"""Characters of the newest record that are shown."""


@click.group("work", context_settings=SETTINGS)
def command() -> None:
    """Show or clear what a conversation has besides its history: the state of its work, its todos, and what was written down whenever
    older messages were summarised.

    \b
    Examples:
      sostenuto work show review
      sostenuto work show review --json
      sostenuto work clear review
    """


@command.command("show", context_settings=SETTINGS)
@click.argument("conversation")
@agent_option
@json_option
def show(conversation: str, *, agent: str, as_json: bool) -> None:
    """Show state and todos, how many compactions were written down, the newest of them, and what is stored. A todo that is completed
    although nobody has checked it says so.
    """
    from sostenuto.app import work

    found = work(home(), agent=agent, conversation=conversation)
    for trouble in found.troubles:
        say(f"sostenuto: {one_line(trouble, width=400)}")
    if as_json:
        print_json({"agent": agent, "conversation": conversation, **_entry(found)})
        return
    for line in _lines(found, style(sys.stdout, os.environ)):
        click.echo(line)


@command.command("clear", context_settings=SETTINGS)
@click.argument("conversation")
@yes_option
@agent_option
@json_option
def clear(conversation: str, *, yes: bool, agent: str, as_json: bool) -> int:
    """Delete the work of a conversation: state, todos, journal and whole tool results. What was said stays. On a terminal it asks."""
    from sostenuto.app import clear_work, work

    found = work(home(), agent=agent, conversation=conversation)
    whole = size(found.bytes + found.results_bytes)
    what = f"the work of {conversation} of {agent} goes for good: state, {count(len(found.todos), 'todo')}, "
    what += f"{count(len(found.records), 'record')} of compactions and whole tool results, {whole}; what was said stays"
    return remove_confirmed(
        what, lambda: clear_work(home(), agent=agent, conversation=conversation),
        done=f"cleared the work of {conversation} of {agent}", agent=agent, conversation=conversation, yes=yes, as_json=as_json,
    )  # fmt: skip


def _entry(found: Work) -> dict[str, Any]:
    from sostenuto.work import record_value, state_value, todos_value

    newest = record_value(found.records[-1]) if found.records else None
    return {
        "state": state_value(found.state),
        "todos": todos_value(found.todos),
        "records": len(found.records),
        "newest": {**newest, "summary": newest["summary"][:SUMMARY]} if newest is not None else None,
        "bytes": found.bytes,
        "resultsBytes": found.results_bytes,
    }


def _lines(found: Work, shown: Style) -> Iterable[str]:
    from sostenuto.work import rendered, told

    yield shown.paint("State", "bold")
    yield from (f"  {line}" for line in lines_of(rendered(found.state) or "nothing is written down"))
    yield from ("", shown.paint("Todos", "bold"))
    yield from (f"  {line}" for line in lines_of(told(found.todos)))
    yield from ("", shown.paint("Compactions", "bold"))
    yield f"  {count(len(found.records), 'record')} in the journal"
    if found.records:
        newest = found.records[-1]
        by = "without a model" if newest.mechanical else "by a model"
        when = one_line(newest.recorded_at, width=40) or "at an unknown time"
        yield f"  the newest, {when}, {by}: {newest.tokens_before:,} -> {newest.tokens_after:,} tokens"
        for line in lines_of(newest.summary[:SUMMARY]):
            yield from folded(line, width=shown.width, first="  | ", rest="  | ") or ["  |"]
        if len(newest.summary) > SUMMARY:
            yield f"  ({len(newest.summary) - SUMMARY:,} more characters)"
    yield from ("", shown.paint("Stored", "bold"))
    yield f"  {found.bytes / 1000:,.1f} KB of state, todos and journal; {found.results_bytes / 1000:,.1f} KB of whole tool results"
