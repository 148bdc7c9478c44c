"""``sostenuto conversations``: what is kept, in a list, in full, searched, carried out and in, and deleted."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sostenuto.cli._given import home
from sostenuto.cli._harmless import one_line
from sostenuto.cli._input import Named, reading
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Style, count, style
from sostenuto.cli._whose import (
    DEFAULT_AGENT,
    NOTHING_DONE,
    SETTINGS,
    agent_option,
    json_option,
    moment,
    print_json,
    remove_confirmed,
    size,
    typed,
    yes_option,
)

if TYPE_CHECKING:
    from sostenuto.app import Entry, Finds

NO_CONVERSATIONS = "there are no conversations; begin one with: sostenuto run --conversation NAME PROMPT"
HITS = 3
"""Finds of one conversation that are shown; --json has all."""
ABOUT = 12
"""Columns that what a conversation is about needs beside the figures; with fewer it has a line of its own."""


@click.group("conversations", context_settings=SETTINGS)
def command() -> None:
    """List, read, search, export, import and delete conversations. They lie in the data home (SOSTENUTO_HOME); reading them changes
    nothing, also while somebody goes on with them.

    \b
    Examples:
      sostenuto conversations list
      sostenuto conversations show review
      sostenuto conversations search "connection refused"
      sostenuto conversations export review --out review.jsonl
      sostenuto conversations import review.jsonl --as copy
      sostenuto conversations delete review
    """


@command.command("list", context_settings=SETTINGS)
@agent_option
@click.option("--all", "of_all", is_flag=True, help="Those of every agent.")
@json_option
def list_(*, agent: str, of_all: bool, as_json: bool) -> None:
    """List conversations, the one that was used last first: name, messages, size, when it was used, and how it begins."""
    from sostenuto.app import conversations

    found = conversations(home(), agent=None if of_all else agent)
    if as_json:
        print_json({"conversations": [_entry(one) for one in found]})
        return
    for line in _table(found, of_all=of_all, shown=style(sys.stdout, os.environ)):
        click.echo(line)
    for one in found:
        if one.trouble:
            say(f"sostenuto: {one_line(one.trouble, width=400)}")
    if not found:
        others = "" if of_all else "; --all shows those of every agent"
        say(f"sostenuto: {NO_CONVERSATIONS}{others}")


@command.command("show", context_settings=SETTINGS)
@click.argument("conversation")
@agent_option
@click.option("--full", is_flag=True, help="All of every message.")
@json_option
def show(conversation: str, *, agent: str, full: bool, as_json: bool) -> None:
    """Show the messages of a conversation in order, each with its key and who speaks.

    What is no longer sent as it was said is marked: clipped, cleared, covered (told by the checkpoint) or dropped. All of it can be read
    back by its key: sostenuto recall CONVERSATION KEY
    """
    from sostenuto.app import inspected
    from sostenuto.cli._transcript import entries, transcript_lines

    found = inspected(home(), agent=agent, conversation=conversation)
    for note in found.notes:
        say(f"sostenuto: {one_line(note, width=400)}")
    if as_json:
        head = {"agent": agent, "conversation": conversation, "model": found.model, "format": found.format}
        print_json({**head, "messages": entries(found.said)})
        return
    for line in transcript_lines(found.said, style(sys.stdout, os.environ), full=full):
        click.echo(line)


@command.command("search", context_settings=SETTINGS)
@click.argument("words", nargs=-1, required=True)
@agent_option
@click.option("--all", "of_all", is_flag=True, help="Those of every agent.")
@json_option
def search(words: tuple[str, ...], *, agent: str, of_all: bool, as_json: bool) -> None:
    """Search all conversations of an agent for WORDS, those in the archive too; each find with its key."""
    from sostenuto.app import searched

    wanted = " ".join(words).strip()
    if not wanted:
        raise click.UsageError("the query is empty; give words to search for")
    found = list(searched(home(), wanted, agent=None if of_all else agent))
    for one in found:
        if one.trouble:
            say(f"sostenuto: {one_line(one.trouble, width=400)}")
    hits = [one for one in found if one.hits]
    if as_json:
        print_json({"query": wanted, "conversations": [_finds(one) for one in hits]})
    else:
        for line in _found_lines(hits, wanted, of_all=of_all, shown=style(sys.stdout, os.environ)):
            click.echo(line)
    if not hits:
        say(f"sostenuto: {_nothing_found(wanted, agent=None if of_all else agent)}")
        raise click.exceptions.Exit(NOTHING_DONE)


@command.command("export", context_settings=SETTINGS)
@click.argument("conversation")
@click.option("--to", default="log", metavar="FORMAT", show_default=True, help="log, anthropic, gemini, openai_chat or openai_responses.")
@click.option("--out", type=Named("file", output=True), metavar="FILE", help="Write it there, for its owner only, instead of to stdout.")
@click.option("--with-secrets", is_flag=True, help="Leave keys, tokens and passwords in it as they are.")
@agent_option
@json_option
def export(conversation: str, *, to: str, out: Path | None, with_secrets: bool, agent: str, as_json: bool) -> None:
    """Write a conversation down: as a request of a provider's API, or as our own records (log), which go on elsewhere with all keys.

    All that was said is in it, also what has left the view. Keys, tokens and passwords are replaced by [redacted]. A log has work state,
    todos and journal too, but no whole tool results and no scratchpad.

    \b
    Examples:
      sostenuto conversations export review > review.jsonl
      sostenuto conversations export review --to anthropic --out body.json
    """
    from sostenuto.cli._carrying import export_conversation

    export_conversation(home(), agent=agent, conversation=conversation, to=to, out=out, with_secrets=with_secrets, as_json=as_json)


@command.command("import", context_settings=SETTINGS)
@click.argument("file", type=Named("file"))
@click.option("--as", "name", metavar="NAME", default="", help="Its name here; default: the one it had, or that of the file.")
@click.option("--model", metavar="P:ID", default="", help="Whom a recorded session goes on with; default: the recorded model.")
@click.option("--format", "form", default="auto", metavar="NAME", show_default=True, help="What a recording is; auto looks into it.")
@agent_option
@json_option
def import_(file: Path, *, name: str, model: str, form: str, agent: str, as_json: bool) -> None:
    """Take FILE in as a conversation: what export wrote (log), or a recorded session of any kind that replay reads. Nothing is written
    over: a name that is taken is refused.

    \b
    Examples:
      sostenuto conversations import review.jsonl
      sostenuto conversations import session.jsonl.gz --as monday
    """
    from sostenuto.app import imported

    with reading(file) as source:
        found = imported(home(), source.path, agent=agent, conversation=name, named=_called(file), model=model, format=form)
    if as_json:
        print_json({
            "agent": agent, "conversation": found.conversation, "reader": found.reader, "messages": found.messages, "edits": found.edits,
            "skipped": found.skipped,
        })  # fmt: skip
        return
    left = f"; {count(found.skipped, 'record')} of it were no part of the conversation" if found.skipped else ""
    edits = f" and {count(found.edits, 'edit')}" if found.edits else ""
    click.echo(f"{found.conversation}: {count(found.messages, 'message')}{edits} of a {found.reader} file, for agent {agent}{left}")
    whose = "" if agent == DEFAULT_AGENT else f"--agent {agent} "
    say(f"sostenuto: go on with it: sostenuto run {whose}--conversation {found.conversation} PROMPT")


@command.command("delete", context_settings=SETTINGS)
@click.argument("conversation")
@yes_option
@agent_option
@json_option
def delete(conversation: str, *, yes: bool, agent: str, as_json: bool) -> int:
    """Delete a conversation with its work, be it at hand or in the archive. On a terminal it asks first and says what goes."""
    from sostenuto.app import delete_conversation, listed_conversation

    found = listed_conversation(home(), agent=agent, conversation=conversation)
    said = count(found.messages, "message") if found.messages is not None else "what was said"
    what = f"{conversation} of {agent} goes for good: {said}, work state, journal and whole results, {size(found.bytes)}"
    return remove_confirmed(
        what, lambda: delete_conversation(home(), agent=agent, conversation=conversation),
        done=f"deleted {conversation} of {agent}", agent=agent, conversation=conversation, yes=yes, as_json=as_json,
    )  # fmt: skip


def _nothing_found(wanted: str, *, agent: str | None) -> str:
    """Why a search found nothing, and where to look."""
    from sostenuto.app import conversations, searched

    shown = repr(one_line(wanted, width=80))
    if agent is None:
        is_empty = not conversations(home())
        return NO_CONVERSATIONS if is_empty else f"no conversation of any agent has the words {shown}; try fewer or other words"
    elsewhere = next((one for one in searched(home(), wanted, agent=None, but=agent) if one.hits), None)
    if elsewhere is not None:
        there = f"agent {elsewhere.agent} has them in {elsewhere.conversation}: add --agent {elsewhere.agent}, or --all"
        return f"no conversation of {agent} has the words {shown}; {there}"
    if not conversations(home(), agent=agent):
        return NO_CONVERSATIONS if not conversations(home()) else f"{agent} has no conversations; --all searches those of every agent"
    return f"no conversation of {agent} has the words {shown}; try fewer or other words"


def _called(file: Path) -> str:
    """What the file is called; standard input is called nothing."""
    return "imported" if str(file) == "-" else file.name


def _entry(one: Entry) -> dict[str, Any]:
    return {
        "agent": one.agent,
        "conversation": one.conversation,
        "title": one.title,
        "messages": one.messages,
        "bytes": one.bytes,
        "started": one.started.isoformat(timespec="seconds") if one.started else None,
        "lastUsed": one.last_used.isoformat(timespec="seconds") if one.last_used else None,
        "archived": one.is_archived,
        **({"trouble": one.trouble} if one.trouble else {}),
    }


def _finds(one: Finds) -> dict[str, Any]:
    hits = [{"key": hit.key, "text": hit.text, "tokens": hit.tokens, "source": hit.source} for hit in one.hits]
    return {"agent": one.agent, "conversation": one.conversation, "hits": hits}


def _table(found: Sequence[Entry], *, of_all: bool, shown: Style) -> Iterable[str]:
    """A line for each; a long name has a line of its own."""
    if not found:
        return
    names = [f"{one.agent}/{one.conversation}" if of_all else one.conversation for one in found]
    wide = min(max(map(len, ["name", *names])), shown.width // 3)
    about = "  about" if shown.is_piped or shown.width - wide - 37 >= ABOUT else ""
    yield shown.paint(f"{'name':<{wide}} {'messages':>8} {'size':>7}  {'last used':<16}{about}", "dim")
    for name, one in zip(names, found, strict=True):
        messages = f"{one.messages:,}" if one.messages is not None else "-"
        facts = f" {messages:>8} {size(one.bytes):>7}  {moment(one.last_used):<16}  "
        mark = "(archived) " if one.is_archived else "(cannot be read) " if one.trouble else ""
        room = shown.width - wide - len(facts)
        about = one_line(mark + one.title, width=shown.cut(room if room >= ABOUT else shown.width - 2))
        if len(name) > wide:
            yield one_line(name, width=shown.cut(shown.width))
            name = ""
        if room >= ABOUT or shown.is_piped:
            yield f"{name:<{wide}}{facts}{about}".rstrip()
            continue
        yield f"{name:<{wide}}{facts}".rstrip()
        if about:
            yield f"  {about}"


def _found_lines(found: Sequence[Finds], wanted: str, *, of_all: bool, shown: Style) -> Iterable[str]:
    for one in found:
        name = f"{one.agent}/{one.conversation}" if of_all else one.conversation
        yield shown.paint(f"{name}  {count(len(one.hits), 'find')}", "bold")
        for hit in one.hits[:HITS]:
            yield f"  {hit.key}  {one_line(f'{hit.source}: {hit.text}', width=shown.cut(shown.width - len(hit.key) - 4))}"
        if len(one.hits) > HITS:
            more = f"{len(one.hits) - HITS} more: sostenuto recall {typed(one.conversation, agent=one.agent)} {wanted}"
            yield f"  {one_line(more, width=shown.cut(shown.width - 2))}"
