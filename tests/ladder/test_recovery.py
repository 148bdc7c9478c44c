"""After the provider refused a request as too long: one smaller request, then a clear failure (origin 6.9, D8, D9, D19)."""

from __future__ import annotations

import base64

import pytest

from sostenuto import ContextOverflow, UnusableInput
from tests.ladder.made_up import FORMATS, Scripted, Talk, faults, manager, noticed, played, rungs, said

TOO_LONG = {"error": {"code": "context_length_exceeded", "message": "Please reduce the length of the messages."}}


def stating(maximum: int) -> dict[str, object]:
    """An error that states the maximum."""
    words = f"This model's maximum context length is {maximum} tokens. However, your messages resulted in more."
    return {"error": {"code": "context_length_exceeded", "message": words}}


@pytest.mark.parametrize("format", FORMATS)
def test_a_refused_request_comes_back_strictly_smaller(format: str) -> None:
    """Without a stated maximum the next request is at most about 0.7 of the refused one, legal, and the person is told (6.9)."""
    context = manager(20_000, format=format)
    before = played(context, Talk(format).user("Do the task").grown(12, 700))[-1]
    after = context.recover(TOO_LONG)
    assert after.tokens <= 0.72 * before.tokens
    assert rungs(after)[-1] == "recover"
    assert noticed([after], "refused the request as too long") == 1
    assert faults(after) == []


def test_a_stated_maximum_is_kept_and_remembered() -> None:
    """A maximum in the error bounds the recovered request and every later one (D8, D19)."""
    context, talk = manager(100_000), Talk().user("Do the task").grown(12, 700)
    played(context, talk)
    assert context.recover(stating(5_000)).tokens <= 5_000
    context.record({"prompt_tokens": 3_000, "completion_tokens": 10})
    known = len(talk.messages)
    assert all(request.tokens <= 5_000 and request.window == 5_000 for request in played(context, talk.grown(10, 700), begin=known))


def test_a_second_refusal_is_a_failure() -> None:
    """One retry: the second refusal in a row raises (6.9)."""
    context = manager(20_000)
    played(context, Talk().user("Do the task").grown(12, 700))
    context.recover(TOO_LONG)
    with pytest.raises(ContextOverflow):
        context.recover(TOO_LONG)


def test_a_successful_call_gives_a_new_retry() -> None:
    """After a call that went through, the next refusal is the first one again (3.3)."""
    context, talk = manager(20_000), Talk().user("Do the task").grown(12, 700)
    played(context, talk)
    after = context.recover(TOO_LONG)
    context.record({"prompt_tokens": after.tokens, "completion_tokens": 10})
    known = len(talk.messages)
    before = played(context, talk.grown(8, 700), begin=known)[-1]
    assert context.recover(TOO_LONG).tokens < before.tokens


def test_a_request_that_cannot_shrink_is_a_failure() -> None:
    """When nothing can be left out, the same request is not sent again: it raises (6.9, D19)."""
    context = manager(20_000)
    context.prepare_sync(Talk().user("Do the task").messages)
    with pytest.raises(ContextOverflow):
        context.recover(TOO_LONG)


def test_recovery_uses_a_healthy_summarizer_and_survives_a_sick_one() -> None:
    """The summarizer is asked first; when it fails the mechanical path gives the smaller request (D19)."""
    for answer, used in ((None, "model checkpoint"), ("", "mechanical after refused")):
        context = manager(20_000, summarizer=Scripted(answer))
        before = played(context, Talk().user("Do the task").grown(12, 700))[-1]
        after = context.recover(TOO_LONG)
        assert after.tokens < before.tokens
        assert any(used in event.reason for event in after.events)


@pytest.mark.parametrize(
    "error",
    [
        {"status": 401, "error": {"message": "Invalid token in the authorization header"}},
        {"status": 429, "error": {"message": "Rate limit reached: 30000 tokens per minute"}},
        {"error": {"message": "max_tokens is too large: 200000"}},
        ValueError("token mismatch"),
    ],
    ids=["auth", "rate", "output", "other"],
)
def test_b033_other_errors_are_shown_and_not_taken_for_overflow(error: object) -> None:
    """An error that does not say that the request was too long is raised with its raw text and changes nothing (B033, D9)."""
    context = manager(20_000)
    before = played(context, Talk().user("Do the task").grown(12, 700))[-1]
    with pytest.raises(UnusableInput) as caught:
        context.recover(error)
    words = error["error"]["message"] if isinstance(error, dict) else str(error)
    assert str(words)[:30] in str(caught.value)
    assert context.usage().tokens == before.tokens


def photos(count: int) -> list[dict[str, object]]:
    """A conversation with so many attached images, in messages of their own."""
    messages: list[dict[str, object]] = []
    for number in range(count):
        data = base64.b64encode(bytes([number]) * 30_000).decode()
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
        messages += [{"role": "user", "content": [{"type": "text", "text": f"photo {number}"}, image]}]
        messages += [{"role": "assistant", "content": f"I see photo {number}."}]
    return [*messages, {"role": "user", "content": "Compare them."}]


def test_b069_a_refusal_for_bytes_strips_attachments_oldest_first() -> None:
    """A 413 takes the oldest attachments out, leaves every word, and does not condense a history whose tokens were few (B069)."""
    context = manager(200_000, format="openai_chat")
    context.prepare_sync(photos(45))
    after = context.recover({"status_code": 413, "message": "Request Entity Too Large"})
    shown = ["image_url" in str(m["content"]) for m in after.arguments["messages"] if "photo" in str(m["content"]) and m["role"] == "user"]
    assert shown == sorted(shown)
    assert 20 <= sum(shown) <= 23
    assert "compact" not in rungs(after)
    assert all(f"I see photo {number}." in said(after) for number in range(45))


def test_b003_a_server_that_always_says_too_long_ends_the_run() -> None:
    """With a server that refuses everything there are two tries, then a typed failure (B003)."""
    context, tries = manager(20_000), 0
    played(context, Talk().user("Do the task").grown(12, 700))
    while tries < 10:
        tries += 1
        try:
            context.recover(TOO_LONG)
        except ContextOverflow:
            break
    assert tries == 2
