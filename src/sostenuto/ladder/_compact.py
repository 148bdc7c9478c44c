"""The third rung: everything before the recent tail gives way to one checkpoint (origin 6, D21-D24)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sostenuto import checkpoint
from sostenuto.budget import summarizer_budget
from sostenuto.ladder._checkpoints import checkpoint_cover, covered_keys, folded
from sostenuto.ladder._edit import Edit, checkpoint_messages
from sostenuto.ladder._numbers import NUMBERS
from sostenuto.ladder._run import Asking, Journal, Need, Outcome, Run, Summarize
from sostenuto.ladder._thinking import waits
from sostenuto.ladder._zones import leaves_nothing, tail_start, unit_at

if TYPE_CHECKING:
    from sostenuto.checkpoint import Ledger, Sections


def compact(run: Run, outcome: Outcome | None) -> tuple[Run, Need | None]:
    """Decide whether to compact, up to where, and by whom."""
    wanted = run.usage.should_compact or run.facts.forced is not None or run.facts.manual
    if not wanted or _held(run) or waits(run):
        return replace(run, phase="trim"), None
    upto = _cut(run)
    if leaves_nothing(run, upto):
        return _stuck(run), None
    if run.facts.summarizer_window is None:
        return _built(run, upto, prose=_prior(run), reason="mechanical"), None
    if run.memory.hung:
        return _built(run, upto, prose=_prior(run), reason="mechanical after hung"), None
    chunks = _read(run, upto)
    if not chunks:  # nothing but reasoning and attachments: there is no word to read
        return _built(run, upto, prose=_prior(run), reason="mechanical"), None
    asking = Asking(upto, chunks, prior=_prior(run), started_from=run.total)
    return replace(run, phase="summarize", asking=asking), None


def _read(run: Run, upto: int) -> tuple[str, ...]:
    """What the summarizer reads of the units before `upto`: the log still holds what was cleared from the view.

    The originals are clipped to their shares so that they need no more calls than the view would.
    """
    assert run.facts.summarizer_window is not None
    count, covered = run.history.ruler.text, range(run.view.start, upto)
    budget = summarizer_budget(run.facts.summarizer_window, share=run.settings.summarizer_share)
    shown = [run.view.shown(run.history, run.history.units[number]) for number in covered]
    seen = checkpoint.chunks(shown, budget_tokens=budget, count=count)
    if not run.view.forms:
        return seen
    originals = [run.history.units[number] for number in covered]
    return checkpoint.chunks(originals, budget_tokens=budget, count=count, at_most=max(1, len(seen)))


def _held(run: Run) -> bool:
    """The breaker, or an undo, holds this rung until the history has grown (D21, D62)."""
    if run.facts.forced is not None or run.facts.manual:
        return False
    return run.total <= max(run.memory.held, run.memory.hold.get("compact", 0))


def _cut(run: Run) -> int:
    """Where the kept part begins: at the recent tail, or where a person said."""
    if run.facts.before is None:
        return tail_start(run, budget=run.tail)
    return min(run.history.newest(), unit_at(run.history, run.facts.before))


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
    judged = checkpoint.accept(str(outcome.value), replaced_tokens=replaced, count=count, finish_reason=outcome.finish)
    if not isinstance(judged, checkpoint.Accepted):
        return _failed(run, asking, "refused", judged.why), None
    sections = checkpoint.merged(asking.prior, judged.sections)
    too_long = _too_long(run, asking.upto, judged.text, prose=sections)
    if too_long:
        return _failed(run, asking, "refused", too_long), None
    asking = replace(asking, number=asking.number + 1, prior=sections)
    if asking.number < len(asking.chunks):
        asking_run = replace(run, asking=asking)
        return asking_run, _need(asking_run, asking)
    run = replace(run, asking=None).remember(told=False)
    return _built(run, asking.upto, prose=asking.prior, reason="model"), None


def _too_long(run: Run, upto: int, text: str, *, prose: Sections) -> str:
    """Why a sound summary is too long to use, "" if it is not (D21).

    One longer than was asked for may not push the request over the trim line, nor take twice what was asked for and more than the
    mechanical checkpoint needs: what it adds would only be trimmed away again.
    """
    count, asked = run.history.ruler.text, summary_limit(run)
    size = count(text)
    if size <= asked:
        return ""
    mechanical, _ = _attempt(run, upto, prose=_prior(run), reason="mechanical")
    _, after = _attempt(run, upto, prose=prose, reason="model")
    needed = count(mechanical.cover.text) if mechanical.cover else 0
    if after > run.lines.trim or size > max(NUMBERS.summary_excess * asked, needed):
        return f"too long: {size:,} tokens where {asked:,} were asked for"
    return ""


def _need(run: Run, asking: Asking) -> Summarize:
    limit = summary_limit(run)
    text = checkpoint.prompt(
        asking.chunks[asking.number],
        prior=asking.prior,
        instructions="\n".join(part for part in (run.facts.instructions, run.facts.focus) if part),
        known_work=run.facts.known or None,
        limit_tokens=limit,
    )
    seconds = run.facts.deadline_s
    if seconds is None:
        seconds = NUMBERS.deadline_floor_s + NUMBERS.deadline_per_token_s * run.history.ruler.text(text)
    return Summarize(text, limit, seconds)


def summary_limit(run: Run) -> int:
    """The most tokens a summary may have: a twentieth of the budget, within bounds (B083)."""
    return max(NUMBERS.summary_least, min(NUMBERS.summary_most, int(NUMBERS.summary_share * run.facts.budget)))


def _replaced(run: Run, upto: int) -> int:
    return sum(run.tokens_of(run.view.unit(run.history, number)) for number in range(run.view.start, upto)) + run.tokens_of(run.view.head)


def _failed(run: Run, asking: Asking, kind: str, why: str) -> Run:
    """A bad summary never replaces history: the mechanical checkpoint does, and the person is told once until one succeeds (D23).

    A person who asked for this one is always told (B087).
    """
    run = run.event("summary", before=asking.started_from, reason=f"{kind}: {why}", detail={"outcome": kind})
    if not run.memory.told or run.facts.manual:
        run = run.notice(f"The summary could not be used ({kind}: {why}); a mechanical checkpoint stands in for it.").remember(told=True)
    run = replace(run, asking=None)
    if kind == "hung":
        run = run.remember(hung=True)
    return _built(run, asking.upto, prose=_prior(run), reason=f"mechanical after {kind}")


def _built(run: Run, upto: int, *, prose: Sections | None, reason: str) -> Run:
    """The checkpoint that will enter, its tail shortened as far as the line demands (D21)."""
    line = run.facts.forced if run.facts.forced is not None else run.lines.compact
    newest = run.history.newest()
    edit, after = _attempt(run, upto, prose=prose, reason=reason)
    while after > line and upto < newest and run.facts.before is None:
        upto = _shortened(run, upto, excess=after - line, newest=newest)
        edit, after = _attempt(run, upto, prose=prose, reason=reason, known=edit.cover.ledger if edit.cover else None)
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
    if poor < NUMBERS.poor:
        return run
    run = run.remember(held=int(run.total * (1 + run.settings.growth)))
    return run.notice(_what_fills(run)) if poor == NUMBERS.poor else run


def _shortened(run: Run, upto: int, *, excess: int, newest: int) -> int:
    """The tail without as many of its oldest units as it takes to free `excess` tokens."""
    freed = 0
    while upto < newest and freed < excess:
        freed += run.tokens_of(run.view.unit(run.history, upto))
        upto += 1
    return upto


def _attempt(run: Run, upto: int, *, prose: Sections | None, reason: str, known: Ledger | None = None) -> tuple[Edit, int]:
    """The cover of all units before `upto` and the tokens of the request with it; `known` is a fold of fewer units."""
    cover = checkpoint_cover(run, upto, ledger=folded(run, upto, known=known), prose=prose)
    edit = run.edit("cover", reason, cover=cover, keys=covered_keys(run, upto))
    return edit, run.with_edit(edit).total


def enter(run: Run, outcome: Outcome | None) -> tuple[Run, Need | None]:
    """Write the journal, then let the checkpoint in (origin 6.7)."""
    edit, usage = run.pending, run.usage
    assert edit is not None
    assert edit.cover is not None
    before, percent = usage.tokens, usage.percent
    if outcome is None:
        return run, Journal(_record(run, edit, summary=edit.cover.text))
    run = replace(run.with_edit(edit), pending=None, phase="trim", compacted=True)
    run = run.remember(ripe_to=run.view.start, ripe_gain=0, stuck=False, futile=0)
    reason = f"{edit.cause} checkpoint at {percent} % of the budget"
    detail = {"trigger": _trigger(run), "by": edit.cause, "outcome": "applied", "folded": edit.cover.losses}
    run = run.event("compact", before=before, reason=reason, keys=edit.keys, detail=detail)
    run = run.notice(
        f"Context was {percent} % full ({before:,} of {run.facts.budget:,} tokens): older messages were summarised, "
        f"{run.total:,} tokens are left; the originals stay readable under {', '.join(edit.keys)}."
    )
    return _tried(run, freed=before - run.total, before=before), None


def _trigger(run: Run) -> str:
    """What a compaction was made for (B189)."""
    return "manual" if run.facts.manual else "overflow" if run.facts.forced is not None else "threshold"


def _record(run: Run, edit: Edit, *, summary: str) -> dict[str, Any]:
    """What is written down of a compaction (origin 8.1). A journal is a copy that leaves the conversation: it holds no secrets (D59)."""
    after = run.with_edit(edit)
    return {
        "tokensBefore": run.total,
        "tokensAfter": after.total,
        "messagesBefore": _messages(run),
        "messagesAfter": _messages(after),
        "summary": checkpoint.redacted(summary),
        "mechanical": edit.cause != "model",
        "cause": edit.cause,
    }


def _messages(run: Run) -> int:
    """Messages of the view: the checkpoint and its continuation, the units that stand before them, and those behind."""
    shown = (*run.view.standing, *range(run.view.start, len(run.history.units)))
    ordinals = {place.ordinal for number in shown for place in run.history.units[number].parts}
    return len(ordinals) + (len(checkpoint_messages(run.view.cover)) if run.view.cover else 0)


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
