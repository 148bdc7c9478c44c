"""The fake servers answer as the real ones were seen to."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

import pytest

from sostenuto.errors import UnknownSetting
from sostenuto.testing import FAKE_SERVERS, FakeServer, Fault, Reply
from sostenuto.window import refused

CHAT = {"messages": [{"role": "user", "content": "Hello."}]}
PATHS = {
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/tiny-random:generateContent",
    "ollama": "/api/chat",
}
BODIES: Mapping[str, Any] = {
    "anthropic": {**CHAT, "max_tokens": 10},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hello."}]}]},
    "ollama": {**CHAT, "stream": False},
}


def _sent(server: FakeServer, body: Any = None, *, path: str | None = None) -> tuple[int, Any, Mapping[str, str]]:
    """Status, body and headers of an answer."""
    where = path or PATHS.get(server.kind, "/v1/chat/completions")
    data = None if path is not None and body is None else json.dumps(body or BODIES.get(server.kind, CHAT)).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(server.address + where, data)) as answer:
            return answer.status, _parsed(answer.read()), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, _parsed(error.read()), dict(error.headers)


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode()


@pytest.mark.parametrize("kind", FAKE_SERVERS)
def test_an_overflow_is_read_as_one(kind: str) -> None:
    """What is longer than the window is refused with 400 in words that the classifier reads, with the window where they name it."""
    with FakeServer(kind, ["x"], window=500, count=lambda prompt: 900) as server:
        status, body, _ = _sent(server)
        found = refused(body, status=status)
        assert status == 400
        assert found is not None
        assert found.is_overflow
        assert found.limit == 500
        assert found.requested == (501 if kind == "vllm" else 900)


@pytest.mark.parametrize("kind", FAKE_SERVERS)
def test_a_rate_limit_is_read_as_one(kind: str) -> None:
    """A rate limit is 429 with when to come back."""
    with FakeServer(kind, [Fault("rate_limited", retry_after_s=2)]) as server:
        status, body, headers = _sent(server)
        found = refused(body, status=status)
        assert (status, headers["retry-after"]) == (429, "2")
        assert found is not None
        assert found.kind == "rate"


@pytest.mark.parametrize("kind", FAKE_SERVERS)
def test_a_script_that_ends_is_refused(kind: str) -> None:
    """A request for which the script has nothing is a refusal that says so."""
    with FakeServer(kind) as server:
        status, body, _ = _sent(server)
        assert status == 400
        assert "give it one more" in str(body)


def test_llamacpp_counts_the_prefix_it_has_seen() -> None:
    """The part of a prompt that the one before began with too is told as cached."""
    with FakeServer("llamacpp", ["One.", "Two."]) as server:
        first = _sent(server, {"messages": [{"role": "user", "content": "x" * 400}]})[1]
        longer = [{"role": "user", "content": "x" * 400}, {"role": "assistant", "content": "One."}, {"role": "user", "content": "On."}]
        second = _sent(server, {"messages": longer})[1]
        assert first["usage"]["prompt_tokens_details"]["cached_tokens"] == 0
        assert 100 <= second["usage"]["prompt_tokens_details"]["cached_tokens"] < second["usage"]["prompt_tokens"]


def test_vllm_cuts_the_output_at_the_end_of_the_window() -> None:
    """An answer that would pass the window's end is cut there, and stops for its length."""
    with FakeServer("vllm", [Reply("x", finish="length", input=1_509)], window=2_048) as server:
        body = _sent(server, {**CHAT, "max_tokens": 1_000})[1]
        assert body["usage"] == {"prompt_tokens": 1_509, "completion_tokens": 539, "total_tokens": 2_048, "prompt_tokens_details": None}
        assert body["choices"][0]["finish_reason"] == "length"


def test_ollama_shortens_in_silence() -> None:
    """Where it may, what is too long loses its front without a word, and what is left is what is counted."""
    with FakeServer("ollama", ["x"], window=4_096, count=lambda prompt: 9_000, truncates=True) as server:
        status, body, _ = _sent(server)
        assert (status, body["prompt_eval_count"]) == (200, 2_050)


