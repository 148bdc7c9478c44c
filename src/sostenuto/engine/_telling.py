"""What a request says beside its messages: what takes the room, what was mended, what nobody can send."""

from __future__ import annotations

from sostenuto.engine._mended import held_back
from sostenuto.engine._state import State
from sostenuto.ladder import Event, Run
from sostenuto.messages import Text, key_of, range_key
from sostenuto.tokens import Measure


def remaining(run: Run) -> dict[str, int]:
    """What a request still takes when no rung can free more."""
    fixed = {"system": run.facts.system, "tools": run.facts.tools, "learned overhead": run.facts.overhead, "pinned messages": run.pins}
    listed = {**fixed, "output reserve": run.facts.reserve, "messages (least)": run.total - sum(fixed.values())}
    return {name: tokens for name, tokens in listed.items() if tokens > 0}


def nudged(run: Run) -> Measure:
    """What the nudges of a request weigh: the provider's report counts them too."""
    total = Measure()
    for text in run.nudges:
        total += run.history.piece(Text(text))
    return total


def server_side(state: State, known: int) -> tuple[str, ...]:
    """Told once: a part of the conversation is kept by its server only, where no rung reaches."""
    first = state.history.folding.server_held[:1]
    if not first or first[0] < known:
        return ()
    return (f"Note: the call that m{first[0]} answers is kept by the server; what it keeps is neither counted nor shortened here.",)


def silent(state: State) -> tuple[str, ...]:
    """Told each time: nothing of what was handed over can be sent, so a model has nothing to answer (D20)."""
    if not state.length or state.history.units:
        return ()
    keys = range_key(0, state.length - 1) if state.length > 1 else key_of(0)
    return (f"Nothing of this conversation ({keys}) can be sent: hand over a message with content.",)


def repairs(state: State, known: int) -> tuple[Event, ...]:
    found = [repair for repair in state.history.folding.repairs if repair.ordinal >= known]
    waits = held_back(state)
    waiting = (Event("repair", 0, 0, "reasoning whose item has not come yet is held back", waits),) if waits else ()
    if not found:
        return waiting
    kinds = sorted({repair.what for repair in found})
    keys = tuple(key_of(repair.ordinal, repair.index) for repair in found)
    return (
        Event("repair", 0, 0, f"{len(found)} fault{'' if len(found) == 1 else 's'} of the history mended: {', '.join(kinds)}", keys),
        *waiting,
    )
