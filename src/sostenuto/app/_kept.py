"""A conversation as it is kept, to be read: nothing is written, whoever is writing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from sostenuto.app._wires import CODECS
from sostenuto.engine import amounting, sensible
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.manager import ContextManager
from sostenuto.protocols import Kept
from sostenuto.stores.files import Files
from sostenuto.stores.shelf import Shelf

_ODD: Final = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
"""What comes of values that no version of ours writes."""


def kept_conversation(home: Path, *, agent: str, conversation: str, **arguments: Any) -> ContextManager:
    """A manager on a copy of what is kept; what is asked of it changes nothing that is kept.

    Args:
        arguments: of the constructor, where they shall differ from those the conversation had.

    Raises:
        UnknownSetting: there is no such conversation; the nearest is named. UnusableInput: it cannot be read.
    """
    kept = kept_records(home, agent=agent, conversation=conversation)
    return manager_of(snapshot_of(kept, conversation=conversation), conversation=conversation, **arguments)


def manager_of(snapshot: Mapping[str, Any], *, conversation: str, **arguments: Any) -> ContextManager:
    """A manager on a snapshot of a kept conversation. `arguments` as for `kept_conversation`.

    Raises:
        UnusableInput: it holds what cannot be read. UnknownSetting: an argument cannot be used.
    """
    try:
        return ContextManager.restore(snapshot, **arguments)
    except UnknownSetting:
        raise
    except (UnusableInput, *_ODD):
        raise UnusableInput(
            f"conversation {conversation[:80]!r}: its records hold what this version cannot read; "
            "update this program, or move its folder away"
        ) from None


def snapshot_of(kept: Kept, *, conversation: str) -> dict[str, Any]:
    """What records amount to, whoever wrote them.

    Raises:
        UnusableInput: they are damaged beyond lines that are merely missing.
    """
    with understood(conversation):
        snapshot, _ = amounting(kept)
        if snapshot["format"] not in CODECS:
            raise UnusableInput(
                f"conversation {conversation!r} is in a wire that is not known: {snapshot['format'][:40]!r}; update this program"
            )
        return {**snapshot, "meta": {**snapshot["meta"], **_sound(snapshot["meta"])}}


@contextmanager
def understood(conversation: str) -> Iterator[None]:
    """What is found in records that no version of ours writes, as our own error."""
    try:
        yield
    except _ODD as error:
        raise UnusableInput(
            f"conversation {conversation[:80]!r}: its records cannot be understood ({type(error).__name__}: {str(error)[:80]}); "
            "move its folder away, or put an export of it back with: sostenuto conversations import"
        ) from None


def _sound(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Model and window as they are where they can be any, else as nobody said."""
    windows = {name: meta.get(name) for name in ("window", "stated_window")}
    sizes = {name: size if type(size) is int and size > 0 else None for name, size in windows.items() if name in meta}
    return {"model": meta["model"] if isinstance(meta.get("model"), str) else "", **sizes}


def kept_records(home: Path, *, agent: str, conversation: str) -> Kept:
    """The records of a conversation, at hand or in the archive.

    Raises:
        UnknownSetting, UnusableInput: as `kept_conversation`.
    """
    kept = Files(home, agent=agent).read(conversation)
    if kept.transcript:
        known = sensible(kept)
        odd = len(kept.transcript) + len(kept.edits) - len(known.transcript) - len(known.edits)
        left_out = (f"conversation {conversation}: records that make no sense were left out ({odd:,})",) if odd else ()
        return replace(known, notes=(*kept.notes, *left_out))
    if Shelf(home).found(agent, conversation) is not None:
        why = kept.notes[0] if kept.notes else "nothing that was said is left of it, only its work"
        raise UnusableInput(f"conversation {conversation!r} of {agent!r}: {why}")
    raise UnknownSetting(nothing_there(home, agent=agent, conversation=conversation))


def nothing_there(home: Path, *, agent: str, conversation: str) -> str:
    """What is said of a conversation that is not there: the nearest name, or where to look."""
    names = [one.conversation for one in Shelf(home).listed(agent)]
    near = get_close_matches(conversation, names, n=1)
    elsewhere = [name for name in Shelf(home).holders(conversation) if name != agent]
    if elsewhere:
        hint = f"agent {elsewhere[0]!r} has one of that name: add --agent {elsewhere[0]}"
    elif near:
        hint = f"did you mean {near[0]!r}?"
    else:
        hint = "sostenuto conversations list shows what there is"
    return f"agent {agent!r} has no conversation {conversation[:80]!r}; {hint}"


def begun_elsewhere(home: Path, *, agent: str, conversation: str) -> str:
    """What is said before a conversation is begun of which another agent has one of that name; "" for nothing."""
    holders = Shelf(home).holders(conversation) if conversation else []
    if not holders or agent in holders:
        return ""
    return (
        f"agent {agent!r} has no conversation {conversation!r}, so a new one begins; agent {holders[0]!r} has one of that name: to go on "
        f"with it, add --agent {holders[0]}"
    )
