"""Going on with a conversation: from the log of a store, or from a snapshot (D32, D33)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sostenuto import engine as machinery
from sostenuto.errors import UnusableInput
from sostenuto.manager._bulk import MANY, bulk
from sostenuto.manager._driving import Driver, Wishes
from sostenuto.manager._keeping import Keeper
from sostenuto.manager._switching import switched
from sostenuto.manager._wiring import FORMATS, codec_named, window_of


def taken_up(driver: Driver) -> tuple[str, ...]:
    """Go on with what the driver's log holds, where it has one; lines for the person.

    Another model, window or wire than the conversation had is a switch: it says what that means.

    Raises:
        UnusableInput: the log cannot be read; nothing was changed.
    """
    keeper = driver.keeper
    if keeper is None:
        return ()
    try:
        with bulk(MANY):
            return _gone_on(driver, keeper)
    except BaseException:
        keeper.log.close()
        raise


def _gone_on(driver: Driver, keeper: Keeper) -> tuple[str, ...]:
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
    if known.odd:
        odd = f"conversation {keeper.log.conversation}: {known.odd} records make no sense and were left out"
        kept = replace(kept, notes=(*kept.notes, odd))
    _ask_as_last(driver)
    wanted = replace(wishes, format=wishes.format or snapshot["format"])
    if (wanted.model, wanted.format) == (before.model, before.format):
        driver.wishes = wanted
        return kept.notes
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
    with bulk(len(snapshot["transcript"]) if isinstance(snapshot.get("transcript"), list) else 0):
        driver.started().load(snapshot, codecs=codec_named, calibrated=not known and wishes.model == (meta.get("model") or ""))
    _ask_as_last(driver)


def _ask_as_last(driver: Driver) -> None:
    """What is asked for without messages, such as to compact, is asked of the history as it was kept."""
    driver.last = machinery.Asked(driver.history(), as_last=True) if driver.started().state.length else None


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
