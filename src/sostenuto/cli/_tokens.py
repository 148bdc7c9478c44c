"""``sostenuto tokens``: the count of a file, and how it was made."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._input import Named, reading, skip_broken_lines
from sostenuto.cli._output import encoded
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Style, count, percent, style

if TYPE_CHECKING:
    from sostenuto.app import Counted


@click.command("tokens", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("file", type=Named("file"))
@click.option("--model", metavar="PROVIDER:ID", help="Count as this model does; default: the recorded model, else o200k.")
@skip_broken_lines
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def command(file: Path, *, model: str | None, skip_broken_lines: bool, as_json: bool) -> None:
    """Count the tokens of FILE, a recorded session or any text, and say how the number was made. FILE - is standard input.

    Where the model's own tokenizer is installed the count is exact, and the estimate that would be used without it stands beside it.

    \b
    Examples:
      sostenuto tokens prompt.txt
      sostenuto tokens s.jsonl.gz --model openai:gpt-5
      git diff | sostenuto tokens -
      sostenuto tokens notes.md --model openai:gpt-4 --json
    """
    from sostenuto.app import counted

    with reading(file) as source:
        found = counted(source.path, model=model, skip_broken_lines=skip_broken_lines)
        remarks = [remark.replace(str(source.path), source.name) for remark in found.remarks]
    for remark in remarks:
        say(f"sostenuto: {remark}")
    if as_json:
        click.echo(encoded(_entry(found)), nl=False)
    else:
        click.echo("\n".join(_lines(found, style(sys.stdout, os.environ))))


def _entry(found: Counted) -> dict[str, object]:
    return {
        "tokens": found.tokens,
        "exact": found.exact,
        "estimate": found.estimate,
        "difference_percent": None if found.difference is None else round(100 * found.difference, 1),
        "how": found.how,
        "model": found.model,
        "kind": found.kind,
        "characters": found.characters,
        "components": dict(found.components),
    }


def _lines(found: Counted, shown: Style) -> list[str]:
    about = "" if found.exact else "about "
    lines = [f"{about}{count(found.tokens, 'token')}"]
    width = max(map(len, found.components), default=0)
    for name, tokens in found.components.items():
        share = percent(tokens / found.tokens if found.tokens else 0)
        lines.append(f"  {name:<{width}} {tokens:>12,}  {share:>11}")
    told = f"{found.kind}, {count(found.characters, 'character')}, counted with {found.how}"
    return [*lines, *textwrap.wrap(told, shown.width - 1, break_on_hyphens=False), *_compared(found)]


def _compared(found: Counted) -> list[str]:
    """The estimate beside an exact count."""
    if found.difference is None:
        return []
    off = f"{abs(found.difference):.1%}".replace("%", " %")
    told = "the same" if found.estimate == found.tokens else f"{off} {'more' if found.difference > 0 else 'less'}"
    return [f"estimated without a tokenizer: {count(found.estimate, 'token')}, {told}"]
