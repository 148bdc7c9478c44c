"""Units: every boundary is a legal cut, every call has one slot, whatever the history looks like (algorithms 3, D20)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.formats.anthropic import CODEC as ANTHROPIC
from sostenuto.formats.openai_chat import CODEC as OPENAI_CHAT
from sostenuto.messages import Call, Folding, Message, Placed, Result, Text, Thinking, Unit, is_displaced

Draw = Any
IDS = ("a", "b", "a", "c", "", "x y")


def folded(messages: list[Message], **wishes: Any) -> Folding:
    """The folding of these messages."""
    folding = Folding(**wishes)
    for ordinal, message in enumerate(messages):
        folding.add(ordinal, message)
    return folding


def caller(*ids: str, arguments: str = "{}", said: str = "") -> Message:
    """An assistant message with calls."""
    return Message("assistant", (*((Text(said),) if said else ()), *(Call(one, "bash", arguments) for one in ids)))


def answer(*ids: str, said: str = "") -> Message:
    """A message with results, perhaps with words behind them."""
    return Message("tool", (*(Result(one, f"result of {one}") for one in ids), *((Text(said),) if said else ())))


def user(text: str = "go on") -> Message:
    """Words of a user."""
    return Message("user", (Text(text),))


@st.composite
def messages(draw: Draw) -> Message:
    """Any message, well-formed or not."""
    kind = draw(st.sampled_from(("caller", "answer", "user", "text", "mixed", "empty", "system")))
    ids = draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=3))
    if kind == "caller":
        return caller(*ids, arguments=draw(st.sampled_from(("{}", "", "{'a'", '{"path": "x"}'))), said=draw(st.sampled_from(("", "look"))))
    if kind == "answer":
        return answer(*ids, said=draw(st.sampled_from(("", "and hurry"))))
    if kind == "mixed":
        return Message("user", (Text("first"), Result(ids[0], "r"), Text(""), *(Result(one, "s") for one in ids[1:])))
    if kind == "empty":
        return Message(draw(st.sampled_from(("user", "assistant", "tool"))), draw(st.sampled_from(((), (Text(" "),)))))
    return Message({"user": "user", "text": "assistant", "system": "system"}[kind], (Text("words"),))  # type: ignore[arg-type]


HISTORIES = st.lists(messages(), max_size=14)
WISHES = st.sampled_from(({}, {"unique_ids": True, "strict": True, "legal_id": ANTHROPIC.legal_id}, {"legal_id": OPENAI_CHAT.legal_id}))


def places(unit: Unit) -> list[tuple[int, int]]:
    """Addresses of a unit's parts."""
    return [(place.ordinal, place.index) for place in unit.parts]


@given(HISTORIES, WISHES)
def test_every_part_lives_once(history: list[Message], wishes: dict[str, Any]) -> None:
    """A part is in exactly one unit, or is an orphan result, or belongs to an empty message."""
    folding = folded(history, **wishes)
    owned = Counter(place for unit in folding.units for place in places(unit))
    assert not owned or max(owned.values()) == 1
    orphans = {(repair.ordinal, repair.index) for repair in folding.repairs if repair.what == "orphan"}
    for ordinal, message in enumerate(history):
        for index in range(len(message.parts)):
            assert ((ordinal, index) in owned) != ((ordinal, index) in orphans or ordinal in folding.empty)


@given(HISTORIES, WISHES)
def test_every_call_has_one_slot(history: list[Message], wishes: dict[str, Any]) -> None:
    """Each call of an assistant message has one slot; no result is in two; a slot's result answers the slot's own call id."""
    folding = folded(history, **wishes)
    slots = [slot for unit in folding.units for slot in unit.slots]
    calls = [(o, i) for o, m in enumerate(history) if m.role == "assistant" for i, p in enumerate(m.parts) if isinstance(p, Call)]
    assert [(slot.call.ordinal, slot.call.index) for slot in slots] == calls
    results = [slot.result for slot in slots if slot.result]
    assert len({(place.ordinal, place.index) for place in results}) == len(results)
    for slot in slots:
        assert slot.result_part is None or slot.result_part.call_id == slot.call_part.id


@given(HISTORIES, WISHES)
def test_every_boundary_is_a_legal_cut(history: list[Message], wishes: dict[str, Any]) -> None:
    """Whatever stands before a boundary holds no call whose answer stands behind it: a slot and its call are in one unit."""
    folding = folded(history, **wishes)
    for unit in folding.units:
        own = set(places(unit))
        for slot in unit.slots:
            assert (slot.call.ordinal, slot.call.index) in own
            assert slot.result is None or (slot.result.ordinal, slot.result.index) in own
        assert unit.first == min(place.ordinal for place in unit.parts)
        assert unit.last == max(place.ordinal for place in unit.parts)
    firsts = [unit.first for unit in folding.units]
    assert firsts == sorted(firsts)


@given(HISTORIES, WISHES)
def test_calls_and_results_are_named_alike(history: list[Message], wishes: dict[str, Any]) -> None:
    """After mending, ids are legal, unique where the wire demands it, and each result bears the id of its call."""
    folding = folded(history, **wishes)
    seen: list[str] = []
    for unit in folding.units:
        ids = []
        for slot in unit.slots:
            call, result = mended(folding, slot.call), mended(folding, slot.result)
            assert isinstance(call, Call)
            assert result is None or (isinstance(result, Result) and result.call_id == call.id)
            assert "legal_id" not in wishes or wishes["legal_id"](call.id) == call.id
            ids.append(call.id)
        assert len(set(ids)) == len(ids)
        seen += ids
    assert not wishes.get("unique_ids") or len(set(seen)) == len(seen)


