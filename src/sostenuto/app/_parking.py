"""What waits for a person in a kept conversation, and what they decided about it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sostenuto.agent import Parking, parked_in
from sostenuto.app._desk import Desk
from sostenuto.errors import UnusableInput
from sostenuto.protocols import Codec, Raw
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.shelf import Shelf

NOT_KEPT = "This conversation cannot be kept, so nothing can wait for approval: such calls are refused."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says of the call that a conversation waits with: `reason` tells the model why not."""

    call_id: str
    approved: bool
    reason: str = ""


def refuse_nowhere(verdict: Verdict | None, *, home: Path, agent: str, conversation: str) -> None:
    """Refuse to decide anything in a conversation that is not there; nothing is made or asked before.

    Raises:
        UnusableInput: there is none. UnknownSetting: that cannot be the name of an agent or a conversation.
    """
    if verdict is not None and Shelf(home).found(agent, conversation) is None:
        raise nothing_waits(agent, conversation)


def nothing_waits(agent: str, conversation: str, /) -> UnusableInput:
    """The error of a conversation with nothing to decide."""
    return UnusableInput(
        f"nothing waits for approval in conversation {conversation!r} of agent {agent!r}; go on with a prompt, or name another with --agent"
    )


def new_run() -> str:
    """An id for a run."""
    return uuid.uuid4().hex[:16]


def parking(
    verdict: Verdict | None, desk: Desk, history: Sequence[Raw], *, codec: Codec, parks: bool, folder: Path, agent: str, conversation: str
) -> Parking | None:
    """How a run parks, and goes on with what was parked; None where nothing is kept.

    Raises:
        UnusableInput: the call that was decided about does not wait, or no longer.
    """
    if desk.store is None:
        if verdict is not None:
            raise UnusableInput(f"call {verdict.call_id!r} cannot be decided about: {desk.trouble or 'nothing is kept'}")
        return None
    if verdict is None:
        return Parking(desk.papers, new_run(), str(folder.resolve()), parks=parks)
    found = parked_in(desk.papers, history, codec=codec)
    if found is None:
        troubles = desk.papers.notes() if isinstance(desk.papers, FilePapers) else ()
        raise UnusableInput(troubles[0]) if troubles else nothing_waits(agent, conversation)
    where, now = str(folder.resolve()), datetime.now(UTC)
    decision = found.chosen(verdict.call_id, approved=verdict.approved, reason=verdict.reason, now=now, folder=where)
    return Parking(desk.papers, found.run, where, decision=decision)
