"""From a ledger and, perhaps, a model's prose to the checkpoint that stands for a covered part."""

from __future__ import annotations

from sostenuto.checkpoint import CONTINUATION, Ledger, Sections, compose, digest, render
from sostenuto.ladder._edit import Cover
from sostenuto.ladder._run import Run
from sostenuto.ladder._zones import standing
from sostenuto.messages import range_key

SUMMARY_CAP = 8_000
"""No model's summary may ask for more tokens than any current model may write in one answer (B083)."""


def ledger_budget(run: Run) -> int:
    """Tokens for requests, commands and values (D22)."""
    return int(run.settings.ledger_share * run.tail)


def path_budget(run: Run) -> int:
    """Tokens for paths, under a bound of their own (D22)."""
    return int(run.settings.path_share * run.facts.budget)


def checkpoint_cover(run: Run, upto: int, *, ledger: Ledger, prose: Sections | None, share: float = 1.0) -> Cover:
    """The cover of all units before `upto`; `share` shrinks the bounds of its rendering when space is tight."""
    rendering = render(
        ledger,
        budget=int(ledger_budget(run) * share),
        path_budget=int(path_budget(run) * share),
        count=run.history.ruler.text,
        recall_named=run.facts.named == "recall",
    )
    text = compose(prose, rendering, rules=run.facts.rules, recall_named=run.facts.named == "recall", extent=extent(run, upto))
    return Cover(upto, standing(run.history, upto=upto), text, CONTINUATION, ledger, prose)


def digest_cover(run: Run, upto: int, *, ledger: Ledger) -> Cover:
    """The smallest checkpoint there is (D50)."""
    text = digest(
        ledger,
        budget=run.settings.digest,
        root_key=range_key(*extent(run, upto)),
        count=run.history.ruler.text,
        recall_named=run.facts.named == "recall",
    )
    return Cover(upto, standing(run.history, upto=upto), text, CONTINUATION, ledger, None)


def extent(run: Run, upto: int) -> tuple[int, int]:
    """First and last ordinal of everything a cover stands for. The last unit may end before an earlier one with late results."""
    units = run.history.units
    if upto == 0:
        return 0, 0
    last, number = units[upto - 1].last, upto - 1
    while number > 0 and units[number].kind != "cycle":
        number -= 1
    return units[0].first, max(last, units[number].last)
