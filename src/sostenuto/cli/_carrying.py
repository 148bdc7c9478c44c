"""``sostenuto conversations export``: a conversation on standard output or in a file of its owner's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._convert import losses_told
from sostenuto.cli._harmless import one_line
from sostenuto.cli._output import FILE_MODE, check_writable, encoded, write_lines
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import count
from sostenuto.cli._whose import print_json

if TYPE_CHECKING:
    from sostenuto.app import Exported

PROBLEMS = 3


def export_conversation(home: Path, *, agent: str, conversation: str, to: str, out: Path | None, with_secrets: bool, as_json: bool) -> None:
    """Write it, and say on stderr what it is and what is not in it. With `as_json` the values are in one object on one line."""
    from sostenuto.app import exported

    if out is not None:
        check_writable(out, other_than=None)
    is_there = out is not None and out.is_file()
    found = exported(home, agent=agent, conversation=conversation, to=to, with_secrets=with_secrets)
    if out is not None:
        write_lines(out, found.values, mode=FILE_MODE)
    if as_json:
        value = {} if out is not None else {"body": found.values[0]} if found.format != "log" else {"records": list(found.values)}
        losses = [{"what": loss.what, "key": loss.key} for loss in found.losses]
        head = {"agent": agent, "conversation": conversation, "format": found.format, "messages": found.messages}
        print_json({**head, "losses": losses, "problems": list(found.problems), **({"file": str(out)} if out is not None else value)})
    elif out is None:
        _print(found)
    for line in _told(found, conversation, with_secrets=with_secrets):
        say(line)
    if is_there:
        say(f"  {one_line(str(out), width=400)} was there before and is replaced")


def _print(found: Exported) -> None:
    if found.format == "log":
        for value in found.values:
            click.echo(encoded(value), nl=False)
        return
    text = json.dumps(found.values[0], ensure_ascii=False, indent=1) + "\n"
    click.echo(text.encode("utf-8", "backslashreplace"), nl=False)


def _told(found: Exported, conversation: str, *, with_secrets: bool) -> list[str]:
    lines = [f"{conversation}: {count(found.messages, 'message')} as {found.format}"]
    if found.format != "log":
        lines.append("  instructions and tools are no part of a conversation, so they are not in it")
        lines += losses_told(found.losses)
        lines += [f"  the provider would refuse: {problem}" for problem in found.problems[:PROBLEMS]]
    if with_secrets:
        lines.append("  keys and passwords are in it as they were said")
    elif found.redacted:
        lines.append("  what looks like a key or a password is [redacted]")
    return lines
