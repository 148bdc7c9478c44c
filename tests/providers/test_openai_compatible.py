"""Chat completions: what is sent, what is kept of a reply, why it stopped."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto.errors import NotAuthorised, RequestRefused, UnknownSetting
from sostenuto.protocols import Finish
from sostenuto.providers._chat import assembled
from sostenuto.providers.openai_compatible import OpenAICompatible
from sostenuto.testing import FakeServer, Reply, Step
from tests.providers.speaking import TOOLS, spoken
from tests.providers.staging import KEY, ONCE, made


def test_a_request_holds_what_was_asked_and_no_more() -> None:
    """Model, messages, tools, options and the output asked for stand in the body under their names; nothing else does."""
    with FakeServer("vllm", ["x"]) as server:
        model = OpenAICompatible("m", server="vllm", base_url=server.base_url, options={"temperature": 0.2}, patience=ONCE)
        spoken(model, tools=TOOLS, max_output=77, thinking=False)
        assert server.asked == [
            {
                "model": "m",
                "temperature": 0.2,
                "messages": [{"role": "user", "content": "Hello."}],
                "tools": TOOLS,
                "max_tokens": 77,
                "chat_template_kwargs": {"enable_thinking": False},
                "stream": False,
            }
        ]


def test_openai_is_asked_for_output_by_its_newer_name() -> None:
    """OpenAI's own endpoint is told ``max_completion_tokens``, the key goes as a bearer token, and no template is spoken of."""
    with FakeServer("openai", ["x"], key=KEY) as server:
        spoken(made(server), max_output=77, thinking=False, heard=lambda kind, words: None)
        body = server.asked[0]
        assert (body["max_completion_tokens"], body["stream_options"]) == (77, {"include_usage": True})
        assert not body.keys() & {"max_tokens", "chat_template_kwargs"}
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"


def test_untouched_messages_are_sent_as_they_are() -> None:
    """A reply goes back byte-equal in the next request: reasoning, unknown fields and arguments included (A.3)."""
    script: list[Step] = [Reply("Look.", reasoning="Hm,\n so be it. ", calls=[("read", {"path": "a"})]), "Done."]
    with FakeServer("llamacpp", script) as server:
        first = spoken(made(server), tools=TOOLS)
        history = [
            {"role": "user", "content": "Hello.", "unknown": [1]},
            *first.messages,
            {"role": "tool", "tool_call_id": first.calls[0].id, "content": "the text"},
        ]
        spoken(made(server), history)
        assert server.asked[1]["messages"] == history
        assert first.messages[0]["reasoning_content"] == "Hm,\n so be it. "


@pytest.mark.parametrize(
    ("reply", "max_output", "finish"),
    [
        (Reply("x", finish="length", input=1_981, output=67), 400, "window"),
        (Reply("x", finish="length", input=100, output=400), 400, "length"),
        (Reply("x", finish="length", input=100, output=400), None, "length"),
        (Reply("x", finish="length", input=1_509, output=539), 1_000, "window"),
        (Reply("x", finish="length", input=1_770, output=3_000), 3_000, "window"),
        (Reply("", finish="length", input=2_000, output=0), 400, "window"),
        (Reply("x", finish="stop", input=1_981, output=67), None, "stop"),
    ],
)  # fmt: skip
def test_length_has_two_causes(reply: Reply, max_output: int | None, finish: Finish) -> None:
    """An answer that stopped for length met the window's end where prompt and answer fill it, else the output that was asked for."""
    for kind in ("llamacpp", "vllm"):
        with FakeServer(kind, [reply], window=2_048, count=lambda prompt: 1) as server:
            found = spoken(made(server), max_output=max_output)
            assert found.finish == finish, (kind, found)


def test_a_pinned_window_tells_the_end_where_the_server_does_not() -> None:
    """Where a server does not say what it serves the pinned window tells an answer that met its end."""
    reply = Reply("x", finish="length", input=1_981, output=67)
    with FakeServer("openai", [reply, reply], key=KEY) as server:
        assert spoken(made(server)).finish == "length"
        assert spoken(made(server, window=2_048)).finish == "window"


def test_the_only_model_of_a_server_need_not_be_named() -> None:
    """A server that serves one model is asked for its id where none was given, and asked all the same where it lists none."""
    with FakeServer("llamacpp", ["x"], model="the-one") as server:
        spoken(OpenAICompatible("", server="llamacpp", base_url=server.base_url, patience=ONCE))
        assert server.asked[0]["model"] == "the-one"
    with FakeServer("vllm", ["x"], looks=False) as server:
        spoken(OpenAICompatible("", server="vllm", base_url=server.base_url, patience=ONCE))
        assert server.asked[0]["model"] == "default"


