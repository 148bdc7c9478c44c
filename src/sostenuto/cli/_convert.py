"""``sostenuto convert``: a recorded session in another wire format, and what the way there cost."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._input import Named, reading, skip_broken_lines
from sostenuto.cli._output import check_writable, encoded, write_lines
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import count

if TYPE_CHECKING:
    from sostenuto.app import Converted
    from sostenuto.engine import Loss

KEYS_SHOWN = 3
"""Addresses named after each kind of loss; --json names all."""


@click.command("convert", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("file", type=Named("file"))
@click.option("--to", "to", required=True, metavar="FORMAT", help="anthropic, gemini, openai_chat or openai_responses.")
@click.option("--format", "form", default="auto", metavar="NAME", show_default=True, help="What the recording is; auto looks into it.")
@click.option("--out", type=Named("file"), metavar="OUT.json", help="Write the conversation there instead of to standard output.")
@skip_broken_lines
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON: format, body, messages, losses, skipped, problems.")
def command(file: Path, *, to: str, form: str, out: Path | None, skip_broken_lines: bool, as_json: bool) -> None:
    """Write the session recorded in FILE as another provider's API takes it. FILE - is standard input.

    Call ids are made legal, results put where they belong, roles made what the wire knows; reasoning sealed for another model and
    item ids of another server are left out. Everything that is not there as it was is named on stderr with its address.

    \b
    Examples:
      sostenuto convert s.jsonl --to openai_chat > chat.json
      sostenuto convert s.jsonl.gz --to gemini --out out.json
      sostenuto convert chat.json --to anthropic --json
    """
    from sostenuto.app import converted

    with reading(file) as source:
        if out is not None:
            check_writable(out, other_than=source.path)
        found = converted(source.path, to=to, format=form, skip_broken_lines=skip_broken_lines)
    if as_json:
        click.echo(encoded(_entry(found)), nl=False)
        return
    if out is not None:
        write_lines(out, [found.body])
    else:
        click.echo(_pretty(found.body), nl=False)
    for line in _told(found):
        say(line)


def _entry(found: Converted) -> dict[str, object]:
    return {
        "format": found.format,
        "reader": found.reader,
        "from": found.source,
        "messages": found.messages,
        "body": found.body,
        "losses": [{"what": loss.what, "key": loss.key} for loss in found.losses],
        "skipped": [{"line": one.line, "kind": one.kind, "reason": one.reason} for one in found.skipped],
        "problems": list(found.problems),
    }


def _pretty(body: object) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, indent=1).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(body, indent=1).encode() + b"\n"


def _told(found: Converted) -> Iterable[str]:
    yield f"{count(found.messages, 'message')} of a {found.reader} recording, from {found.source} to {found.format}"
    for one in found.skipped:
        if one.kind == "torn":
            yield f"  line {one.line} was left out: {one.reason}"
    yield from losses_told(found.losses)
    for problem in found.problems[:KEYS_SHOWN]:
        yield f"  the provider would refuse: {problem}"


def losses_told(losses: Iterable[Loss]) -> Iterable[str]:
    """What another wire does not hold as it was, a line for each kind of it."""
    for what, keys in _grouped(losses).items():
        more = f" and {len(keys) - KEYS_SHOWN:,} more" if len(keys) > KEYS_SHOWN else ""
        yield f"  {len(keys):,} x {what}: {', '.join(keys[:KEYS_SHOWN])}{more}"


def _grouped(losses: Iterable[Loss]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for loss in losses:
        grouped.setdefault(loss.what, []).append(loss.key)
    return grouped
