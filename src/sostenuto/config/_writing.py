"""Writing small files whole or not at all, readable by their owner only."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sostenuto.errors import UnusableInput, reason

FOLDER_MODE = 0o700


def write_json(path: Path, value: Mapping[str, Any], /) -> None:
    """Replace `path` by this object; a process that is killed meanwhile leaves the old file or the new one.

    Raises:
        UnusableInput: it cannot be written; the old file stands.
    """
    body = (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass")
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")  # made with mode 0600, and stays so
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise UnusableInput(
            f"{path}: cannot be written ({reason(error)}); nothing was changed, check the folder and the free space"
        ) from None


def moved_aside(path: Path, /) -> Path:
    """Give a file that cannot be read another name beside its own, so that nothing of it is lost; the new name."""
    for number in range(1, 1_000):
        other = path.with_name(f"{path.name}.unreadable{'' if number == 1 else f'-{number}'}")
        if not other.exists():
            path.replace(other)
            return other
    raise UnusableInput(f"{path}: too many unreadable copies beside it; remove some")
