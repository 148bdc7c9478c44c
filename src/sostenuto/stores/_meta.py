"""What a list of conversations shows of one without reading it: its title, when it began, when it was last used."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sostenuto.errors import UnusableInput, reason
from sostenuto.stores._writing import moved_aside, opened, replace_file

NAME: Final = "meta.json"
SCHEMA: Final = 1
_LARGEST: Final = 1024 * 1024  # bytes; ours have a few hundred


def note_use(folder: Path, *, home: Path) -> None:
    """Write down that a conversation is used now; it begins if nothing was known of it. Never raises: it can be told from the log too.

    A title, and whatever else stands there, stays. A file of a newer version is left alone.
    """
    with suppress(OSError, UnusableInput, ValueError, RecursionError):
        path = folder / NAME
        now = datetime.now(UTC).isoformat(timespec="seconds")
        known = _known(path, home=home)
        if known.get("schema", SCHEMA) != SCHEMA:
            return
        begun = {"schema": SCHEMA, "title": "", "started": now}
        replace_file(path, json.dumps({**begun, **known, "last_used": now}, indent=2).encode() + b"\n", home=home)


def meta_in(folder: Path) -> tuple[dict[str, Any], str]:
    """What is told about the conversation in a folder, and why that cannot be read, "" if it can. Nothing is changed; never raises."""
    path = folder / NAME
    try:
        with os.fdopen(opened(path, os.O_RDONLY, home=folder.parent), "rb") as file:
            meta = json.loads(file.read(_LARGEST + 1))
    except FileNotFoundError:
        return {}, ""
    except (OSError, UnusableInput) as error:
        return {}, f"{path}: cannot be read ({reason(error)})"
    except (ValueError, RecursionError):
        return {}, f"{path}: not JSON"
    if not isinstance(meta, dict):
        return {}, f"{path}: not what this program writes"
    schema = meta.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        return {}, f"{path}: written by a newer version (schema {schema}); update this program"
    return meta, ""


def _known(path: Path, *, home: Path) -> dict[str, Any]:
    """What stands in the file; one that cannot be read is moved aside."""
    try:
        handle = opened(path, os.O_RDONLY, home=home)
    except FileNotFoundError:
        return {}
    with os.fdopen(handle, "rb") as file:
        data = file.read(_LARGEST + 1)
    with suppress(ValueError, RecursionError):
        found = json.loads(data) if len(data) <= _LARGEST else None
        if isinstance(found, dict):
            return found
    moved_aside(path, home=home)
    return {}
