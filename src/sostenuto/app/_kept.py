"""A conversation as it is kept, to be read: nothing is written, whoever is writing it."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from sostenuto.engine import amounting
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.manager import ContextManager
from sostenuto.protocols import Kept
from sostenuto.stores.files import Files
from sostenuto.stores.shelf import Shelf

MOST_MISSING: Final = 1_000_000
"""Messages that may be missing between two that are there; a number beyond is no gap but a damaged line."""


def kept_conversation(home: Path, *, agent: str, conversation: str, **arguments: Any) -> ContextManager:
    """A manager on a copy of what is kept; what is asked of it changes nothing that is kept.

    Args:
        arguments: of the constructor, where they shall differ from those the conversation had.

    Raises:
        UnknownSetting: there is no such conversation; the nearest is named. UnusableInput: it cannot be read.
    """
    kept = kept_records(home, agent=agent, conversation=conversation)
    return ContextManager.restore(snapshot_of(kept, conversation=conversation), **arguments)


def snapshot_of(kept: Kept, *, conversation: str) -> dict[str, Any]:
    """What records amount to, whoever wrote them.

    Raises:
        UnusableInput: they are damaged beyond lines that are merely missing.
    """
    most = len(kept.transcript) + MOST_MISSING
    try:
        if any(int(record.get("ordinal", 0)) > most for record in kept.transcript):
            raise ValueError("a message has a number far beyond the others")
        return amounting(kept)[0]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise UnusableInput(
            f"conversation {conversation[:80]!r}: its records cannot be understood ({type(error).__name__}: {str(error)[:80]}); "
            "move its folder away, or put an export of it back with: sostenuto conversations import"
        ) from None


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
