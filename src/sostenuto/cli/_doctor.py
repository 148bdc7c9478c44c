"""``sostenuto doctor``: what works here, what does not, and what to do about it."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._given import config_option, home
from sostenuto.cli._output import encoded
from sostenuto.cli._terminal import Style, style

if TYPE_CHECKING:
    from sostenuto.app import Finding

SIGNS = {"ok": ("ok", "green"), "absent": ("--", "dim"), "bad": ("!!", "red")}
COLUMN = 24


@click.command("doctor", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
@config_option
def command(*, as_json: bool, file: Path | None) -> int:
    """Look at everything a run depends on and say what to do where something is missing. No key is ever shown.

    Exit code 1 where something is wrong; what is only not there (another provider's key, a server that is not started) is not.

    \b
    Examples:
      sostenuto doctor
      sostenuto doctor --json
    """
    import asyncio

    from sostenuto.app import examined

    found = asyncio.run(examined(home=home(), project=Path.cwd(), environment=os.environ, file=file))
    if as_json:
        listed = [{"about": one.about, "state": one.state, "text": one.text, "remedy": one.remedy} for one in found]
        click.echo(encoded({"ok": all(one.state != "bad" for one in found), "findings": listed}), nl=False)
    else:
        click.echo("\n".join(_lines(found, style(sys.stdout, os.environ))))
    return int(any(one.state == "bad" for one in found))


def _lines(found: tuple[Finding, ...], shown: Style) -> list[str]:
    lines: list[str] = []
    for one in found:
        sign, colour = SIGNS[one.state]
        head = f"{sign} {one.about:<{COLUMN - 4}} "
        folded = textwrap.wrap(one.text, width=shown.width - COLUMN) or [""]
        lines.append(shown.paint(sign, colour) + head[2:] + folded[0])
        lines += [" " * COLUMN + more for more in folded[1:]]
        if one.remedy:
            lines += [" " * COLUMN + more for more in textwrap.wrap(f"-> {one.remedy}", width=shown.width - COLUMN)]
    return lines
