"""Admission: cutting results before the model has ever seen them (D41, D49)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sostenuto.budget import batch_budget, water_level
from sostenuto.ladder._edit import Form, Place
from sostenuto.ladder._fixed import fixed_told
from sostenuto.ladder._forms import clipped
from sostenuto.ladder._media import stripped
from sostenuto.ladder._run import Keep, Outcome, Run
from sostenuto.messages import Result, key_of


def admit(run: Run, outcome: Outcome | None) -> tuple[Run, Keep | None]:
    """Cut the results that arrived since the last request if one, or all together, are too large."""
    if outcome is None:
        run = stripped(fixed_told(run))
    sizes = oversized(run)
    if not sizes:
        return replace(run, phase="clear"), None
    keys = tuple(key_of(*place) for place, _ in sizes)
    if outcome is None:
        return run, Keep(keys)
    forms = _cut(run, sizes, kept=frozenset(outcome.value or ()))
    if not forms:
        return replace(run, phase="clear"), None
    before, edit = run.total, run.edit("clip", "admit", forms=forms)
    reason = "larger than one result, or one batch of results, may be when it arrives"
    return replace(run.with_edit(edit).event("admit", before=before, reason=reason, keys=edit.keys), phase="clear"), None


def _cut(run: Run, sizes: Iterable[tuple[Place, int]], *, kept: frozenset[str]) -> list[Form]:
    forms: list[Form] = []
    for place, size in sizes:
        part, key = run.history.mended_part(*place), key_of(*place)
        if not isinstance(part, Result):
            continue
        words = _words(part)
        cut = clipped(words, key=key, size=size, ruler=run.history.ruler, named=run.facts.named if key in kept else None)
        if isinstance(cut, Result) and cut is not words:
            forms.append((place, replace(cut, media=part.media)))
    return forms


def _words(result: Result) -> Result:
    """The result without its attachments: those have no head and tail, and nobody has looked at them yet (D11)."""
    return replace(result, media=()) if result.media else result


def oversized(run: Run) -> list[tuple[Place, int]]:
    """The unread results that were never sent and have to be cut, with the tokens each may keep.

    A result that a model has answered was read, here or elsewhere: cutting it is no admission (D11, D49).
    """
    history, settings = run.history, run.settings
    unread = history.units[history.newest()] if history.units else None
    results: list[tuple[Place, int]] = []
    for slot in unread.slots if unread else ():
        place = (slot.result.ordinal, slot.result.index) if slot.result else None
        if place is None or place[0] < run.facts.sent or run.view.levels.get(place, 0) > 0:
            continue
        part = history.mended_part(*place)
        if isinstance(part, Result):
            results.append((place, run.tokens_of(history.piece(_words(part)) if part.media else history.part(*place))))
    # a cut has to be worth its note: a result a little over the cap, which is never below the floor, stays whole
    if all(size <= settings.result_floor + settings.result_floor // 2 for _, size in results):
        return []
    each = settings.result_limit if settings.result_limit is not None else run.tail
    together = batch_budget(run.room, share=settings.batch_share)
    cap = max(settings.result_floor, min(each, water_level([size for _, size in results], total=together)))
    return [(place, cap) for place, size in results if size > cap + max(settings.result_floor // 2, cap // 10)]
