"""Anthropic's messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sostenuto.errors import EndpointFailed, NotAuthorised
from sostenuto.providers._errors import Asked
from sostenuto.providers._heard import Telling
from sostenuto.providers._sse import Event
from sostenuto.providers.anthropic import Anthropic, _Gathered
from sostenuto.testing import FakeServer, Reply
from sostenuto.tokens import usage_of
from tests.providers.speaking import spoken, window
from tests.providers.staging import KEY, ONCE, made

TOOLS: list[dict[str, Any]] = [{"name": "read", "description": "Reads.", "input_schema": {"type": "object", "properties": {}}}]


def test_a_request_holds_what_the_wire_demands() -> None:
    """Version and key are headers; the output is always said; tools and options stand in the body."""
    with FakeServer("anthropic", ["x", "y"], key=KEY) as server:
        model = Anthropic(server.model, base_url=server.base_url, key=KEY, options={"thinking": {"type": "adaptive"}}, patience=ONCE)
        spoken(model, tools=TOOLS, max_output=55)
        spoken(model, thinking=False)
        first, second = server.asked
        assert (first["max_tokens"], first["tools"], first["thinking"]) == (55, TOOLS, {"type": "adaptive"})
        assert (second["max_tokens"], "thinking" in second) == (8_192, False)
        assert server.received[0].headers["anthropic-version"] == "2023-06-01"


@pytest.mark.parametrize(
    ("budget", "max_output", "sent", "thinks"),
    [(2_048, None, 8_192, 2_048), (24_576, None, 32_768, 24_576), (24_576, 6_000, 6_000, 3_000), (24_576, 1_000, 1_000, None)],
)
def test_there_is_room_to_think(budget: int, max_output: int | None, sent: int, thinks: int | None) -> None:
    """A budget for thinking is always less than the output, which grows for it unless somebody bound it."""
    with FakeServer("anthropic", ["x"], key=KEY) as server:
        wish = {"thinking": {"type": "enabled", "budget_tokens": budget}}
        spoken(Anthropic(server.model, base_url=server.base_url, key=KEY, options=wish, patience=ONCE), max_output=max_output)
        body = server.asked[0]
        assert (body["max_tokens"], body.get("thinking", {}).get("budget_tokens")) == (sent, thinks)


@pytest.mark.parametrize("streamed", [False, True])
def test_blocks_go_back_as_they_came(streamed: bool) -> None:
    """Signed thinking, words and calls are sent again exactly as they came, whole or heard."""
    reply = Reply("Look.", reasoning="So,\n\nlet me  see.", signature="RXFvQg==+/", calls=[("read", {"path": "ü", "n": [1, 2.5]})])
    with FakeServer("anthropic", [reply, "Done."], key=KEY) as server:
        first = spoken(made(server), heard=(lambda kind, words: None) if streamed else None)
        answer = {"type": "tool_result", "tool_use_id": first.calls[0].id, "content": "text"}
        history = [{"role": "user", "content": "Hello."}, *first.messages, {"role": "user", "content": [answer]}]
        spoken(made(server), history)
        assert server.asked[1]["messages"] == history
        assert first.messages[0]["content"] == [
            {"type": "thinking", "thinking": "So,\n\nlet me  see.", "signature": "RXFvQg==+/"},
            {"type": "text", "text": "Look."},
            {"type": "tool_use", "id": first.calls[0].id, "name": "read", "input": {"path": "ü", "n": [1, 2.5]}},
        ]


def test_usage_tells_what_was_cached() -> None:
    """Cached input is told beside the rest, and both together are the prompt."""
    for heard in (None, lambda kind, words: None):
        with FakeServer("anthropic", [Reply("x", input=31, cached=24, output=8)], key=KEY) as server:
            found = usage_of(spoken(made(server), heard=heard).usage)
            assert found is not None
            assert (found.input, found.cached, found.output) == (31, 24, 8)


def test_the_window_is_in_the_record_of_the_model() -> None:
    """The input limit of the model's record is its window."""
    with FakeServer("anthropic", window=200_000, key=KEY) as server:
        assert window(made(server)) == 200_000
        assert window(Anthropic("another", base_url=f"{server.base_url}/v1", key=KEY, patience=ONCE)) is None


def test_a_key_is_needed_for_anthropic_itself() -> None:
    """Without a key and without another address nobody is asked; the words name the variable."""
    with pytest.raises(NotAuthorised, match="ANTHROPIC_API_KEY"):
        Anthropic("claude-x")


def _gathered(*events: Any) -> _Gathered:
    found = _Gathered(Asked("anthropic:x", "there"), Telling(None))
    found.take_all([Event(event["type"], json.dumps(event)) for event in events])
    return found


def test_blocks_of_every_kind_are_put_together() -> None:
    """Redacted thinking stays whole, citations are gathered, blocks of unknown kinds stay, and blocks may come interleaved."""
    found = _gathered(
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "", "citations": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "redacted_thinking", "data": "c2Vjcg=="}},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "server_tool_use", "id": "s", "name": "web", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Yes"}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"q": "x'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": {"cited_text": "a"}}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '"}'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "."}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "of no block"}},
        {"type": "of_the_future"},
    )
    assert found.content() == [
        {"type": "redacted_thinking", "data": "c2Vjcg=="},
        {"type": "text", "text": "Yes.", "citations": [{"cited_text": "a"}]},
        {"type": "server_tool_use", "id": "s", "name": "web", "input": {"q": "x"}},
    ]


def test_a_call_that_is_cut_off_keeps_its_words() -> None:
    """The input of a call that was cut off is kept as its words, in a form the wire takes, and the call tells them as they are."""
    from sostenuto.providers.anthropic import _spoken

    found = _gathered(
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "write", "input": {}}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"text": "half'}},
    )
    said = _spoken({"content": found.content(), "stop_reason": "max_tokens"}, asked=Asked("anthropic:x", "there"))
    assert said.finish == "length"
    assert said.calls[0].arguments == '{"text": "half'
    assert said.messages[0]["content"][0]["input"] == {"INVALID_JSON": '{"text": "half'}


def test_a_reply_without_content_is_a_failure() -> None:
    """An answer that is no message is a failure of the endpoint; blank words are left out of the message."""
    from sostenuto.providers.anthropic import _spoken

    with pytest.raises(EndpointFailed, match="without content"):
        _spoken({}, asked=Asked("anthropic:x", "there"))
    blank = _spoken({"content": [{"type": "text", "text": " \n"}], "stop_reason": "end_turn"}, asked=Asked("anthropic:x", "there"))
    assert blank.messages == ()
