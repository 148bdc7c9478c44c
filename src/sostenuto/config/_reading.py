"""JSON files of settings: read, checked against the table, and every fault named with its path and the nearest real key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sostenuto.config._table import EACH, GROUPS, KEYS, Place, entry_of, row_of
from sostenuto.errors import UnknownSetting, UnusableInput, reason

LARGEST = 1_000_000
"""Bytes of a settings file; a larger one is something else."""
_SHOWN = 60


def json_object(path: Path, /, *, largest: int = LARGEST) -> dict[str, Any]:
    """The object in a JSON file of at most so many bytes.

    Raises:
        UnusableInput: it cannot be read, is no JSON, or holds something else; the line is named.
    """
    try:
        if path.stat().st_size > largest:
            raise UnusableInput(f"{path}: larger than {largest:,} bytes, which is not what is expected there; name another file")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UnusableInput(f"{path}: not UTF-8; write it again as UTF-8 JSON") from None
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({reason(error)}); check the path and the permissions") from None
    try:
        found = json.loads(text)
    except RecursionError:
        raise UnusableInput(f"{path}: nested too deeply; nothing of ours is") from None
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        cut = " (it ends in the middle: half-written?)" if not text.strip() or getattr(error, "pos", 0) >= len(text.rstrip()) else ""
        raise UnusableInput(f"{path} line {line}: not JSON{cut}; mend it there, nothing was changed") from None
    if not isinstance(found, dict):
        raise UnusableInput(f"{path}: holds {_called(found)} where an object is expected")
    return found


def settings_in(found: Mapping[str, Any], /, *, place: Place, where: str) -> dict[str, Any]:
    """The settings of a nested object, by their dotted keys; those that are null are left out.

    Args:
        place: where the object stands: not every key may stand everywhere.
        where: how an error names it.

    Raises:
        UnusableInput: naming every unknown key with the nearest real one, and every value that is not what is expected.
    """
    flat = dict(_flat(found))
    problems = [fault for key, value in flat.items() if (fault := fault_of(key, value, place=place))]
    if problems:
        raise UnusableInput(f"{where}: {'; '.join(problems)}")
    return {key: value for key, value in flat.items() if value is not None}


def fault_of(key: str, value: Any, /, *, place: Place) -> str:
    """What is wrong with a setting in a place, in words; "" for nothing."""
    known = entry_of(key)
    if known is not None and EACH in key:
        return f"{key}: write the id of an agent in place of {EACH}"
    if known is None:
        return f"unknown key {key!r}{suggestion(key, place=place)}"
    if place not in known.places:
        return f"{key} may not stand in {_named(place)}; it belongs into {' or '.join(_named(one) for one in sorted(known.places))}"
    if value is not None and not known.kind.holds(value):
        return f"{key} must be {known.kind.expected}, not {shown(value)}"
    return ""


def suggestion(key: str, /, *, place: Place | None = None) -> str:
    """The nearest real key, as the end of a sentence."""
    allowed = {name.casefold(): name for name, known in KEYS.items() if place is None or place in known.places}
    endings = {name.rpartition(".")[2].casefold(): name for name in allowed.values()}
    wanted = key.casefold()
    near = get_close_matches(wanted, allowed, n=1, cutoff=0.7)
    if near:
        return f", did you mean {allowed[near[0]]!r}?"
    near = get_close_matches(wanted.rpartition(".")[2], endings, n=1, cutoff=0.8)
    return f", did you mean {endings[near[0]]!r}?" if near else "; sostenuto config show lists all keys"


def parsed(key: str, text: str, /, *, place: Place) -> Any:
    """The value a person typed for a key: JSON where it is JSON that fits, else the text itself.

    Raises:
        UnknownSetting: the key or the value cannot be used.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if fault_of(key, value, place=place) and not fault_of(key, text, place=place):
        value = text  # a model called 4 is a text
    fault = fault_of(key, value, place=place)
    if fault:
        raise UnknownSetting(fault)
    return value


def shown(value: Any, /) -> str:
    """A value in an error, never endless."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _flat(found: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in found.items():
        key = f"{prefix}{name}"
        is_group = row_of(key) in GROUPS
        if isinstance(value, dict) and is_group:
            yield from _flat(value, f"{key}.")
        elif is_group and value is None:
            continue
        elif is_group:
            yield f"{key}.", value  # named with its dot, so that the error says that a group is meant
        else:
            yield key, value


def _called(value: object) -> str:
    kinds: dict[type, str] = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "null"}
    return kinds.get(type(value), "something else")


def _named(place: Place) -> str:
    return {"global": "your own config.json", "project": "a project's config.json", "agent": "an agent", "workflow": "a workflow"}[place]
