"""A full-text index of the pieces of one conversation, in SQLite: a cache that is made again whenever it cannot be used (D39)."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from sostenuto.protocols import Found
from sostenuto.results import Wanted, excerpt, scanned, wanted
from sostenuto.stores._names import checked_name
from sostenuto.stores._places import TRANSCRIPT, Places

if TYPE_CHECKING:
    from sqlite3 import Connection

WAIT_S = 0.25
"""How long another process's writing is waited for."""
_MOST = 2**31
_Answer = TypeVar("_Answer")


class Index:
    """See `sostenuto.protocols.Finder`.

    A file that is missing, damaged, foreign or of another schema is made again; one that is locked or cannot be written is left alone,
    and this process goes on with an index in memory. Where SQLite has no full text, the texts are read through at every search.

    Args:
        path: the file (made with mode 0600, its folder with 0700); None for an index in memory.
        full_text: False to read the texts through, as on a machine without FTS5.
    """

    def __init__(self, path: Path | None, *, full_text: bool = True) -> None:
        self.path = path
        self._full_text = full_text
        self._connection: Connection | None = None
        self._plain = _Plain()
        self._mark = ""  # of what is in the file, as far as this object knows
        self._lock = Lock()

    def synced(self) -> tuple[int, str]:
        """See `Finder`."""
        count, mark, _ = self._state()
        return count, mark

    @property
    def stamp(self) -> str:
        """What `stamped` left, until the next `add`; "" for nothing."""
        return self._state()[2]

    def stamped(self, stamp: str) -> None:
        """Leave a stamp beside the pieces, such as the sizes of the files they came from. Never raises."""

        def leave(connection: Connection) -> None:
            with connection:
                connection.execute("update state set stamp = ?", (stamp,))

        with self._lock:
            self._asked(leave, otherwise=None)
            self._plain.stamp = stamp

    def add(self, pieces: Iterable[tuple[str, str, str]], /, *, mark: str) -> None:
        """See `Finder`. Where another process has written since `synced` was asked, nothing is added: ask again."""
        from sostenuto.stores import _full_text

        def put(connection: Connection) -> None:
            with connection:
                connection.execute("begin immediate")
                if _full_text.state(connection)[1] == self._mark:
                    _full_text.add_pieces(connection, pieces, mark=mark)
                    self._mark = mark

        with self._lock:
            if self._opened() is None:
                self._plain.add(pieces, mark=mark)
            else:
                self._asked(put, otherwise=None)

    def search(self, words: str, /, *, limit: int, offset: int = 0, last: Collection[str] = ()) -> Sequence[Found]:
        """See `Finder`."""
        query = wanted(words)

        def found(connection: Connection) -> list[Found]:
            from sostenuto.stores import _full_text

            held = ((*_full_text.body(connection, number), rank) for number, rank in _full_text.finds(connection, query))
            return _page(held, query, window=(offset, limit), last=frozenset(last))

        with self._lock:
            if self._opened() is None:
                return _page(self._plain.finds(query), query, window=(offset, limit), last=frozenset(last))
            return self._asked(found, otherwise=[])

    def piece(self, key: str) -> tuple[str, str] | None:
        """Source and whole text of the piece under a key; None where there is none. Never raises."""
        found = self._pieces(key=key)
        return (found[0][1], _joined([text for _, _, text in found])) if found else None

    def keys_from(self, source: str) -> list[str]:
        """The keys of the pieces with this source. Never raises."""
        return list(dict.fromkeys(key for key, _, _ in self._pieces(source=source)))

    def clear(self) -> None:
        """See `Finder`."""
        from sostenuto.stores import _full_text

        def empty(connection: Connection) -> None:
            with connection:
                _full_text.remove_all(connection)
            self._mark = ""

        with self._lock:
            self._asked(empty, otherwise=None)
            self._plain = _Plain()

    def close(self) -> None:
        """Let go of the file; the index can be used again. Never raises."""
        with self._lock:
            self._let_go(remove=False)

    # ------------------------------------------------------------------ how it is done

    def _state(self) -> tuple[int, str, str]:
        from sostenuto.stores import _full_text

        with self._lock:
            if self._opened() is None:
                return self._plain.count, self._plain.mark, self._plain.stamp
            found = self._asked(_full_text.state, otherwise=(0, "", ""))
            self._mark = found[1]
            return found

    def _pieces(self, *, key: str = "", source: str = "") -> list[tuple[str, str, str]]:
        def held(connection: Connection) -> list[tuple[str, str, str]]:
            from sostenuto.stores import _full_text

            numbers = _full_text.numbers_of(connection, key=key, source=source)
            return [_full_text.body(connection, number) for number in numbers]

        with self._lock:
            if self._opened() is None:
                return [piece for piece in self._plain.pieces if (piece[0] == key if key else piece[1] == source)]
            return self._asked(held, otherwise=[])

    def _asked(self, ask: Callable[[Connection], _Answer], *, otherwise: _Answer) -> _Answer:
        """What the open index answers. Where it fails it is given up: a damaged file is removed, any other goes on in memory."""
        from sqlite3 import DatabaseError, OperationalError

        from sostenuto.stores._full_text import is_damage

        connection = self._opened()
        if connection is None:
            return otherwise
        try:
            return ask(connection)
        except OperationalError as error:
            self._let_go(remove=is_damage(error))
            if not is_damage(error):  # locked, full, read-only, gone
                self.path = None
        except (DatabaseError, zlib.error, UnicodeError):
            self._let_go(remove=True)
        return otherwise

    def _opened(self) -> Connection | None:
        """The open index, opened if need be; None where SQLite has no full text."""
        if self._connection is None and self._full_text:
            self._connection = self._from_file() if self.path is not None else None
            if self._connection is None:
                self.path = None
                self._connection = _ready(":memory:")
            self._full_text = self._connection is not None
            self._mark = _mark_of(self._connection)
        return self._connection

    def _from_file(self) -> Connection | None:
        """The index in its file, made again where it is not one of ours; None where there can be none."""
        assert self.path is not None
        for _ in range(2):  # a second time: it was removed, or another process has made the tables meanwhile
            try:
                _prepare_file(self.path)
                return _ready(str(self.path))
            except _NotOurs:
                _remove(self.path)
            except OSError:
                continue
        return None

    def _let_go(self, *, remove: bool) -> None:
        if self._connection is not None:
            with suppress(Exception):  # whatever ails it, it is closed
                self._connection.close()
            self._connection = None
        if remove and self.path is not None:
            _remove(self.path)


