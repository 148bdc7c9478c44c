"""From a ledger and, perhaps, a model's prose to the checkpoint that stands for a covered part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto import checkpoint
from sostenuto.budget import ledger_budget, paths_budget
from sostenuto.ladder._edit import Cover
from sostenuto.ladder._known import known_block
from sostenuto.ladder._run import Run
from sostenuto.ladder._zones import standing
from sostenuto.messages import range_key

if TYPE_CHECKING:
    from sostenuto.checkpoint import Ledger, Sections


def folded(run: Run, upto: int, *, known: Ledger | None = None) -> Ledger:
    """The ledger of all units before `upto`: the fold that is `known`, else the one of the cover in view, and what came since (D53)."""
    ledger = known if known is not None else run.view.cover.ledger if run.view.cover else checkpoint.EMPTY
    return checkpoint.fold(ledger, run.history.units[ledger.length : upto], policy=run.settings.policy)


def checkpoint_cover(run: Run, upto: int, *, ledger: Ledger, prose: Sections | None, share: float = 1.0, paths: float = 1.0) -> Cover:
    """The cover of all units before `upto`; `share` shrinks what is printed beside the paths when space is tight, `paths` those."""
    settings = run.settings
    rendering = checkpoint.render(
        ledger,
        budget=int(ledger_budget(run.tail, share=settings.ledger_share) * share),
        path_budget=int(paths_budget(run.facts.budget, share=settings.path_share) * paths),
        count=run.history.ruler.text,
        recall_named=run.facts.named == "recall",
    )
    text = checkpoint.compose(
        prose,
        rendering,
        rules=run.facts.rules,
        known=known_block(run, share=share),
        recall_named=run.facts.named == "recall",
        extent=extent(run, upto),
    )
    return Cover(upto, standing(run.history, upto=upto), text, checkpoint.CONTINUATION, ledger, prose, rendering.folds)


def digest_cover(run: Run, upto: int, *, ledger: Ledger) -> Cover:
    """The smallest checkpoint there is (D50)."""
    text = checkpoint.digest(
        ledger,
        budget=run.settings.digest,
        root_key=range_key(*extent(run, upto)),
        count=run.history.ruler.text,
        recall_named=run.facts.named == "recall",
    )
    return Cover(upto, standing(run.history, upto=upto), text, checkpoint.CONTINUATION, ledger, None)


def extent(run: Run, upto: int) -> tuple[int, int]:
    """First and last ordinal of everything a cover stands for. The last unit may end before an earlier one with late results."""
    units = run.history.units
    if upto == 0:
        return 0, 0
    last, number = units[upto - 1].last, upto - 1
    while number > 0 and units[number].kind != "cycle":
        number -= 1
    return units[0].first, max(last, units[number].last)


def covered_keys(run: Run, upto: int) -> tuple[str, ...]:
    """One range for everything that gives way; what stood under an earlier cover is still inside it."""
    return (range_key(*extent(run, upto)),) if upto else ()
