"""A person's own catalogue, kept in the data home: written whole or not at all, readable by its owner only."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from sostenuto.catalogues._reading import KIND, LARGEST, Listing, listing
from sostenuto.errors import UnusableInput, reason
from sostenuto.window import shaped

NAME = "models.json"
FOLDER = "cache"
_FOLDER_MODE = 0o700  # files: a temporary one is created with mode 0600, and stays that way


def place(home: Path) -> Path:
    """Where the catalogue lies in a data home."""
    return home / FOLDER / NAME


def kept(home: Path) -> Listing | None:
    """The catalogue that `keep` left; None if there is none. Raises UnusableInput for one that cannot be read."""
    path = place(home)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({reason(error)}); remove it or refresh it") from None
    return listing(data, name=str(path))


def keep(home: Path, found: Listing) -> Path:
    """Replace the kept catalogue by this one and return where it lies. Raises UnusableInput naming what could not be written."""
    path = place(home)
    data = {"kind": KIND, "snapshot": found.snapshot, "source": found.source, "providers": shaped(found.entries)}
    try:
        for folder in (home, path.parent):
            folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        _replace(path, json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode())
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be written ({reason(error)}); free it, or name another folder in SOSTENUTO_HOME") from None
    return path


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