def place_of(home: Path, *, agent: str, conversation: str) -> tuple[Path | None, str]:
    """Where the index of a conversation lies, in the cache, and the stamp of its transcript as it is now, at hand or in the archive.

    The path is None where there is no such conversation, or a symbolic link is on the way; the stamp is "" where there is no transcript.
    Nothing is read or made.

    Raises:
        UnknownSetting: the agent or the conversation cannot have that name.
    """
    places = Places(home.absolute())
    names = checked_name(agent, what="agent"), checked_name(conversation, what="conversation")
    folder = next(filter(places.is_there, (places.history(*names), places.archived(*names))), None)
    if folder is None:
        return None, ""
    path, _ = places.indexes(*names)
    place = path if places.is_free(path.parent) else None
    try:
        found = os.lstat(folder / TRANSCRIPT)
    except OSError:
        return place, ""
    return place, f"{found.st_ino}.{found.st_size}.{found.st_mtime_ns}"


def place_of_results(home: Path, *, agent: str, conversation: str) -> Path | None:
    """Where the index of a conversation's whole results lies; None as for `place_of`."""
    path, _ = place_of(home, agent=agent, conversation=conversation)
    return path and Places(home.absolute()).indexes(agent, conversation)[1]


class _Plain:
    """The pieces themselves, where there is nothing to index them with."""

    def __init__(self) -> None:
        self.pieces: list[tuple[str, str, str]] = []
        self.count, self.mark, self.stamp = 0, "", ""

    def add(self, pieces: Iterable[tuple[str, str, str]], /, *, mark: str) -> None:
        """More of them."""
        self.pieces.extend(pieces)
        self.count, self.mark, self.stamp = len(self.pieces), mark, ""

    def finds(self, query: Wanted) -> Iterator[tuple[str, str, str, int]]:
        """Those with the words of a query, the best first."""
        found = scanned(((number, text) for number, (_, _, text) in enumerate(self.pieces)), query)
        return ((*self.pieces[number], rank) for number, rank in found)


