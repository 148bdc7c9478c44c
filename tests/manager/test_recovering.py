"""What `recover` makes of the figures in an error (D6, D8, D19)."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto import ContextManager, ContextOverflow, UnusableInput
from sostenuto.protocols import Raw

IN_AND_OUT = "input length and `max_tokens` exceed context limit: {} + {} > {}, decrease input length or `max_tokens` and try again"


class Quarters:
    """An exact weigher: a token is four characters."""

    name = "quarters"
    exact = True

    def __call__(self, text: str, /) -> int:
        return (len(text) + 3) // 4


def started(window: int, *, notes: int = 10, **asked: Any) -> tuple[ContextManager, int]:
    """A manager with a history of so many notes of about 500 tokens, and the tokens of its request."""
    context = ContextManager(window=window, counter=Quarters())
    messages: list[Raw] = [{"role": "user", "content": "task"}]
    for number in range(notes):
        messages += [{"role": "assistant", "content": f"note {number:03} " * 210}, {"role": "user", "content": f"go on {number}"}]
    return context, context.prepare_sync(messages, **asked).tokens


def error(words: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": words}}


def test_an_output_that_does_not_fit_is_lowered_and_the_history_stays() -> None:
    """Where the provider counted input and output and the input alone fits, the output is lowered and not a message is touched (D6)."""
    context, tokens = started(40_000, max_output=8_000)
    sent = context.recall("m0-m20")[0].text
    after = context.recover(error(IN_AND_OUT.format(tokens, 8_000, 12_000)))
    assert len(after.arguments["messages"]) - after.nudges == 21
    assert after.max_output is not None
    assert 5_000 <= after.max_output <= 12_000 - after.tokens
    assert any(f"lowered to {12_000 - int(tokens / 0.8) - 1:,}" in notice for notice in after.notices)
    assert (context.window.tokens, context.window.source) == (12_000, "learned")
    assert context.recall("m0-m20")[0].text == sent


def test_an_output_is_lowered_once_and_a_second_refusal_is_a_failure() -> None:
    """A lowered output is the one retry (D19)."""
    context, tokens = started(40_000, max_output=8_000)
    context.recover(error(IN_AND_OUT.format(tokens, 8_000, 12_000)))
    with pytest.raises(ContextOverflow):
        context.recover(error(IN_AND_OUT.format(tokens, 5_000, 9_000)))


def test_a_history_that_fills_the_window_gives_way_before_the_output_is_too_small() -> None:
    """An output is not lowered below an eighth of the window: there the history is cut so far that the output fits (D6)."""
    context, tokens = started(40_000, max_output=2_000)
    after = context.recover(error(IN_AND_OUT.format(tokens, 2_000, tokens + 500)))
    assert after.max_output == 2_000
    assert after.tokens <= tokens - 1_500


def test_an_output_nobody_lets_us_set_is_left_room_instead() -> None:
    """A caller that states no output may send its own again: the history makes room for it (D19)."""
    context, tokens = started(40_000)
    after = context.recover(error(IN_AND_OUT.format(tokens, 5_000, 8_000)))
    assert after.max_output is None
    assert after.tokens <= 3_000


def test_an_output_as_large_as_the_window_is_lowered_whoever_sets_it() -> None:
    """Where the output alone fills the window no shorter history is a cure: the request says what output fits."""
    context, tokens = started(40_000)
    after = context.recover(error(IN_AND_OUT.format(tokens, 20_000, 20_000)))
    assert len(after.arguments["messages"]) - after.nudges == 21
    assert after.max_output is not None
    assert 10_000 <= after.max_output <= 20_000 - after.tokens


def test_a_provider_that_counts_more_than_we_do_is_believed() -> None:
    """The recovered request fits by the provider's count, not only by ours: its share is taken from both figures (D19)."""
    context, tokens = started(40_000)
    after = context.recover(error(f"prompt is too long: {2 * tokens} tokens > {tokens} maximum"))
    assert after.tokens <= tokens / 2


