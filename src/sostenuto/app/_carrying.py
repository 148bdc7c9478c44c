"""Conversations that leave the data home and come into it: in any wire, or as our own records with their work."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sostenuto.app._home import readable_home, work_folder
from sostenuto.app._kept import kept_records, manager_of, snapshot_of
from sostenuto.app._redacting import without_secrets
from sostenuto.app._wires import CODECS
from sostenuto.engine import amounting
from sostenuto.errors import SostenutoError, UnknownSetting, UnusableInput, reason
from sostenuto.protocols import Kept, Record
from sostenuto.stores.files import Files
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.shelf import Shelf
from sostenuto.work import STATE, TODOS

if TYPE_CHECKING:
    from sostenuto.engine import Loss

LOG: Final = "log"
"""Names our own records, among the wires."""
KIND: Final = "sostenuto-conversation"
SCHEMA: Final = 1
_PAPERS: Final = (STATE, TODOS)
_FIRST_LINE: Final = 64 * 1024  # of ours, which says what the file is, has a few hundred bytes
_LONGEST_LINE: Final = 512 * 1024 * 1024
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Exported:
    """A conversation to be written down: one value a line. `losses` is what is not in it as it was, `format` what it is in.

    `redacted` says that something in it looked like a key or a password, and is left out.
    """

    format: str
    values: tuple[Any, ...]
    messages: int
    losses: tuple[Loss, ...] = ()
    problems: tuple[str, ...] = ()
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in: under which name, what it was read as, and how many messages and edits it has."""

    conversation: str
    reader: str
    messages: int
    edits: int = 0
    skipped: int = 0


def exported(home: Path, /, *, agent: str, conversation: str, to: str, with_secrets: bool = False) -> Exported:
    """A conversation in the wire format `to`, or as our own records (``log``). Nothing is written.

    Args:
        with_secrets: keys and passwords in it stay as they are (D59).

    Raises:
        UnknownSetting: there is no such conversation, or `to` names nothing. UnusableInput: it cannot be read.
    """
    if to not in (LOG, *CODECS):
        near = "".join(f"did you mean {name!r}? " for name in get_close_matches(to, (LOG, *CODECS), n=1))
        raise UnknownSetting(f"--to {to[:80]!r} is not known; {near}use {LOG}, {', '.join(CODECS)}")
    kept = kept_records(readable_home(home), agent=agent, conversation=conversation)
    made = _as_log(home, agent, conversation, kept) if to == LOG else _as_body(kept, conversation, to=to)
    if with_secrets:
        return made
    clean = tuple(map(without_secrets, made.values))
    return replace(made, values=clean, redacted=any(map(_differs, made.values, clean)))


def imported(
    home: Path, path: Path, /, *, agent: str, conversation: str = "", named: str = "", model: str = "", format: str = "auto"
) -> Imported:
    """Take a file in as a conversation: our own records, or any recorded session that is known.

    Args:
        conversation: its name; default: the one it was exported under, else one made of `named`.
        named: what the file is called, where `path` is not its name.
        model: whom it goes on with; default: the recorded one.
        format: what the recording is.

    Raises:
        UnknownSetting: one of that name is there, or it cannot be a name. UnusableInput: the file cannot be read or taken in.
    """
    otherwise = _stem(named or path.name)
    own = _own(path) if format == "auto" else None
    if own is not None:
        return _take_log(home, own, agent=agent, conversation=conversation or str(own.head.get("conversation") or otherwise))
    return _take_recording(home, path, agent=agent, conversation=conversation or otherwise, model=model, format=format)


# ------------------------------------------------------------------ out


def _differs(one: Any, other: Any) -> bool:
    """Whether two values are different JSON."""
    return json.dumps(one) != json.dumps(other)


