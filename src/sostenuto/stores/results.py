"""Whole tool results, each a text file with a note beside it that says whose words it holds (origin 4.2, D15)."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

from sostenuto.errors import UnusableInput, reason
from sostenuto.protocols import KeptResult
from sostenuto.results import KEPT_BYTES, Kind, Provenance
from sostenuto.stores._locking import locked
from sostenuto.stores._notes import Notes
from sostenuto.stores._stock import BODY, FOLDER, LOCK, NOTE, Stock
from sostenuto.stores._walking import is_folder
from sostenuto.stores._writing import make_folder, opened, replace_file
from sostenuto.work import is_device

SCHEMA = 1

_DIGEST = "~"
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")  # origin 4.2, but for hidden names
_FRAME = re.compile(r'<untrusted source="(?P<source>[^"<>\n]{0,400})" kind="(?P<kind>[a-z-]{1,20})">\n')


class FileResults:
    """The whole results of one conversation (see `sostenuto.protocols.KeptResults`).

    Under ``tool-results/`` a result is ``<key>.txt``, its text as UTF-8 without any change, and ``<key>.provenance.json`` with key, tool,
    call and provenance. A key that may not name a file is kept under its digest. Above the cap the oldest results make room for new ones.

    Args:
        folder: ``work/<agent>/<conversation>``; made with the first result.
        cap_bytes: what texts and notes may take together.
        home: the data home, below which no folder may be a symbolic link; None if all above `folder` is the person's own arrangement.
    """

    def __init__(self, folder: Path, *, cap_bytes: int = KEPT_BYTES, home: Path | None = None) -> None:
        self._folder = folder.absolute() / FOLDER
        self._cap = cap_bytes
        self._home = (home or folder.absolute().parent).absolute()
        self._stock = Stock(self._folder)
        self._notes = Notes()
        self._gone = 0
        self._gone_bytes = 0

    def notes(self) -> tuple[str, ...]:
        """Lines for the person: what could not be kept of late, and what had to make room."""
        return self._notes.lines()

    def keep(self, key: str, result: KeptResult, /) -> bool:
        """See `KeptResults`."""
        if len(result.text) > self._cap:  # each character is a byte at least: nothing has to be read to know
            return self._refused(f"{result.tool}: a result of {len(result.text):,} characters is over the cap of {self._cap:,} bytes")
        try:
            body, note = result.text.encode("utf-8", "surrogatepass"), _note(key, result)
            if len(body) + len(note) > self._cap:
                return self._refused(f"{result.tool}: a result of {len(body):,} bytes is over the cap of {self._cap:,} bytes")
            make_folder(self._folder, home=self._home)
            with locked(self._folder / LOCK) as lock:
                self._stock.look(lock)
                kept = self._put(key, body=body, note=note)
        except (OSError, UnusableInput) as error:
            return self._refused(f"{self._folder}: a result could not be kept ({reason(error)}); the next one is tried again")
        self._notes.overcome("keep")
        return kept

    def kept(self, key: str, /) -> KeptResult | None:
        """See `KeptResults`."""
        path = self._folder / _name(key)
        try:
            note = self._bytes(f"{path}{NOTE}")
            body = self._bytes(f"{path}{BODY}")
        except (OSError, UnusableInput) as error:
            self._notes.say("read", f"{path}{BODY}: cannot be read ({reason(error)}); run the tool again")
            return None
        if body is None or not self._fits(note, key=key):
            return None
        self._notes.overcome("read")
        return _result(body, note=note, key=key)

    def listed(self) -> tuple[str, ...]:
        """See `KeptResults`. Nothing is read but the notes of keys that may not name a file."""
        found: list[tuple[int, str]] = []
        try:
            if is_folder(self._folder, home=self._home):
                with os.scandir(self._folder) as entries:
                    texts = [entry for entry in entries if entry.name.endswith(BODY) and entry.is_file(follow_symlinks=False)]
                    found = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.name.removesuffix(BODY)) for entry in texts]
        except OSError as error:
            self._notes.say("list", f"{self._folder}: cannot be read ({reason(error)})")
            return ()
        self._notes.overcome("list")
        return tuple(key for _, name in sorted(found) if (key := self._key(name)))

    def _key(self, name: str) -> str:
        """The key whose files have this name; "" where that is not known any more."""
        if not name.startswith(_DIGEST):
            return name
        with suppress(OSError, UnusableInput):
            key = (_about(self._bytes(f"{self._folder / name}{NOTE}")) or {}).get("key")
            return key if isinstance(key, str) else ""
        return ""

    def purge(self) -> bool:
        """Remove every result; whether none is left. Never raises."""
        if not os.path.lexists(self._folder):
            return True
        try:
            make_folder(self._folder, home=self._home)  # which refuses a link
            with locked(self._folder / LOCK) as lock:
                self._stock.look(lock)
                self._stock.drop_until(math.inf)
        except (OSError, UnusableInput) as error:
            self._notes.say("purge", f"{self._folder}: cannot be emptied ({reason(error)})")
            return False
        self._notes.overcome("purge")
        return True

    def _put(self, key: str, *, body: bytes, note: bytes) -> bool:
        name = _name(key)
        path = self._folder / name
        if self._stock.has(name):  # the first one is the whole result: it stays
            return self._fits(self._bytes(f"{path}{NOTE}"), key=key)
        self._make_room(len(body) + len(note))
        replace_file(Path(f"{path}{NOTE}"), note, home=self._home)  # first, so that no text ever lies there as nobody's words
        try:
            replace_file(Path(f"{path}{BODY}"), body, home=self._home)
        except BaseException:
            with suppress(OSError):
                os.unlink(f"{path}{NOTE}")
            raise
        self._stock.add(name, len(body) + len(note))
        return True

    def _make_room(self, size: int) -> None:
        while self._stock.bytes + size > self._cap:
            self._gone_bytes += self._stock.drop_oldest()
            self._gone += 1
            self._notes.say(
                "cap",
                f"{self._folder}: over its cap of {self._cap:,} bytes, so the oldest {self._gone:,} results ({self._gone_bytes:,} bytes) "
                "made room; where one is needed, its tool must run again",
            )

    def _fits(self, note: bytes | None, *, key: str) -> bool:
        """Whether what lies under the name of a key is this key's, and of a version we can read."""
        about = _about(note) or {}
        if (schema := about.get("schema")) != SCHEMA and isinstance(schema, int) and schema > SCHEMA:
            self._notes.say(
                "read", f"{self._folder / _name(key)}{NOTE}: written by a newer version; update this program; it was left as it is"
            )
            return False
        # a file system that takes large and small letters for one may hold another key's result there
        return bool(about.get("key", _as_read(key)) == _as_read(key))

    def _refused(self, line: str) -> bool:
        self._notes.say("keep", line)
        return False

    def _bytes(self, path: str) -> bytes | None:
        """A file; None where there is none."""
        try:
            handle = opened(Path(path), os.O_RDONLY, home=self._home)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with os.fdopen(handle, "rb") as file:
            return file.read()


