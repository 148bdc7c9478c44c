"""``sostenuto data``: what is kept on this machine, how much of it, what may go, and a copy of it."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Final

import click

from sostenuto.cli._given import home
from sostenuto.cli._harmless import one_line
from sostenuto.cli._input import Named
from sostenuto.cli._output import check_writable
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import count, style
from sostenuto.cli._whose import NOTHING_DONE, SETTINGS, confirmed, json_option, print_json, size, yes_option

NAMED: Final = 5


@click.command("data", context_settings=SETTINGS)
@click.option("--purge", "kind", metavar="KIND", help="Delete what of a kind is old: history, archive, work, tool-results, ...")
@click.option("--older-than", "days", type=float, metavar="DAYS", help="Not written for so many days; 0 for all of it.")
@click.option("--export", "out", type=Named("file", output=True), metavar="FILE", help="Write a copy of everything as a tar.gz.")
@yes_option
@json_option
def command(*, kind: str | None, days: float | None, out: Path | None, yes: bool, as_json: bool) -> int:
    """Show where the data home is and how much of each kind lies in it.

    --purge deletes: conversations go with their work, what is in use stays, and on a terminal it asks first. --export copies: for its
    owner only, without the cache, and with [redacted] for keys, tokens and passwords.

    \b
    Examples:
      sostenuto data
      sostenuto data --purge archive --older-than 180
      sostenuto data --purge tool-results --older-than 30 --yes
      sostenuto data --export backup.tar.gz
    """
    if kind is not None and out is not None:
        raise click.UsageError("--purge and --export do not go together; give one of them")
    if (kind is None) != (days is None):
        raise click.UsageError("--purge KIND and --older-than DAYS belong together")
    if kind is not None and days is not None:
        return _purge(kind, days, yes=yes, as_json=as_json)
    if out is not None:
        return _export(out, as_json=as_json)
    return _show(as_json=as_json)


def _show(*, as_json: bool) -> int:
    from sostenuto.app import DATA_KINDS, amounts

    place = home()
    found = amounts(place)
    if as_json:
        print_json({"home": str(place), "kinds": {name: {"bytes": one.bytes, "files": one.files} for name, one in found.items()}})
        return 0
    shown = style(sys.stdout, os.environ)
    click.echo(shown.paint(one_line(str(place), width=400), "bold") + ("" if place.exists() else " (not there yet)"))
    for name, one in found.items():
        click.echo(f"  {name:<13}{size(one.bytes):>8} {count(one.files, 'file'):>12}  {DATA_KINDS[name]}"[: shown.cut(shown.width)])
    total = sum(one.bytes for one in found.values())
    click.echo(f"  {'together':<13}{size(total):>8} {count(sum(one.files for one in found.values()), 'file'):>12}")
    return 0


def _purge(kind: str, days: float, *, yes: bool, as_json: bool) -> int:
    from sostenuto.app import DATA_KINDS, amounts, purge

    place = home()
    found = amounts(place)
    if kind in DATA_KINDS and 0 <= days < math.inf:  # else it is refused, and nothing has to be asked
        age = f"that was not written for {days:g} days" if days else "however new it is"
        what = f"of {kind} ({DATA_KINDS[kind]}; {size(found[kind].bytes)} in all) everything goes for good {age}"
        if not confirmed(what, yes=yes):
            return NOTHING_DONE
    gone = purge(place, kind, older_than_days=days)
    if as_json:
        print_json({"home": str(place), "kind": kind, "bytes": gone.bytes, "files": gone.files})
    else:
        click.echo(f"purged {kind}: {count(gone.files, 'file')}, {size(gone.bytes)}")
    return 0


def _export(out: Path, *, as_json: bool) -> int:
    from sostenuto.app import copy_data

    check_writable(out, other_than=None)
    made = copy_data(home(), out)
    if as_json:
        print_json({
            "file": str(out), "files": made.files, "bytes": made.bytes, "redacted": made.redacted, "leftOut": list(made.left_out)
        })  # fmt: skip
    else:
        click.echo(f"{one_line(str(out), width=400)}: {count(made.files, 'file')}, {size(made.bytes)} before packing")
    if made.redacted:
        say(f"sostenuto: in {count(made.redacted, 'file')} of it keys or passwords are [redacted]")
    for name in made.left_out[:NAMED]:
        say(f"sostenuto: {one_line(name, width=200)} could not be read and is not in it")
    if len(made.left_out) > NAMED:
        say(f"sostenuto: and {len(made.left_out) - NAMED} more")
    return 0