def test_a_count_that_is_only_a_lower_bound_is_not_believed() -> None:
    """Where the server stopped counting at its limit, the usual share is cut, and the limit alone is learned (D8)."""
    context, tokens = started(40_000)
    words = f"maximum context length is {2 * tokens} tokens. However, your prompt contains at least {2 * tokens + 1} input tokens"
    after = context.recover(error(words))
    assert after.tokens <= 0.72 * tokens
    assert context.window.tokens == 2 * tokens


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("invalid params, context window exceeds limit (2013)", 40_000),
        ("prompt is too long: 900 tokens > 200000 maximum", 40_000),
        ("prompt is too long: 9000 tokens > 7000 maximum", 7_000),
    ],
)
def test_only_a_real_limit_is_learned(words: str, window: int) -> None:
    """An error's number, and figures that contradict the refusal, leave the window as it was; a limit does not (D8)."""
    context, _ = started(40_000)
    context.recover(error(words))
    assert context.window.tokens == window


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens", "ask for less; the most is 8,192"),
        ("Rate limit reached", "wait"),
        ("image exceeds 5 MB maximum", "smaller one"),
        ("Overloaded", "again later"),
    ],
)
def test_another_refusal_is_named_with_its_remedy(words: str, remedy: str) -> None:
    """An error that no shorter history cures is handed back with its words and what to do instead, and nothing changes (B033)."""
    context, tokens = started(40_000)
    with pytest.raises(UnusableInput, match="does not say that the request was too long") as caught:
        context.recover(error(words))
    assert remedy in str(caught.value)
    assert words[:30] in str(caught.value)
    assert context.usage().tokens == tokens


def test_an_empty_refusal_counts_only_near_the_window() -> None:
    """A 413 without a body is an overflow if the request filled the window, and is handed back if not (B033)."""
    near, tokens = started(6_200)
    assert near.recover({"status_code": 413}).tokens < tokens
    far, _ = started(40_000)
    with pytest.raises(UnusableInput):
        far.recover({"status_code": 413})


MALFORMED = "messages.1.content.0: Invalid `signature` in `thinking` block"


def thoughtful(window: int = 40_000) -> tuple[ContextManager, list[Raw]]:
    """A manager in an open tool loop that begins with signed reasoning, and the history it was handed."""
    thought = {"type": "thinking", "thinking": "let me look", "signature": "c2lnbmVk"}
    messages: list[Raw] = [{"role": "user", "content": "task"}]
    for number in range(3):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "read", "input": {"path": f"a{number}.py"}}
        answer = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "x = 1"}
        messages += [{"role": "assistant", "content": [thought, call]}, {"role": "user", "content": [answer]}]
    context = ContextManager(window=window, counter=Quarters(), format="anthropic")
    context.prepare_sync(messages)
    return context, messages


def test_a_history_called_malformed_is_asked_again_without_its_reasoning() -> None:
    """A refusal as malformed is answered once with a request without reasoning; every piece of it stays recallable (D19)."""
    context, messages = thoughtful()
    again = context.recover(error(MALFORMED))
    kinds = [block["type"] for message in again.arguments["messages"] for block in message["content"] if isinstance(block, dict)]
    assert "thinking" not in kinds
    assert kinds.count("tool_use") == kinds.count("tool_result") == 3
    assert again.thinking_off
    assert [event.rung for event in again.events] == ["strip", "recover"]
    assert all(context.recall(key)[0].text for key in again.events[0].keys)
    following = context.prepare_sync([*messages, {"role": "assistant", "content": "done"}, {"role": "user", "content": "thanks"}])
    assert following.arguments["messages"][: len(messages)] == again.arguments["messages"][: len(messages)]
    assert not following.thinking_off


def test_a_malformed_history_without_reasoning_is_shortened() -> None:
    """Where there is no reasoning to leave out the one retry is a shorter request (D19)."""
    context, tokens = started(40_000)
    again = context.recover(error("messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1"))
    assert again.tokens < tokens
    with pytest.raises(ContextOverflow):
        context.recover(error(MALFORMED))
