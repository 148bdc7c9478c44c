"""What the exceptions of model clients say of a refused request (D9, D19, B033)."""

from __future__ import annotations

import enum
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.engine import fitting, lowered_output, overflow, refusal, stopped_at_edge
from sostenuto.window import Refusal

WORDS = "prompt is too long: 208310 tokens > 200000 maximum"
CAP = "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens"
SAYS = Refusal("tokens", limit=200_000, requested=208_310)


class Raised(Exception):
    """An exception with the attributes of some client's."""

    def __init__(self, words: str = "", **attributes: Any) -> None:
        super().__init__(words)
        self.__dict__.update(attributes)


class ContextWindowExceededError(Exception):
    """An exception whose name says what happened."""


class Unread(SimpleNamespace):
    """A response whose stream was not read."""

    @property
    def text(self) -> str:
        raise RuntimeError("call read first")


class Sore(Exception):
    """An exception that fails whatever a client's attribute is asked of it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __str__(self) -> str:
        raise RuntimeError("no words")


def caused(words: str, cause: BaseException) -> BaseException:
    """An exception raised from another."""
    try:
        raise RuntimeError(words) from cause
    except RuntimeError as error:
        return error


@pytest.mark.parametrize(
    "error",
    [
        Raised("Error code: 400", status_code=400, body={"message": WORDS, "type": "invalid_request_error"}, code=None),
        Raised("Error code: 400", status_code=400, body={"type": "error", "error": {"type": "invalid_request_error", "message": WORDS}}),
        Raised("400 INVALID_ARGUMENT", code=400, status="INVALID_ARGUMENT", details={"error": {"code": 400, "message": WORDS}}),
        Raised(
            "An error occurred",
            response={"Error": {"Code": "ValidationException", "Message": WORDS}, "ResponseMetadata": {"HTTPStatusCode": 400}},
        ),
        Raised("Client error '400 Bad Request'", response=SimpleNamespace(status_code=400, text=f'{{"error": {{"message": "{WORDS}"}}}}')),
        Raised("Bad Request", status_code=400, error=f'{{"error": "{WORDS}"}}'),
        Raised(f"stream failed: {WORDS}", body=None),
        Raised(message=WORDS, status=400),
        Raised(f"400: {WORDS}", response=Unread(status_code=400)),
        caused("the model failed", Raised(WORDS, status_code=400)),
        RuntimeError(WORDS),
        SimpleNamespace(status_code=400, text=WORDS),
        {"status_code": 400, "message": WORDS},
        WORDS,
    ],
)
def test_every_clients_exception_is_read(error: object) -> None:
    """The same refusal raised by different clients gives the same figures (library report 49)."""
    assert overflow(error) == refusal(error) == SAYS


@pytest.mark.parametrize(
    "error",
    [
        Raised("Error code: 429", status_code=429, body={"message": WORDS}),
        Raised("Error code: 401", status_code=401, body={"message": "Invalid token"}),
        Raised("Error code: 400", status_code=400, body={"message": CAP}),
        ValueError("token mismatch"),
        None,
        42,
    ],
)
def test_b033_other_exceptions_are_no_overflow(error: object) -> None:
    """Exceptions about something else, and objects nobody can read, are no overflow and raise nothing (B033)."""
    assert overflow(error) is None


def test_an_object_nobody_can_read_raises_nothing() -> None:
    """What fails on every attribute is no overflow and no answer, and raises nothing."""
    assert overflow(Sore()) is overflow(Raised(body=Sore())) is overflow([Sore()]) is None
    assert stopped_at_edge(Sore(), 32_000) is False


def test_the_name_of_an_exception_counts_as_a_code() -> None:
    """An exception that is called after the overflow is one, whatever it says."""
    assert overflow(ContextWindowExceededError("upstream said no")) == Refusal("tokens")


def test_an_empty_answer_needs_the_estimate() -> None:
    """A 400 or 413 without a body is an overflow only if the estimate was close to the window (B033)."""
    for status in (400, 413):
        bare = Raised(f"Error code: {status}", status_code=status, body=None, response=SimpleNamespace(text="", status_code=status))
        assert overflow(bare, fill=0.95) == Refusal("tokens")
        assert overflow(bare, fill=0.2) is None
    for error in (
        Raised("Client error '413 Request Entity Too Large' for url", response=SimpleNamespace(status_code=413, text="")),
        Raised("413 Request Entity Too Large.", code=413, details={"message": "", "status": "Request Entity Too Large"}),
    ):
        assert overflow(error, fill=0.95) == Refusal("tokens")
        assert overflow(error, fill=0.2) is None


def test_an_answer_that_says_something_else_is_not_silent() -> None:
    """A 400 whose body speaks of something else is no overflow near the window, though the exception's own words say nothing (B033)."""
    page = SimpleNamespace(status_code=400, text='{"error": {"message": "The minimum token count to start caching is 4096."}}')
    for words in ("Client error '400 Bad Request' for url", "Error code: 400", ""):
        assert overflow(Raised(words, response=page), fill=0.99) is None


