"""Where a path that a model wrote leads, and whether that is inside the working directory."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sostenuto.errors import ToolFailed

LONGEST = 4_096
"""Characters of a path; no file system takes more."""
_LONGEST_NAME = 255
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", "conin$", "conout$", *(f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³"))
)
_LOOKALIKES = {
    "∕": "/",
    "⁄": "/",
    "／": "/",
    "⧸": "/",
    "＼": "\\",
    "⧵": "\\",
    "﹨": "\\",
    "․": ".",
    "‥": "..",
    "．": ".",
    "～": "~",
}
"""Letters that look like those which mean something in a path."""

_JOINERS = "\u200c\u200d"
"""Invisible, but part of how some scripts and pictures are written."""


@dataclass(frozen=True, slots=True)
class Place:
    """A path: as the model wrote it, where it really leads with every symbolic link followed, and whether that is inside."""

    given: str
    real: Path
    inside: bool

    @property
    def grant(self) -> str:
        """What has to be allowed before a tool goes there."""
        return f"path:{self.real}"


def placed(given: str, *, root: Path) -> Place:
    """Where `given` leads: relative to `root`, symbolic links followed, whether or not something is there.

    Raises:
        ToolFailed: no file can sensibly have this name (empty, with control or look-alike characters, far too long, a device of
            Windows), or links lead in a circle.
    """
    wrong = _unfit(given)
    if wrong:
        raise ToolFailed(f"the path {_shown(given)} {wrong}")
    try:
        home = root.resolve()
        real = (home / given).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise ToolFailed(f"the path {_shown(given)} leads nowhere ({_why(error)}); give another one") from None
    return Place(given, real, real == home or home in real.parents)


def _unfit(path: str) -> str:
    """What is wrong with the words of a path, as the rest of a sentence; "" for nothing."""
    if not path.strip():
        return "is empty; name a file or folder, . is the working directory"
    if len(path) > LONGEST:
        return f"has {len(path):,} characters, more than any file system takes; give a shorter one"
    if path.startswith("~"):
        return "starts with ~, which is not expanded; write the path relative to the working directory, or in full"
    for letter in path:
        if letter in _LOOKALIKES:
            return f"holds {unicodedata.name(letter)} (U+{ord(letter):04X}), which only looks like {_LOOKALIKES[letter]!r}; write that one"
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter not in _JOINERS:
            return f"holds the invisible character U+{ord(letter):04X}; write the path without it"
    return next((wrong for name in path.replace("\\", "/").split("/") if (wrong := _unfit_name(name))), "")


def _unfit_name(name: str) -> str:
    if len(name.encode("utf-8")) > _LONGEST_NAME:
        return f"holds a name of {len(name):,} characters, more than file systems take; give a shorter one"
    stem = name.partition(".")[0].partition(":")[0].rstrip(" ").lower()
    if stem in _DEVICES:
        return f"names {stem.upper()}, a device of Windows and no file there; give another name"
    return ""


def allowed_place(given: str, *, root: Path, granted: frozenset[str]) -> Place:
    """The place of a path at the moment it is used: outside the working directory only what was allowed beforehand.

    Raises:
        ToolFailed: as `placed`; and for a place outside that nobody allowed, such as a link that was laid since the call was looked at.
    """
    place = placed(given, root=root)
    if not place.inside and place.grant not in granted:
        raise ToolFailed(f"{_shown(given)} now leads to {place.real}, outside the working directory; that was not allowed")
    return place


def shown_path(path: Path, *, root: Path) -> str:
    """A path as the model should name it: relative to the working directory where it is inside, with forward slashes."""
    home = root.resolve()
    return path.relative_to(home).as_posix() if path == home or home in path.parents else str(path)


def walked(top: Path, *, deepest: int, ignored: frozenset[str]) -> Iterator[tuple[Path, list[os.DirEntry[str]]]]:
    """Each folder below `top`, itself first, with its entries by name; links are listed and not followed, `ignored` names not entered.

    What cannot be read is passed over.
    """
    waiting = [(top, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError:
            continue
        yield folder, entries
        if depth < deepest:
            below = [Path(entry.path) for entry in entries if entry.name not in ignored and entry.is_dir(follow_symlinks=False)]
            waiting.extend((path, depth + 1) for path in reversed(below))


def _shown(path: str) -> str:
    text = ascii(path)
    return text if len(text) <= 120 else f"{text[:100]}…{text[-1]}"


def _why(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error)[:120] or type(error).__name__