class _NotOurs(Exception):
    """A file that is no index of this schema."""


def _page(
    found: Iterable[tuple[str, str, str, int]], query: Wanted, *, window: tuple[int, int], last: frozenset[str]
) -> list[Found]:  # fmt: skip
    """The finds of one page, each key once; those whose key is in `last` behind all others."""
    offset, limit = (min(max(0, number), _MOST) for number in window)
    shown = islice(_ordered(found, last), offset, offset + limit)
    return [Found(key, source, excerpt(text, query), rank) for key, source, text, rank in shown]


def _ordered(found: Iterable[tuple[str, str, str, int]], last: frozenset[str]) -> Iterator[tuple[str, str, str, int]]:
    seen: set[str] = set()
    waiting: list[tuple[str, str, str, int]] = []
    for one in found:
        if one[0] not in seen:
            seen.add(one[0])
            if one[0] not in last:
                yield one
            else:
                waiting.append(one)
    yield from waiting


def _joined(slices: list[str]) -> str:
    from sostenuto.stores._full_text import SLICE

    return "".join(text[:SLICE] for text in slices[:-1]) + slices[-1]


def _ready(place: str) -> Connection | None:
    """An open index with its tables; None where SQLite has no full text.

    Raises:
        _NotOurs: the file is something else, or damaged.
        OSError: it cannot be used as it is.
    """
    from sqlite3 import DatabaseError, OperationalError, connect

    from sostenuto.stores import _full_text

    connection = None
    try:
        connection = connect(place, timeout=WAIT_S, isolation_level=None, check_same_thread=False)
        if not _full_text.has_full_text(connection):
            connection.close()
            return None
        if place != ":memory:":
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")
        if _full_text.is_empty(connection):
            _full_text.make_tables(connection)
        if not _full_text.is_ours(connection):
            raise _NotOurs
        _full_text.state(connection)
    except OperationalError as error:
        _close(connection)
        if _full_text.is_damage(error):
            raise _NotOurs from None
        raise OSError(str(error)) from None
    except DatabaseError:
        _close(connection)
        raise _NotOurs from None
    except _NotOurs:
        _close(connection)
        raise
    return connection


def _mark_of(connection: Connection | None) -> str:
    """The mark in an index that was just opened."""
    from sostenuto.stores import _full_text

    with suppress(Exception):  # whatever ails it comes up when it is asked
        return _full_text.state(connection)[1] if connection is not None else ""
    return ""


def _close(connection: Connection | None) -> None:
    if connection is not None:
        connection.close()


def _prepare_file(path: Path) -> None:
    """The folder and an empty file that only their owner can read.

    Raises:
        _NotOurs: a symbolic link lies there.
        OSError: it cannot be made, or something lies there that is no file: a device or a folder is nobody's cache.
    """
    for folder in reversed([path.parent, *path.parent.parents]):
        folder.mkdir(mode=0o700, exist_ok=True)
    if path.is_symlink():
        raise _NotOurs
    if path.exists() and not path.is_file():
        raise OSError(f"{path}: is no file")
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
    path.chmod(0o600)


def _remove(path: Path) -> None:
    """A cache is no loss; whatever is neither a file nor a link stays."""
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        with suppress(OSError):
            if name.is_symlink() or name.is_file():
                name.unlink()
