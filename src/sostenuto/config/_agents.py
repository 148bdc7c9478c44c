"""Agents: one small file each, ``agents/<id>.json`` in the data home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sostenuto.config._layers import Layer, with_setting
from sostenuto.config._reading import json_object, settings_in, shown
from sostenuto.config._table import AGENT_ID
from sostenuto.config._writing import moved_aside, write_json
from sostenuto.errors import UnknownSetting, UnusableInput

FOLDER = "agents"
_FIELDS = ("id", "name", "description", "config")


@dataclass(frozen=True, slots=True)
class Agent:
    """Who works. `settings` are those of its ``config`` by their dotted keys."""

    id: str
    name: str = ""
    description: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def layer(self) -> Layer:
        """Its settings as a source."""
        return Layer(f"agent {self.id}", self.settings)

    def as_dict(self) -> dict[str, Any]:
        """As its file holds it."""
        config: dict[str, Any] = {}
        for key, value in self.settings.items():
            config = with_setting(config, key, value=value)
        return {"id": self.id, "name": self.name or self.id, "description": self.description, "config": config}


def check_id(given: str, /) -> str:
    """The id, where it can be one (it is a file name).

    Raises:
        UnknownSetting: it cannot.
    """
    if not AGENT_ID.fullmatch(given):
        raise UnknownSetting(f"agent {given[:70]!r}: an id is 1 to 64 small letters, digits, - and _, the first no - or _")
    return given


def agent_file(home: Path, agent: str, /) -> Path:
    """Where an agent is kept."""
    return home / FOLDER / f"{check_id(agent)}.json"


def agent_ids(home: Path, /) -> list[str]:
    """Every agent there is a file for, readable or not, in alphabetical order."""
    folder = home / FOLDER
    return sorted(path.stem for path in folder.glob("*.json") if AGENT_ID.fullmatch(path.stem)) if folder.is_dir() else []


def read_agent(home: Path, agent: str, /) -> Agent:
    """An agent by its id.

    Raises:
        UnknownSetting: there is none; the nearest is named. UnusableInput: its file is damaged or has a wrong setting.
    """
    path = agent_file(home, agent)
    if not path.exists():
        near = get_close_matches(agent, agent_ids(home), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"make it with: sostenuto agent create {agent}"
        raise UnknownSetting(f"there is no agent {agent!r}; {hint}")
    return agent_in(json_object(path), where=str(path), agent=agent)


def agent_in(found: Mapping[str, Any], /, *, where: str, agent: str) -> Agent:
    """An agent from the object of its file.

    Raises:
        UnusableInput: a field is unknown or not what is expected.
    """
    for name in found:
        if name not in _FIELDS:
            near = get_close_matches(str(name), _FIELDS, n=1)
            meant = f", did you mean {near[0]!r}?" if near else ""
            raise UnusableInput(f"{where}: unknown field {name!r}{meant}; there are {', '.join(_FIELDS)}")
    for name in ("id", "name", "description"):
        if not isinstance(found.get(name, ""), str):
            raise UnusableInput(f"{where}: {name} must be a text, not {shown(found[name])}")
    if found.get("id", agent) != agent:
        raise UnusableInput(f"{where}: its id is {found['id']!r}, but the file is called {agent}.json; make them equal")
    config = found.get("config", {})
    if not isinstance(config, dict):
        raise UnusableInput(f"{where}: config must be an object, not {shown(config)}")
    return Agent(agent, found.get("name", ""), found.get("description", ""), settings_in(config, place="agent", where=f"{where}: config"))


def write_agent(home: Path, agent: Agent, /, *, new: bool = False) -> Path | None:
    """Write an agent's file, whole or not at all. A damaged file in the way of a new agent is moved aside; its new name is returned.

    Raises:
        UnknownSetting: with `new`, a readable one exists already.
    """
    path = agent_file(home, agent.id)
    aside: Path | None = None
    if new and path.exists():
        try:
            read_agent(home, agent.id)
        except UnusableInput:
            aside = moved_aside(path)
        else:
            raise UnknownSetting(f"agent {agent.id!r} exists already; change it with: sostenuto agent edit {agent.id}")
    write_json(path, agent.as_dict())
    return aside


def delete_agent(home: Path, agent: str, /) -> None:
    """Remove an agent's file; what it worked on stays.

    Raises:
        UnknownSetting: there is none.
    """
    path = agent_file(home, agent)
    if not path.exists():
        read_agent(home, agent)
    path.unlink(missing_ok=True)
