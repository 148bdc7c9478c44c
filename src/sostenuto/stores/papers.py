"""The small documents of one conversation's work, each a readable JSON file (origin 8.1): ``state.json``, ``todos.json``."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sostenuto.errors import UnusableInput, reason
from sostenuto.stores._leftovers import remove_leftovers
from sostenuto.stores._locking import locked
from sostenuto.stores._names import checked_name
from sostenuto.stores._notes import Notes
from sostenuto.stores._writing import make_folder, moved_aside, opened, replace_file

SCHEMA = 1
LARGEST = 16_000_000
"""Bytes of the largest document: far more than any state or list, and read in a blink."""

_LOCK = ".lock"


class FilePapers:
    """The documents in a folder (see `sostenuto.protocols.Papers`).

    A file is ``{"schema": 1, "value": ...}``. One that cannot be read counts as none and is moved aside by the next write; one that a
    newer version wrote counts as none, stays as it is, and is never written over. Why something did not work stands in `notes`.

    Args:
        folder: ``work/<agent>/<conversation>``; made by the first write.
        home: the data home, below which no folder may be a symbolic link; None if all above `folder` is the person's own arrangement.
    """

    def __init__(self, folder: Path, *, home: Path | None = None) -> None:
        self._folder = folder.absolute()
        self._home = (home or folder.absolute().parent).absolute()
        self._notes = Notes()

    def notes(self) -> tuple[str, ...]:
        """Lines for the person: what does not work at present, and what was moved aside."""
        return self._notes.lines()

    def read(self, name: str, /) -> Any:
        """See `Papers`."""
        try:
            found = self._found(self._path(name))
        except UnusableInput as error:
            found = _Found(trouble=str(error))
        self._note(f"read {name}", found.trouble)
        return found.value

    def write(self, name: str, value: Any, /) -> bool:
        """See `Papers`."""
        try:
            trouble = self._replaced(self._path(name), name=name, data=_data(value))
        except OSError as error:
            trouble = f"{self._folder}: {name} cannot be written ({reason(error)}); the next write tries again"
        except (UnusableInput, TypeError, ValueError, RecursionError) as error:
            trouble = f"{name} was not written: {error}"
        self._note(f"write {name}", trouble)
        if not trouble:
            self._notes.overcome(f"read {name}")
        return not trouble

    def _path(self, name: str) -> Path:
        return self._folder / f"{checked_name(name, what='document')}.json"

    def _note(self, cause: str, trouble: str) -> None:
        if trouble:
            self._notes.say(cause, trouble)
        else:
            self._notes.overcome(cause)

    def _replaced(self, path: Path, *, name: str, data: bytes) -> str:
        """Replace a document; returns what forbids it, else ""."""
        make_folder(self._folder, home=self._home)
        with locked(self._folder / _LOCK):
            found = self._found(path)
            if found.trouble and not found.may_go:
                return found.trouble
            if found.trouble:
                aside = moved_aside(path, home=self._home)
                self._notes.say(f"{name} aside", f"{found.trouble}; it was moved to {aside} and a new one begun")
            replace_file(path, data, home=self._home)
            remove_leftovers(self._folder, of=path.name)
        return ""

    def _found(self, path: Path) -> _Found:
        try:
            handle = opened(path, os.O_RDONLY, home=self._home)
            with os.fdopen(handle, "rb") as file:
                data = file.read(LARGEST + 1)
        except FileNotFoundError:
            return _Found()
        except OSError as error:
            return _Found(trouble=f"{path}: cannot be read ({reason(error)}); it was left as it is")
        except UnusableInput as error:
            return _Found(trouble=str(error), may_go=True)
        return _read(data, path=path)


@dataclass(frozen=True, slots=True)
class _Found:
    """What lies under a name: a value, or why there is none to be had and whether the file may be moved out of the way."""

    value: Any = None
    trouble: str = ""
    may_go: bool = False


def _read(data: bytes, *, path: Path) -> _Found:
    if len(data) > LARGEST:
        return _Found(trouble=f"{path}: larger than {LARGEST:,} bytes, so it counts as none", may_go=True)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return _Found(trouble=f"{path}: not JSON, so it counts as none", may_go=True)
    schema = document.get("schema") if isinstance(document, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        return _Found(trouble=f"{path}: written by a newer version (schema {schema}); update this program; the file was left as it is")
    if schema != SCHEMA or "value" not in document:
        return _Found(trouble=f"{path}: not a document of this program, so it counts as none", may_go=True)
    return _Found(document["value"])


def _data(value: Any) -> bytes:
    document = {"schema": SCHEMA, "value": value}
    try:
        data = json.dumps(document, indent=2, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character: only an escape can say it
        data = json.dumps(document, indent=2).encode()
    if len(data) >= LARGEST:
        raise ValueError(f"it has {len(data):,} bytes; a document has at most {LARGEST:,}")
    return data + b"\n"
