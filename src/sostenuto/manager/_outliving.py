"""What a manager says and takes of a conversation that goes on: its history, its journal, what is noted between requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sostenuto import engine as machinery
from sostenuto.manager._checking import asked as check_asked
from sostenuto.protocols import Raw, Record

if TYPE_CHECKING:
    from sostenuto.engine import Level
    from sostenuto.manager._driving import Driver


class Outliving:
    """The part of `ContextManager` for conversations that outlive the process."""

    _driver: Driver

    @property
    def history(self) -> list[Raw]:
        """The messages to go on with, in the wire of this conversation: hand them to `prepare` with what is new behind them.

        For a conversation that was taken up from a store by a process that has nothing of it.
        """
        return self._driver.history()

    def preface(self, text: str) -> None:
        """Words of the assistant in front of everything, until the next compaction; no part of the conversation, and never kept.

        What is known of the work so far stands there when a conversation goes on (see `sostenuto.work.preamble`).
        """
        self._driver.preface(text)

    @property
    def journal(self) -> Sequence[Record]:
        """Every compaction that was written down, oldest first; empty without a store."""
        return self._driver.keeper.log.journalled() if self._driver.keeper is not None else ()

    @property
    def checkpoint(self) -> str:
        """The text of the checkpoint in view; "" where there is none."""
        cover = self._driver.started().state.view.cover
        return cover.text if cover is not None else ""

    @property
    def levels(self) -> Mapping[str, Level]:
        """What is no longer sent as it was said: key of the piece -> ``clipped``, ``cleared``, ``covered`` or ``dropped`` (D48)."""
        return machinery.levels(self._driver.started().state)

    def note(self, messages: Sequence[Raw]) -> bool:
        """Write down what was said since, before a request is asked for it: a reply whose calls are still to be carried out, say.

        Args:
            messages: as for `prepare`.

        Returns:
            True once it would survive the end of this process. Without a store nothing is done.

        Raises:
            ConcurrentPrepare: a `prepare` of this manager is still running.
        """
        check_asked(messages, None, None)
        return self._driver.note(machinery.Asked(list(messages)))
