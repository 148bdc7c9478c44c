"""What the commands on kept conversations have in common: whose they are, their options, a question before something goes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click

from sostenuto.cli._streams import say
from sostenuto.cli._terminal import count, is_terminal

if TYPE_CHECKING:
    from sostenuto.app import Amount

SETTINGS: Final[dict[str, Any]] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
DEFAULT_AGENT: Final = "default"
NOTHING_DONE: Final = 1
"""Exit code where the person said no."""
_UNITS: Final = ("B", "KB", "MB", "GB")


def agent_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--agent ID``: whose conversation."""
    return click.option("--agent", metavar="ID", default=DEFAULT_AGENT, show_default=True, help="Whose conversation.")(function)


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--json``: one object on one line."""
    return click.option("--json", "as_json", is_flag=True, help="Print one object on one line of JSON.")(function)


def yes_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--yes``: do it without asking."""
    return click.option("--yes", is_flag=True, help="Do not ask.")(function)


def typed(conversation: str, *, agent: str) -> str:
    """What names a conversation on a command line; both names are plain."""
    return conversation if agent == DEFAULT_AGENT else f"--agent {agent} {conversation}"


def confirmed(what: str, *, yes: bool) -> bool:
    """Whether it shall be done. `what` is said either way; the person at the terminal is asked unless `yes`.

    Raises click.UsageError where nobody is there to be asked.
    """
    say(f"sostenuto: {what}")
    if yes:
        return True
    if sys.stdin is None or not is_terminal(sys.stdin):
        raise click.UsageError("nobody is there to be asked; add --yes to do it")
    if click.confirm("go on?", default=False, err=True):
        return True
    say("sostenuto: nothing was changed")
    return False


def remove_confirmed(what: str, remove: Callable[[], Amount], *, done: str, agent: str, conversation: str, yes: bool, as_json: bool) -> int:
    """Ask whether `what` shall go for good, remove it, and print `done` and how much it was; the exit code."""
    if not confirmed(what, yes=yes):
        return NOTHING_DONE
    gone = remove()
    if as_json:
        print_json({"agent": agent, "conversation": conversation, "bytes": gone.bytes, "files": gone.files})
    else:
        click.echo(f"{done}: {count(gone.files, 'file')}, {size(gone.bytes)}")
    return 0


def print_json(value: object) -> None:
    """One line of JSON; on a terminal in ASCII, so that nothing in it can act there."""
    if is_terminal(sys.stdout):
        click.echo(json.dumps(value))
        return
    from sostenuto.cli._output import encoded

    click.echo(encoded(value), nl=False)


def size(count: int) -> str:
    """Bytes as people read them: 812 B, 97 KB, 1.4 MB."""
    value, unit = float(count), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit and value < 10 else f"{value:.0f} {_UNITS[unit]}"


def moment(when: datetime | None) -> str:
    """A moment in the time zone of the person, to the minute; "-" where nobody knows."""
    return when.astimezone().strftime("%Y-%m-%d %H:%M") if when is not None else "-"
