"""A run of the ladder over a made-up history, without an engine."""

from __future__ import annotations

from typing import Any

from sostenuto.ladder import Facts, History, Keep, Memory, Need, Outcome, Run, Settings, View
from sostenuto.messages import Folding
from sostenuto.tokens import fresh, ruler
from tests.engine.conversing import CODECS
from tests.ladder.made_up import Quarters, Talk, summary


def history_of(talk: Talk) -> History:
    """The history of a talk, counted in quarters."""
    codec = CODECS[talk.format]
    folding = Folding(unique_ids=True, itemised=codec.itemised, by_name=codec.by_name)
    made = History(ruler("", weigher=Quarters(), calibration=fresh(exact=True)), folding)
    for raw in talk.messages:
        made.add(codec.decode(raw))
    return made


def at_start(talk: Talk, *, window: int, settings: Settings | None = None, **facts: Any) -> Run:
    """A run that has not begun."""
    known = Facts(budget=window, window=window, **facts)
    return Run(history_of(talk), settings or Settings(), known, View(), Memory())


def met(need: Need) -> Outcome:
    """Every need met: everything can be kept, and the summary is sound."""
    if isinstance(need, Keep):
        return Outcome(value=frozenset(need.keys))
    return Outcome(value=summary()) if hasattr(need, "prompt") else Outcome(value=True)