def _as_body(kept: Kept, conversation: str, *, to: str) -> Exported:
    """The whole transcript as a request of that wire holds it; what left the view is in it as it was said."""
    from sostenuto.engine import translated

    snapshot = snapshot_of(kept, conversation=conversation)
    whole = {**snapshot, "edits": [], "meta": {**snapshot["meta"], "order": None}}
    messages = manager_of(whole, conversation=conversation).history
    made = translated(messages, source=CODECS[snapshot["format"]], target=CODECS[to])
    return Exported(to, (made.body,), len(snapshot["transcript"]), made.losses, tuple(CODECS[to].problems(made.body)))


def _as_log(home: Path, agent: str, conversation: str, kept: Kept) -> Exported:
    papers = FilePapers(work_folder(home, agent=agent, conversation=conversation), home=home)
    work = {name: value for name in _PAPERS if (value := papers.read(name)) is not None}
    messages = len(snapshot_of(kept, conversation=conversation)["transcript"])
    lines: list[Any] = [{"kind": KIND, "schema": SCHEMA, "agent": agent, "conversation": conversation, "messages": messages}]
    lines += [{name: record} for name, record in _in_order(kept)]
    lines += [{"journal": record} for record in Files(home, agent=agent).journalled(conversation)]
    lines += [{"paper": [name, value]} for name, value in work.items()]
    return Exported(LOG, tuple(lines), messages)


def _in_order(kept: Kept) -> Iterator[tuple[str, Record]]:
    """Every record with its list, numbered anew: where a line was damaged there is no hole."""
    both = [("said", record) for record in kept.transcript] + [("done", record) for record in kept.edits]
    for number, (name, record) in enumerate(sorted(both, key=lambda one: int(one[1]["seq"]))):
        yield name, {**record, "seq": number}


# ------------------------------------------------------------------ in


@dataclass(frozen=True, slots=True)
class _Own:
    """A file of our own records: what its first line says, and the lines behind it."""

    path: Path
    head: Mapping[str, Any]
    lines: Iterable[tuple[int, Mapping[str, Any]]]


def _own(path: Path) -> _Own | None:
    """A file of our own; None for any other.

    Raises:
        UnusableInput: it cannot be read, or a newer version wrote it.
    """
    lines = _lines(path)
    head = next(lines, (0, {}))[1]
    if head.get("kind") != KIND:
        return None
    if head.get("schema") != SCHEMA:
        raise UnusableInput(
            f"{path}: written by another version (schema {head.get('schema')!r}, this one knows {SCHEMA}); update this program"
        )
    return _Own(path, head, lines)


