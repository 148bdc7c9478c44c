"""The first rung: old tool results give way to placeholders, in few and large steps (origin 4.1, D11-D14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sostenuto.calls import Facts as CallFacts
from sostenuto.calls import facts as call_facts
from sostenuto.ladder._edit import Edit, Place
from sostenuto.ladder._forms import cleared
from sostenuto.ladder._run import Keep, Outcome, Run
from sostenuto.ladder._thinking import waits
from sostenuto.ladder._zones import first_protected
from sostenuto.messages import Part, Result, Slot, key_of

PLACEHOLDER_TOKENS = 40
"""About what a placeholder costs; only for weighing gain, never for a count."""


def clear(run: Run, outcome: Outcome | None) -> tuple[Run, Keep | None]:
    """Clear every old, large result at once, if that frees enough."""
    usage = run.total
    if outcome is None:
        if usage < run.line("clear") or usage <= run.memory.hold.get("clear", -1):
            return replace(run, phase="compact"), None
        run = _ripened(run)
        if not _worthwhile(run, usage):
            return replace(run, phase="compact"), None
    chosen = _chosen(run, usage)
    if not chosen:
        return replace(run, phase="compact"), None
    if outcome is None:
        return run, Keep(tuple(key_of(*place) for place, _, _ in chosen))
    kept = frozenset(outcome.value or ())
    forms: list[tuple[Place, Part | None]] = []
    for place, slot, tokens in chosen:
        key = key_of(*place)
        result = slot.result_part
        assert result is not None
        base = run.view.forms.get(place) or run.history.mended_part(*place)
        base = base if isinstance(base, Result) else result
        named = run.facts.named if key in kept else None
        forms.append((place, cleared(base, tool=slot.call_part.name, key=key, tokens=tokens, named=named)))
    reach = len(run.history.messages) - 1
    keys = tuple(key_of(*place) for place, _ in forms)
    edit = Edit(0, "clear", "clear", reach, run.history.guard(reach), forms=tuple(forms), keys=keys)
    run = run.with_edit(edit)
    reason = f"{len(forms)} old tool results cleared at {usage * 100 // max(1, run.facts.budget)} % of the budget"
    # whatever caches reads or refuses repeated calls knows results by their call ids, not by our keys (D14, B141)
    detail = {"results": len(forms), "call_ids": tuple(slot.call_part.id for _, slot, _ in chosen)}
    run = run.event("clear", before=usage, reason=reason, keys=keys, detail=detail)
    boundary = first_protected(run.history, cycles=run.settings.protected_cycles)
    return replace(run.remember(ripe_to=boundary, ripe_gain=0), phase="compact"), None


def _ripened(run: Run) -> Run:
    """Look at the units that left the protected zone since the last look, and add up what clearing them would free."""
    boundary = first_protected(run.history, cycles=run.settings.protected_cycles)
    first = max(run.memory.ripe_to, run.view.start)
    gain = run.memory.ripe_gain
    for number in range(first, boundary):
        gain += sum(max(0, tokens - PLACEHOLDER_TOKENS) for _, _, tokens in _candidates(run, number))
    return run.remember(ripe_to=max(first, boundary), ripe_gain=gain)


def _candidates(run: Run, number: int) -> Iterator[tuple[Place, Slot, int]]:
    unit = run.history.units[number]
    if unit.kind != "cycle" or number in run.view.flattened or number in run.history.standing:
        return
    for slot in unit.slots:
        if slot.result is None:
            continue
        place = (slot.result.ordinal, slot.result.index)
        if run.view.levels.get(place, 0) >= 2:
            continue
        tokens = run.tokens_of(run.history.part(*place) + run.view.shift(run.history, place))
        if tokens >= run.settings.clear_floor and not _facts(run, slot).never_clear:
            yield place, slot, tokens


def _facts(run: Run, slot: Slot) -> CallFacts:
    return call_facts(slot.call_part, slot.result_part, policy=run.settings.policy)


def _worthwhile(run: Run, usage: int) -> bool:
    """D12: enough gain, or a cold cache, or a clear that makes a compaction needless."""
    gain, settings = run.memory.ripe_gain, run.settings
    if gain <= 0:
        return False
    if waits(run):
        return False
    minimum = 0 if settings.gain == 0 else max(settings.gain_floor, int(settings.gain * run.facts.budget))
    if gain >= minimum or run.facts.cold or run.facts.forced is not None:
        return True
    return usage > run.line("compact") and usage - gain < run.line("warn")


def _chosen(run: Run, usage: int) -> list[tuple[Place, Slot, int]]:
    """All that qualifies; answers of sub-agents and views of memory only if the rest does not bring usage under the line (D13)."""
    boundary = first_protected(run.history, cycles=run.settings.protected_cycles)
    early: list[tuple[Place, Slot, int]] = []
    late: list[tuple[Place, Slot, int]] = []
    for number in range(run.view.start, boundary):
        for place, slot, tokens in _candidates(run, number):
            (late if _facts(run, slot).clear == "last" else early).append((place, slot, tokens))
    freed = sum(tokens - PLACEHOLDER_TOKENS for _, _, tokens in early)
    return early if usage - freed < run.line("clear") else early + late
