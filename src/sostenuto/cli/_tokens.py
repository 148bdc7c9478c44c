"""``sostenuto tokens``: the count of a file, and how it was made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._output import encoded

if TYPE_CHECKING:
    from sostenuto.app import Counted


@click.command("tokens", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--model", metavar="PROVIDER:ID", help="Count as this model does; default: the recorded model, else o200k.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def command(file: Path, *, model: str | None, as_json: bool) -> None:
    """Count the tokens of FILE, a recorded session or any text, and say how the number was made.

    \b
    Examples:
      sostenuto tokens prompt.txt
      sostenuto tokens session.jsonl.gz --model anthropic:claude-sonnet-5
      sostenuto tokens notes.md --model openai:gpt-4 --json
    """
    from sostenuto.app import counted

    found = counted(file, model=model)
    if as_json:
        click.echo(encoded(_entry(found)), nl=False)
    else:
        click.echo("\n".join(_lines(found)))


def _entry(found: Counted) -> dict[str, object]:
    return {
        "tokens": found.tokens,
        "exact": found.exact,
        "how": found.how,
        "model": found.model,
        "kind": found.kind,
        "characters": found.characters,
        "components": dict(found.components),
    }


def _lines(found: Counted) -> list[str]:
    about = "" if found.exact else "about "
    lines = [f"{about}{found.tokens:,} tokens"]
    width = max(map(len, found.components), default=0)
    for name, tokens in found.components.items():
        share = 100 * tokens / found.tokens if found.tokens else 0
        lines.append(f"  {name:<{width}} {tokens:>12,}  {share:4.0f} %")
    lines.append(f"{found.kind}, {found.characters:,} characters, counted with {found.how}")
    return lines
