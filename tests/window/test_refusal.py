"""What a provider's refusal says, and what is none (D9, B033)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.window import Refusal, cut_off, refused
from tests.window.refusals import OTHERS, OVERFLOWS, RECORDED, WRAPPINGS, Recorded, renumbered, texts

SPEAKING = [one for one in RECORDED if list(texts(one.body))]
LOSSY = ("a printed exception", "words", "a failed response")
"""Wrappings that lose fields and with them figures: there the words alone must say as much."""
PLAIN = ("introduced JSON", "a printed exception")
"""Wrappings that are plain text: behind a 200 that is an answer."""

CHAINED = sorted(set(WRAPPINGS) - {"JSON in bytes", "a stream"})  # printed once more, what a model said looks like words of the error

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)


def named(one: Recorded) -> str:
    return one.name


def test_the_whole_list_is_here() -> None:
    """38 recorded overflows and 11 other refusals are tried."""
    assert (len(OVERFLOWS), len(OTHERS)) == (38, 11)


@pytest.mark.parametrize("one", RECORDED, ids=named)
def test_lib_49_every_recorded_answer_is_read_rightly(one: Recorded) -> None:
    """Each recorded answer gives its kind, and exactly the figures that stand in it (library report 49)."""
    assert refused(one.body, status=one.status, fill=0.95) == one.says


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("one", SPEAKING, ids=named)
def test_a_wrapping_changes_nothing(one: Recorded, wrapping: str) -> None:
    """The same answer in another wrapping says the same, as far as its words alone can say it."""
    status = None if wrapping in PLAIN and one.status == 200 else one.status
    found = refused(WRAPPINGS[wrapping](one.body), status=status)
    assert found is not None
    assert found.kind == one.says.kind
    assert found == one.says or (wrapping in LOSSY and found.limit in (None, one.says.limit))


@pytest.mark.parametrize("factor", [2, 3, 7])
@pytest.mark.parametrize("one", SPEAKING, ids=named)
def test_other_numbers_are_read_as_well(one: Recorded, factor: int) -> None:
    """With every figure multiplied the reading is multiplied: no figure is known by heart."""
    other = renumbered(one, factor)
    assert refused(other.body, status=other.status) == other.says


@pytest.mark.parametrize("status", [None, "own"])
@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("one", OTHERS, ids=named)
def test_no_other_refusal_becomes_an_overflow(one: Recorded, wrapping: str, status: str | None) -> None:
    """Rate limits, output caps, faults and their like are no overflow in any wrapping, with the status and without, near the edge too."""
    for factor in (1, 2, 7):
        body = WRAPPINGS[wrapping](renumbered(one, factor).body)
        found = refused(body, status=one.status if status else None, fill=0.99)
        assert found is None or not found.is_overflow


@given(st.sampled_from(OTHERS), st.lists(st.sampled_from(CHAINED), max_size=2), st.integers(1, 90))
def test_no_chain_of_wrappings_makes_an_overflow(one: Recorded, wrappings: list[str], factor: int) -> None:
    """Wrapped again and again, with other numbers, a refusal that is no overflow stays none."""
    body: Any = renumbered(one, factor).body
    for wrapping in wrappings:
        body = WRAPPINGS[wrapping](body)
    found = refused(body, status=one.status, fill=0.5)
    assert found is None or not found.is_overflow


@pytest.mark.parametrize("status", [400, 413])
def test_a_bare_status_is_an_overflow_only_near_the_window(status: int) -> None:
    """A 400 or 413 without a word is an overflow if the estimate was close to the window, and something else if not (B033)."""
    bodies: list[Any] = [None, "", b"", {}, [], f"{status} status code (no body)", f"Error code: {status}", {"message": f"HTTP {status}"}]
    for body in bodies:
        assert refused(body, status=status, fill=0.9) == Refusal("tokens")
        assert refused(body, status=status, fill=0.3) == refused(body, status=status) == Refusal("other")
    assert refused(None, status=404, fill=0.99) == Refusal("other")
    assert refused(None, status=503, fill=0.99) == Refusal("temporary")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "This model's maximum context length is 2048 tokens. However, your prompt contains 900050 characters (more than 262144 "
            "characters, which is the upper bound for 2048 input tokens). Please reduce the length of the input prompt.",
            Refusal("tokens", limit=2_048),
        ),
        (
            "This model's maximum context length is 40960 tokens. However, you requested 100 output tokens and your prompt contains at "
            "least 40861 input tokens.",
            Refusal("tokens", limit=40_960, input=40_861, output=100, is_lower_bound=True),
        ),
        (
            "This model's maximum context length is 131072 tokens. However, you requested 351430 tokens in the messages.",
            Refusal("tokens", limit=131_072, requested=351_430),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your request has 8195 input tokens. Please reduce the length "
            "of the input messages. None",
            Refusal("tokens", limit=8_192, requested=8_195),
        ),
        (
            "The decoder prompt (length 10127) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no "
            "smaller than the number of text tokens.",
            Refusal("tokens", limit=8_192, requested=10_127),
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your "
            "request has 100 input tokens (5000 > 4096 - 100).",
            Refusal("tokens", limit=4_096, input=100, output=5_000),
        ),
        (
            "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 4500 tokens: 4000 "
            "tokens from the input messages and 500 tokens for the completion.",
            Refusal("tokens", limit=4_096, requested=4_500, input=4_000, output=500),
        ),
        (
            "Input length (5000 tokens) exceeds the maximum allowed length (4091 tokens). Use a shorter input or enable "
            "--allow-auto-truncate.",
            Refusal("tokens", limit=4_091, requested=5_000),
        ),
        (
            "max_completion_tokens is too large: 9000.This model supports at most 4096 completion tokens.",
            Refusal("output", limit=4_096, output=9_000),
        ),
        (
            "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context "
            "length in settings, or use a model with a longer context length",
            Refusal("tokens"),
        ),
        (
            "input length (9000 tokens) exceeds the model's maximum context length (8192 tokens)",
            Refusal("tokens", limit=8_192, requested=9_000),
        ),
        ("the input length exceeds the context length", Refusal("tokens")),
        ("the request exceeds the available context size, try increasing it", Refusal("tokens")),
        ("Range of input length should be [1, 98304]", Refusal("tokens", limit=98_304)),
        ("Range of max_tokens should be [1, 8192]", Refusal("output", limit=8_192)),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", Refusal("output", limit=8_192)),
        ("max_new_tokens must be <= 512. Given: 4000", Refusal("output", limit=512)),
        ("Request payload size exceeds the limit: 20971520 bytes.", Refusal("bytes", limit=20_971_520)),
        ("<html><h1>413 Request Entity Too Large</h1></html>", Refusal("bytes")),
        ("messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes", Refusal("image")),
        (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
            Refusal("malformed"),
        ),
        ("messages.3.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.", Refusal("malformed")),
        ("invalid params, tool call and result not match (2013)", Refusal("malformed")),
        ("no user query found in messages", Refusal("malformed")),
        ("Overloaded", Refusal("temporary")),
        ("Too many tokens, please wait before trying again.", Refusal("rate")),
        ("Too many tokens: 70000 > 32768 per minute", Refusal("rate")),
        ("Requested tokens (9000) exceed context window of 4096", Refusal("tokens", limit=4_096, requested=9_000)),
        ("Too many tokens: total 70000 > 32768", Refusal("tokens", limit=32_768, requested=70_000)),
        ("context window exceeded", Refusal("tokens")),
    ],
)
def test_other_known_wordings(text: str, says: Refusal) -> None:
    """Wordings of servers that were run, and of their older versions, give their kind and figures; characters are not tokens."""
    assert refused({"error": {"message": text}}) == says


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (401, "Invalid token: prompt is too long"),
        (403, "This token may not read the context window"),
        (404, "The model `maximum context length is 4096` does not exist"),
        (429, "prompt is too long: 208310 tokens > 200000 maximum"),
        (500, "prompt is too long: 208310 tokens > 200000 maximum"),
        (400, "Invalid token in the authorization header"),
        (400, "Expected 'messages' to be an array"),
        (400, "Cannot use custom grammar constraints with tools."),
    ],
)
def test_b033_an_error_about_something_else_is_no_overflow(status: int, text: str) -> None:
    """An error with the word token, or with another status, is not taken for an overflow, however full the window is (B033)."""
    found = refused({"error": {"message": text}}, status=status, fill=0.99)
    assert found is not None
    assert not found.is_overflow


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"finish_reason": "stop", "message": {"content": "prompt is too long: 208310 tokens > 200000 maximum"}}]},
        {"type": "message", "content": [{"type": "text", "text": "This model's maximum context length is 8192 tokens."}]},
        {"status": "completed", "output": [{"content": "prompt is too long"}], "instructions": "say that the prompt is too long"},
        {"response": "prompt is too long", "done": True},
        {"detail": [{"msg": "field required", "input": {"messages": ["prompt is too long"]}}]},
        "prompt is too long",
    ],
)
def test_what_a_model_or_a_person_said_is_not_read(body: Any) -> None:
    """An answer, or an echo of the request, that quotes an overflow is none."""
    assert refused(body, status=200) is None


def test_figures_that_contradict_the_refusal_are_dropped() -> None:
    """A limit that is not below what was asked for is no limit, and neither is an error's number."""
    assert refused("prompt is too long: 1000 tokens > 200000 maximum") == Refusal("tokens")
    assert refused("invalid params, context window exceeds limit (2013)") == Refusal("tokens")
    assert refused("This model's maximum context length is 3 tokens.") == Refusal("tokens")
    assert refused({"error": {"type": "exceed_context_size_error", "n_ctx": -5, "n_prompt_tokens": True}}) == Refusal("tokens")


