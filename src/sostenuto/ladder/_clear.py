"""The first rung: old tool results give way to placeholders, in few and large steps (origin 4.1, D11-D14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sostenuto import calls
from sostenuto.budget import LeastGain, is_worth_clearing
from sostenuto.ladder._edit import Form, Place
from sostenuto.ladder._forms import cleared
from sostenuto.ladder._looked import Gain, Looked
from sostenuto.ladder._numbers import NUMBERS
from sostenuto.ladder._run import Keep, Outcome, Run
from sostenuto.ladder._thinking import waits
from sostenuto.ladder._zones import first_protected, unit_at
from sostenuto.messages import Call, Result, key_of


@dataclass(frozen=True, slots=True)
class Old:
    """A result that may be cleared: where it stands, with its call, its tokens, and whether it goes only if it must (D13)."""

    place: Place
    call: Call
    result: Result
    tokens: int
    last: bool

    @property
    def gain(self) -> int:
        """Tokens that clearing it frees."""
        return self.tokens - NUMBERS.placeholder


def clear(run: Run, outcome: Outcome | None) -> tuple[Run, Keep | None]:
    """Clear every old, large result at once, if that frees enough."""
    if outcome is None:
        if not run.usage.should_clear or run.total <= run.memory.hold.get("clear", -1):
            return replace(run, phase="compact"), None
        run = _ripened(run)
        if waits(run) or not _is_worthwhile(run):
            return replace(run, phase="compact"), None
        if not _is_affordable(run):
            return replace(run, phase="compact"), None
    chosen = _chosen(run)
    if not chosen:
        return replace(run, phase="compact"), None
    if outcome is None:
        return run, Keep(tuple(key_of(*old.place) for old in chosen))
    return replace(_cleared(run, chosen, kept=frozenset(outcome.value or ())), phase="compact"), None


def _ripened(run: Run) -> Run:
    """Look at the units that left the protected zone since the last look, and add up what clearing them would free."""
    first, end = max(run.memory.ripe_to, run.view.start), _boundary(run)
    gain = sum(max(0, old.gain) for number in range(first, end) for old in _candidates(run, number))
    return run.remember(ripe_to=max(first, end), ripe_gain=run.memory.ripe_gain + gain)


def _boundary(run: Run) -> int:
    """The first unit that is protected. Where there is no cycle yet nothing was looked at: the newest unit may still become one."""
    return first_protected(run.history, cycles=run.settings.protected_cycles) if run.history.cycles else run.view.start


def _candidates(run: Run, number: int) -> Iterator[Old]:
    unit = run.history.units[number]
    if unit.kind != "cycle" or number in run.view.flattened or number in run.history.standing:
        return
    for slot in unit.slots:
        result = slot.result_part
        if slot.result is None or result is None:
            continue
        place = (slot.result.ordinal, slot.result.index)
        if run.view.levels.get(place, 0) >= 2:
            continue
        tokens = run.tokens_of(run.history.part(*place) + run.view.shift(run.history, place))
        if tokens < run.settings.clear_floor:
            continue
        when = calls.clearing(slot.call_part, policy=run.settings.policy)
        if when != "never":
            yield Old(place, slot.call_part, result, tokens, when == "last")


def _is_worthwhile(run: Run) -> bool:
    """D12: enough gain, or a cold cache, or a clear that makes a compaction needless."""
    least = LeastGain(run.settings.gain_floor, run.settings.gain)
    waived = run.facts.cold or run.facts.forced is not None
    return is_worth_clearing(run.memory.ripe_gain, run.usage, waived=waived, least=least)


def _is_affordable(run: Run) -> bool:
    """A clear that nothing forces yet may cost a small share of what the session would have cost so far (D52).

    A session may end right after it: what is sent again must not make a short one dearer than doing nothing would have been.
    """
    if run.usage.should_compact or run.facts.cold or run.facts.forced is not None or not run.settings.gain:
        return True
    history, gain = run.history, _gain(run)
    if gain.first is None:
        return False
    first, sent = gain.first, unit_at(history, run.facts.sent)
    again = max(0, run.tokens_of(history.span(first, max(first, sent)) + run.view.delta) - gain.tokens)
    new = run.tokens_of(history.span(0, len(history.units)))
    read = run.tokens_of(history.read) + new
    paid = NUMBERS.read_price * read + (NUMBERS.write_price - NUMBERS.read_price) * new
    return (NUMBERS.write_price - NUMBERS.read_price) * again <= run.settings.voluntary * paid


def _gain(run: Run) -> Gain:
    """What `_chosen` would free, told from the units that left the protected zone since the last look."""
    looked, end = _looked(run), _boundary(run)
    for number in range(looked.upto, end):
        for old in _candidates(run, number):
            (looked.last if old.last else looked.early).add(old.gain, unit=run.history.owner(old.place))
    looked.upto = max(looked.upto, end)
    if run.total - looked.early.tokens < run.lines.clear:
        return looked.early
    return looked.early.with_(looked.last)


def _looked(run: Run) -> Looked:
    """What is known of the units in view; nothing where it was found under another history, other settings or another ratio."""
    history, ratio = run.history, run.history.ruler.calibration.ratio
    for known in run.view.looked:
        if known.history is history and known.settings is run.settings and known.ratio == ratio:
            return known
    run.view.looked[:] = [Looked(history, run.settings, ratio, run.view.start, Gain(), Gain())]
    return run.view.looked[0]


def _chosen(run: Run) -> list[Old]:
    """All that qualifies; answers of sub-agents and views of memory only if the rest does not bring usage under the line (D13)."""
    found = [old for number in range(run.view.start, _boundary(run)) for old in _candidates(run, number)]
    early = [old for old in found if not old.last]
    if run.total - sum(old.gain for old in early) < run.lines.clear:
        return early
    return early + [old for old in found if old.last]


def _cleared(run: Run, chosen: list[Old], *, kept: frozenset[str]) -> Run:
    forms: list[Form] = []
    for old in chosen:
        form, key = run.view.forms.get(old.place) or run.history.mended_part(*old.place), key_of(*old.place)
        result = form if isinstance(form, Result) else old.result
        named = run.facts.named if key in kept else None
        forms.append((old.place, cleared(result, tool=old.call.name, key=key, tokens=old.tokens, named=named)))
    before, edit = run.usage, run.edit("clear", "clear", forms=forms)
    what = "1 old tool result" if len(forms) == 1 else f"{len(forms)} old tool results"
    reason = f"{what} cleared at {before.percent} % of the budget"
    # whatever caches reads or refuses repeated calls knows results by their call ids, not by our keys (D14, B141)
    detail = {"results": len(forms), "call_ids": tuple(old.call.id for old in chosen)}
    run = run.with_edit(edit).event("clear", before=before.tokens, reason=reason, keys=edit.keys, detail=detail)
    return run.remember(ripe_to=_boundary(run), ripe_gain=0)
