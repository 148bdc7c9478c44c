"""What a caller hands over wrongly is named at the door, with the remedy; nothing is lost in silence."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto import ContextManager, ContextOverflow, Settings, SostenutoError, UnknownFormat, UnknownKey, UnknownSetting, UnusableInput


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"rules": "Never touch"}, "list of texts"),
        ({"rules": [1]}, "list of texts"),
        ({"instructions": 3}, "instructions 3"),
        ({"profile": 3}, "profile 3"),
        ({"settings": {"compact": 0.5}}, "Settings"),
        ({"settings": Settings(gain="x")}, "gain"),  # type: ignore[arg-type]
        ({"on_event": 3}, "on_event 3"),
        ({"model": None}, "model None"),
        ({"window": 0}, "window 0"),
        ({"tool_policy": {"a": 5}}, "5"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], named: str) -> None:
    """A constructor argument that cannot be used raises UnknownSetting that names it."""
    with pytest.raises(UnknownSetting, match=named):
        ContextManager(**{"model": "openai:gpt-4o", **arguments})


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "parts": [{"text": "hi"}]}],
        [{"role": "user", "content": "hi"}, {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"}],
        [1],
        ["hello"],
    ],
)
def test_a_message_of_another_wire_is_refused(messages: list[Any]) -> None:
    """A message nothing can be read of raises UnknownFormat instead of leaving in silence, and the conversation goes on afterwards."""
    context = ContextManager(window=1_000, format="openai_chat")
    with pytest.raises(UnknownFormat, match="message"):
        context.prepare_sync(messages)
    assert context.prepare_sync([{"role": "user", "content": "hi"}]).arguments["messages"] == [{"role": "user", "content": "hi"}]


def test_wrong_output_and_idle_are_named() -> None:
    """A negative or textual max_output or idle_s raises UnusableInput naming it."""
    context = ContextManager(window=1_000)
    for arguments in ({"max_output": -1}, {"max_output": "1"}, {"idle_s": -3}, {"idle_s": "x"}):
        with pytest.raises(UnusableInput, match=next(iter(arguments))):
            context.prepare_sync([{"role": "user", "content": "hi"}], **arguments)


def test_a_pin_function_that_fails_is_told_as_such() -> None:
    """A predicate that raises on a message gives one clear error, not its own."""
    context = ContextManager(window=1_000, pin=lambda raw: bool(raw["missing"]))
    with pytest.raises(UnknownSetting, match="pin function failed"):
        context.prepare_sync([{"role": "user", "content": "hi"}])


def test_words_that_are_nowhere_find_nothing() -> None:
    """recall gives no hits for words that nothing holds, and an error only for a key that names nothing or for no words at all."""
    context = ContextManager(window=1_000)
    context.prepare_sync([{"role": "user", "content": "hi"}])
    assert context.recall("zebra") == ()
    assert context.recall("zebra stripes") == ()
    for wrong in ("m99.0", "  "):
        with pytest.raises(UnknownKey):
            context.recall(wrong)


def test_an_absurd_report_is_not_believed() -> None:
    """A reported prompt of more than ten windows changes nothing and is told once."""
    context = ContextManager(window=8_000, counter="family")
    messages = [{"role": "user", "content": "hello " * 50}]
    before = context.prepare_sync(messages).tokens
    context.record({"usage": {"prompt_tokens": 10**12, "completion_tokens": 1}})
    request = context.prepare_sync([*messages, {"role": "assistant", "content": "ok"}, {"role": "user", "content": "go"}])
    assert request.tokens < before + 50
    assert any("not believed" in notice for notice in request.notices)


def test_nudges_are_part_of_what_a_report_counts() -> None:
    """A provider that reports exactly what was estimated teaches no overhead, nudges included."""
    context = ContextManager(window=4_000, counter="o200k", format="openai_chat", tool_policy={"read": "never"})
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(12):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}]
        messages += [{"role": "tool", "tool_call_id": f"c{number}", "content": "x = 1\n" * 60}]
        request = context.prepare_sync(messages)
        context.record({"prompt_tokens": request.tokens, "completion_tokens": 5})
    assert context.usage().components.get("overhead", 0) <= 8


def test_the_window_in_force_follows_what_an_error_taught() -> None:
    """After an error that states a maximum, `window` gives that number and says it was learned."""
    context = ContextManager(window=8_000, counter="family")
    context.prepare_sync([{"role": "user", "content": "hello " * 4_000}])
    context.recover(maximum=3_000)
    assert (context.window.tokens, context.window.source) == (3_000, "learned")


@pytest.mark.parametrize(
    ("text", "maximum"),
    [
        ("The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072),
        ("prompt token count of 130000 exceeds the limit of 128000", 128_000),
        ("inputs tokens + max_new_tokens must be <= 4096. Given: 5000 inputs tokens", 4_096),
        ("Please reduce the length of the messages or completion.", None),
        ("Your request exceeded model token limit: 262144", 262_144),
    ],
)
def test_common_overflow_wordings_are_understood(text: str, maximum: int | None) -> None:
    """The wordings of common providers are recognised, and a maximum they state is learned (D9)."""
    context = ContextManager(window=2_000_000, counter="family")
    request = context.prepare_sync(
        [{"role": "user", "content": "task"}, *({"role": "assistant", "content": f"note {n} " * 300} for n in range(50))]
    )
    try:
        smaller = context.recover(RuntimeError(text))
    except ContextOverflow:
        smaller = None
    assert context.window.tokens == (maximum or 2_000_000)
    assert smaller is None or smaller.tokens < request.tokens


@pytest.mark.parametrize("text", ["Rate limit reached: 30000 tokens per minute", "invalid api key token", "max_tokens is too large: 99999"])
def test_other_errors_are_not_overflow(text: str) -> None:
    """Rate limits, keys and output caps are handed back with their own words (B033, D9)."""
    context = ContextManager(window=2_000)
    context.prepare_sync([{"role": "user", "content": "task"}])
    with pytest.raises(SostenutoError, match="does not say"):
        context.recover(RuntimeError(text))
