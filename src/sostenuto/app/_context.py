"""What fills the context of a kept conversation, and what a person may do about it: compact it, take that back (D7, D28, D62)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sostenuto.app._home import CALIBRATION, readable_home, work_folder
from sostenuto.app._kept import kept_records, manager_of, snapshot_of, understood
from sostenuto.app._providers import model_named
from sostenuto.app._resuming import known_work
from sostenuto.app._retelling import RUNGS, cause_told
from sostenuto.app._terms import NO_AGENT
from sostenuto.app._transcripts import decoded
from sostenuto.budget import Lines, thresholds
from sostenuto.catalogues.bundled import bundled
from sostenuto.config import Configured, agent_file, configured, read_agent
from sostenuto.errors import UnknownKey
from sostenuto.ladder import Settings
from sostenuto.manager import Calibrations, ContextManager
from sostenuto.messages import Call
from sostenuto.stores.files import Files
from sostenuto.stores.papers import FilePapers
from sostenuto.stores.shelf import Shelf
from sostenuto.window import Window, lookup, parted

if TYPE_CHECKING:
    from sostenuto.engine import Preview, Undone, Usage
    from sostenuto.protocols import Model, Summarizer


@dataclass(frozen=True, slots=True)
class Whose:
    """A conversation by its place: the data home, its agent and its name; `project` is the folder whose settings hold."""

    home: Path
    agent: str
    conversation: str
    project: Path


@dataclass(frozen=True, slots=True)
class Other:
    """A model and a window in tokens that shall hold instead of those the conversation had; None for none."""

    model: str | None = None
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of the view: its number, rung and cause, tokens before and after, whether it is in force, and what it is about."""

    number: int
    rung: str
    cause: str
    tokens_before: int
    tokens_after: int
    active: bool
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """How a conversation fills its window.

    Attributes:
        model, format: whom it was held with, and in which wire.
        window: the window in force; `stated` says whether somebody set it, `ceiling` by which setting ("" for none).
        published: what the catalogue says the model takes, and of when that is; None for a model it does not have.
        lines: where the rungs stand, in tokens.
        usage: tokens by component, and the largest pieces.
        largest: those pieces with who speaks in them.
        edits: everything that was done to the view.
        messages: how many the transcript has.
    """

    model: str
    format: str
    window: Window
    stated: bool
    ceiling: str
    published: tuple[int, str] | None
    lines: Lines
    usage: Usage
    largest: tuple[tuple[str, int, str], ...]
    edits: tuple[Change, ...]
    messages: int

    @property
    def budget(self) -> int:
        """Tokens that a request may take: the window less what is kept free for the answer."""
        return self.usage.budget

    @property
    def free(self) -> int:
        """Tokens of the budget that nothing takes."""
        return max(0, self.budget - self.usage.tokens)

    @property
    def buffer(self) -> int:
        """Tokens of the budget above the line from which history is summarised."""
        return max(0, self.budget - self.lines.compact)


@dataclass(frozen=True, slots=True)
class Loss:
    """What left the view under a key: how many messages and tokens, and who spoke."""

    key: str
    tokens: int
    source: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One rung of a compaction: its name and reason, tokens before and after, what left and under which keys."""

    rung: str
    reason: str
    tokens_before: int
    tokens_after: int
    losses: tuple[Loss, ...]


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction did: `tokens` before and after it, its rungs in order, lines for the person, and whether it is written down."""

    tokens_before: int
    tokens_after: int
    rungs: tuple[Rewritten, ...]
    notices: tuple[str, ...]
    kept: bool


def context(whose: Whose, other: Other = Other()) -> Context:
    """How a conversation fills its window; nothing is written, whoever is writing it.

    Args:
        other: how it would be with another model or window.

    Raises:
        UnknownSetting: there is no such conversation. UnusableInput: it cannot be read.
    """
    snapshot = _snapshot(whose)
    settings = _settings(whose)
    manager = _copy(snapshot, other, settings, whose=whose)
    usage = manager.usage()
    stated = other.window or (None if other.model else _stated(snapshot))
    tools = _tools_by_call(snapshot)
    ceiling, source = settings.found("llm.maxContextTokens")
    return Context(
        model=manager.model,
        format=str(snapshot["format"]),
        window=manager.window,
        stated=stated is not None,
        ceiling=source if other.window is None and stated is not None and ceiling == stated else "",
        published=_published(manager.model),
        lines=_ladder(settings, window=manager.window.tokens).thresholds.lines(usage.budget),
        usage=usage,
        largest=tuple((key, tokens, _source(manager, key, tools)) for key, tokens in usage.largest),
        edits=changes(snapshot),
        messages=len(snapshot["transcript"]),
    )


