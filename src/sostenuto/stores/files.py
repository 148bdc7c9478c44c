"""Conversations as files of the person who has them: two logs of JSON lines for each, which only grow (D32, D33, D34)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sostenuto.protocols import Kept, Record
from sostenuto.stores._journal import Journal
from sostenuto.stores._log import LogOnDisk, read_both, two_files
from sostenuto.stores._names import checked_name
from sostenuto.stores._places import Places

DEFAULT_AGENT: Final = "default"


class Files:
    """Conversations of one agent below a data home (see `sostenuto.protocols.Store`).

    ``history/<agent>/<conversation>/`` holds ``transcript.jsonl`` and ``edits.jsonl``, which are only ever added to, ``lease.json``,
    which says who writes them now, and ``meta.json`` for lists; ``work/<agent>/<conversation>/journal.jsonl`` the journal of its
    compactions. Folders and files are their owner's only, and nothing is written through a symbolic link.

    Args:
        home: the data home; nothing is made there before a conversation is opened.
        agent: whose conversations.

    Raises:
        UnknownSetting: the agent's name cannot be one.
    """

    def __init__(self, home: Path, *, agent: str = DEFAULT_AGENT) -> None:
        self._home = home.absolute()
        self._agent = checked_name(agent, what="agent")

    def open(self, conversation: str, /) -> LogOnDisk:
        """See `Store`. A lease that a dead process left is taken over, and said in the notes of what is read then.

        Raises:
            ConversationInUse: somebody else is writing it; the text says who, on which host and since when.
            UnusableInput: the name cannot be one, or the place cannot be used.
        """
        folder = self._folder(conversation)
        return LogOnDisk(conversation, folder=folder, journal=self._journal(conversation), home=self._home)

    def read(self, conversation: str, /) -> Kept:
        """What a conversation holds now, at hand or in the archive, whoever is writing it. Empty where there is none.

        Nothing at all is written (D33).

        Raises:
            UnusableInput: the name cannot be one, or a file cannot be read or is of a newer version.
        """
        places, folder = Places(self._home), self._folder(conversation)
        away = places.archived(self._agent, conversation)
        is_away = not places.is_there(folder) and places.is_there(away)
        return read_both(two_files(away if is_away else folder, home=self._home), writes=False)

    def journalled(self, conversation: str, /) -> Sequence[Record]:
        """Every compaction that was written down, oldest first, whoever is writing the conversation; nothing at all is written.

        Raises:
            UnknownSetting: the name cannot be one.
        """
        return self._journal(checked_name(conversation, what="conversation")).records()

    def _journal(self, conversation: str) -> Journal:
        return Journal(self._home / "work" / self._agent / conversation / "journal.jsonl", home=self._home)

    def _folder(self, conversation: str) -> Path:
        return self._home / "history" / self._agent / checked_name(conversation, what="conversation")