def test_lowering_the_output_is_told_apart() -> None:
    """`spare` is the output that fits beside the whole input, and only where it was counted and is enough to cure the refusal (D6)."""
    assert Refusal("tokens", limit=200_000, input=178_959, output=64_000).spare == 21_041
    assert Refusal("tokens", limit=200_000, input=208_310, output=64_000).spare is None
    assert Refusal("tokens", limit=200_000, requested=208_310).spare is None
    assert Refusal("tokens", limit=40_960, input=40_861, output=100, is_lower_bound=True).spare is None
    assert Refusal("output", limit=8_192, output=16_000).spare is None


def test_the_share_that_fits_is_by_the_providers_count() -> None:
    """`share` is the part of the input that fits; a count that is only a lower bound gives none."""
    assert Refusal("tokens", limit=100_000, requested=200_000).share == 0.5
    assert Refusal("tokens", limit=100_000, input=80_000, output=60_000).share == 0.5
    assert Refusal("tokens", limit=2_048, requested=2_049, is_lower_bound=True).share is None
    assert Refusal("tokens", limit=2_048).share is None
    assert Refusal("bytes", limit=100_000, requested=200_000).share is None


@pytest.mark.parametrize(
    ("finish", "tokens", "is_cut"),
    [
        ("model_context_window_exceeded", (None, None), True),
        ("length", (1_981, 67), True),
        ("MAX_TOKENS", (31_900, 40), False),
        ("length", (1_900, 0), True),
        ("length", (900, 0), False),
        ("length", (900, 40), False),
        ("length", (None, 40), False),
        ("stop", (1_981, 67), False),
        ("max_tokens", (2_000, 48), True),
        (None, (2_048, 0), False),
    ],
)
def test_b075_a_200_can_end_at_the_edge_of_the_window(finish: str | None, tokens: tuple[int | None, int | None], is_cut: bool) -> None:
    """An answer cut at the window's end, or empty with a prompt near it, is an overflow; one cut by its own cap is not (B075)."""
    window = 32_768 * 8 if finish == "MAX_TOKENS" else 2_048
    found = cut_off(finish, input=tokens[0], output=tokens[1], window=window)
    assert (found is not None) is is_cut
    assert found is None or (found.kind, found.input, found.limit) == ("tokens", tokens[0], None)


