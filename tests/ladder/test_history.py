"""A history is the same however it is taken in: one by one, many at once, or with weights that are known."""

from __future__ import annotations

import pytest

from sostenuto.ladder import History
from sostenuto.messages import Call, Folding, Message, Opaque, Result, Text, Thinking
from sostenuto.tokens import Ruler


class Counted:
    """A token is one letter; every text it is asked for is noted."""

    name, exact = "letters", True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str, /) -> int:
        self.asked.append(text)
        return len(text)


def talk(turns: int) -> list[Message]:
    """Turns with everything that has to be mended: blank texts, an id used twice, arguments that are none, a lost and a late answer."""
    messages = [Message("user", (Text("Do the task"), Text("  ")), "task")]
    for turn in range(turns):
        call = Call(f"c{turn // 2}", "read", '{"path": "a"}' if turn % 3 else "{path")
        messages.append(Message("assistant", (Thinking("so", "seal"), Text(f"turn {turn}"), call)))
        if turn % 5:
            messages.append(Message("user", (Text("wait"),)))
            messages.append(Message("user", (Result(call.id, f"found {turn}"), Opaque("image", "{}"))))
        messages.append(Message("assistant", (Text(f"done {turn}"),)))
    return messages


def empty(weigher: Counted) -> History:
    """A history on a wire that demands most."""
    return History(Ruler(weigher), Folding(unique_ids=True, strict=True, one_answer=True))


def test_many_at_once_are_what_they_are_one_by_one() -> None:
    """`extend` leaves exactly what as many `add`s leave, over the edge of a batch too."""
    messages = talk(400)
    assert len(messages) > 1_000
    pins = {0, 7, 499, 500, 501, len(messages) - 1}
    single, together = empty(Counted()), empty(Counted())
    for ordinal, message in enumerate(messages):
        single.add(message, pinned=ordinal in pins)
    together.extend(messages[:3], pinned=pins & {0, 1, 2})
    together.extend(messages[3:], pinned={ordinal - 3 for ordinal in pins if ordinal >= 3})
    together.latest = single.latest  # a memo: which unit was weighed last, by identity
    single.ruler = together.ruler
    assert together == single
    assert together.folding.mended


def test_known_weights_are_taken_and_only_what_is_mended_is_weighed_again() -> None:
    """With the weights of an equal history nothing is weighed but what reads differently, and every sum is the same."""
    messages = talk(12)
    first, second = empty(Counted()), empty(weigher := Counted())
    first.extend(messages)
    for ordinal, message in enumerate(messages):
        second.add(message, weights=first.weighed(ordinal))
    made_up = [text for text in weigher.asked if text.startswith("No result")]
    assert len(weigher.asked) - len(made_up) <= len([form for form in second.folding.mended.values() if form is not None])
    assert (second.part_weights, second.part_flats, second.weights, second.flats) == (
        first.part_weights, first.part_flats, first.weights, first.flats
    )  # fmt: skip
    assert (second.read, second.span(0, len(second.units))) == (first.read, first.span(0, len(first.units)))


def test_weights_of_another_message_are_refused() -> None:
    """As many weights as parts, or an error before anything is taken in."""
    history = empty(Counted())
    with pytest.raises(ValueError, match="2 weights are not those of 1 parts"):
        history.add(Message("user", (Text("one"),)), weights=[(1, 4), (1, 4)])
    assert not history.messages
    assert not history.units
