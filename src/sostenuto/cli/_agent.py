"""``sostenuto agent``: who works, on which model, with which limits."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sostenuto.cli._given import home, spelt_out
from sostenuto.cli._output import encoded
from sostenuto.cli._streams import say
from sostenuto.cli._whose import NOTHING_DONE, confirmed, yes_option
from sostenuto.errors import SostenutoError, UnknownSetting

if TYPE_CHECKING:
    from sostenuto.config import Agent

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
CEILING = "llm.maxContextTokens"


def _choices(function: Any) -> Any:
    """The options that create and edit share."""
    for option in reversed((
        click.option("--model", metavar="P:ID", help="The model that works."),
        click.option("--name", metavar="TEXT", help="What it is called."),
        click.option("--description", metavar="TEXT", help="What it is for."),
        click.option("--set", "pairs", metavar="KEY=VALUE", multiple=True, help="Any setting; an empty VALUE removes it. Repeatable."),
    )):  # fmt: skip
        function = option(function)
    return function


@click.group("agent", context_settings=SETTINGS)
def command() -> None:
    """Create, list, show, edit and delete agents. An agent is a small file in the data home, agents/<id>.json.

    \b
    Examples:
      sostenuto agent create reviewer --model openai:gpt-5 --set maxCostUSD=2
      sostenuto agent list
      sostenuto agent edit reviewer --set llm.maxContextTokens=60000
      sostenuto agent show reviewer --json
      sostenuto agent delete reviewer --yes
    """


@command.command("create", context_settings=SETTINGS)
@click.argument("agent", metavar="ID")
@_choices
def create(agent: str, *, model: str | None, name: str | None, description: str | None, pairs: tuple[str, ...]) -> None:
    """Make a new agent."""
    new_agent(agent, model=model, name=name, description=description, pairs=pairs)


def new_agent(
    agent: str, *, model: str | None = None, name: str | None = None, description: str | None = None, pairs: tuple[str, ...] = ()
) -> None:
    """Write the file of a new agent, and say where it is and what it is good for.

    Raises:
        UnknownSetting: it cannot be called so, there is one of that id, or a setting cannot be used.
    """
    from sostenuto.config import Agent, agent_file, check_id, write_agent

    made = _changed(Agent(check_id(agent)), model=model, name=name, description=description, pairs=pairs)
    aside = write_agent(home(), made, new=True)
    if aside is not None:
        say(f"sostenuto: a damaged file was in the way; it is kept as {aside}")
    say(f"sostenuto: agent {agent} is in {agent_file(home(), agent)}; use it with: sostenuto run --agent {agent} PROMPT")
    _say_doubts(made)
    _say_ceiling(made)


@command.command("list", context_settings=SETTINGS)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def list_(*, as_json: bool) -> None:
    """List the agents; one whose file is damaged is listed with what is wrong."""
    from sostenuto.config import agent_ids, read_agent

    found: list[dict[str, Any]] = []
    for agent in agent_ids(home()):
        try:
            found.append(read_agent(home(), agent).as_dict())
        except SostenutoError as error:
            found.append({"id": agent, "error": str(error)})
    if as_json:
        click.echo(encoded(found), nl=False)
        return
    for entry in found:
        model = entry.get("config", {}).get("llm", {}).get("model", "no model of its own")
        click.echo(f"{entry['id']}: {entry.get('error', model)}")
    if not found:
        say("sostenuto: there are no agents; make one with: sostenuto agent create ID --model provider:id")


@command.command("show", context_settings=SETTINGS)
@click.argument("agent", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def show(agent: str, *, as_json: bool) -> None:
    """Print an agent as its file holds it."""
    from sostenuto.config import read_agent

    found = read_agent(home(), agent).as_dict()
    click.echo(encoded(found) if as_json else json.dumps(found, ensure_ascii=False, indent=2) + "\n", nl=False)


@command.command("edit", context_settings=SETTINGS)
@click.argument("agent", metavar="ID")
@_choices
def edit(agent: str, *, model: str | None, name: str | None, description: str | None, pairs: tuple[str, ...]) -> None:
    """Change an agent. Without an option the model and the ceiling are asked for; an empty ceiling removes it."""
    from sostenuto.config import read_agent, write_agent

    found = read_agent(home(), agent)
    if model is None and name is None and description is None and not pairs:
        model, pairs = _asked(found)
    changed = _changed(found, model=model, name=name, description=description, pairs=pairs)
    write_agent(home(), changed)
    say(f"sostenuto: agent {agent} is changed")
    _say_doubts(changed)
    _say_ceiling(changed)


@command.command("delete", context_settings=SETTINGS)
@click.argument("agent", metavar="ID")
@yes_option
def delete(agent: str, *, yes: bool) -> int:
    """Remove an agent's file. Its conversations stay. On a terminal it asks first."""
    from sostenuto.config import agent_file, agent_ids, check_id, delete_agent

    if check_id(agent) in agent_ids(home()):
        what = f"the settings of agent {agent} go for good ({agent_file(home(), agent)}); its conversations stay"
        if not confirmed(what, yes=yes):
            return NOTHING_DONE
    delete_agent(home(), agent)
    say(f"sostenuto: agent {agent} is deleted; its conversations stay")
    return 0


