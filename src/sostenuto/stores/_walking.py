"""Looking through folders of the data home without ever leaving them: symbolic links are seen and not followed."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measure:
    """How much lies somewhere."""

    bytes: int = 0
    files: int = 0

    def __add__(self, other: Measure) -> Measure:
        return Measure(self.bytes + other.bytes, self.files + other.files)


def is_folder(path: Path, *, home: Path) -> bool:
    """Whether a real folder lies there, and every step below the home is one."""
    step = home
    for part in path.relative_to(home).parts:
        step /= part
        try:
            if not stat.S_ISDIR(os.lstat(step).st_mode):
                return False
        except OSError:
            return False
    return path.is_dir()


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """What lies in a folder, by name. Raises OSError when it cannot be read; none where there is no folder."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def files_below(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """Every regular file in a folder and all folders in it, as far as they can be read."""
    found = []
    waiting = [folder]
    while waiting:
        try:
            for entry in entries(waiting.pop()):
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    found.append((Path(entry.path), entry.stat(follow_symlinks=False)))
        except OSError:  # unreadable, or gone meanwhile
            continue
    return found


def measured(folder: Path) -> Measure:
    """How much lies in a folder."""
    files = files_below(folder)
    return Measure(sum(status.st_size for _, status in files), len(files))