@given(JSON, st.none() | st.integers(-5, 700), st.none() | st.floats())
def test_nothing_that_is_handed_over_makes_it_raise(body: Any, status: int | None, fill: float | None) -> None:
    """Any JSON-like body, status and share give a refusal or None, and the same one each time."""
    assert refused(body, status=status, fill=fill) == refused(body, status=status, fill=fill)


@given(st.text(), st.sampled_from([one.body for one in RECORDED]))
def test_any_text_around_an_answer_is_borne(text: str, body: Any) -> None:
    """An answer with any text before, behind and inside it is read without an error."""
    for value in (text + json.dumps(body), json.dumps(body)[: len(text)], {text: body}, [text, body], f"data: {text}{json.dumps(body)}"):
        refused(value)


DEEP: list[Any] = []
for _ in range(5_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "body",
    [
        *(letter * 10_000_000 for letter in ("a", "[", "{", "9", "\n", '"', "\\", " ")),
        '{"a":' * 1_000_000,
        "image " * 1_000_000,
        "max_tokens " * 1_000_000,
        "data: {\n" * 1_000_000,
        b"{" * 10_000_000,
        ["a" * 100_000] * 100_000,
        {"error": {"message": "1," * 5_000_000}},
        {str(number): "x" * 100 for number in range(100_000)},
        DEEP,
    ],
    ids=range(17),
)
def test_hostile_bodies_are_read_in_bounded_time(body: Any) -> None:
    """Ten megabytes of anything, and any depth, are read without an error and say nothing."""
    assert refused(body, status=400) == Refusal("other")