def _changed(agent: Agent, *, model: str | None, name: str | None, description: str | None, pairs: tuple[str, ...]) -> Agent:
    """The agent with what was given; every value is checked before anything is written."""
    from dataclasses import replace

    from sostenuto.app import chosen_tools
    from sostenuto.config import fault_of, parsed
    from sostenuto.tools import standard_tools

    settings = dict(agent.settings)
    for pair in (*([f"llm.model={model}"] if model else []), *pairs):
        key, found, value = pair.partition("=")
        if not found:
            raise click.UsageError(f"--set {pair!r}: write KEY=VALUE")
        key = key.strip()
        fault = fault_of(key, None, place="agent")
        if fault:
            raise UnknownSetting(fault)
        settings.pop(key, None)
        if value.strip() and (new := parsed(key, spelt_out(key, value), place="agent")) is not None:
            settings[key] = new
    if "tools" in settings:
        chosen_tools(standard_tools(Path.cwd()), settings["tools"])  # an unknown name is said now, not at the next run
    return replace(
        agent,
        name=agent.name if name is None else name,
        description=agent.description if description is None else description,
        settings=settings,
    )


def _asked(agent: Agent) -> tuple[str, tuple[str, ...]]:
    """Model and ceiling as a person types them."""
    before = agent.settings.get(CEILING)
    try:
        model = click.prompt("model (provider:id)", default=agent.settings.get("llm.model", ""), err=True)
        ceiling = click.prompt(f"ceiling in tokens, empty for none [{before or 'none'}]", default="", show_default=False, err=True)
    except click.Abort:
        if sys.stdin is not None and sys.stdin.isatty():
            raise
        raise click.UsageError("nobody is there to be asked; name what to change with --model, --name, --description or --set") from None
    return model, (f"{CEILING}={ceiling.strip()}",)


def _say_doubts(agent: Agent) -> None:
    """A provider that is not known may be a mistyped one; the agent is kept as it is."""
    from sostenuto.app import doubt_about

    if doubt := doubt_about(agent.settings.get("llm.model", "")):
        say(f"sostenuto: {doubt}")


def _say_ceiling(agent: Agent) -> None:
    """A ceiling above the window has no effect, and that is said; the model may be the one of every run."""
    ceiling = agent.settings.get(CEILING)
    known = _windows(agent) if ceiling is not None else []
    tokens, what = min(known, default=(0, ""))
    if ceiling is not None and known and ceiling >= tokens:
        say(f"sostenuto: the ceiling of {ceiling:,} tokens has no effect: {what} {tokens:,}")


def _windows(agent: Agent) -> list[tuple[int, str]]:
    """What is known of the window of an agent's runs without asking a server, each in words."""
    from sostenuto.app import models
    from sostenuto.config import configured

    try:
        settings = configured(home=home(), project=Path.cwd(), narrower=(agent.layer,))
        name, pinned = settings.model, settings["llm.numCtx"]
        window = models(name, home=home(), limit=1).window if name else None
    except SostenutoError:
        window, name, pinned = None, "", agent.settings.get("llm.numCtx")
    known = [(window.tokens, f"{name} takes")] if window is not None and window.source == "catalogue" else []
    return [*known, *([(pinned, "llm.numCtx is")] if pinned is not None else [])]
