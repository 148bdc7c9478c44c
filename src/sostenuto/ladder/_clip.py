"""Read results of the kept part, cut when a compaction alone did not get under its line (D21)."""

from __future__ import annotations

from collections.abc import Iterator

from sostenuto.ladder._edit import Form, Place
from sostenuto.ladder._forms import clipped
from sostenuto.ladder._numbers import NUMBERS
from sostenuto.ladder._run import Run
from sostenuto.messages import Result, key_of


def clip_read(run: Run, *, line: int) -> Run:
    """Cut read results of the kept part, largest first, until the request is under the line."""
    cap = max(run.settings.result_floor, int(NUMBERS.read_share * run.facts.budget))
    excess = run.total - line
    forms: list[Form] = []
    for tokens, place, result in sorted(_large(run, cap=cap), key=lambda item: (-item[0], item[1])):
        if excess <= 0:
            break
        forms.append((place, clipped(result, key=key_of(*place), size=cap, ruler=run.history.ruler, named=run.facts.named)))
        excess -= tokens - cap
    if not forms:
        return run
    before, edit = run.total, run.edit("clip", "read results of the kept part are too large", forms=forms)
    return run.with_edit(edit).event("clip", before=before, reason=edit.cause, keys=edit.keys)


def _large(run: Run, *, cap: int) -> Iterator[tuple[int, Place, Result]]:
    """Whole read results that take more than twice the cap, with their tokens."""
    for number in range(run.view.start, run.history.newest()):
        if number in run.history.standing:
            continue
        for slot in run.history.units[number].slots:
            if slot.result is None:
                continue
            place = (slot.result.ordinal, slot.result.index)
            result = run.history.mended_part(*place)  # with the id that its call leaves with
            if not isinstance(result, Result):
                continue
            tokens = run.tokens_of(run.history.part(*place))
            if run.view.levels.get(place, 0) == 0 and tokens > 2 * cap:
                yield tokens, place, result