def test_gemini_speaks_in_parts() -> None:
    """Thoughts, words and calls are parts; a stream brings them in pieces, the last with the reason for the end and the usage."""
    reply = Reply("Look there.", reasoning="Hm.", signature="c2VhbA==", calls=[("read", {"path": "a"})], input=9, output=4, cached=3)
    with FakeServer("gemini", [reply, reply, Fault("loading")]) as server:
        body = _sent(server)[1]
        thought, words, call = body["candidates"][0]["content"]["parts"]
        assert (thought, words) == ({"text": "Hm.", "thought": True}, {"text": "Look there."})
        assert (call["functionCall"]["args"], call["thoughtSignature"]) == ({"path": "a"}, "c2VhbA==")
        assert body["usageMetadata"] == {
            "promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13, "cachedContentTokenCount": 3
        }  # fmt: skip
        stream = _sent(server, BODIES["gemini"], path="/v1beta/models/tiny-random:streamGenerateContent?alt=sse")[1]
        chunks = [json.loads(line.removeprefix("data: ")) for line in stream.splitlines() if line]
        assert [chunk["candidates"][0].get("finishReason") for chunk in chunks] == [None] * (len(chunks) - 1) + ["STOP"]
        assert len(chunks) == 4
        assert _sent(server)[1]["error"]["status"] == "UNAVAILABLE"
        assert _sent(server, path="/v1beta/models/tiny-random")[1]["inputTokenLimit"] == 8_192


def test_a_stream_without_the_option_has_no_usage() -> None:
    """Chat completions tell the usage of a stream only where it was asked for."""
    with FakeServer("llamacpp", ["One.", "Two."]) as server:
        plain = _sent(server, {**CHAT, "stream": True})[1]
        asked = _sent(server, {**CHAT, "stream": True, "stream_options": {"include_usage": True}})[1]
        assert "usage" not in plain
        assert '"usage"' in asked
        assert asked.endswith("data: [DONE]\n\n")


@pytest.mark.parametrize("kind", FAKE_SERVERS)
def test_arguments_that_are_no_json_break_no_server(kind: str) -> None:
    """Malformed arguments are said where the wire holds text, and are an empty object where it holds objects."""
    with FakeServer(kind, [Reply("", calls=[("read", "{broken")])]) as server:
        status, body, _ = _sent(server)
        assert status == 200
        assert ("{broken" in str(body)) == (kind not in ("anthropic", "gemini", "ollama"))


def test_a_key_is_asked_for() -> None:
    """With a key every path wants it, and a request without it is refused as the server does."""
    with FakeServer("llamacpp", ["x"], key="k") as server:
        for path in (None, "/props", "/v1/models"):
            status, body, _ = _sent(server, path=path)
            assert (status, body["error"]["message"]) == (401, "Invalid API Key")
        assert server.received[0].method == "POST"


def test_a_path_it_does_not_have_is_not_found() -> None:
    """An unknown path is 404."""
    with FakeServer("llamacpp") as server:
        assert _sent(server, path="/api/tags")[0] == 404
        assert _sent(server, path="/health")[1] == {"status": "ok"}
        assert _sent(server, path="/slots")[1][0]["n_ctx"] == 8_192


def test_what_came_is_kept() -> None:
    """Requests are kept in order, those for a reply with their bodies."""
    with FakeServer("openai", ["One."]) as server:
        _sent(server, path="/v1/models")
        _sent(server)
        assert [request.path for request in server.received] == ["/v1/models", "/v1/chat/completions"]
        assert server.asked == [CHAT]


def test_an_unknown_kind_is_refused() -> None:
    """A kind there is no fake of is refused with those there are; a server that was not entered has no address."""
    with pytest.raises(UnknownSetting, match="there are anthropic, gemini, llamacpp"):
        FakeServer("telepathy")
    with pytest.raises(UnknownSetting, match="use it with `with`"):
        _ = FakeServer("openai").base_url
