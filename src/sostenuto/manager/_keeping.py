"""Conversations that outlive the process: taken up from a snapshot or a log, and written down step by step (D32, D33)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sostenuto import engine as machinery
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.manager._wiring import FORMATS, codec_named, window_of

if TYPE_CHECKING:
    from sostenuto.engine import Engine
    from sostenuto.manager._driving import Driver, Wishes
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
        if not self.log.append(self._transcript, self._edits):
            return False
        self._transcript, self._edits, self._acknowledged = [], [], self._known.seq
        return True

    def _lost(self) -> bool:
        """Whether what was written is gone, such as with its folder: then everything has to be written anew."""
        if self.log.expects_from >= self._acknowledged:
            return False
        self._known, self._transcript, self._edits, self._acknowledged = machinery.Recorded(), [], [], 0
        return True


def figures(wishes: Wishes, *, conversation: str | None) -> dict[str, Any]:
    """What is kept of a manager beside its engine's state."""
    return {"model": wishes.model, "conversation": conversation, "window": wishes.window.tokens, "stated_window": wishes.stated}


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


def taken_up(driver: Driver) -> tuple[str, ...]:
    """Go on with what the driver's log holds; lines for the person.

    Another model, window or wire than the conversation had is a switch: it says what that means.

    Raises:
        UnusableInput: the log cannot be read; nothing was changed.
    """
    keeper = driver.keeper
    assert keeper is not None
    kept = keeper.log.read()
    if not kept.transcript and not kept.edits:
        return kept.notes
    snapshot, known = machinery.amounting(kept)
    wishes, meta = driver.wishes, snapshot["meta"]
    if snapshot["format"] not in FORMATS:
        raise UnusableInput(f"conversation {keeper.log.conversation!r} was kept in a wire that is not known: {snapshot['format']!r}")
    driver.wishes = before = _as_it_was(wishes, meta, format=snapshot["format"])
    engine = driver.started()
    engine.load(snapshot, codecs=codec_named, calibrated=wishes.calibrations.get(before.model) is None)
    keeper.goes_on_from(known, engine)
    driver.last = machinery.Asked(driver.history()) if engine.state.length else None
    wanted = replace(wishes, format=wishes.format or snapshot["format"])
    if (wanted.model, wanted.format) == (before.model, before.format):
        driver.wishes = wanted
        return kept.notes
    from sostenuto.manager._switching import switched

    return (*kept.notes, *switched(driver, wanted, dry_run=False).plan.splitlines())


def _as_it_was(wishes: Wishes, meta: Mapping[str, Any], *, format: str) -> Wishes:
    """The wishes as the conversation had them when it was written down."""
    model = str(meta.get("model") or wishes.model)
    if model == wishes.model:
        return replace(wishes, format=format)
    stated = meta.get("window") if isinstance(meta.get("window"), int) else None
    window = window_of(model, stated=stated, calibrations=None, catalogue=wishes.catalogue)
    return replace(wishes, model=model, window=window, stated=stated, profile=machinery.profile_of(model), counter=None, format=format)


def restored(wishes: Wishes, driver: Driver, snapshot: Mapping[str, Any], *, looked_up: bool) -> None:
    """Load a snapshot into a driver that has nothing yet."""
    meta = snapshot["meta"]
    if looked_up:  # nobody stated it, now or then: what an error says of the model later holds for it too
        driver.wishes = replace(wishes, stated=None)
    known = wishes.calibrations.get(wishes.model) is not None
    driver.started().load(snapshot, codecs=codec_named, calibrated=not known and wishes.model == (meta.get("model") or ""))
    driver.last = machinery.Asked(driver.history()) if driver.started().state.length else None


def arguments_for(snapshot: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """The constructor's arguments for going on from a snapshot, and whether its window was looked up rather than stated.

    Raises:
        UnusableInput: it is not a snapshot.
    """
    held: object = snapshot
    meta = held.get("meta") if isinstance(held, Mapping) else None
    if not isinstance(meta, Mapping) or snapshot.get("format") not in FORMATS:
        raise UnusableInput("this is not a snapshot of a conversation; take it from snapshot()")
    found = {"model": meta.get("model") or "", "conversation": meta.get("conversation"), **arguments}
    looked_up = "window" not in arguments and meta.get("stated_window", 0) is None
    if "window" not in arguments:
        found["window"] = _window_again(meta, found)
    return {**found, "format": snapshot["format"]}, looked_up


def _window_again(meta: Mapping[str, Any], arguments: Mapping[str, Any]) -> int | None:
    """The window to state for a snapshot that goes on: what its caller stated; else what it resolved to, unless something was learned."""
    saved = meta.get("window")
    if meta.get("stated_window", saved) is not None:
        return saved
    known = arguments.get("calibrations")
    return None if known is not None and known.limit(arguments["model"], pinned=None) else saved