def _lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file of JSON lines, plain or gzipped; where the first line is none, nothing."""
    try:
        with path.open("rb") as plain:
            start = plain.read(2)
        with gzip.open(path, "rb") if start == _GZIP else path.open("rb") as file:
            number, line = 1, file.readline(_FIRST_LINE)
            while line:
                value = _object(line) if line.endswith(b"\n") else None
                if value is not None:
                    yield number, value
                elif number == 1:
                    return
                elif line.strip():
                    raise UnusableInput(f"{path}, line {number}: is no record, or cut off; export the conversation again")
                number, line = number + 1, file.readline(_LONGEST_LINE)
    except (OSError, EOFError) as error:
        raise UnusableInput(f"{path}: cannot be read ({reason(error)}); name a file") from None


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _take_log(home: Path, own: _Own, *, agent: str, conversation: str) -> Imported:
    said: list[Record] = []
    done: list[Record] = []
    journal: list[Record] = []
    papers: dict[str, Any] = {}
    for number, line in own.lines:
        _sort(line, said=said, done=done, journal=journal, papers=papers, where=f"{own.path}, line {number}")
    if not any("ordinal" in record for record in said):
        raise UnusableInput(f"{own.path}: holds no message; export the conversation again")
    messages = own.head.get("messages")
    snapshot = snapshot_of(Kept(said, done), conversation=conversation)
    if messages != len(snapshot["transcript"]):
        raise UnusableInput(f"{own.path}: ends after {len(snapshot['transcript']):,} of {messages!r} messages; copy the file again")
    if amounting(Kept(said, done))[1].odd:
        raise UnusableInput(f"{own.path}: some of its records cannot be understood; export the conversation again")
    manager_of(snapshot, conversation=conversation)  # what could not be gone on with is refused
    _check_free(home, agent, conversation)
    log = Files(home, agent=agent).open(conversation)
    with _whole_or_not(home, agent, conversation, close=log.close):
        if log.read().transcript:
            raise UnknownSetting(_taken(agent, conversation))
        if not all(log.journal(record) for record in journal) or not log.append(said, done):
            raise UnusableInput(_unwritten(home, conversation))
    desk = FilePapers(work_folder(home, agent=agent, conversation=conversation), home=home)
    for name, value in papers.items():
        desk.write(name, value)
    return Imported(conversation, LOG, len(snapshot["transcript"]), len(snapshot["edits"]))


def _sort(
    line: Mapping[str, Any], *, said: list[Record], done: list[Record], journal: list[Record], papers: dict[str, Any], where: str
) -> None:
    """One line to where it belongs; records are numbered as they come."""
    lists: dict[str, Callable[[Record], None]] = {"said": said.append, "done": done.append, "journal": journal.append}
    for name, value in line.items():
        if name in lists and isinstance(value, dict):
            lists[name](value if name == "journal" else {**value, "seq": len(said) + len(done)})
        elif name == "paper" and isinstance(value, list) and len(value) == 2 and value[0] in _PAPERS:
            papers[value[0]] = value[1]
        else:
            raise UnusableInput(f"{where}: is no record of a conversation; export it again")


def _take_recording(home: Path, path: Path, *, agent: str, conversation: str, model: str, format: str) -> Imported:
    from sostenuto.manager import ContextManager
    from sostenuto.recordings.opening import open_recording

    recording = open_recording(path, format=format)
    _check_free(home, agent, conversation)
    manager = ContextManager(
        model=model or recording.model or "",
        format=recording.format,
        store=Files(home, agent=agent),
        conversation=conversation,
    )
    with _whole_or_not(home, agent, conversation, close=manager.close):
        if manager.snapshot()["transcript"]:
            raise UnknownSetting(_taken(agent, conversation))
        if not manager.note(list(recording.messages)):
            raise UnusableInput(_unwritten(home, conversation))
        return Imported(conversation, recording.reader, len(manager.snapshot()["transcript"]), skipped=len(recording.skipped))


@contextmanager
def _whole_or_not(home: Path, agent: str, conversation: str, *, close: Callable[[], None]) -> Iterator[None]:
    """What could not be written whole is taken away again; a name that turned out to be taken is somebody else's."""
    try:
        yield
    except UnknownSetting:
        close()
        raise
    except BaseException:
        close()
        with suppress(SostenutoError):
            Shelf(home).delete(agent, conversation)
        raise
    close()


def _check_free(home: Path, agent: str, conversation: str) -> None:
    """Raises UnknownSetting where the name is taken, be it in the archive or by work alone, or cannot be one."""
    shelf = Shelf(readable_home(home))
    # where large and small letters are one, the name of another would be this one's folder
    if shelf.found(agent, conversation) is not None or conversation.lower() in {one.conversation.lower() for one in shelf.listed(agent)}:
        raise UnknownSetting(_taken(agent, conversation))


def _unwritten(home: Path, conversation: str) -> str:
    return f"{home}: conversation {conversation!r} cannot be written there; free some room and try again"


def _taken(agent: str, conversation: str) -> str:
    return f"agent {agent!r} has a conversation {conversation!r} already, and nothing is written over it; give another name with --as"


def _stem(name: str) -> str:
    """A name made of that of a file."""
    stem = name
    for ending in (".gz", ".jsonl", ".json", ".log"):
        stem = stem.removesuffix(ending)
    made = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in stem)
    return made.strip("._-")[:100] or "imported"