def _published(model: str) -> tuple[int, str] | None:
    found = lookup(*parted(model), catalogue=bundled()) if model else None
    return (found.entry.takes, found.entry.date) if found is not None and found.is_exact else None


def changes(snapshot: Mapping[str, Any]) -> tuple[Change, ...]:
    """Every edit of a snapshot, in order; one whose line was damaged is left out."""
    return tuple(
        Change(
            number=edit["number"],
            rung=RUNGS.get(edit["kind"], edit["kind"]),
            cause=cause_told(edit["cause"]),
            tokens_before=edit["tokens_before"],
            tokens_after=edit["tokens_after"],
            active=edit["active"],
            keys=tuple(edit["keys"]),
        )
        for edit in snapshot["edits"]
        if edit["cause"] != "lost"
    )


def previewed(whose: Whose, other: Other = Other(), *, before: str | None = None) -> tuple[Preview, tuple[Loss, ...]]:
    """What compacting now would do, by the mechanical checkpoint, and what would leave; nothing is written.

    Raises:
        UnknownSetting, UnusableInput: as `context`; `before` is no key.
    """
    manager = _copy(_snapshot(whose), other, _settings(whose), whose=whose)
    found = manager.preview(before=before)
    return found, _losses(manager, found.keys)


def compacted(
    whose: Whose,
    other: Other = Other(),
    *,
    before: str | None = None,
    focus: str = "",
    by_model: bool = False,
    models: Callable[[str], Model] = model_named,
) -> Compacted:
    """Compact a conversation now; it stays so for whoever goes on with it.

    Args:
        other: it goes on with this model or window.
        before: only what lies before this key.
        focus: what the summary shall attend to.
        by_model: the conversation's own model writes the summary; else it is the mechanical one.
        models: makes that model.

    Raises:
        ConversationInUse: somebody else is writing it.
        UnknownSetting, UnusableInput: as `previewed`; or the model cannot be asked.
    """
    import asyncio

    async def perform() -> Compacted:
        if not by_model:
            with _opened(whose, other, None) as manager:
                return await _compacted(whose, manager, before=before, focus=focus)
        from sostenuto.agent import summarizing

        model = models(other.model or str(_snapshot(whose)["meta"].get("model") or ""))
        try:
            with _opened(whose, other, summarizing(model)) as manager:
                return await _compacted(whose, manager, before=before, focus=focus)
        finally:
            await model.aclose()

    return asyncio.run(perform())


async def _compacted(whose: Whose, manager: ContextManager, *, before: str | None, focus: str) -> Compacted:
    tokens, first = manager.usage().tokens, len(manager.snapshot()["edits"])
    request = await manager.compact(focus=focus, before=before)
    rungs = tuple(
        Rewritten(edit.rung, edit.cause, edit.tokens_before, edit.tokens_after, _losses(manager, edit.keys))
        for edit in changes(manager.snapshot())[first:]
    )
    return Compacted(tokens, manager.usage().tokens, rungs, request.notices, _is_kept(whose, manager))


def undone(whose: Whose, edit: int | None, *, redo: bool = False) -> tuple[Undone, bool]:
    """Take an edit back, or put it on again; what came of it, and whether that is written down.

    Args:
        edit: its number; None for the newest one.

    Raises:
        ConversationInUse, UnknownSetting, UnusableInput: as `compacted`.
    """
    with _opened(whose, Other(), None) as manager:
        done = manager.redo(edit) if redo else manager.undo(edit)
        return done, not done.applied or _is_kept(whose, manager)


