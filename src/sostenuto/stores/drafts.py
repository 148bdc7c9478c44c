"""The scratchpad: long texts of one agent, kept as plain files until they are deleted."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sostenuto.errors import UnusableInput, reason
from sostenuto.stores._leftovers import remove_leftovers
from sostenuto.stores._locking import locked
from sostenuto.stores._walking import entries, is_folder
from sostenuto.stores._writing import make_folder, opened, replace_file
from sostenuto.work import NUMBERS, DraftLimits, clash, draft_part_fault, draft_path, missing, too_large

_LOCK = ".lock"


class FileDrafts:
    """The drafts below a folder (see `sostenuto.protocols.Drafts`). Nothing is read or written through a symbolic link.

    Args:
        folder: ``scratchpad/<agent>``; made by the first write.
        limits: above which a write fails and changes nothing; those of `DraftLimits` if None.
        home: the data home, below which no folder may be a symbolic link; None if all above `folder` is the person's own arrangement.
    """

    def __init__(self, folder: Path, *, limits: DraftLimits | None = None, home: Path | None = None) -> None:
        self._folder = folder.absolute()
        self._limits = limits if limits is not None else DraftLimits()
        self._home = (home or folder.absolute().parent).absolute()

    def listed(self) -> Sequence[tuple[str, int]]:
        """See `Drafts`."""
        return sorted(self._walked(self._folder, above="", depth=1)) if is_folder(self._folder, home=self._home) else []

    def read(self, path: str, /) -> str:
        """See `Drafts`."""
        name = draft_path(path)
        with self._troubles(name, done="read"):
            return _text(self._bytes(name), name=name)

    def write(self, path: str, text: str, /, *, append: bool = False) -> int:
        """See `Drafts`."""
        name = draft_path(path)
        _refuse(too_large(self._limits, path=name, size=len(text), files=1, total=len(text)))  # a huge text is not even encoded
        data = text.encode("utf-8", "surrogatepass")
        with self._troubles(name, done="written"), self._held():
            there = dict(self.listed())
            self._admit(name, size=len(data) + (there.get(name, 0) if append else 0), there=there)
            before = self._bytes(name) if os.path.lexists(self._folder / name) else b""
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
        name = draft_path(path)
        if not is_folder(self._folder, home=self._home):
            raise self._missing(name)
        with self._troubles(name, done="deleted"), self._held():
            self._bytes(name)
            target = self._folder / name
            target.unlink()
            for above in list(target.relative_to(self._folder).parents)[:-1]:
                with suppress(OSError):  # other drafts lie there
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
        except OSError as error:
            if done != "written" and isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError):
                raise self._missing(name) from None
            raise UnusableInput(f"{name} cannot be {done} ({reason(error)}); nothing was {done}") from None

    def _missing(self, name: str) -> UnusableInput:
        return UnusableInput(missing(name, [path for path, _ in self.listed()]))

    def _bytes(self, name: str) -> bytes:
        if is_folder(self._folder / name, home=self._home):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with os.fdopen(opened(self._folder / name, os.O_RDONLY, home=self._home), "rb") as file:
            return file.read()

    def _admit(self, name: str, *, size: int, there: dict[str, int]) -> None:
        """Raise UnusableInput if a draft of that size may not be beside those that are there."""
        after = {**there, name: size}
        _refuse(clash(name, there) or too_large(self._limits, path=name, size=size, files=len(after), total=sum(after.values())))

    def _walked(self, folder: Path, *, above: str, depth: int) -> Iterator[tuple[str, int]]:
        with suppress(OSError):  # unreadable, or gone meanwhile
            for entry in entries(folder):
                if draft_part_fault(entry.name):
                    continue
                if entry.is_file(follow_symlinks=False):
                    yield above + entry.name, entry.stat(follow_symlinks=False).st_size
                elif depth < NUMBERS.draft_depth and entry.is_dir(follow_symlinks=False):
                    yield from self._walked(Path(entry.path), above=f"{above}{entry.name}/", depth=depth + 1)


def _refuse(why: str) -> None:
    if why:
        raise UnusableInput(why)


def _text(data: bytes, *, name: str) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise UnusableInput(f"{name} holds bytes that are no text; it was left as it is") from None
