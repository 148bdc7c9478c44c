"""Everything about one kept conversation: what was said, what was done to the view, what was written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sostenuto.app._home import readable_home
from sostenuto.app._kept import kept_records, manager_of, snapshot_of
from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.app._retelling import Event, Retold, retold, timeline
from sostenuto.app._rulers import counted_with, plain_ruler
from sostenuto.app._terms import NO_AGENT
from sostenuto.app._transcripts import Said, transcript
from sostenuto.app._wires import CODECS
from sostenuto.errors import UnusableInput
from sostenuto.replaying import Row, arrived, costs, figures
from sostenuto.stores.files import Files
from sostenuto.work import Recorded, record_in

if TYPE_CHECKING:
    from sostenuto.protocols import Kept, Raw


@dataclass(frozen=True, slots=True)
class Inspected:
    """A kept conversation.

    Attributes:
        agent, conversation, model, format: whose it is, its name, whom it was held with, in which wire.
        window: tokens of its window when it was last used; 0 where nothing tells.
        said: the transcript; `events`: what was done to the view, in order; `undone`: numbers of edits that are not in force now.
        checkpoint: the text of the one in view; "" for none.
        records: what was written down at compactions, oldest first.
        branches: how many other ways its history once went.
        notes: what could not be read.
    """

    agent: str
    conversation: str
    model: str
    format: str
    window: int
    said: tuple[Said, ...]
    events: tuple[Event, ...]
    undone: frozenset[int]
    checkpoint: str
    records: tuple[Recorded, ...]
    branches: int
    notes: tuple[str, ...]


def inspected(home: Path, /, *, agent: str, conversation: str) -> Inspected:
    """Everything about a conversation; nothing is written, whoever is writing it.

    Raises:
        UnknownSetting: there is no such conversation. UnusableInput: it cannot be read.
    """
    kept = kept_records(readable_home(home), agent=agent, conversation=conversation)
    snapshot = snapshot_of(kept, conversation=conversation)
    manager = manager_of(snapshot, conversation=conversation)
    window = snapshot["meta"].get("window")
    journal = Files(home, agent=agent).journalled(conversation)
    return Inspected(
        agent=agent,
        conversation=conversation,
        model=manager.model,
        format=snapshot["format"],
        window=window if isinstance(window, int) else 0,
        said=tuple(transcript(snapshot, manager.levels)),
        events=tuple(timeline(kept, conversation=conversation)),
        undone=frozenset(edit["number"] for edit in snapshot["edits"] if not edit["active"]),
        checkpoint=manager.checkpoint,
        records=tuple(record for value in journal if (record := record_in(value)) is not None),
        branches=len(snapshot["branches"]),
        notes=kept.notes,
    )


def conversation_page(home: Path, /, *, agent: str, conversation: str) -> str:
    """The page of a conversation as HTML: every request of it, made again from its records.

    Raises:
        UnknownSetting, UnusableInput: as `inspected`; or there is no message to show.
    """
    from sostenuto.app._reporting import lines_of, package_version, written
    from sostenuto.reporting import Story, page

    kept = kept_records(readable_home(home), agent=agent, conversation=conversation)
    snapshot = snapshot_of(kept, conversation=conversation)
    model = str(snapshot["meta"].get("model") or "")
    telling = _Told(kept, conversation, window=_window(snapshot), model=model, wire=snapshot["format"])
    if not telling.rows:
        raise UnusableInput(f"conversation {conversation!r} holds no request yet; there is nothing to draw")
    found = figures(
        telling.rows,
        doing_nothing=telling.doing_nothing,
        weigh=telling.weigh,
        problems=lambda row: CODECS[snapshot["format"]].problems(row.native) if row.events else (),
    )
    return page(
        Story(
            title=f"Conversation {conversation} of {agent}",
            rows=telling.rows,
            histories=telling.histories,
            figures=found,
            doing_nothing=telling.doing_nothing,
            unedited=telling.doing_nothing.requests,
            codec=CODECS[snapshot["format"]],
            by=telling.by,
            lines=lines_of(None, budget=found.window),
            written=written(snapshot),
            settings=_settings(agent, conversation, model, found.window, telling),
            asides=_asides(snapshot, kept.notes),
            recalled=_recalled(agent, conversation),
            version=package_version(),
        )
    )


class _Told:
    """The requests of a conversation as rows of a page, the histories they were made of, and what sending those would have cost."""

    def __init__(self, kept: Kept, conversation: str, *, window: int, model: str, wire: str) -> None:
        self.by = plain_ruler(model or DEFAULT_MODEL)
        self.counted = counted_with(self.by, model or DEFAULT_MODEL, counter="family", named=bool(model))
        self._codec = CODECS[wire]
        self._weighed: dict[int, tuple[Any, int]] = {}
        self.rows: list[Row] = []
        self.histories: list[Sequence[Raw]] = []
        before: Sequence[Raw] = ()
        for one in retold(kept, conversation=conversation):
            self.rows.append(self._row(one, before, window=window))
            self.histories.append(one.history)
            before = one.history
        self.doing_nothing = costs(({self._codec.field: list(messages)} for messages in self.histories), weigh=self.weigh)

    def weigh(self, message: Any) -> int:
        """Tokens of a native message, counted once for each object."""
        known = self._weighed.get(id(message))
        if known is None:
            known = message, self.by.tokens(self.by.measure(self._codec.decode(message)))
            self._weighed[id(message)] = known  # holding the object keeps its id from being used again
        return known[1]

    def _row(self, one: Retold, before: Sequence[Raw], *, window: int) -> Row:
        came = arrived(one.history if one.restart else one.history[len(before) :], restart=one.restart and bool(self.rows))
        return Row(
            index=len(self.rows),
            tokens=sum(map(self.weigh, one.messages)),
            window=window,
            format=self._codec.name,
            native={self._codec.field: one.messages},
            events=one.happenings,
            arrived=came,
            nudges=one.nudges,
        )


def _window(snapshot: Any) -> int:
    window = snapshot["meta"].get("window")
    return window if isinstance(window, int) and window > 0 else 0


def _settings(agent: str, conversation: str, model: str, window: int, telling: _Told) -> tuple[tuple[str, str], ...]:
    return (
        ("Conversation", f"{conversation} of agent {agent}"),
        ("Model", model or "not known"),
        ("Window", f"{window:,} tokens, as it was when the conversation was last used"),
        ("Counted with", telling.counted),
        ("Read back with", f"sostenuto recall {_recalled(agent, conversation)} KEY"),
    )


def _recalled(agent: str, conversation: str) -> str:
    """What names the conversation to ``sostenuto recall``; both names are plain."""
    return conversation if agent == NO_AGENT else f"--agent {agent} {conversation}"


def _asides(snapshot: Any, notes: tuple[str, ...]) -> tuple[str, ...]:
    crossed = snapshot["meta"].get("crossed", 0)
    return (
        "Whole requests are not kept: each was made again from what had been said until then and what had been done to the view. "
        "Instructions and tools are no part of a conversation, so they are not counted.",
        *((f"Before message m{crossed} it was spoken in another wire; requests from then are not shown.",) if crossed else ()),
        *notes,
    )
