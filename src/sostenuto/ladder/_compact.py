"""The third rung: everything before the recent tail gives way to one checkpoint (origin 6, D21-D24)."""

from __future__ import annotations

from dataclasses import replace

from sostenuto.checkpoint import EMPTY, Accepted, Ledger, Sections, accept, chunks, fold, merged, prompt
from sostenuto.ladder._checkpoints import SUMMARY_CAP, checkpoint_cover, extent
from sostenuto.ladder._edit import Edit, Place
from sostenuto.ladder._forms import clipped
from sostenuto.ladder._run import Asking, Journal, Need, Outcome, Run, Summarize
from sostenuto.ladder._thinking import waits
from sostenuto.ladder._zones import standing, tail_start, unit_at
from sostenuto.messages import Part, Result, key_of, range_key

DEADLINE_FLOOR_S = 60.0
DEADLINE_PER_TOKEN_S = 0.004
"""A summarizer that reads 100,000 tokens gets 460 seconds: a fixed limit fails exactly the big sessions (B087)."""


def compact(run: Run, outcome: Outcome | None) -> tuple[Run, Need | None]:
    """Decide whether to compact, up to where, and by whom."""
    usage = run.total
    wanted = usage > run.line("compact") or run.facts.forced is not None or run.facts.manual
    if not wanted or _held(run, usage) or waits(run):
        return replace(run, phase="trim"), None
    upto = _cut(run)
    if upto <= run.view.start or set(range(run.view.start, upto)) <= set(standing(run.history, upto=upto)):
        return _stuck(run), None
    if run.facts.summarizer_window is None or run.memory.hung:
        return _built(run, upto, prose=_prior(run), reason="mechanical"), None
    shown = [run.view.shown(run.history, run.history.units[number]) for number in range(run.view.start, upto)]
    budget = max(256, int(run.settings.summarizer_share * run.facts.summarizer_window))
    asking = Asking(upto, tuple(chunks(shown, budget_tokens=budget, count=run.history.ruler.text)), prior=_prior(run), started_from=usage)
    return replace(run, phase="summarize", asking=asking), None


def _held(run: Run, usage: int) -> bool:
    """The breaker, or an undo, holds this rung until the history has grown (D21, D62)."""
    if run.facts.forced is not None or run.facts.manual:
        return False
    return usage <= max(run.memory.held, run.memory.hold.get("compact", 0))


def _cut(run: Run) -> int:
    history = run.history
    upto = tail_start(run, budget=run.tail)
    if run.facts.before is not None:
        upto = min(history.newest(), unit_at(history, run.facts.before))
    return upto


def _stuck(run: Run) -> Run:
    """Nothing to summarise. An automatic try says so once until one succeeds; a person who asked is always told (B087)."""
    run = replace(run, phase="trim")
    if run.facts.manual:
        return run.notice("Nothing is old enough to summarise: nothing was changed.")
    if run.memory.stuck:
        return run
    run = run.remember(stuck=True)
    if run.memory.unfit:
        return run
    return run.notice("Nothing is old enough to summarise: the newest messages alone fill the context.")


def _prior(run: Run) -> Sections | None:
    return run.view.cover.prose if run.view.cover else None


def summarize(run: Run, outcome: Outcome | None) -> tuple[Run, Need | None]:
    """Ask the summarizer for one chunk after the other; each answer is merged with what stands so far."""
    asking = run.asking
    assert asking is not None
    if outcome is None:
        return run, _need(run, asking)
    if outcome.failed:
        return _failed(run, asking, outcome.failed, outcome.why), None
    count = run.history.ruler.text
    replaced = _replaced(run, asking.upto)
    judged = accept(str(outcome.value), replaced_tokens=replaced, count=count, finish_reason=outcome.finish)
    if not isinstance(judged, Accepted):
        return _failed(run, asking, "refused", judged.why), None
    asking = replace(asking, number=asking.number + 1, prior=merged(asking.prior, judged.sections))
    if asking.number < len(asking.chunks):
        asking_run = replace(run, asking=asking)
        return asking_run, _need(asking_run, asking)
    run = replace(run, asking=None).remember(told=False)
    return _built(run, asking.upto, prose=asking.prior, reason="model"), None


