"""Another model in mid-conversation: the same log, edits and keys, measured and written anew."""

from __future__ import annotations

from dataclasses import replace

from sostenuto.engine._crossing import carried_over, crossed
from sostenuto.engine._engine import Engine
from sostenuto.engine._growing import rebuilt
from sostenuto.engine._matching import guarded
from sostenuto.engine._plan import Plan
from sostenuto.engine._state import Sent, State, reviewed
from sostenuto.ladder import History, in_loop
from sostenuto.messages import Thinking
from sostenuto.protocols import Raw
from sostenuto.tokens import Ruler


def switched(engine: Engine, plan: Plan, *, ruler: Ruler, foreign: bool) -> Engine:
    """The conversation with another model, in an engine of its own; `engine` stays as it is.

    `foreign`: the new model cannot read reasoning that is sealed for the old one, so that is left out (D29). In another wire every
    message is written anew from its parts, and its caller goes on with `continued`.
    """
    state, old = engine.state, engine.state.history
    other = Engine(plan, ruler=ruler)
    is_other_wire = plan.codec.name != engine.plan.codec.name
    fresh = crossed(old, plan.codec, ruler=ruler) if is_other_wire else _refolded(old, ruler, foreign=foreign)
    if state.facts is None and state.front is not None:
        fresh.ruler = replace(ruler, calibration=state.front.calibration(ruler))
    edits = carried_over(state.edits, old=old, new=fresh)
    state = replace(reviewed(state, history=fresh, edits=edits), learned_window=None, request=None, asked=())
    if plan.window.tokens != engine.plan.window.tokens:
        # held back or told once in tokens of another window: that says nothing of this one
        state = replace(state, memory=replace(state.memory, warned=False, stuck=False, unfit=False, poor=0, held=0, futile=0, hold={}))
    if (is_other_wire or foreign) and _opens_with_reasoning(old):
        state = replace(state, memory=replace(state.memory, thinking_off=True))
    other.state = _rewritten(other, state) if is_other_wire else state
    return other


def continued(state: State) -> list[Raw]:
    """What the last request held, or what a switch to another wire made of it: its caller may go on with it."""
    return list(state.sent.expected[: len(state.sent.expected) - state.sent.nudges])


def _refolded(history: History, ruler: Ruler, *, foreign: bool) -> History:
    folding = history.folding.alike()
    if foreign:
        folding.foreign = len(history.messages)
    return rebuilt(replace(history, ruler=ruler, folding=folding), history.messages, pinned=history.pinned)


def _rewritten(other: Engine, state: State) -> State:
    """Everything handed over so far is of another wire; what is in view stands where a request would have left it."""
    state = replace(state, crossed=state.length, kept_mode=True, own=Sent(), order=None)
    out, emission, heads = other.emitted(state)
    return replace(state, heads=heads, made=emission.made, sent=Sent(guarded(out), tuple(emission.segments), built=tuple(emission.built)))


def _opens_with_reasoning(history: History) -> bool:
    """Whether an open tool loop begins with reasoning, which a provider demands back as long as the loop lasts (D57)."""
    unit = history.units[history.newest()] if history.units else None
    return unit is not None and unit.kind == "cycle" and isinstance(unit.parts[0].part, Thinking) and in_loop(history)