def _name(key: str) -> str:
    """What a key's files are called: the key itself where that is safe everywhere, else its digest, which no key looks like."""
    if _PLAIN.fullmatch(key) and not is_device(key):
        return key
    return _DIGEST + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _as_read(key: str) -> str:
    """A key as it comes back from JSON, where two halves of a character become one."""
    return str(json.loads(json.dumps(key)))


def _note(key: str, result: KeptResult) -> bytes:
    whose = result.provenance
    about = {
        "schema": SCHEMA,
        "key": key,
        "tool": result.tool,
        "call_id": result.call_id,
        "provenance": None if whose is None else {"kind": whose.kind, "source": whose.source, "reminder": whose.reminder},
    }
    return json.dumps(about, indent=2).encode() + b"\n"


def _about(note: bytes | None) -> dict[str, Any] | None:
    """What a note says: nothing where there is none, None where it cannot be read."""
    try:
        about = json.loads(note or b"{}")
    except (ValueError, RecursionError):
        return None
    return about if isinstance(about, dict) else None


def _result(body: bytes, *, note: bytes | None, key: str) -> KeptResult:
    try:
        text = body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # no text of ours; most of it can still be read
        text = body.decode("utf-8", "replace")
    about = _about(note)
    whose = _embedded(text) if note is None else _provenance((about or {}).get("provenance", "?"))
    tool, call_id = ((about or {}).get(field) for field in ("tool", "call_id"))
    return KeptResult(text, str(tool or ""), call_id if isinstance(call_id, str) else key, whose)


def _provenance(said: Any) -> Provenance | None:
    """Whose words they are by their note. Where it says nothing that can be understood they are a stranger's."""
    if said is None:
        return None
    about: dict[str, Any] = said if isinstance(said, dict) else {}
    if about.get("kind") not in get_args(Kind):
        return Provenance("external", "a place that its note does not tell")
    return Provenance(about["kind"], str(about.get("source", "")), str(about.get("reminder", "")))


def _embedded(text: str) -> Provenance | None:
    """Whose words they are by the frame they stand in already (origin 4.5)."""
    frame = _FRAME.match(text)
    return _provenance(frame.groupdict()) if frame else None
