"""What the engine says about changes in front, cache markers that would vanish, formats seen late, answers cut off by the window."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto import ContextManager, UnusableInput
from sostenuto.ladder import Settings

Raw = dict[str, Any]


def cycle(number: int, text: str, *, marked: bool = False) -> list[Raw]:
    """One Anthropic tool cycle; the result may carry the caller's cache marker."""
    result: Raw = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
    if marked:
        result["cache_control"] = {"type": "ephemeral"}
    call = {"type": "tool_use", "id": f"c{number}", "name": "read_file", "input": {"path": f"src/{number}.py"}}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def markers(messages: list[Raw]) -> int:
    """Cache markers in the blocks of a list of messages."""
    return sum("cache_control" in block for m in messages if isinstance(m["content"], list) for block in m["content"])


def test_the_format_may_be_seen_after_the_first_request() -> None:
    """A conversation that began with plain words is read as Anthropic once its blocks show it, and its old results are cleared (D58)."""
    context = ContextManager(window=10_000, counter="family")
    messages: list[Raw] = [{"role": "user", "content": "Audit the modules."}]
    assert context.prepare_sync(messages).format == "openai_chat"
    rungs = []
    for number in range(30):
        messages += cycle(number, "x = 1\n" * 300)
        request = context.prepare_sync(messages)
        rungs += [event.rung for event in request.events]
    assert request.format == "anthropic"
    assert "clear" in rungs


def test_changed_instructions_and_tools_are_events_with_their_cost() -> None:
    """Other instructions or tools than last time are an event each, with the tokens that are billed again (D30, D46)."""
    context = ContextManager(window=50_000, format="anthropic", counter="family")
    messages = [{"role": "user", "content": "go"}, *cycle(0, "data " * 200)]
    context.prepare_sync(messages, system="one", tools=[])
    messages += cycle(1, "data")
    request = context.prepare_sync(messages, system="two", tools=[{"name": "t", "input_schema": {"type": "object"}}])
    found = {event.rung: event.detail["rebilled"] for event in request.events}
    assert set(found) == {"system_changed", "tools_changed"}
    assert all(cost == request.tokens for cost in found.values())


def test_a_rewrite_says_what_is_billed_again() -> None:
    """The event of a clear names the tokens of sent messages behind its first change (D30)."""
    context = ContextManager(window=10_000, format="anthropic", counter="family", settings=Settings(gain=0.0))
    messages: list[Raw] = [{"role": "user", "content": "go"}]
    for number in range(12):
        messages += cycle(number, "x = 1\n" * 300)
        request = context.prepare_sync(messages)
        cleared = [event for event in request.events if event.rung == "clear"]
        if cleared:
            break
    assert 0 < cleared[0].detail["rebilled"] < request.tokens


def test_a_marker_on_a_covered_message_moves_to_the_continuation() -> None:
    """With cache="keep" the caller's marker survives the covering of its message, and no request gets more markers than were set."""
    context = ContextManager(window=6_000, format="anthropic", counter="family", tool_policy={"read_file": "never"})
    messages: list[Raw] = [{"role": "user", "content": "go"}]
    for number in range(12):
        messages += cycle(number, "x = 1\n" * 250, marked=number == 1)
        request = context.prepare_sync(messages)
        if any(event.rung == "compact" for event in request.events):
            break
    assert markers(request.arguments["messages"]) == 1
    head = next(m for m in request.arguments["messages"] if "[CONTINUE" in str(m["content"]))
    assert markers([head]) == 1


def test_b075_an_answer_cut_off_at_the_end_of_the_window_is_an_overflow() -> None:
    """A reply that stopped for length with prompt and answer filling the window leads to a smaller request; a short one does not (B075)."""
    context = ContextManager(window=32_000, format="anthropic", counter="family")
    messages: list[Raw] = [{"role": "user", "content": "go"}]
    for number in range(8):
        messages += cycle(number, "x = 1\n" * 700)
    request = context.prepare_sync(messages)
    with pytest.raises(UnusableInput, match="does not say"):
        context.recover({"choices": [{"finish_reason": "length"}], "usage": {"prompt_tokens": 900, "completion_tokens": 40}})
    full = {"choices": [{"finish_reason": "length"}], "usage": {"prompt_tokens": 31_900, "completion_tokens": 40}}
    assert context.recover(full).tokens < request.tokens


def test_what_was_mended_is_named_by_every_request_that_holds_it() -> None:
    """The key of a result that answers no call stands in `mended` of each request until a checkpoint covers it (D20)."""
    context = ContextManager(window=6_000, format="anthropic", counter="family", tool_policy={"read_file": "never"})
    orphan = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "lost", "content": "nobody asked"}, {"type": "text", "text": "go"}],
    }
    messages: list[Raw] = [orphan]
    covered = False
    for number in range(12):
        messages += cycle(number, "x = 1\n" * 250)
        request = context.prepare_sync(messages)
        covered = covered or any(event.rung == "compact" for event in request.events)
        assert request.mended == (() if covered else ("m0.0",))
        if number == 0:
            assert next(event.reason for event in request.events if event.rung == "repair").startswith("1 fault of the history")
    assert covered
    assert context.recall("m0.0")[0].text == "nobody asked"


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("format", ["openai_chat", "anthropic", "openai_responses"])
def test_a_message_without_content_is_told(role: str, format: str) -> None:
    """A message without any content gives an event with its key, and a notice where nothing of the conversation is left to send."""
    context = ContextManager(format=format)
    empty: list[Raw] = [{"role": role, "content": None}]
    alone = context.prepare_sync(empty)
    assert [event.keys for event in alone.events if event.rung == "repair"] == [("m0",)]
    assert any("(m0) can be sent" in notice for notice in alone.notices)
    more = context.prepare_sync([*empty, {"role": "user", "content": "Go."}, {"role": role, "content": ""}])
    assert [event.keys for event in more.events if event.rung == "repair"] == [("m2",)]
    assert not any("can be sent" in notice for notice in more.notices)
