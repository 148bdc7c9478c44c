"""Messages of another wire are refused by name: nothing is read as silence (D20, D58)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sostenuto.errors import UnknownFormat
from sostenuto.manager import ContextManager
from sostenuto.protocols import Raw
from tests.engine import wires
from tests.engine.conversing import CODECS, FORMATS, Quarters

PAIRS = [(one, other) for one in FORMATS for other in FORMATS if one != other]


def talked(format: str) -> list[Raw]:
    """A request, two parallel calls with their results, words, and a new request."""
    return [
        wires.user("Find it.", format=format),
        *wires.cycle(["c1", "c2"], ["alpha", "beta"], format=format),
        *wires.reply("Found.", format=format),
        wires.user("Go on.", format=format),
    ]


def begun(format: str) -> ContextManager:
    """A manager that insists on a wire."""
    return ContextManager("openai:gpt-4o", format=format, window=16_000, counter=Quarters())


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_structure_of_another_wire_is_refused(one: str, other: str) -> None:
    """A history of one wire under the format of another is refused with the message and the remedy, and the right one is taken then."""
    context = begun(other)
    with pytest.raises(UnknownFormat, match=rf"message \d has .* no message of {other}; name the format it is in with format=") as caught:
        context.prepare_sync(talked(one))
    assert other == "gemini" or f'format="{one}"' in str(caught.value)
    request = context.prepare_sync(talked(other))
    assert request.arguments[CODECS[other].field] == talked(other)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_new_message_of_another_wire_changes_nothing(one: str, other: str) -> None:
    """In the middle of a conversation a cycle of another wire is refused, the state is as before, and the conversation goes on."""
    context, history = begun(other), talked(other)
    context.prepare_sync(history)
    before = copy.deepcopy(context.snapshot())
    with pytest.raises(UnknownFormat, match="message "):
        context.prepare_sync([*history, *wires.cycle(["d1"], ["gamma"], format=one)])
    assert context.snapshot() == before
    history += wires.cycle(["d1"], ["gamma"], format=other)
    assert context.prepare_sync(history).arguments[CODECS[other].field] == history


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_old_list_after_a_switch_is_taken_whole_or_refused(one: str, other: str) -> None:
    """Who goes on with his old list after a switch to another wire loses nothing silently: it is read as it was, or refused."""
    for more in ([], wires.cycle(["d1"], ["gamma"], format=one)):
        context = begun(one)
        context.prepare_sync(talked(one))
        done = context.switch("openai:gpt-4.1", window=16_000, counter=Quarters(), format=other)
        before = copy.deepcopy(context.snapshot())
        if more:
            with pytest.raises(UnknownFormat, match="after a switch to another wire go on with the `messages` of its answer"):
                context.prepare_sync([*talked(one), *more])
            assert context.snapshot() == before
        request = context.prepare_sync((done.messages or []) if more else talked(one))
        assert all(word in str(request.arguments) for word in ("Find it.", "alpha", "beta", "Found.", "Go on."))


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_plain_words_follow_the_format_that_was_named(one: str, other: str) -> None:
    """A role and words pass on every wire that has them; only Gemini's contents, which have parts, do not take them."""
    said: list[Raw] = [wires.user("Hello.", format=one)]
    if "gemini" in (one, other):
        with pytest.raises(UnknownFormat, match="parts"):
            begun(other).prepare_sync(said)
    else:
        assert begun(other).prepare_sync(said).arguments[CODECS[other].field] == said


class Model:
    """What a client returns: fields, and a dump of them."""

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)

    def model_dump(self, **_: Any) -> Raw:
        """The fields."""
        return dict(self.__dict__)


def test_objects_of_a_client_are_looked_at_too() -> None:
    """A chat reply with calls, as its client hands it out, is refused on the Anthropic wire, and a list of anything is named."""
    with pytest.raises(UnknownFormat, match="tool_calls and looks like openai_chat"):
        begun("anthropic").prepare_sync([Model(role="assistant", content=None, tool_calls=[{"id": "c"}])])  # type: ignore[list-item]
    with pytest.raises(UnknownFormat, match="message 0 is a int"):
        begun("openai_chat").prepare_sync([7])  # type: ignore[list-item]


def test_a_chat_message_with_both_kinds_of_calls_is_a_chat_message() -> None:
    """Some frameworks leave the other wire's blocks in the content beside ``tool_calls``: nothing is lost, so it passes."""
    calls = [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]
    both: Raw = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": {}}], "tool_calls": calls}
    history = [{"role": "user", "content": "Go."}, both, {"role": "tool", "tool_call_id": "c1", "content": "done"}]
    assert begun("openai_chat").prepare_sync(history).arguments["messages"] == history


def test_a_wire_seen_late_is_refused_where_what_came_before_cannot_be_of_it() -> None:
    """Plain words followed by Gemini's contents are two wires in one list: that is said, and the words are not lost."""
    context = ContextManager("google:gemini-2.5-pro", counter=Quarters())
    said: list[Raw] = [{"role": "user", "content": "Hello."}]
    context.prepare_sync(said)
    with pytest.raises(UnknownFormat, match="message 0 has content but no parts"):
        context.prepare_sync([*said, *wires.reply("Good day.", format="gemini"), wires.user("Go on.", format="gemini")])
    more = [*said, *wires.reply("Good day.", format="openai_chat"), wires.user("Go on.", format="openai_chat")]
    assert context.prepare_sync(more).arguments["messages"] == more
