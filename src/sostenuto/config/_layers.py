"""Who set what: global and project files, an agent, a workflow, flags; the narrowest wins (origin 13, beyond-a-run)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sostenuto.config._reading import json_object, settings_in
from sostenuto.config._table import EACH, Place, entry_of, row_of
from sostenuto.config._writing import write_json
from sostenuto.errors import UnknownSetting, UnusableInput

FILE = "config.json"
PROJECT_FOLDER = ".sostenuto"
DEFAULT_SOURCE = "default"


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings of one source, by their dotted keys. `source` is how a person is told where a value comes from."""

    source: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Configured:
    """All settings with their sources, the narrowest value of each."""

    layers: tuple[Layer, ...] = ()

    def __getitem__(self, key: str) -> Any:
        """The value in force; the default where nobody set it."""
        return self.found(key)[0]

    def found(self, key: str, /) -> tuple[Any, str]:
        """The value in force and where it comes from.

        Raises:
            UnknownSetting: there is no such key.
        """
        known = entry_of(key)
        if known is None:
            raise UnknownSetting(f"unknown key {key!r}")
        for layer in reversed(self.layers):
            if key in layer.values:
                return layer.values[key], layer.source
        return known.default, DEFAULT_SOURCE

    @property
    def model(self) -> str:
        """The model of every run as ``provider:id``, or as it is named where no provider is set; "" for none."""
        name, provider = self["llm.model"] or "", self["llm.provider"]
        is_whole = not provider or name.startswith((f"{provider}:", "http://", "https://"))  # an address says itself where it leads
        return str(name) if is_whole or not name else f"{provider}:{name}"

    @property
    def named(self) -> tuple[str, ...]:
        """The keys that somebody set and the table has only with `EACH` in the place of an agent."""
        return tuple(sorted({key for layer in self.layers for key in layer.values if EACH in row_of(key)}))


def global_file(home: Path, /) -> Path:
    """The person's own settings."""
    return home / FILE


def own_file(home: Path, named: Path | None, /) -> Path:
    """The person's own settings: the file that was named, else the one in the data home.

    Raises:
        UnusableInput: the named one is not there.
    """
    if named is not None and not named.is_file():
        raise UnusableInput(f"{named}: no such file of settings; name one that is there (--config, SOSTENUTO_CONFIG_PATH)")
    return named or global_file(home)


def project_file(folder: Path, /) -> Path:
    """The settings of the project in a folder."""
    return folder / PROJECT_FOLDER / FILE


def configured(*, home: Path, project: Path, narrower: Sequence[Layer] = (), file: Path | None = None) -> Configured:
    """The settings of both files, merged key by key, lists replaced; a file that is not there sets nothing.

    Args:
        file: instead of the person's own in the data home (``--config``); it has to be there.

    Raises:
        UnusableInput: a file cannot be read, has an unknown key or a wrong value.
    """
    layers = [layer_of(own_file(home, file), place="global"), layer_of(project_file(project), place="project"), *narrower]
    return Configured(tuple(layer for layer in layers if layer.values))


def layer_of(path: Path, /, *, place: Place) -> Layer:
    """The settings of one file; none where it is not there."""
    if not path.exists():
        return Layer(str(path), {})
    return Layer(str(path), settings_in(json_object(path), place=place, where=str(path)))


def write_setting(path: Path, key: str, /, *, value: Any) -> None:
    """Set one key in a file, or remove it where the value is None; everything else in the file stays as it is.

    Raises:
        UnusableInput: the file is not readable as settings, or cannot be written.
    """
    whole = json_object(path) if path.exists() else {}
    write_json(path, with_setting(whole, key, value=value))


def with_setting(nested: Mapping[str, Any], key: str, /, *, value: Any) -> dict[str, Any]:
    """A copy of a nested object with one dotted key set, or removed with its empty group where the value is None."""
    name, _, rest = key.partition(".")
    if not rest:
        out = {each: old for each, old in nested.items() if each != name or value is not None}
        return out if value is None else {**out, name: value}
    group = nested.get(name)
    inner = with_setting(group if isinstance(group, dict) else {}, rest, value=value)
    out = dict(nested)
    out.pop(name, None) if not inner else out.update({name: inner})
    return out
