"""The scratchpad: long texts of one agent, kept as plain files until they are deleted."""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sostenuto.errors import UnusableInput
from sostenuto.stores._leftovers import remove_leftovers
from sostenuto.stores._locking import locked
from sostenuto.stores._names import is_device
from sostenuto.stores._notes import reason
from sostenuto.stores._walking import entries, is_folder
from sostenuto.stores._writing import make_folder, opened, replace_file


@dataclass(frozen=True, slots=True)
class DraftLimits:
    """What a scratchpad may hold.

    Attributes:
        file_bytes: of one text.
        files: how many texts.
        total_bytes: of all texts together.
        depth: folders and file name together, in steps of a path (origin 9.1).
        segment: characters of one step (origin 9.1).
    """

    file_bytes: int = 5_000_000
    files: int = 2_000
    total_bytes: int = 1_000_000_000
    depth: int = 4
    segment: int = 128


LIMITS = DraftLimits()

_LOCK = ".lock"
_SEGMENT_BYTES = 240  # file systems take 255, and a file that is being replaced is called a little longer for a moment
_RESERVED = frozenset('<>:"|?*\\')
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")  # several scripts and many emoji need them
_SHOWN = 80
_ALIKE = 200  # characters and paths compared when the nearest path is looked for


class FileDrafts:
    """The texts below a folder (see `sostenuto.protocols.Drafts`). Nothing is read or written through a symbolic link.

    Args:
        folder: ``scratchpad/<agent>``; made by the first write.
        limits: above which a write fails and changes nothing.
        home: the data home, below which no folder may be a symbolic link; None if all above `folder` is the person's own arrangement.
    """

    def __init__(self, folder: Path, *, limits: DraftLimits = LIMITS, home: Path | None = None) -> None:
        self._folder = folder.absolute()
        self._limits = limits
        self._home = (home or folder.absolute().parent).absolute()

    def listed(self) -> Sequence[tuple[str, int]]:
        """See `Drafts`."""
        return sorted(self._walked(self._folder, above="", depth=1)) if is_folder(self._folder, home=self._home) else []

    def read(self, path: str, /) -> str:
        """See `Drafts`."""
        name = self._checked(path)
        with self._troubles(name, done="read"):
            return _text(self._bytes(name), name=name)

    def write(self, path: str, text: str, /, *, append: bool = False) -> int:
        """See `Drafts`."""
        name = self._checked(path)
        self._admit(name, size=len(text))  # each character is a byte at least: a huge text is not even encoded
        data = text.encode("utf-8", "surrogatepass")
        with self._troubles(name, done="written"), self._held():
            there = dict(self.listed())
            self._admit(name, size=len(data) + (there.get(name, 0) if append else 0), there=there)
            before = self._bytes(name) if self._is_there(name) else b""
            if append:
                _text(before, name=name)
                data = before + data
            target = self._folder / name
            make_folder(target.parent, home=self._home)
            replace_file(target, data, home=self._home)
            remove_leftovers(target.parent, of=target.name)
        return len(data)

    def delete(self, path: str, /) -> None:
        """See `Drafts`."""
        name = self._checked(path)
        if not is_folder(self._folder, home=self._home):
            raise self._missing(name)
        with self._troubles(name, done="deleted"), self._held():
            self._bytes(name)
            target = self._folder / name
            target.unlink()
            for above in list(target.relative_to(self._folder).parents)[:-1]:
                with suppress(OSError):  # other texts lie there
                    (self._folder / above).rmdir()

    @contextmanager
    def _held(self) -> Iterator[None]:
        make_folder(self._folder, home=self._home)
        with locked(self._folder / _LOCK):
            yield

    @contextmanager
    def _troubles(self, name: str, *, done: str) -> Iterator[None]:
        """What the system refuses, as our own error."""
        try:
            yield
        except (FileNotFoundError, NotADirectoryError) as error:
            if done == "written":
                raise UnusableInput(f"{_shown(name)}: cannot be written ({reason(error)}); nothing was changed") from None
            raise self._missing(name) from None
        except OSError as error:
            raise UnusableInput(f"{_shown(name)}: cannot be {done} ({reason(error)}); nothing was changed") from None

    def _missing(self, name: str) -> UnusableInput:
        names = [path for path, _ in self.listed()]
        alike = [path for path in names if path.rpartition("/")[2] == name.rpartition("/")[2]]
        alike = alike or difflib.get_close_matches(name[:_ALIKE], [path for path in names if len(path) <= _ALIKE], n=1, cutoff=0.5)
        hint = f"the nearest is {_shown(alike[0])}" if alike else f"there are {len(names):,} texts" if names else "the scratchpad is empty"
        return UnusableInput(f"{_shown(name)}: there is no such text; {hint}")

    def _is_there(self, name: str) -> bool:
        return os.path.lexists(self._folder / name)

    def _bytes(self, name: str) -> bytes:
        with os.fdopen(opened(self._folder / name, os.O_RDONLY, home=self._home), "rb") as file:
            return file.read()

    def _admit(self, name: str, *, size: int, there: dict[str, int] | None = None) -> None:
        """Raise UnusableInput if a text of that size would pass a limit."""
        limits = self._limits
        if size > limits.file_bytes:
            raise UnusableInput(
                f"{_shown(name)}: would have {size:,} bytes, and a text may have {limits.file_bytes:,}; nothing was written"
            )
        if there is not None and name not in there and len(there) >= limits.files:
            raise UnusableInput(f"{_shown(name)}: there are {len(there):,} texts, and no more may be; delete one; nothing was written")
        others = sum(bytes_there for path, bytes_there in (there or {}).items() if path != name)
        if (total := others + size) > limits.total_bytes:
            raise UnusableInput(
                f"{_shown(name)}: all texts together would have {total:,} bytes, and may have {limits.total_bytes:,}; "
                "delete one; nothing was written"
            )

    def _walked(self, folder: Path, *, above: str, depth: int) -> Iterator[tuple[str, int]]:
        with suppress(OSError):  # unreadable, or gone meanwhile
            for entry in entries(folder):
                if _objection(entry.name, segment=self._limits.segment):
                    continue
                if entry.is_file(follow_symlinks=False):
                    yield above + entry.name, entry.stat(follow_symlinks=False).st_size
                elif depth < self._limits.depth and entry.is_dir(follow_symlinks=False):
                    yield from self._walked(Path(entry.path), above=f"{above}{entry.name}/", depth=depth + 1)

    def _checked(self, path: str) -> str:
        """The path in its one form. Raises UnusableInput for what cannot be one."""
        limits = self._limits
        if len(path) > limits.depth * _SEGMENT_BYTES * 2:
            why = f"it has {len(path):,} characters"
        else:
            path = unicodedata.normalize("NFC", path)
            steps = path.split("/")
            why = next(filter(None, (_objection(step, segment=limits.segment) for step in steps)), "")
            if len(steps) > limits.depth:
                why = why or f"it is more than {limits.depth} steps deep"
        if why:
            raise UnusableInput(f"{_shown(path)}: {why}; a path of the scratchpad is like report/outline.md")
        return path


def _objection(step: str, *, segment: int) -> str:
    """Why a step of a path cannot be one; "" if it can."""
    if not step:
        return "a name in it is empty (no slash stands at either end, or next to another)"
    if step[0] == "." or step[-1] in ". ":
        return "no name begins with a dot, or ends with a dot or a space"
    if len(step) > segment or len(step.encode("utf-8", "replace")) > _SEGMENT_BYTES:
        return f"a name in it is longer than {segment} characters or {_SEGMENT_BYTES} bytes"
    if odd := next((letter for letter in step if letter in _RESERVED or _is_unseen(letter)), ""):
        return f"it holds the character {odd!a}"
    if is_device(step):
        return "Windows keeps that name for a device"
    return ""


def _is_unseen(letter: str) -> bool:
    return unicodedata.category(letter) in _UNSEEN and letter not in _JOINERS


def _text(data: bytes, *, name: str) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise UnusableInput(f"{_shown(name)}: holds bytes that are no text; it was left as it is") from None


def _shown(path: str) -> str:
    return repr(path if len(path) <= _SHOWN else f"{path[:_SHOWN]}...")
