"""One conversation on disk, open for one writer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from sostenuto.protocols import Kept, Record
from sostenuto.stores._journal import Journal
from sostenuto.stores._lease import NAME as LEASE
from sostenuto.stores._lease import taken
from sostenuto.stores._lines import Lines
from sostenuto.stores._meta import note_use
from sostenuto.stores._places import EDITS, TRANSCRIPT


class LogOnDisk:
    """One conversation of `Files` (see `sostenuto.protocols.Log`).

    Attributes:
        conversation: its name.
        expects_from: see `Log`.
    """

    def __init__(self, conversation: str, *, folder: Path, journal: Journal, home: Path) -> None:
        """Raises ConversationInUse or UnusableInput."""
        self.conversation = conversation
        self.expects_from = 0
        self._folder, self._home = folder, home
        self._lease = taken(folder, conversation=conversation, home=home)
        self._left_by = self._lease.left_by
        self._writer: int | None = os.getpid()
        self._files = two_files(folder, home=home)
        self._journal = journal
        self._has_looked = self._has_written = False
        self._has_lost = False  # records are gone, and were not handed over again yet
        self._begins_anew = False  # what is left of them is to be moved aside before anything is written

    def read(self) -> Kept:
        """See `Log`. What cannot be read is moved aside or copied beside its file, and said in the notes."""
        before = [lines.highest for lines in self._files]
        kept = read_both(self._files, writes=self._is_open())
        if any(lines.highest < known for lines, known in zip(self._files, before, strict=True)):
            self._lose()
        self._place()
        if not self._left_by:
            return kept
        taken_over = f"conversation {self.conversation}: {self._left_by} ended without closing it; it was taken over"
        return Kept(kept.transcript, kept.edits, (*kept.notes, taken_over))

    def append(self, transcript: Sequence[Record], edits: Sequence[Record], /) -> bool:
        """See `Log`. Costs what is added: nothing is read or written again."""
        try:
            return self._is_open() and self._appended(transcript, edits)
        except Exception:  # whatever is wrong with the disk or with a record, the run goes on (D34)
            return False

    def _appended(self, transcript: Sequence[Record], edits: Sequence[Record], /) -> bool:
        if not self._lease.holds():  # the folder was removed or moved: another writer may have begun there
            self._lease.close()
            self._lease = taken(self._folder, conversation=self.conversation, home=self._home)
            for lines in self._files:
                lines.doubt()
        self._look()
        given = [record["seq"] for record in (*transcript, *edits)]
        if not given:
            return not self._has_lost
        if min(given) > self.expects_from:
            return False
        for lines, records in zip(self._files, (transcript, edits), strict=True):
            lines.add(records)
        self.expects_from = max(self.expects_from, *(lines.highest + 1 for lines in self._files))
        self._has_lost = False
        if not self._has_written:
            self._has_written = True
            note_use(self._folder, home=self._home)
        return True

    def _look(self) -> None:
        """Find out whether everything is there, or, the first time, where the files end."""
        for lines in self._files:
            if not lines.look():
                self._lose()
        if self._begins_anew:
            for lines in self._files:
                lines.begin_anew()
            self._begins_anew = False
        self._place()

    def _place(self) -> None:
        """The first time both files were looked at, what they hold says what comes next."""
        if not self._has_looked:
            self._has_looked = True
            self.expects_from = max(lines.highest for lines in self._files) + 1

    def _lose(self) -> None:
        """Records are gone that were safe. Whoever has them may number them anew, so nothing of the old stays between them."""
        self._has_lost = self._begins_anew = True
        self._has_written = False  # what was said beside the log may be gone too
        self.expects_from = 0

    def keep(self, items: Mapping[str, str], /) -> frozenset[str]:
        """All of them: they are in the transcript (D60)."""
        return frozenset(items)

    def journal(self, record: Record, /) -> bool:
        """See `Log`. The time is added: whoever decided on the compaction has no clock."""
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        return self._is_open() and self._journal.append({"recordedAt": moment, **record})

    def journalled(self) -> Sequence[Record]:
        """See `Log`."""
        return self._journal.records()

    def close(self) -> None:
        """See `Log`. Twice is once. A conversation in which nothing was ever written leaves nothing behind."""
        if not self._is_open():
            return
        self._writer = None
        if self._has_written and self._lease.holds():
            note_use(self._folder, home=self._home)
        is_bare = False
        with suppress(OSError):
            is_bare = os.listdir(self._folder) == [LEASE]
        self._lease.close(discard=is_bare)

    def _is_open(self) -> bool:
        """Whether it may write: not when it is closed, and not in a forked child (D33)."""
        return self._writer == os.getpid()


def two_files(folder: Path, *, home: Path) -> tuple[Lines, Lines]:
    """The transcript and the edits of a conversation."""
    return Lines(folder / TRANSCRIPT, home=home), Lines(folder / EDITS, home=home)


def read_both(files: tuple[Lines, Lines], *, writes: bool) -> Kept:
    """What is in them. The edits are read first: whatever they are about is in the transcript by then, even while somebody writes.

    Raises:
        UnusableInput: one of them is of a newer version or cannot be read; nothing was changed.
    """
    transcript, edits = files
    edited, about_edits = edits.read(writes=writes)
    said, about_transcript = transcript.read(writes=writes)
    return Kept(said, edited, (*about_transcript, *about_edits))
