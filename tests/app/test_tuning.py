"""What settings ask of a provider, in its own words (origin 13: ``reasoning``, ``llm.ollama``)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sostenuto.agent import Stop
from sostenuto.app import Wish, perform
from sostenuto.app._providers import CHAT, THROUGH_PYDANTIC_AI, spoken_by
from sostenuto.app._tuning import reasoning_options
from sostenuto.config import REASONING, Agent, write_agent
from sostenuto.testing import FakeServer


def sent(kind: str, folder: Path, settings: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch, *, variable: str = "") -> dict[str, Any]:
    """The body of the one request of a run by an agent with these settings."""
    with FakeServer(kind, ["Hello."], window=16_384) as server:
        given = {name: server.base_url if value == "HERE" else value for name, value in settings.items()}
        if variable:
            monkeypatch.setenv(variable, server.base_url)
        write_agent(folder, Agent("a", settings={"llm.model": f"{kind}:{server.model}", **given}))
        wish = Wish("Go.", folder, folder, agent="a")
        assert asyncio.run(perform(wish, listener=lambda event: None, stop=Stop())).outcome.text == "Hello."
        return next(dict(each.body) for each in server.received if isinstance(each.body, Mapping) and "messages" in each.body)


def test_an_agents_reasoning_is_in_its_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each wire says it in its own field; without the setting there is no such field."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    low = {"reasoning": "low"}
    assert sent("openai", tmp_path, low, monkeypatch, variable="OPENAI_BASE_URL")["reasoning_effort"] == "low"
    assert "reasoning_effort" not in sent("openai", tmp_path, {}, monkeypatch, variable="OPENAI_BASE_URL")
    body = sent("anthropic", tmp_path, low, monkeypatch, variable="ANTHROPIC_BASE_URL")
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2_048}
    body = sent("llamacpp", tmp_path, {"reasoning": "off"}, monkeypatch, variable="LLAMACPP_BASE_URL")
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert sent("ollama", tmp_path, {"reasoning": "high"}, monkeypatch, variable="OLLAMA_HOST")["think"] == "high"


def test_ollama_is_where_the_setting_says_and_keeps_the_model_as_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """llm.ollama.base_url stands before OLLAMA_HOST, and llm.ollama.keep_alive is in the request."""
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    body = sent("ollama", tmp_path, {"llm.ollama.base_url": "HERE", "llm.ollama.keep_alive": "10m"}, monkeypatch)
    assert body["keep_alive"] == "10m"


@pytest.mark.parametrize("level", REASONING)
def test_every_level_is_told_where_there_is_a_way(level: Any) -> None:
    """The library is told every level by its word, off as no thinking; what has no field is told nothing."""
    assert reasoning_options(THROUGH_PYDANTIC_AI, level) == {"thinking": level if level != "off" else False}
    assert reasoning_options("lmstudio", level) == {}
    assert reasoning_options(CHAT, level) == ({} if level == "off" else {"reasoning_effort": level})


@pytest.mark.parametrize(
    ("model", "layer"),
    [("openai:gpt-5", "openai"), ("claude:x", "anthropic"), ("gemini:x", THROUGH_PYDANTIC_AI), ("elsewhere:x", CHAT), ("local", "local")],
)
def test_the_layer_of_a_model_is_known_by_its_name(model: str, layer: str) -> None:
    """Our own providers by theirs, the library's and unknown ones as such."""
    assert spoken_by(model) == layer