def test_a_proxy_that_refuses_the_bytes_is_told_apart() -> None:
    """A 413 with a page of its own is about bytes (B069)."""
    page = SimpleNamespace(status_code=413, text="<html><title>413 Request Entity Too Large</title></html>")
    assert overflow(Raised("Client error", response=page)) == Refusal("bytes")


class Reason(enum.Enum):
    """A reason as a client wraps it."""

    MAX_TOKENS = "MAX_TOKENS"


@pytest.mark.parametrize(
    ("reply", "is_cut"),
    [
        ({"choices": [{"finish_reason": "length"}], "usage": {"prompt_tokens": 31_900, "completion_tokens": 40}}, True),
        ({"choices": [{"finish_reason": "length"}], "usage": {"prompt_tokens": 900, "completion_tokens": 40}}, False),
        ({"choices": [{"finish_reason": "stop"}], "usage": {"prompt_tokens": 31_990, "completion_tokens": 10}}, False),
        ({"choices": [{"finish_reason": "model_context_window_exceeded"}]}, True),
        ({"stop_reason": "model_context_window_exceeded", "usage": {"input_tokens": 5, "output_tokens": 5}}, True),
        ({"done_reason": "length", "prompt_eval_count": 30_000, "eval_count": 2_000}, True),
        ({"incomplete_details": {"reason": "max_output_tokens"}, "usage": {"input_tokens": 31_000, "output_tokens": 1_000}}, True),
        (
            SimpleNamespace(
                candidates=[SimpleNamespace(finish_reason=Reason.MAX_TOKENS)],
                usage_metadata=SimpleNamespace(prompt_token_count=31_500, candidates_token_count=500),
            ),
            True,
        ),
        (None, False),
    ],
)
def test_b075_a_reply_cut_off_at_the_edge_is_seen_on_every_wire(reply: object, is_cut: bool) -> None:
    """An answer that the window's end cut off is an overflow in every wire's words; one that stopped, or was short, is not (B075)."""
    assert stopped_at_edge(reply, 32_000) is is_cut


def test_what_fits_is_reckoned_by_the_providers_own_count() -> None:
    """Where the provider counted, our estimate is scaled by its count; else its maximum holds, else the usual share (D19)."""
    assert fitting(SAYS, estimate=150_000, otherwise=0.7) == int(0.98 * 200_000 / 208_310 * 150_000)
    assert fitting(Refusal("tokens", limit=5_000), estimate=9_000, otherwise=0.7) == 5_000
    assert fitting(Refusal("tokens", limit=9_000), estimate=5_000, otherwise=0.7) == 3_500
    assert fitting(Refusal("tokens", limit=2_048, requested=2_049, is_lower_bound=True), estimate=1_900, otherwise=0.7) == 1_330
    assert fitting(Refusal("tokens"), estimate=5_000, otherwise=0.7) == 3_500


def lowered(found: Refusal, *, asked: int | None, least: int = 1_024) -> int | None:
    return lowered_output(found, asked=asked, estimate=0, least=least, line=0.8)


def test_the_output_is_lowered_only_where_that_cures() -> None:
    """The output gives way if enough is left of it and the caller lets us set it, or if no history is short enough (D6)."""
    both = Refusal("tokens", limit=200_000, input=120_000, output=90_000)
    assert lowered(both, asked=90_000, least=25_000) == 200_000 - 150_000 - 1
    assert lowered(both, asked=None) is None
    assert lowered(both, asked=90_000, least=60_000) is None
    assert lowered(SAYS, asked=64_000) is None
    whole = Refusal("tokens", limit=262_000, requested=263_390, input=1_390, output=262_000)
    assert lowered(whole, asked=None) == 262_000 - 1_737 - 1
    assert lowered(Refusal("tokens", limit=20_000, input=19_000, output=20_000), asked=None, least=2_500) == 2_500


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(1, 10**9), st.integers(1, 10**7), st.booleans())
def test_what_fits_is_smaller_than_what_was_refused(limit: int, input: int, output: int, estimate: int, is_lower_bound: bool) -> None:
    """Whatever figures are stated, the next request is to be of at least one token, and smaller unless it had but one (D19)."""
    found = Refusal("tokens", limit=limit, input=input, output=output, is_lower_bound=is_lower_bound)
    assert 1 <= fitting(found, estimate=estimate, otherwise=0.7) < max(2, estimate)
