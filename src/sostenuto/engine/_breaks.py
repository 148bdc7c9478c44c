"""Why the prefix of this request is not that of the last one, and what that costs (D30)."""

from __future__ import annotations

from dataclasses import replace

from sostenuto.engine._state import State
from sostenuto.ladder import Edit, Event, History, Run

_REWRITES = ("admit", "clear", "clip", "compact", "trim", "strip", "flatten", "recover")


def changed_in_front(state: State, asked: tuple[object, ...], *, tokens: int) -> tuple[Event, ...]:
    """Events for instructions or tools that are not those of the last request: everything behind them is billed again (D46)."""
    if state.request is None and not state.sent_to:
        return ()
    before, now = state.asked, asked
    if not before or before == now:
        return ()
    found = []
    for rung, places in (("system_changed", (0, 1)), ("tools_changed", (2,))):
        if any(before[place] != now[place] for place in places):
            what = "instructions" if rung == "system_changed" else "tool definitions"
            found.append(Event(rung, tokens, tokens, f"the {what} are not those of the last request", detail={"rebilled": tokens}))
    return tuple(found)


def priced(run: Run, *, sent_to: int) -> tuple[Event, ...]:
    """The run's events, the last rewrite among them with the tokens that are billed again because of it.

    These are the tokens of messages that were in an earlier request and now stand behind the first byte that differs.
    """
    if not run.edits:
        return run.events
    cost = sum(run.tokens_of(run.view.unit(run.history, number)) for number in _behind(run, sent_to))
    last = max((number for number, event in enumerate(run.events) if event.rung in _REWRITES), default=None)
    return tuple(
        replace(event, detail={**event.detail, "rebilled": cost}) if number == last else event for number, event in enumerate(run.events)
    )


def _behind(run: Run, sent_to: int) -> range:
    """The units from the first changed one to the last that was sent before."""
    first = min(_first(run.history, edit) for edit in run.edits)
    first = max(first, run.view.start)
    last = first
    while last < len(run.history.units) and run.history.units[last].first < sent_to:
        last += 1
    return range(first, last)


def _first(history: History, edit: Edit) -> int:
    if edit.cover is not None:
        return edit.cover.upto
    ordinals = [place[0] for place, _ in edit.forms]
    if edit.inserted is not None:
        ordinals.append(edit.inserted[0] + 1)
    if edit.flattened is not None:
        return edit.flattened[0]
    lowest = min(ordinals, default=len(history.messages))
    number = len(history.units)
    while number > 0 and history.units[number - 1].last >= lowest:
        number -= 1
    return number
