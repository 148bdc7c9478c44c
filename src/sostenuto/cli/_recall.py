"""``sostenuto recall``: read back what left the context of a conversation or of a kept replay, by key or by words."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._given import home
from sostenuto.cli._harmless import one_line, printable, visible
from sostenuto.cli._input import Named
from sostenuto.cli._output import encoded, kept
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Style, count, is_terminal, style
from sostenuto.cli._whose import DEFAULT_AGENT, typed
from sostenuto.errors import UnknownKey

if TYPE_CHECKING:
    from sostenuto.engine import Hit

LISTED = 10
"""Further hits that are listed after the best one."""
GLIMPSE = 60
"""Characters of a hit's text in the list."""


@click.command("recall", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--keep", "folder", type=Named("folder"), metavar="DIR", help="Folder of sostenuto replay --keep, instead of a conversation.")
@click.option("--agent", metavar="ID", help="Whose conversation (default: default).")
@click.argument("words", metavar="[CONVERSATION] KEY|QUERY", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON: key, text, tokens, source of the best hit, and all hits.")
def command(*, folder: Path | None, agent: str | None, words: tuple[str, ...], as_json: bool) -> None:
    """Read back an original of a CONVERSATION, or of a kept replay, by its KEY (m12.0, m12-m40, files:read, the id of a call), or search
    all of it for a QUERY.

    A search looks for all words, the best finds first; only where no piece has them all, for most of them. Upper case and accents do
    not matter, and no character is an operator.

    stdout is the text alone, byte for byte; what it is and further finds are said on stderr. The conversation is only read.

    \b
    Examples:
      sostenuto recall review m12.0
      sostenuto recall review "connection refused"
      sostenuto recall --agent reviewer review files:read
      sostenuto recall --keep kept/ m12.0 > piece
      sostenuto recall --keep kept/ m12-m40
      sostenuto recall --keep kept/ files:read --json
    """
    name, question = _asked(folder, agent, words)
    hits, whole = (_of_replay(folder, question), "") if folder is not None else _of_conversation(name, agent, question)
    if as_json:
        click.echo(encoded({**_entry(hits[0]), **({"whole": whole} if whole else {}), "hits": [_entry(hit) for hit in hits]}), nl=False)
        return
    heading, *others = _told(hits, style(sys.stderr, os.environ), about="about " if folder is None else "")
    say(heading)
    _print(hits[0].text)
    if whole:
        say(f"the whole of it: sostenuto recall {typed(name, agent=agent or DEFAULT_AGENT)} {shlex.quote(one_line(whole, width=200))}")
    for line in others:
        say(line)


def _asked(folder: Path | None, agent: str | None, words: tuple[str, ...]) -> tuple[str, str]:
    """The conversation, "" for a kept replay, and the question. Raises click.UsageError."""
    if folder is not None and agent is not None:
        raise click.UsageError("--keep reads a kept replay, --agent a conversation; give one of them")
    name, rest = ("", words) if folder is not None else (words[0], words[1:])
    question = " ".join(rest).strip()
    if not question and folder is None and name.strip():
        raise click.UsageError(
            f"what is wanted of {name!r} is missing: sostenuto recall CONVERSATION KEY or QUERY (or --keep DIR KEY for a kept replay)"
        )
    if not question:
        raise click.UsageError("the key or query is empty; give a key such as m12.0, or words to search for")
    return name, question


def _of_replay(folder: Path, question: str) -> Sequence[Hit]:
    """What is kept for a question, never nothing. Raises UnknownKey."""
    snapshot = kept(folder)
    from sostenuto.app import recalled

    try:
        hits = recalled(snapshot, question)
    except UnknownKey as error:
        raise UnknownKey(f"{folder}: {error}") from None
    if not hits:
        raise UnknownKey(f"{folder}: nothing kept has the key or the words {question!r}; try a shorter query, or a key the replay listed")
    return hits


def _of_conversation(name: str, agent: str | None, question: str) -> tuple[Sequence[Hit], str]:
    """What a conversation has for a question, never nothing, and under which id the whole of the best is kept. Raises UnknownKey."""
    from sostenuto.app import NO_AGENT, recallable, recalled_from, whole_of

    conversation = recallable(home(), agent=agent or NO_AGENT, conversation=name)
    try:
        hits = recalled_from(conversation, question)
    except UnknownKey as error:
        raise UnknownKey(f"{name}: {error}") from None
    if not hits:
        raise UnknownKey(f"{name}: nothing in it has the key or the words {question[:80]!r}; try fewer or other words")
    return hits, whole_of(conversation, hits[0])


def _entry(hit: Hit) -> dict[str, object]:
    return {"key": hit.key, "text": hit.text, "tokens": hit.tokens, "source": hit.source}


def _print(text: str) -> None:
    """The text alone: byte for byte where a program reads it, made harmless and ended with a line where a person does."""
    if is_terminal(sys.stdout):
        shown = printable(text)
        click.echo(shown, nl=not shown.endswith("\n"))
    else:
        click.echo(text.encode("utf-8", "backslashreplace"), nl=False)
        sys.stdout.flush()


def _told(hits: Sequence[Hit], shown: Style, *, about: str = "") -> list[str]:
    """What is said about the hits: a heading for the best one, then a line for each of the others."""
    best, *others = hits
    lines = [shown.paint(f"{best.key}  {visible(best.source)}, {about}{count(best.tokens, 'token')}", "bold")]
    if others:
        lines += ["", shown.paint(f"{len(others):,} more finds", "bold")]
        lines += [f"  {hit.key}  {' '.join(printable(hit.text[: 4 * GLIMPSE]).split())[:GLIMPSE]}" for hit in others[:LISTED]]
    if len(others) > LISTED:
        lines.append(f"  and {count(len(others) - LISTED, 'other')}; a longer query finds fewer")
    return lines
