"""``sostenuto`` alone on a terminal: what this is, what would work here, and what to type next."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sostenuto.cli._given import CONFIG_VARIABLE, home
from sostenuto.cli._harmless import visible
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Style, folded, is_terminal, style
from sostenuto.errors import SostenutoError

if TYPE_CHECKING:
    from sostenuto.app import Reachable, Surroundings

FIRST_AGENT: Final = "assistant"
FIRST_TASK: Final = "Which functions here have no test?"
WHAT: Final = (
    "Sostenuto runs an agent that works with tools inside its model's window, however long the task takes: old results leave the "
    "context in a fixed order, and whatever leaves it can be read back."
)
NOTHING: Final = (
    "No model can be reached from here yet. Export a key, such as ANTHROPIC_API_KEY or OPENAI_API_KEY; or start a local server, such as "
    "ollama serve; or take a very small model into this process: "
)
_COLUMN = 32


def is_greeted() -> bool:
    """Whether a person is there to be greeted."""
    return sys.stdout is not None and is_terminal(sys.stdout)


def greet() -> int:
    """Say it, and offer to make the first agent where somebody can answer; the exit code."""
    import asyncio

    from sostenuto.app import surroundings

    named = os.environ.get(CONFIG_VARIABLE)
    file = Path(named) if named else None
    found = asyncio.run(surroundings(home=home(), project=Path.cwd(), environment=os.environ, file=file))
    shown = style(sys.stdout, os.environ)
    click.echo("\n".join(_lines(found, shown)))
    agent = found.agents[0][0] if found.agents else ""
    if not agent and not found.model and _can_answer():
        agent = _offered(found)
    click.echo("\n".join(["", shown.paint("Next", "bold"), *(f"  {line}" for line in _next(found, agent))]))
    return 0


def _can_answer() -> bool:
    """Whether a question would be seen and could be answered."""
    return sys.stdin is not None and is_terminal(sys.stdin) and is_terminal(sys.stderr)


def _lines(found: Surroundings, shown: Style) -> list[str]:
    lines = [*folded(WHAT, width=shown.width), ""]
    if found.agents or found.model:
        lines += [shown.paint("Set up", "bold"), *_set_up(found), ""]
    lines.append(shown.paint("Models that would work right now (no key was tried)", "bold"))
    ready = [one for one in found.models if not one.missing]
    lines += [_row(number, one) for number, one in enumerate(ready, start=1)] or folded(
        _nothing(), width=shown.width, first="  ", rest="  "
    )
    lines += [
        f"     {visible(one.model):<{_COLUMN}} {one.why}, but needs: pip install '{one.missing}'" for one in found.models if one.missing
    ]
    for fault in found.faults:
        lines += ["", *folded(f"{shown.paint('!!', 'red')} {visible(' '.join(fault.split()))}", width=shown.width, rest="   ")]
    return lines


def _nothing() -> str:
    """What to do where no model can be reached."""
    from sostenuto.app import small_model_installs

    return NOTHING + ", then ".join(small_model_installs())


def _set_up(found: Surroundings) -> list[str]:
    rows = [f"  agent {name}: {visible(model or found.model or 'no model yet')}" for name, model in found.agents]
    return [*rows, *([f"  every run: {visible(found.model)}"] if found.model else [])]


def _row(number: int, one: Reachable) -> str:
    return f"  {number:>2} {visible(one.model):<{_COLUMN}} {one.why}"


def _offered(found: Surroundings) -> str:
    """Make the first agent, if the person wants one; its id, "" for none."""
    ready = [one.model for one in found.models if not one.missing]
    if not ready:
        return ""
    click.echo()
    while True:
        said = click.prompt("Make an agent? Number of a model, or provider:id; Enter for none", default="", show_default=False, err=True)
        if not said.strip():
            return ""
        try:
            return _made(_chosen(said.strip(), ready))
        except SostenutoError as error:
            say(f"sostenuto: {error}")


def _chosen(said: str, ready: list[str]) -> str:
    from sostenuto.app import spoken_by
    from sostenuto.errors import UnknownSetting

    if said.isascii() and said.isdigit():
        if not 1 <= int(said[:6]) <= len(ready):
            raise UnknownSetting(f"there is no model {said[:20]}; the list has {len(ready)}")
        return ready[int(said[:6]) - 1]
    spoken_by(said)
    return said


def _made(model: str) -> str:
    from sostenuto.cli._agent import new_agent

    agent: str = click.prompt("Its name", default=FIRST_AGENT, err=True).strip()
    new_agent(agent, model=model)
    return agent


def _next(found: Surroundings, agent: str) -> list[str]:
    """Three commands to type."""
    if agent:
        return [f'sostenuto run --agent {agent} "{FIRST_TASK}"', f"sostenuto agent edit {agent}", "sostenuto doctor"]
    if found.model:
        return [f'sostenuto run "{FIRST_TASK}"', f"sostenuto agent create {FIRST_AGENT}", "sostenuto doctor"]
    ready = next((one.model for one in found.models if not one.missing), "provider:id")
    return ["sostenuto demo", f"sostenuto agent create {FIRST_AGENT} --model {visible(ready)}", "sostenuto doctor"]
