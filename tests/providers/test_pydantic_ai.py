"""Other providers through ``pydantic-ai-slim``, before fake servers of three wires."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="the extra pydantic-ai is not installed")

from sostenuto.errors import NotAuthorised, UnknownSetting
from sostenuto.protocols import Model
from sostenuto.providers.pydantic_ai import PydanticAI
from sostenuto.testing import MODEL_CHECKS, FakeServer, ModelCheck, Reply
from tests.providers.speaking import TOOLS, spoken
from tests.providers.staging import KEY, ONCE, before

THEIR_NAMES = {"anthropic": "anthropic", "gemini": "google", "openai": "openai-chat"}
HEARD: tuple[Callable[[str, str], None] | None, ...] = (None, lambda kind, words: None)


def _made(server: FakeServer) -> Model:
    return PydanticAI(f"{THEIR_NAMES[server.kind]}:{server.model}", base_url=server.base_url, key=KEY, patience=ONCE)


@pytest.mark.parametrize("check", MODEL_CHECKS, ids=lambda check: check.name)
@pytest.mark.parametrize("kind", sorted(THEIR_NAMES))
def test_it_does_what_a_model_must(kind: str, check: ModelCheck) -> None:
    """Each check of the public suite passes on each wire that the library speaks."""
    check.run(before(kind, make=_made))


def _second_request(kind: str, *, streamed: bool, restarted: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The body in which a reply with sealed thinking and two calls goes back, by the same model or after a restart; and the reply."""
    reply = Reply("Look.", reasoning="So,\n\nlet me  see.", signature="c2VhbA==", calls=[("read", {"path": "ü"}), ("read", {"path": "b"})])
    with FakeServer(kind, [reply, "Done."], key=KEY) as server:
        model = _made(server)
        first = spoken(model, tools=TOOLS, heard=HEARD[streamed])
        results = [{"role": "tool", "tool_call_id": call.id, "content": f"text {n}"} for n, call in enumerate(first.calls)]
        history = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello."}, *first.messages, *results]
        spoken(_made(server) if restarted else model, history, tools=TOOLS)
        return server.asked[1], first.messages[0]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("streamed", [False, True])
def test_sealed_thinking_goes_back_to_anthropic_as_it_came(streamed: bool, restarted: bool) -> None:
    """Thinking and its seal are sent again exactly, before words and calls; both results stand in one turn."""
    body, _ = _second_request("anthropic", streamed=streamed, restarted=restarted)
    said, answered = body["messages"][1:]
    assert [block["type"] for block in said["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert said["content"][0] == {"type": "thinking", "thinking": "So,\n\nlet me  see.", "signature": "c2VhbA=="}
    assert [block["input"] for block in said["content"][2:]] == [{"path": "ü"}, {"path": "b"}]
    assert [block["type"] for block in answered["content"]] == ["tool_result", "tool_result"]
    assert "Be brief." in str(body["system"])


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("streamed", [False, True])
def test_sealed_thinking_goes_back_to_gemini_as_it_came(streamed: bool, restarted: bool) -> None:
    """The seal that Gemini puts on the first call is sent again on it."""
    body, _ = _second_request("gemini", streamed=streamed, restarted=restarted)
    parts = next(turn["parts"] for turn in body["contents"] if turn["role"] == "model")
    sealed = [part.get("thoughtSignature") for part in parts if "functionCall" in part]
    assert sealed == ["c2VhbA==", None]


def test_a_key_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key the words name the variable that should hold it."""
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NotAuthorised, match="needs a key; set GOOGLE_API_KEY"):
        PydanticAI("google:gemini-x")


def test_a_provider_that_is_not_known_is_told() -> None:
    """A provider that the library does not know is a setting that cannot be used."""
    with pytest.raises(UnknownSetting, match="nobody:x cannot be used"):
        PydanticAI("nobody:x")
