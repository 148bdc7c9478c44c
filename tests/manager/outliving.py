"""What the tests of kept conversations share: a store that may refuse or forget, and a conversation long enough to be rewritten."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sostenuto.manager import ContextManager
from sostenuto.messages import fingerprint
from sostenuto.protocols import Kept, Record
from sostenuto.stores.in_memory import InMemory, LogInMemory
from tests.engine.conversing import CODECS, manager
from tests.engine.wires import cycle, user


class Written(InMemory):
    """A store that may refuse to write, as a full disk does, and whose writer may die."""

    refuses = False

    def open(self, conversation: str, /) -> LogInMemory:
        """A log that writes while the store does not refuse."""
        log = super().open(conversation)
        store, plain_append = self, log.append

        def append(transcript: Sequence[Record], edits: Sequence[Record], /) -> bool:
            return not store.refuses and plain_append(transcript, edits)

        log.append = append  # type: ignore[method-assign]
        return log

    def dies(self) -> None:
        """The process that wrote the conversation is gone."""
        self._held["life"].writer = None

    def loses(self, seq: int, *, edits: bool = False) -> None:
        """One record cannot be read any more."""
        held = self._held["life"]
        del (held.edits if edits else held.transcript)[seq]

    def says_instead(self, seq: int, record: Record) -> None:
        """One record of the transcript is another."""
        self._held["life"].transcript[seq] = json.dumps(record)

    def loses_everything(self) -> None:
        """What was written is gone, and the writer goes on."""
        held = self._held["life"]
        held.transcript.clear()
        held.edits.clear()
        held.expects_from = 0

    def records(self) -> Kept:
        """What is kept."""
        return LogInMemory("life", self._held["life"]).read()


def as_figures(context: ContextManager) -> dict[str, Any]:
    """Everything that a snapshot says; of messages only what makes them those they are (D46): a host may hand over another object."""
    saved: dict[str, Any] = json.loads(json.dumps(context.snapshot()))
    codec = CODECS[saved["format"]]
    prints = [fingerprint(codec.decode(record["raw"])).hex() for record in saved["transcript"]]
    return {**saved, "transcript": prints}


def talked(store: Written, *, turns: int = 30, window: int = 2_000, **wishes: Any) -> tuple[ContextManager, list[Any]]:
    """A conversation with some calls in it, long enough to have been rewritten, and what its host holds."""
    context = manager(window, format="openai_chat", store=store, conversation="life", **wishes)
    handed = [user("The task: find the fault.", format="openai_chat")]
    context.prepare_sync(list(handed))
    for turn in range(turns):
        handed += cycle([f"c{turn}"], [f"{turn} " + "evidence " * 40], format="openai_chat", thought="", said="", nameless=False)
        context.prepare_sync(list(handed))
    return context, handed
