"""A conversation as it is kept, to be read: nothing is written, whoever is writing it."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from sostenuto.engine import amounting
from sostenuto.errors import UnknownSetting
from sostenuto.manager import ContextManager
from sostenuto.protocols import Kept
from sostenuto.stores.files import Files
from sostenuto.stores.shelf import Shelf


def kept_conversation(home: Path, *, agent: str, conversation: str) -> ContextManager:
    """A manager on a copy of what is kept; what is asked of it changes nothing that is kept.

    Raises:
        UnknownSetting: there is no such conversation; the nearest is named. UnusableInput: it cannot be read.
    """
    kept = kept_records(home, agent=agent, conversation=conversation)
    snapshot, _ = amounting(kept)
    return ContextManager.restore(snapshot)


def kept_records(home: Path, *, agent: str, conversation: str) -> Kept:
    """The records of a conversation, at hand or in the archive.

    Raises:
        UnknownSetting, UnusableInput: as `kept_conversation`.
    """
    kept = Files(home, agent=agent).read(conversation)
    if not kept.transcript:
        raise UnknownSetting(nothing_there(home, agent=agent, conversation=conversation))
    return kept


def nothing_there(home: Path, *, agent: str, conversation: str) -> str:
    """What is said of a conversation that is not there: the nearest name, or where to look."""
    names = [one.conversation for one in Shelf(home).listed(agent)]
    near = get_close_matches(conversation, names, n=1)
    elsewhere = sorted({one.agent for one in Shelf(home).listed() if one.conversation == conversation})
    if elsewhere:
        hint = f"agent {elsewhere[0]!r} has one of that name: add --agent {elsewhere[0]}"
    elif near:
        hint = f"did you mean {near[0]!r}?"
    else:
        hint = "sostenuto conversations list shows what there is"
    return f"agent {agent!r} has no conversation {conversation[:80]!r}; {hint}"
