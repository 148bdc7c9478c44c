"""Everything that lies in a data home, over all agents: what is there, what is put away, what may go."""

from __future__ import annotations

import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from sostenuto.errors import ConversationInUse, UnknownSetting, UnusableInput, reason
from sostenuto.stores._glimpse import Glimpse, glimpse
from sostenuto.stores._lease import Lease, taken
from sostenuto.stores._locking import locked
from sostenuto.stores._names import checked_name
from sostenuto.stores._places import ARCHIVE, KINDS, TRANSCRIPT, Places
from sostenuto.stores._shelved import Shelved as Shelved
from sostenuto.stores._shelved import last_used, shelved
from sostenuto.stores._stock import FOLDER as RESULTS
from sostenuto.stores._stock import LOCK, Stock
from sostenuto.stores._walking import Measure, entries, files_below, measured
from sostenuto.stores._writing import flush_folder, make_folder

KEPT_LIVE = 100
"""Conversations of one agent that stay at hand; older ones are put away."""

_TRASH = ".trash-"
_DAY_S = 86_400.0
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Shelf:
    """The data home as a whole. It is read and tidied without opening a conversation, and none that is in use is touched.

    Folders whose names cannot be an agent's or a conversation's are passed over, and symbolic links are never followed.

    Args:
        home: the data home; it need not be there.
        clock: seconds since 1970, now.
    """

    def __init__(self, home: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._home = home.absolute()
        self._places = Places(self._home)
        self._clock = clock

    def listed(self, agent: str | None = None) -> list[Shelved]:
        """Every conversation, or those of one agent, archived ones too: the one that was used last comes first. Never raises."""
        found = [one for name in self._places.agents() if agent in (None, name) for one in self._of_agent(name)]
        return sorted(found, key=lambda one: (one.last_used or _LONG_AGO, one.agent, one.conversation), reverse=True)

    def holders(self, conversation: str) -> list[str]:
        """The agents that have a conversation of this name, at hand or in the archive. Never raises."""
        try:
            checked_name(conversation, what="conversation")
        except UnknownSetting:
            return []
        places = self._places
        kept = {name: (places.history(name, conversation), places.archived(name, conversation)) for name in places.agents()}
        return [name for name, folders in kept.items() if any(places.is_there(folder) for folder in folders)]

    def found(self, agent: str, conversation: str) -> Shelved | None:
        """One conversation by its name, at hand or else in the archive, or of which only work is left; None where there is none.

        Raises:
            UnknownSetting: that cannot be the name of an agent or a conversation.
            UnusableInput: the folder of the agent cannot be read.
        """
        checked_name(agent, what="agent")
        checked_name(conversation, what="conversation")
        try:
            folders = dict(reversed(self._places.conversations(agent)))  # those at hand are the first
        except OSError as error:
            raise UnusableInput(_unreadable(self._home / "history" / agent, error)) from None
        return self._shelved(agent, conversation, folders[conversation]) if conversation in folders else None

    def glimpse(self, one: Shelved) -> Glimpse:
        """How a conversation begins, and how many messages it has, without reading it through. Never raises."""
        place = self._places.archived if one.is_archived else self._places.history
        folder = place(one.agent, one.conversation)
        return glimpse(folder / TRANSCRIPT) if one.conversation and self._places.is_there(folder) else Glimpse()

    def archive(self, agent: str, *, keep: int = KEPT_LIVE) -> list[str]:
        """Put away all but the newest `keep` conversations of an agent; the names of those put away. Their work stays where it is.

        One that is in use, or of whose name one lies in the archive already, stays at hand.

        Raises:
            UnusableInput: there was something to put away, and none of it could be.
        """
        places, gone, troubles = self._places, [], []
        for kind in ("history", "work"):
            self._sweep(self._home / kind / checked_name(agent, what="agent"))
        with _troubles(self._home / "history" / agent, done="archived"):
            ages = sorted(((last_used(places.history(agent, name)) or _LONG_AGO, name) for name in places.live(agent)), reverse=True)
        for _, name in ages[keep:]:
            live = places.history(agent, name)
            try:
                with _troubles(live, done="archived"), self._leased(agent, name) as lease:
                    if self._moved(live, places.archived(agent, name), lease=lease):
                        gone.append(name)
            except ConversationInUse:
                continue
            except UnusableInput as error:
                troubles.append(error)
        if troubles and not gone:
            raise troubles[0]
        return gone

    def restored(self, agent: str, conversation: str) -> bool:
        """Take a conversation out of the archive, before it is opened by its name; False if it is not there, or one is at hand.

        Raises:
            UnusableInput: it cannot be taken out.
        """
        there = self._places.archived(checked_name(agent, what="agent"), checked_name(conversation, what="conversation"))
        if not self._places.is_there(there):
            return False
        with _troubles(there, done="taken out of the archive"), suppress(FileNotFoundError):  # another process was quicker
            return self._moved(there, self._places.history(agent, conversation))
        return False

    def delete(self, agent: str, conversation: str) -> Measure:
        """Remove a conversation with its work, be it at hand, in the archive, or nothing but work; how much that was.

        Raises:
            ConversationInUse: somebody writes it.
            UnusableInput: there is none, or it cannot be removed.
        """
        live = self._places.history(checked_name(agent, what="agent"), checked_name(conversation, what="conversation"))
        away, work = self._places.archived(agent, conversation), self._places.work(agent, conversation)
        if not any(map(self._places.is_there, (live, away, work))):
            raise UnusableInput(f"there is no conversation {conversation!r} of {agent!r} to delete")
        return self._removed(agent, conversation, folders=(work, away, live))

    def clear_work(self, agent: str, conversation: str) -> Measure:
        """Remove the work of a conversation: its journal, state, todos and whole results; how much that was. Its history stays.

        Raises:
            ConversationInUse: somebody writes it.
            UnusableInput: there is none, or it cannot be removed.
        """
        work = self._places.work(checked_name(agent, what="agent"), checked_name(conversation, what="conversation"))
        if not self._places.is_there(work):
            raise UnusableInput(f"conversation {conversation!r} of {agent!r} has no work to clear")
        return self._removed(agent, conversation, folders=(work,))

    def sizes(self) -> dict[str, Measure]:
        """How much there is: by kind, in bytes and files. Never raises."""
        return self._places.sizes()

    def purge(self, kind: str, older_than_days: float) -> Measure:
        """Remove what of a kind was not written for so many days, 0 for all of it; how much that was.

        Conversations (``history``, ``archive``) go with their work. What is in use stays.

        Raises:
            UnknownSetting: there is no such kind, or that is no number of days.
            UnusableInput: something cannot be removed; what went before it is gone.
        """
        if kind not in KINDS:
            raise UnknownSetting(f"kind {kind[:80]!r}: is not kept in the data home; give one of {', '.join(KINDS)}")
        if not 0 <= older_than_days < math.inf:
            raise UnknownSetting(f"days {older_than_days}: is no number of days; give 0 or more")
        until = self._clock() - older_than_days * _DAY_S if older_than_days else math.inf
        gone: Iterator[Measure]
        with _troubles(self._home / kind, done="purged"):
            if kind in ("history", "archive"):
                gone = self._purged_conversations(until, is_archived=kind == "archive")
            elif kind == "work":
                gone = self._purged_work(until)
            elif kind == "tool-results":
                gone = self._purged_results(until)
            else:
                gone = self._purged_files(self._home / kind, until)
            return sum(gone, start=Measure())

    def _of_agent(self, agent: str) -> list[Shelved]:
        try:
            return [self._shelved(agent, name, folder) for name, folder in self._places.conversations(agent)]
        except OSError as error:
            return [Shelved(agent, "", trouble=_unreadable(self._home / "history" / agent, error))]

    def _shelved(self, agent: str, conversation: str, history: Path) -> Shelved:
        work = self._places.work(agent, conversation)
        return shelved(agent, conversation, history=history, work=work, is_archived=history.parent.name == ARCHIVE)

    # ------------------------------------------------------------ moving and removing

    @contextmanager
    def _leased(self, agent: str, conversation: str) -> Iterator[Lease]:
        lease = taken(self._places.history(agent, conversation), conversation=conversation, home=self._home)
        try:
            yield lease
        finally:
            lease.close(discard=True)

    def _moved(self, source: Path, target: Path, *, lease: Lease | None = None) -> bool:
        """Give a folder another place in one step; False if something is there already."""
        make_folder(target.parent, home=self._home)
        if os.path.lexists(target):
            return False
        if lease is not None and sys.platform == "win32":
            lease.close()  # no folder is renamed there while a file in it is open
        os.rename(source, target)
        for parent in {source.parent, target.parent}:
            flush_folder(parent)
        return True

    def _removed(self, agent: str, conversation: str, *, folders: Sequence[Path]) -> Measure:
        """Remove folders of a conversation, in their order.

        Work comes before history: were the process killed in between, a new conversation of that name must not find an old journal.
        """
        gone = Measure()
        with _troubles(folders[-1], done="deleted"), self._leased(agent, conversation) as lease:
            for folder in filter(self._places.is_there, folders):
                gone += measured(folder)
                self._moved(folder, folder.with_name(f"{_TRASH}{uuid4().hex}"), lease=lease)
            gone += self._unindexed(agent, conversation)
        for folder in folders:
            self._sweep(folder.parent)
        return gone

    def _unindexed(self, agent: str, conversation: str, *, but: Path | None = None) -> Measure:
        """Remove the full-text indexes of a conversation, which hold its words; how much that was."""
        gone = Measure()
        for index in self._places.indexes(agent, conversation):
            for path in (index, *(index.with_name(index.name + ending) for ending in ("-wal", "-shm"))):
                if index != but and self._places.is_there(path.parent) and path.is_file() and not path.is_symlink():
                    gone += Measure(path.stat().st_size, 1)
                    path.unlink(missing_ok=True)
        return gone

    def _sweep(self, folder: Path) -> None:
        """Remove what was renamed to be removed, now or before a crash. What cannot be removed yet is tried again another time."""
        if not self._places.is_there(folder):
            return
        with suppress(OSError):
            for entry in entries(folder):
                if entry.name.startswith(_TRASH):
                    shutil.rmtree(entry.path, ignore_errors=True)

    def _purged_conversations(self, until: float, *, is_archived: bool) -> Iterator[Measure]:
        for one in self.listed():
            history, work = self._places.history(one.agent, one.conversation), self._places.work(one.agent, one.conversation)
            folder = self._places.archived(one.agent, one.conversation) if is_archived else history
            if one.is_archived is not is_archived or not _is_old(one, until) or not self._places.is_there(folder):
                continue
            is_twin = is_archived and self._places.is_there(history)  # then the work belongs to the one at hand
            with suppress(ConversationInUse):
                yield self._removed(one.agent, one.conversation, folders=(folder,) if is_twin else (work, folder))

    def _purged_work(self, until: float) -> Iterator[Measure]:
        for agent, name, folder in self._places.works():
            files = [(path, status) for path, status in files_below(folder) if path.relative_to(folder).parts[0] != RESULTS]
            if files and max(status.st_mtime for _, status in files) <= until:
                with suppress(ConversationInUse), self._leased(agent, name):
                    for path, status in files:
                        path.unlink(missing_ok=True)
                        yield Measure(status.st_size, 1)
                    with suppress(OSError):  # results are left in it
                        folder.rmdir()

    def _purged_results(self, until: float) -> Iterator[Measure]:
        for agent, name, work in self._places.works():
            if self._places.is_there(folder := work / RESULTS):
                with locked(folder / LOCK) as lock:
                    stock = Stock(folder)
                    stock.look(lock)
                    dropped = stock.drop_until(until)
                    yield from (Measure(size, 2) for size in dropped)
                    os.ftruncate(lock, 0)  # whoever has these results open must look again
                if dropped:
                    yield self._unindexed(agent, name, but=self._places.indexes(agent, name)[0])

    def _purged_files(self, root: Path, until: float) -> Iterator[Measure]:
        folders: set[Path] = set()
        for path, status in files_below(root) if self._places.is_there(root) else ():
            if status.st_mtime <= until and path.name != LOCK:
                path.unlink(missing_ok=True)
                folders.update(above for above in path.parents if above != root and above.is_relative_to(root))
                yield Measure(status.st_size, 1)
        for folder in sorted(folders, key=lambda above: len(above.parts), reverse=True):
            with suppress(OSError):  # something is left in it
                folder.rmdir()


def _unreadable(folder: Path, error: OSError) -> str:
    return f"{folder}: cannot be read ({reason(error)})"


def _is_old(one: Shelved, until: float) -> bool:
    return until == math.inf or (one.last_used is not None and one.last_used.timestamp() <= until)


@contextmanager
def _troubles(path: Path, *, done: str) -> Iterator[None]:
    """What the system refuses, as our own error."""
    try:
        yield
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be {done} ({reason(error)}); free the place and try again") from None
