"""A conversation that outlives the process is written down step by step (D32, D34)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sostenuto import engine as machinery
from sostenuto.errors import UnknownSetting

if TYPE_CHECKING:
    from sostenuto.engine import Engine
    from sostenuto.protocols import Log, Record, Store

NOT_SAVED = "This conversation cannot be written down now; the run goes on, and what is missing is written as soon as it can be."
SAVED_AGAIN = "This conversation is written down again; nothing of it is missing."


class Keeper:
    """What stands between an engine and its log: how far the log knows the conversation, and what it has not taken yet (D34)."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._known = machinery.Recorded()
        self._transcript: list[Record] = []
        self._edits: list[Record] = []
        self._acknowledged = 0
        self._failed = False

    def goes_on_from(self, known: machinery.Recorded, engine: Engine) -> None:
        """The log holds this already."""
        self._known = replace(known, state=engine.state)
        self._acknowledged = known.seq

    def keep(self, engine: Engine, *, also: Mapping[str, Any]) -> bool:
        """Write down what the last step changed, and what could not be written before. False, and said once, where it cannot be."""
        self._take(engine, also)
        if not self._transcript and not self._edits:
            return not self._failed
        if not self._appended() and not (self._lost() and self._take(engine, also) and self._appended()):
            if not self._failed:
                engine.told_next(NOT_SAVED)
            self._failed = True
            return False
        if self._failed:
            engine.told_next(SAVED_AGAIN)
        self._failed = False
        return True

    def _take(self, engine: Engine, also: Mapping[str, Any]) -> bool:
        """Make the records of what the log has not been handed yet."""
        self._known, said, done = machinery.recorded(self._known, engine.state, engine.plan.codec, also=also)
        self._transcript += said
        self._edits += done
        return True

    def _appended(self) -> bool:
        try:
            is_written = self.log.append(self._transcript, self._edits)
        except Exception:  # a store may be anybody's code: its failure must not fail the run
            is_written = False
        if not is_written:
            return False
        self._transcript, self._edits, self._acknowledged = [], [], self._known.seq
        return True

    def _lost(self) -> bool:
        """Whether what was written is gone, such as with its folder: then everything has to be written anew."""
        if self.log.expects_from >= self._acknowledged:
            return False
        self._known, self._transcript, self._edits, self._acknowledged = machinery.Recorded(), [], [], 0
        return True


def opened(store: Store | None, conversation: str | None) -> Keeper | None:
    """The conversation's log, open for writing; None where nothing is to outlive the process.

    Raises:
        UnknownSetting: a store without a name. ConversationInUse, UnusableInput: as `Store.open`.
    """
    if store is None:
        return None
    if not conversation:
        raise UnknownSetting("a store keeps conversations by name: give conversation='NAME' beside store")
    return Keeper(store.open(conversation))
