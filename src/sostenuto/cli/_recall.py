"""``sostenuto recall``: read back what left the context of a kept replay, by key or by words."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._input import Named
from sostenuto.cli._output import encoded, kept
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Style, count, style
from sostenuto.errors import UnknownKey

if TYPE_CHECKING:
    from sostenuto.engine import Hit

LISTED = 10
"""Further hits that are listed after the best one."""
GLIMPSE = 60
"""Characters of a hit's text in the list."""


@click.command("recall", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--keep", "folder", required=True, type=Named("folder"), metavar="DIR", help="Folder of sostenuto replay --keep.")
@click.argument("wanted", metavar="KEY|QUERY", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON: key, text, tokens, source of the best hit, and all hits.")
def command(*, folder: Path, wanted: tuple[str, ...], as_json: bool) -> None:
    """Read back an original by its KEY (m12.0, m12-m40, files:read), or search everything kept for a QUERY.

    stdout is the text alone, byte for byte; what it is and further finds are said on stderr.

    \b
    Examples:
      sostenuto recall --keep kept/ m12.0
      sostenuto recall --keep kept/ m12.0 > piece
      sostenuto recall --keep kept/ m12-m40
      sostenuto recall --keep kept/ "connection refused"
      sostenuto recall --keep kept/ files:read --json
    """
    question = " ".join(wanted).strip()
    if not question:
        raise click.UsageError("the key or query is empty; give a key such as m12.0, or words to search for")
    hits = _hits(folder, question)
    if as_json:
        click.echo(encoded({**_entry(hits[0]), "hits": [_entry(hit) for hit in hits]}), nl=False)
        return
    heading, *others = _told(hits, style(sys.stderr, os.environ))
    say(heading)
    _print(hits[0].text)
    for line in others:
        say(line)


def _hits(folder: Path, question: str) -> Sequence[Hit]:
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


def _entry(hit: Hit) -> dict[str, object]:
    return {"key": hit.key, "text": hit.text, "tokens": hit.tokens, "source": hit.source}


def _print(text: str) -> None:
    """The text alone: byte for byte where a program reads it, made harmless and ended with a line where a person does."""
    if sys.stdout.isatty():
        shown = printable(text)
        click.echo(shown, nl=not shown.endswith("\n"))
    else:
        click.echo(text.encode("utf-8", "backslashreplace"), nl=False)
        sys.stdout.flush()


def _told(hits: Sequence[Hit], shown: Style) -> list[str]:
    """What is said about the hits: a heading for the best one, then a line for each of the others."""
    best, *others = hits
    lines = [shown.paint(f"{best.key}  {best.source}, {count(best.tokens, 'token')}", "bold")]
    if others:
        lines += ["", shown.paint(f"{len(others):,} more with the same words", "bold")]
        lines += [f"  {hit.key}  {' '.join(printable(hit.text[: 4 * GLIMPSE]).split())[:GLIMPSE]}" for hit in others[:LISTED]]
    if len(others) > LISTED:
        lines.append(f"  and {count(len(others) - LISTED, 'other')}; a longer query finds fewer")
    return lines


def printable(text: str) -> str:
    """`text` without what a terminal would act on or cannot encode: control characters and lone surrogates."""
    kept_as_is = {"\n", "\t"}
    shown = "".join(c if c in kept_as_is or (c >= " " and c != "\x7f" and not "\x80" <= c <= "\x9f") else "\ufffd" for c in text)
    return shown.encode("utf-8", "replace").decode("utf-8")
