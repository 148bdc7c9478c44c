"""A history that is folded again weighs only what is another one now."""

from __future__ import annotations

from dataclasses import replace

from sostenuto.engine._growing import rebuilt
from sostenuto.ladder import History
from sostenuto.messages import Call, Folding, Message, Result, Text
from sostenuto.tokens import Ruler


class Noting:
    """A token is one letter; every text it is asked for is noted."""

    name, exact = "letters", True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str, /) -> int:
        self.asked.append(text)
        return len(text)


def grown(weigher: Noting) -> History:
    """A task and three calls with their results and words behind them."""
    history = History(Ruler(weigher), Folding())
    history.add(Message("user", (Text("Do the task"),)))
    for turn in range(3):
        history.add(Message("assistant", (Call(f"c{turn}", "read", "{}"),)))
        history.add(Message("tool", (Result(f"c{turn}", f"found {turn}"),)))
        history.add(Message("assistant", (Text(f"done {turn}"),)))
    weigher.asked.clear()
    return history


def test_what_stays_is_not_weighed_again() -> None:
    """After a fork the common beginning keeps its weights, and they are the ones that weighing it again gives."""
    history = grown(weigher := Noting())
    kept = rebuilt(history, history.messages[:7], pinned={0}, weighed=True)
    assert weigher.asked == []
    assert kept == rebuilt(history, history.messages[:7], pinned={0})
    assert len(weigher.asked) == 7


def test_from_the_first_other_message_on_all_is_weighed_again() -> None:
    """A message that the host rewrote, and those behind it, are weighed anew."""
    history = grown(weigher := Noting())
    messages = list(history.messages)
    messages[6] = Message("assistant", (Text("rewritten"),))
    changed = rebuilt(history, messages, pinned=set(), weighed=True)
    assert weigher.asked[0] == "rewritten"
    assert len(weigher.asked) == 4
    assert changed.part(6, 0).weight == len("rewritten")


def test_another_ruler_weighs_everything() -> None:
    """Weights of another ruler are never taken over unless their caller says that they are the same."""
    history, other = grown(Noting()), Noting()
    rebuilt(replace(history, ruler=Ruler(other)), history.messages, pinned=set())
    assert len(other.asked) == len(history.messages)