@contextmanager
def _opened(whose: Whose, other: Other, summarizer: Summarizer | None) -> Iterator[ContextManager]:
    """The conversation, open for changing; one in the archive is taken out of it."""
    snapshot, settings = _snapshot(whose), _settings(whose)
    Shelf(whose.home).restored(whose.agent, whose.conversation)
    window = other.window or (None if other.model else _stated(snapshot))
    model = other.model or str(snapshot["meta"].get("model") or "")
    papers = FilePapers(work_folder(whose.home, agent=whose.agent, conversation=whose.conversation), home=whose.home)
    with understood(whose.conversation):
        manager = ContextManager(
            model=model,
            window=window,
            store=Files(whose.home, agent=whose.agent),
            conversation=whose.conversation,
            summarizer=summarizer or "mechanical",
            settings=_ladder(settings, window=window or ContextManager(model=model).window.tokens),
            calibrations=Calibrations.open(whose.home / CALIBRATION),
            work=lambda: known_work(papers),
        )
    try:
        yield manager
    finally:
        manager.close()


def _is_kept(whose: Whose, manager: ContextManager) -> bool:
    """Whether what is on disk says what the manager says of its edits."""
    there = snapshot_of(Files(whose.home, agent=whose.agent).read(whose.conversation), conversation=whose.conversation)
    return [(one["number"], one["active"]) for one in there["edits"]] == [
        (one["number"], one["active"]) for one in manager.snapshot()["edits"]
    ]


def _snapshot(whose: Whose) -> dict[str, Any]:
    kept = kept_records(readable_home(whose.home), agent=whose.agent, conversation=whose.conversation)
    return snapshot_of(kept, conversation=whose.conversation)


def _copy(snapshot: Mapping[str, Any], other: Other, settings: Configured, *, whose: Whose) -> ContextManager:
    """A manager on a copy of what is kept; it counts as whoever opens the conversation does."""
    window = other.window or (None if other.model else _stated(snapshot))
    named = {"model": other.model} if other.model else {}
    bare = ContextManager(model=other.model or str(snapshot["meta"].get("model") or ""), window=window)
    papers = FilePapers(work_folder(whose.home, agent=whose.agent, conversation=whose.conversation), home=whose.home)
    return manager_of(
        snapshot,
        conversation=whose.conversation,
        window=window,
        settings=_ladder(settings, window=bare.window.tokens),
        calibrations=Calibrations.open(whose.home / CALIBRATION),
        work=lambda: known_work(papers),
        **named,
    )


def _stated(snapshot: Mapping[str, Any]) -> int | None:
    """The window that was set for the conversation when it was last used; None where it was looked up."""
    stated = snapshot["meta"].get("stated_window")
    return stated if isinstance(stated, int) and not isinstance(stated, bool) and stated > 0 else None


def _settings(whose: Whose) -> Configured:
    """The settings that a run of this agent would have here."""
    is_named = whose.agent != NO_AGENT and agent_file(whose.home, whose.agent).exists()
    narrower = (read_agent(whose.home, whose.agent).layer,) if is_named else ()
    return configured(home=whose.home, project=whose.project, narrower=narrower)


def _ladder(settings: Configured, *, window: int) -> Settings:
    wishes = {name: settings.found(f"context.{name}ThresholdRatio") for name in ("warn", "compact")}
    given = {name: None if source == "default" else value for name, (value, source) in wishes.items()}
    return Settings(thresholds=thresholds(window=window, **given))


def _losses(manager: ContextManager, keys: Sequence[str]) -> tuple[Loss, ...]:
    found = []
    for key in dict.fromkeys(keys):
        try:
            hit = manager.recall(key)[0]
            found.append(Loss(key, hit.tokens, hit.source))
        except UnknownKey:
            found.append(Loss(key, 0, ""))
    return tuple(found)


def _tools_by_call(snapshot: Mapping[str, Any]) -> dict[str, str]:
    """Id of a call -> the tool that was called."""
    wire = str(snapshot["format"])
    said = (decoded(record["raw"], wire=str(record.get("wire", wire))) for record in snapshot["transcript"] if "raw" in record)
    return {part.id: part.name for message in said for part in message.parts if isinstance(part, Call) and part.id}


def _source(manager: ContextManager, key: str, tools: Mapping[str, str]) -> str:
    """Who speaks in a piece; of a result also which tool."""
    source = manager.recall(key)[0].source
    call = source.removeprefix("tool result of call ")
    return f"result of {tools[call]}, call {call}" if call != source and call in tools else source