def mended(folding: Folding, place: Placed | None) -> Any:
    """A part as it leaves."""
    return None if place is None else folding.mended.get((place.ordinal, place.index), place.part)


@given(HISTORIES, WISHES)
def test_settled_units_never_change(history: list[Message], wishes: dict[str, Any]) -> None:
    """What is settled after a message is the same after all later ones."""
    folding = Folding(**wishes)
    settled: list[Unit] = []
    for ordinal, message in enumerate(history):
        folding.add(ordinal, message)
        assert list(folding.units[: len(settled)]) == settled
        settled = list(folding.units[: folding.settled])
    for number in range(folding.settled):
        assert is_displaced(folding.units, number) == (number in folding.displaced)


def test_reused_ids_are_answered_in_order() -> None:
    """Of two calls with one id in one message, the first result answers the first call."""
    folding = folded([caller("a", "a"), Message("tool", (Result("a", "one"),)), Message("tool", (Result("a", "two"),))])
    assert [slot.result_part.text for slot in folding.units[0].slots if slot.result_part] == ["one", "two"]
    assert mended(folding, folding.units[0].slots[1].call).id != "a"
    assert [repair.what for repair in folding.repairs] == ["duplicate id"]


def test_an_id_of_a_closed_cycle_is_not_answered_later() -> None:
    """A result after the next reply answers nothing: its call was settled as unanswered for ever."""
    folding = folded([caller("a"), Message("assistant", (Text("well"),)), answer("a")])
    assert [repair.what for repair in folding.repairs] == ["unanswered", "orphan"]
    assert folding.units[0].slots[0].result is None


def test_the_same_id_in_two_cycles_is_two_calls() -> None:
    """Recorded sessions use an id again for another call; where ids must be unique the second is renamed with its result."""
    history = [caller("a"), answer("a"), caller("a"), answer("a")]
    assert folded(history).repairs == []
    strict = folded(history, unique_ids=True)
    call, result = strict.units[1].slots[0].call, strict.units[1].slots[0].result
    assert mended(strict, call).id == mended(strict, result).call_id != "a"


def test_words_between_results_come_after_the_cycle() -> None:
    """Words queued between two results are a unit of their own behind the cycle, which is built again in order."""
    folding = folded([caller("a", "b"), answer("a"), user(), answer("b"), Message("assistant", (Text("done"),))])
    assert [unit.kind for unit in folding.units] == ["cycle", "user", "text"]
    assert folding.units[0].last == 3
    assert folding.displaced == {0}
    assert [repair.what for repair in folding.repairs] == ["displaced"]


def test_words_behind_the_last_result_displace_nothing() -> None:
    """Words in the message of the last result, behind it, leave the cycle as it stands."""
    folding = folded([caller("a"), answer("a", said="and hurry"), Message("assistant", (Text("done"),))])
    assert [unit.kind for unit in folding.units] == ["cycle", "user", "text"]
    assert folding.displaced == set()


@pytest.mark.parametrize("arguments", ["not json", "{'a': 1}", '{"path": "a', "\ud83d", "[" * 100_000])
def test_arguments_that_are_not_json_become_json(arguments: str) -> None:
    """What no endpoint takes is wrapped whole; what a custom tool takes stays."""
    import json

    folding = folded([caller("a", arguments=arguments)])
    assert json.loads(mended(folding, folding.units[0].slots[0].call).arguments) == {"unparsed_arguments": arguments}
    free = folded([Message("assistant", (Call("a", "apply_patch", arguments, free=True),))])
    assert free.mended == {}


def test_arguments_that_are_no_object_are_wrapped_on_a_strict_wire() -> None:
    """JSON that is no object is left alone where any JSON goes, and wrapped where only objects do."""
    history = [caller("a", arguments='["x"]')]
    assert folded(history).mended == {}
    assert mended(folded(history, strict=True), folded(history).units[0].slots[0].call).arguments == '{"unparsed_arguments": "[\\"x\\"]"}'


def test_blank_text_is_left_out_where_the_wire_refuses_it() -> None:
    """A blank text goes on a strict wire, a message of nothing else is empty, and on another wire both stay."""
    history = [Message("user", (Text(" \n"), Text("words"))), Message("user", (Text("\t"),))]
    strict = folded(history, strict=True)
    assert strict.mended == {(0, 0): None}
    assert strict.empty == {1}
    assert folded(history).mended == {}


def test_an_empty_message_closes_no_cycle() -> None:
    """An empty assistant message between a call and its result does not lose the answer."""
    folding = folded([caller("a"), Message("assistant", ()), answer("a")])
    assert folding.units[0].slots[0].result is not None
    assert folding.empty == {1}


def test_reasoning_alone_is_an_empty_message() -> None:
    """A reply of nothing but reasoning is left out, for endpoints refuse it as empty; beside words it stays."""
    folding = folded([Message("assistant", (Thinking("hm"),)), Message("assistant", (Thinking("hm"), Text("well")))])
    assert folding.empty == {0}
    assert [unit.first for unit in folding.units] == [1]


@pytest.mark.parametrize("one_answer", [True, False])
def test_answers_in_messages_of_their_own(one_answer: bool) -> None:
    """Results of one turn in several messages are displaced only where the wire wants them together; keys and slots are the same."""
    folding = folded([user(), caller("a", "b"), answer("a"), answer("b"), user(), caller("c")], one_answer=one_answer)
    assert folding.displaced == ({1} if one_answer else set())
    assert [slot.result.key for slot in folding.units[1].slots if slot.result] == ["m2.0", "m3.0"]
    assert [repair.what for repair in folding.repairs] == (["displaced"] if one_answer else [])
    assert folding.alike().one_answer == one_answer
