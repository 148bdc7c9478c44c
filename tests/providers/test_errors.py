"""What an endpoint's answer says went wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sostenuto.errors import EndpointFailed, ModelFailed, NotAuthorised, RateLimited, RequestRefused, TooLong
from sostenuto.providers._errors import Asked, failure, retry_after, said

ASKED = Asked("openai:gpt-x", "http://there/v1", "OPENAI_API_KEY")
LLAMACPP = {
    "code": 400, "message": "request (4031 tokens) exceeds the available context size (2048 tokens), try increasing it",
    "type": "exceed_context_size_error", "n_prompt_tokens": 4031, "n_ctx": 2048,
}  # fmt: skip


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"error": LLAMACPP}, TooLong),
        (400, {"error": json.dumps({"error": LLAMACPP})}, TooLong),
        (413, None, TooLong),
        (413, "<html>413 Request Entity Too Large</html>", TooLong),
        (413, {"error": {"message": "Request too large on tokens per minute (TPM)", "code": "rate_limit_exceeded"}}, RateLimited),
        (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, NotAuthorised),
        (429, None, RateLimited),
        (401, None, NotAuthorised),
        (403, {"error": {"message": "no access to this model"}}, NotAuthorised),
        (400, {"error": {"message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}, NotAuthorised),
        (400, {"error": {"message": "max_tokens=5000 cannot be greater than max_model_len=2048.", "code": 400}}, RequestRefused),
        (400, None, RequestRefused),
        (404, {"error": {"message": "The model `nope` does not exist.", "type": "NotFoundError", "code": 404}}, RequestRefused),
        (500, {"error": "no user query found in messages"}, RequestRefused),
        (501, {"error": {"message": "not supported", "code": 501}}, RequestRefused),
        (500, {"error": {"message": "internal error computing maximum context length"}}, EndpointFailed),
        (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, EndpointFailed),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, EndpointFailed),
        (408, None, EndpointFailed),
        (None, {"error": {"message": "the server had an error"}}, EndpointFailed),
        (None, {"error": LLAMACPP}, TooLong),
    ],
)  # fmt: skip
def test_an_answer_is_an_error_of_one_kind(status: int | None, body: Any, kind: type[ModelFailed]) -> None:
    """Status and body together say which kind of error it is; it carries both as they came, in one line."""
    found = failure(ASKED, body, status=status)
    assert type(found) is kind
    assert (found.status, found.body) == (status, body)
    assert "openai:gpt-x" in str(found)
    assert "\n" not in str(found)


def test_the_words_of_an_error_say_what_to_do() -> None:
    """The endpoint's own words are shown, opened where a proxy wrapped them, and what to do comes last."""
    wrapped = {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": json.dumps({"error": LLAMACPP})}}}
    found = str(failure(ASKED, wrapped, status=400))
    assert "request (4031 tokens) exceeds" in found
    assert found.endswith("shorten the history")
    assert str(failure(ASKED, None, status=401)).endswith("check the key in OPENAI_API_KEY")


def test_a_key_that_an_endpoint_repeats_is_not_shown() -> None:
    """What looks like a key in an endpoint's words is left out of ours."""
    body = {"error": {"message": "Incorrect API key provided: sk-abcdefgh12345678. You can find it in your account."}}
    assert "abcdefgh" not in str(failure(ASKED, body, status=401))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_when_to_come_back_is_read_from_the_headers(headers: dict[str, str], expected: float | None) -> None:
    """Seconds, milliseconds and dates are understood; anything else says nothing."""
    assert retry_after(headers) == expected


def test_odd_bodies_have_words_or_none() -> None:
    """A body of any shape has words of bounded length, and never raises."""
    deep: Any = "x"
    for _ in range(50):
        deep = {"error": deep}
    bodies: list[Any] = [None, 3, [], {}, [[]], deep, {"error": {"message": None}}, "x" * 100_000, '{"a": [' * 50_000]
    for body in bodies:
        assert len(said(body)) <= 300