def _need(run: Run, asking: Asking) -> Summarize:
    limit = summary_limit(run)
    text = prompt(
        asking.chunks[asking.number],
        prior=asking.prior,
        instructions="\n".join(part for part in (run.facts.instructions, run.facts.focus) if part),
        limit_tokens=limit,
    )
    seconds = run.facts.deadline_s
    if seconds is None:
        seconds = DEADLINE_FLOOR_S + DEADLINE_PER_TOKEN_S * run.history.ruler.text(text)
    return Summarize(text, limit, seconds)


def summary_limit(run: Run) -> int:
    """The most tokens a summary may have: a twentieth of the budget, at least 512 and at most `SUMMARY_CAP` (B083)."""
    return max(512, min(SUMMARY_CAP, run.facts.budget // 20))


def _replaced(run: Run, upto: int) -> int:
    return sum(run.tokens_of(run.view.unit(run.history, number)) for number in range(run.view.start, upto)) + run.tokens_of(run.view.head)


def _failed(run: Run, asking: Asking, kind: str, why: str) -> Run:
    """A bad summary never replaces history: the mechanical checkpoint does, and the person is told once (D23)."""
    run = run.event("summary", before=asking.started_from, reason=f"{kind}: {why}", detail={"outcome": kind})
    if not run.memory.told:
        run = run.notice(f"The summary could not be used ({kind}: {why}); a mechanical checkpoint stands in for it.").remember(told=True)
    run = replace(run, asking=None)
    if kind == "hung":
        run = run.remember(hung=True)
    return _built(run, asking.upto, prose=_prior(run), reason=f"mechanical after {kind}")


def _built(run: Run, upto: int, *, prose: Sections | None, reason: str) -> Run:
    """The checkpoint that will enter, its tail shortened as far as the line demands (D21)."""
    line = run.facts.forced if run.facts.forced is not None else run.line("compact")
    newest = run.history.newest()
    edit, after = _attempt(run, upto, prose=prose, reason=reason)
    while after > line and upto < newest and run.facts.before is None:
        upto = _shortened(run, upto, excess=after - line, newest=newest)
        edit, after = _attempt(run, upto, prose=prose, reason=reason)
    if after >= run.total:
        reason = f"a checkpoint would not make the request smaller ({run.total:,} -> {after:,} tokens)"
        run = run.event("summary", before=run.total, reason=reason, detail={"outcome": "skipped"})
        run = run.notice(f"Not summarised: {reason}.") if run.facts.manual else run
        return replace(_tried(run, freed=0, before=run.total), phase="trim")
    return replace(run, phase="enter", pending=edit)


def _tried(run: Run, *, freed: int, before: int) -> Run:
    """Two tries in a row that free too little open the breaker: it holds until the history has grown, and says once why (D21)."""
    if freed >= run.settings.poor_gain * before:
        return run.remember(poor=0, held=0)
    poor = run.memory.poor + 1
    run = run.remember(poor=poor)
    if poor < 2:
        return run
    run = run.remember(held=int(run.total * (1 + run.settings.growth)))
    return run.notice(_what_fills(run)) if poor == 2 else run


def _shortened(run: Run, upto: int, *, excess: int, newest: int) -> int:
    """The tail without as many of its oldest units as it takes to free `excess` tokens."""
    freed = 0
    while upto < newest and freed < excess:
        freed += run.tokens_of(run.view.unit(run.history, upto))
        upto += 1
    return upto


def _attempt(run: Run, upto: int, *, prose: Sections | None, reason: str) -> tuple[Edit, int]:
    ledger = folded(run, upto)
    cover = checkpoint_cover(run, upto, ledger=ledger, prose=prose)
    reach = len(run.history.messages) - 1
    keys = covered_keys(run, upto)
    edit = Edit(0, "cover", reason, reach, run.history.guard(reach), cover=cover, keys=keys)
    return edit, run.with_edit(edit).total


def folded(run: Run, upto: int) -> Ledger:
    """The ledger of all units before `upto`: the stored prefix value and what came since (D53)."""
    start, ledger = run.view.start, (run.view.cover.ledger if run.view.cover else None)
    units = [run.history.units[number] for number in range(start, upto)]
    return fold(ledger or EMPTY, units, policy=run.settings.policy)


def covered_keys(run: Run, upto: int) -> tuple[str, ...]:
    """One range for everything that gives way; what stood under an earlier cover is still inside it."""
    if upto == 0:
        return ()
    return (range_key(*extent(run, upto)),)


def enter(run: Run, outcome: Outcome | None) -> tuple[Run, Need | None]:
    """Write the journal, then let the checkpoint in (origin 6.7)."""
    edit, before = run.pending, run.total
    assert edit is not None
    assert edit.cover is not None
    if outcome is None:
        first, last = run.history.units[run.view.start].first, run.history.units[edit.cover.upto - 1].last
        return run, Journal({"tokensBefore": before, "messages": last - first + 1, "summary": edit.cover.text, "cause": edit.cause})
    run = replace(run.with_edit(edit), pending=None, phase="trim", compacted=True)
    after, percent = run.total, before * 100 // max(1, run.facts.budget)
    run = run.remember(ripe_to=run.view.start, ripe_gain=0, stuck=False, futile=0)
    reason = f"{edit.cause} checkpoint at {percent} % of the budget"
    run = run.event("compact", before=before, reason=reason, keys=edit.keys, detail={"by": edit.cause, "outcome": "applied"})
    run = run.notice(
        f"Context was {percent} % full ({before:,} of {run.facts.budget:,} tokens): older messages were summarised, "
        f"{after:,} tokens are left; the originals stay readable under {', '.join(edit.keys)}."
    )
    return _tried(run, freed=before - after, before=before), None


def _what_fills(run: Run) -> str:
    facts, pinned = run.facts, set(run.history.standing)
    in_head = sum(run.tokens_of(run.history.unit(number)) for number in run.view.standing if number in pinned)
    parts = {
        "system": facts.system,
        "tools": facts.tools,
        "pinned messages": run.pins,
        "checkpoint and first messages": run.tokens_of(run.view.head) - in_head,
    }
    listed = ", ".join(f"{name} {tokens:,}" for name, tokens in parts.items() if tokens)
    return f"Summarising frees little: {listed} tokens cannot be summarised. It is tried again when the history has grown by a tenth."


def absent(run: Run, ordinal: int) -> Run:
    """The host left out what lies before `ordinal`: it counts as covered, so that neither task nor file trail is lost (D46)."""
    upto = unit_at(run.history, ordinal)
    if upto <= run.view.start:
        return run
    edit, _ = _attempt(run, upto, prose=_prior(run), reason="left out by the host")
    return run.with_edit(edit).remember(ripe_to=upto, ripe_gain=0)


def clip_read(run: Run, *, line: int) -> Run:
    """Cut read results of the kept part, largest first, until the request is under the line (D21)."""
    newest = run.history.newest()
    cap = max(run.settings.result_floor, run.facts.budget // 50)
    found: list[tuple[int, Place, Result]] = []
    for number in range(run.view.start, newest):
        for slot in run.history.units[number].slots:
            result = slot.result_part
            if slot.result is None or result is None or number in run.history.standing:
                continue
            place = (slot.result.ordinal, slot.result.index)
            tokens = run.tokens_of(run.history.part(*place))
            if run.view.levels.get(place, 0) == 0 and tokens > 2 * cap:
                found.append((tokens, place, result))
    excess = run.total - line
    chosen: list[tuple[Place, Part | None]] = []
    for tokens, place, result in sorted(found, key=lambda item: (-item[0], item[1])):
        if excess <= 0:
            break
        chosen.append((place, clipped(result, key=key_of(*place), size=cap, ruler=run.history.ruler, named=run.facts.named)))
        excess -= tokens - cap
    if not chosen:
        return run
    before, reach = run.total, len(run.history.messages) - 1
    keys = tuple(key_of(*place) for place, _ in chosen)
    edit = Edit(0, "clip", "read results of the kept part are too large", reach, run.history.guard(reach), forms=tuple(chosen), keys=keys)
    return run.with_edit(edit).event("clip", before=before, reason=edit.cause, keys=keys)
