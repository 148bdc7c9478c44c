"""What a process that was killed while it replaced a file leaves behind: a hidden half-written copy beside it."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

_LEFTOVER = re.compile(r"\.(?P<of>.+)\.[a-z0-9_]{8}", re.S)
"""How `replace_file` names a file until it is whole."""


def is_leftover(name: str) -> bool:
    """Whether a file of this name was never finished."""
    return _LEFTOVER.fullmatch(name) is not None


def remove_leftovers(folder: Path, *, of: str) -> None:
    """Remove the unfinished copies of one file. Only for whoever alone may replace it now; never raises."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _LEFTOVER.fullmatch(entry.name)
            if found and found["of"] == of:
                with suppress(OSError):
                    os.unlink(entry.path)
