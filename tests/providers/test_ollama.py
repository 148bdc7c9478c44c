"""Ollama's native wire."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sostenuto.errors import RequestRefused, TooLong
from sostenuto.manager import ContextManager
from sostenuto.providers.ollama import Ollama, native
from sostenuto.testing import FakeServer, Fault, Reply
from sostenuto.window import refused
from tests.providers.speaking import TOOLS, spoken, window
from tests.providers.staging import made


def test_a_history_is_written_natively() -> None:
    """Arguments are objects, a result names its tool, reasoning is thinking, and images stand beside the words."""
    history: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is it?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                {"type": "image_url", "image_url": {"url": "https://there/x.png"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "Hm.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}},
                {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{broken"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
    ]
    assert native(history) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is it?\n[image at https://there/x.png]", "images": ["aGk="]},
        {
            "role": "assistant",
            "content": "",
            "thinking": "Hm.",
            "tool_calls": [
                {"id": "c1", "function": {"name": "read", "arguments": {"path": "a"}}},
                {"id": "c2", "function": {"name": "read", "arguments": {}}},
            ],
        },
        {"role": "tool", "content": "text", "tool_call_id": "c1", "tool_name": "read"},
    ]


def test_a_pinned_window_is_sent() -> None:
    """The pin goes as ``num_ctx``, the output as ``num_predict``; shortening in silence is forbidden; without a pin none is sent."""
    with FakeServer("ollama", ["x", "y"]) as server:
        spoken(made(server, window=4_096), tools=TOOLS, max_output=50, thinking=False)
        spoken(made(server))
        body = server.asked[0]
        assert body["options"] == {"num_ctx": 4_096, "num_predict": 50}
        assert (body["truncate"], body["shift"], body["think"], body["stream"]) == (False, False, False, False)
        assert body["tools"] == TOOLS
        assert "options" not in server.asked[1]
        assert "think" not in server.asked[1]


def test_options_of_ones_own_stay_beside_the_pin() -> None:
    """Further options are sent, and the pin stands above a ``num_ctx`` among them."""
    with FakeServer("ollama", ["x"]) as server:
        options = {"keep_alive": "5m", "options": {"temperature": 0, "num_ctx": 1}}
        spoken(Ollama(server.model, base_url=f"{server.address}/v1/", options=options, window=2_048))
        assert server.asked[0]["keep_alive"] == "5m"
        assert server.asked[0]["options"] == {"temperature": 0, "num_ctx": 2_048}


def test_an_error_that_is_json_in_json_is_read() -> None:
    """What the server below Ollama says of an overflow is read through the string it is wrapped in, figures included."""
    with FakeServer("ollama", [Fault("overflow")], window=2_048) as server:
        with pytest.raises(TooLong, match="exceeds the available context size") as failed:
            spoken(made(server))
        found = refused(failed.value.body, status=failed.value.status)
        assert found is not None
        assert (found.limit, found.requested) == (2_048, 2_049)


def test_a_model_without_tools_is_refused_and_said() -> None:
    """A model that takes no tools is a refusal in Ollama's own words."""
    with FakeServer("ollama", [Fault("refused")]) as server, pytest.raises(RequestRefused, match="does not support tools"):
        spoken(made(server), tools=TOOLS)


def test_usage_is_what_was_counted() -> None:
    """The counts come as Ollama gives them, in a stream too; zero counts are left out, as it leaves them out."""
    for heard in (None, lambda kind, words: None):
        with FakeServer("ollama", [Reply("x", input=26, output=298)]) as server:
            usage = spoken(made(server), heard=heard).usage
            assert (usage["prompt_eval_count"], usage["eval_count"]) == (26, 298)
            assert "model" not in usage


def test_the_window_is_what_is_served() -> None:
    """A loaded model's window is what was allocated, else what its author set; a pin waits for its load, and the weights cap it."""
    with FakeServer("ollama", ["x"] * 4, window=4_096) as server:
        assert window(made(server)) == 4_096
        assert window(made(server, window=1_000_000)) == 131_072
        pinned = made(server, window=8_192)
        assert window(pinned) == 8_192
        spoken(pinned)
        assert window(pinned) == 4_096
    with FakeServer("ollama", looks=False) as server:
        assert window(made(server)) is None
        assert window(made(server, window=2_048)) is None


def test_silent_truncation_raises_the_alarm_of_the_engine() -> None:
    """A server that shortens in silence, though told not to, is found out by the context manager from what it reports (D3, B035)."""
    with FakeServer("ollama", lambda body: Reply("On."), window=2_048, truncates=True) as server:
        model = made(server)
        context = ContextManager(model.name, window=32_768)

        async def grown() -> None:
            history = [{"role": "user", "content": "Begin."}]
            for turn in range(12):
                request = await context.prepare(history)
                said = await model.speak(request.arguments)
                context.record(said.usage)
                history += [*said.messages, {"role": "user", "content": f"Turn {turn}: " + "some more words " * 120}]
            await model.aclose()

        asyncio.run(grown())
        assert context.window.tokens < 32_768