def test_one_model_of_many_must_be_named() -> None:
    """A server of many models is not asked without a name."""
    with FakeServer("lmstudio", ["x"]) as server, pytest.raises(RequestRefused, match="lmstudio: names no model; write lmstudio:ID"):
        spoken(OpenAICompatible("", server="lmstudio", base_url=server.base_url, patience=ONCE))


def test_an_address_without_a_path_is_completed() -> None:
    """The address of a server of a known kind may lack the ``/v1`` that all of them have."""
    for end in ("", "/", "/v1", "/v1/"):
        with FakeServer("vllm", ["x"]) as server:
            spoken(OpenAICompatible("m", server="vllm", base_url=f"{server.address}{end}", patience=ONCE))
            assert server.received[-1].path == "/v1/chat/completions"


def test_openai_itself_needs_a_key() -> None:
    """Without a key and without another address OpenAI is not asked; the words name the variable."""
    with pytest.raises(NotAuthorised, match="OPENAI_API_KEY"):
        OpenAICompatible("gpt-x")
    with pytest.raises(UnknownSetting, match="base URL ''"):
        OpenAICompatible("x", server="somebody")


@pytest.mark.parametrize(
    ("message", "finish", "expected"),
    [
        ({"content": "x", "annotations": [], "refusal": None, "function_call": None}, "stop", {"role": "assistant", "content": "x"}),
        (
            {"content": "", "tool_calls": [{"index": 0, "function": {"name": "f", "arguments": {"a": 1}}}]},
            "stop",
            {"role": "assistant", "content": None},
        ),
        ({"content": None, "refusal": "No."}, "stop", {"role": "assistant", "content": "", "refusal": "No."}),
        ({"content": "x", "reasoning": "y", "z": {"a": 1}}, "eos", {"role": "assistant", "content": "x", "reasoning": "y", "z": {"a": 1}}),
    ],
)  # fmt: skip
def test_a_reply_keeps_what_says_something(message: Any, finish: str, expected: Any) -> None:
    """Of a reply everything is kept that says something; empty fields, and those no endpoint takes back, are not."""
    found = assembled(message, finish=finish, usage=None, model=None)
    kept = {name: value for name, value in found.messages[0].items() if name != "tool_calls"}
    assert kept == expected
    for call in found.messages[0].get("tool_calls", ()):
        assert call["id"]
        assert call["function"]["arguments"] == '{"a": 1}'
        assert found.finish == "calls"


@pytest.mark.parametrize(
    "message", [{}, {"content": 3}, {"tool_calls": "x"}, {"tool_calls": [None, 3, {}]}, {"content": [{"type": "text"}]}]
)
def test_an_odd_reply_is_an_empty_one(message: Any) -> None:
    """A reply in which nothing is said and nothing is called leaves no message, whatever shape it has."""
    found = assembled(message, finish=None, usage=None, model=3)
    assert (found.messages, found.calls, found.finish, found.model) == ((), (), "other", "")


CHUNKS = (
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\\"x\\":"}}]}}]}',
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"1}"}}]}}]}',
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}',
    '{"choices":[{"index":1,"delta":{"content":"another choice"}}]}',
    '{"choices":[{"index":0,"delta":{"reasoning_content":"r","reasoning":"r","details":[{"n":1}]}}]}',
    '{"choices":[{"index":0,"delta":{"reasoning_content":"s","reasoning":"s","details":[{"n":2}]},"finish_reason":"tool_calls"}]}',
)


def test_calls_without_an_index_are_told_apart_by_their_ids() -> None:
    """Pieces of calls belong to the call whose id came last; doubled reasoning is heard once; lists are joined."""
    from sostenuto.providers._chat import _Gathered
    from sostenuto.providers._errors import Asked
    from sostenuto.providers._heard import Telling
    from sostenuto.providers._sse import Event

    heard: list[str] = []
    gathered = _Gathered(Asked("a:b", "there"), Telling(lambda kind, words: heard.append(words)))
    gathered.take_all([Event("", chunk) for chunk in CHUNKS])
    found = gathered.spoken()
    assert [(call.id, call.name, call.arguments) for call in found.calls] == [("a", "f", '{"x":1}'), ("b", "g", "{}")]
    assert heard == ["r", "s"]
    assert found.messages[0]["details"] == [{"n": 1}, {"n": 2}]
    assert found.messages[0]["reasoning_content"] == found.messages[0]["reasoning"] == "rs"
