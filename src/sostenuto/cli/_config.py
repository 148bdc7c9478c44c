"""``sostenuto config``: what is set, where it comes from, and changing it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sostenuto.cli._given import config_option, home, spelt_out
from sostenuto.cli._output import encoded
from sostenuto.cli._streams import say
from sostenuto.errors import UnknownSetting

if TYPE_CHECKING:
    from sostenuto.config import Configured, Place

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group("config", context_settings=SETTINGS)
def command() -> None:
    """Show and change settings. Your own are in the data home (SOSTENUTO_HOME) or where --config says, a project's in
    ./.sostenuto/config.json.

    The narrowest wins: a flag, then the workflow, the agent, the project, and your own file.

    \b
    Examples:
      sostenuto config show
      sostenuto config show llm
      sostenuto config get maxIterations
      sostenuto config set llm.model openai:gpt-5
      sostenuto config set maxCostUSD 2.50 --project
      sostenuto config set maxCostUSD --unset
      sostenuto config validate
    """


@command.command("show", context_settings=SETTINGS)
@click.argument("beginning", metavar="KEY", default="")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
@config_option
def show(beginning: str, *, as_json: bool, file: Path | None) -> None:
    """List every key with its value, where it comes from, and what it means. Keys for what is still to come say so.

    With KEY only that one, or those that begin so: llm, or daemon.
    """
    from sostenuto.config import KEYS, entry_of, suggestion

    settings = _settings(file)
    wanted = [key for key in (*KEYS, *settings.named) if key.startswith(beginning)]
    if not wanted:
        raise UnknownSetting(f"no key begins with {beginning!r}{suggestion(beginning)}")
    found = [(key, *settings.found(key), entry_of(key)) for key in ([beginning] if beginning in wanted else wanted)]
    rows = [(key, value, source, known) for key, value, source, known in found if known is not None]
    if as_json:
        entries = {
            key: {"value": value, "source": source, "expected": known.kind.expected, "used": not known.later}
            for key, value, source, known in rows
        }
        click.echo(encoded(entries), nl=False)
        return
    for key, value, source, known in rows:
        click.echo(f"{key} = {'(not set)' if value is None else json.dumps(value, ensure_ascii=False)}   [{source}]")
        click.echo(f"    {known.meaning} Expected: {known.kind.expected}.")
        if known.later:
            click.echo(f"    Not used yet. {known.later}.")


@command.command("get", context_settings=SETTINGS)
@click.argument("key")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON, with the source.")
@config_option
def get(key: str, *, as_json: bool, file: Path | None) -> None:
    """Print the value of KEY; nothing where it is not set."""
    from sostenuto.config import entry_of, suggestion

    if entry_of(key) is None:
        raise UnknownSetting(f"unknown key {key!r}{suggestion(key)}")
    value, source = _settings(file).found(key)
    if as_json:
        click.echo(encoded({"key": key, "value": value, "source": source}), nl=False)
    elif value is not None:
        click.echo(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


@command.command("set", context_settings=SETTINGS)
@click.argument("key")
@click.argument("value", required=False)
@click.option("--project", "in_project", is_flag=True, help="Set it for the project in this folder.")
@click.option("--unset", is_flag=True, help="Remove the key instead.")
@config_option
def set_(key: str, value: str | None, *, in_project: bool, unset: bool, file: Path | None) -> None:
    """Set KEY to VALUE: a number (of tokens also as 32k or 1m), true, false, a JSON list, or a text."""
    from sostenuto.config import entry_of, fault_of, layer_of, own_file, parsed, project_file, write_setting

    if unset == (value is not None):
        raise click.UsageError("give a value, or --unset and none" if unset else f"{key}: a value is missing; remove a key with --unset")
    place: Place = "project" if in_project else "global"
    path = project_file(Path.cwd()) if in_project else own_file(home(), file)
    fault = fault_of(key, None, place=place)
    if fault:
        raise UnknownSetting(fault)
    new = None if value is None else parsed(key, spelt_out(key, value), place=place)
    layer_of(path, place=place)  # a damaged file is mended by its owner, not written over
    write_setting(path, key, value=new)
    say(f"sostenuto: {key} {'removed from' if unset else 'set in'} {path}")
    known = entry_of(key)
    if known is not None and known.later and not unset:
        say(f"sostenuto: {key} is not used yet. {known.later}.")


@command.command("validate", context_settings=SETTINGS)
@click.argument("given", metavar="FILE", required=False, type=click.Path(path_type=Path))
@click.option("--project", "in_project", is_flag=True, help="FILE is a project's.")
@config_option
def validate(given: Path | None, *, in_project: bool, file: Path | None) -> None:
    """Check the settings in force, or FILE; every fault is named with the nearest real key."""
    from sostenuto.config import layer_of
    from sostenuto.errors import UnusableInput

    if given is None:
        layers = _settings(file).layers
        for layer in layers:
            say(f"sostenuto: {layer.source}: {len(layer.values)} settings")
        click.echo("ok")
        return
    if not given.exists():
        raise UnusableInput(f"{given}: no such file; name a file of settings")
    layer_of(given, place="project" if in_project else "global")
    click.echo("ok")


def _settings(file: Path | None) -> Configured:
    from sostenuto.config import configured

    return configured(home=home(), project=Path.cwd(), file=file)
