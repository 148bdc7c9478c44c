"""Which provider serves which name."""

from __future__ import annotations

import asyncio
import importlib.util

import pytest

from sostenuto.app._providers import model_named
from sostenuto.errors import NotAuthorised, UnknownSetting
from sostenuto.testing import FakeServer

KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}


@pytest.mark.parametrize(
    ("name", "kind", "called"),
    [
        ("openai:gpt-x", "OpenAICompatible", "openai:gpt-x"),
        ("anthropic:claude-x", "Anthropic", "anthropic:claude-x"),
        ("claude:claude-x", "Anthropic", "anthropic:claude-x"),
        ("ollama:qwen3:8b", "Ollama", "ollama:qwen3:8b"),
        ("llama.cpp:x", "OpenAICompatible", "llamacpp:x"),
        ("llamacpp", "OpenAICompatible", "llamacpp:"),
        (" VLLM:org/model:tag ", "OpenAICompatible", "vllm:org/model:tag"),
        ("lm-studio:x", "OpenAICompatible", "lmstudio:x"),
        ("sglang:x", "OpenAICompatible", "sglang:x"),
    ],
)  # fmt: skip
def test_a_name_leads_to_its_provider(name: str, kind: str, called: str) -> None:
    """Every provider we speak to is found by its names, and an id may hold colons and slashes."""
    model = model_named(name, environment=KEYS)
    assert (type(model).__name__, model.name) == (kind, called)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openai:gpt-x", "OPENAI_API_KEY"),
        ("anthropic:claude-x", "ANTHROPIC_API_KEY"),
    ],
)  # fmt: skip
def test_a_missing_key_is_told_with_its_variable(name: str, words: str) -> None:
    """Without a key the variable that should hold it is named; a blank one is none."""
    for environment in ({}, {words: "  "}):
        with pytest.raises(NotAuthorised, match=words):
            model_named(name, environment=environment)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gpt-4o", "names no provider; write provider:id; did you mean 'openai:gpt-4o'?"),
        ("", "names no provider; write provider:id, for example"),
        ("opnai:gpt-4o", "the provider 'opnai' is not known; did you mean 'openai'?"),
        ("qqqq:x", "the provider 'qqqq' is not known; if it is a server"),
        ("qqqq:x", "OPENAI_BASE_URL=http://HOST:PORT/v1 sostenuto run --model openai:x"),
        ("http://127.0.0.1:9191/v1", "OPENAI_BASE_URL=http://127.0.0.1:9191/v1 sostenuto run --model openai:NAME"),
        ("ollama", "names no model; write ollama:NAME"),
        ("groq:", "names a provider and no model; write groq:ID"),
        ("local:nowhere.gguf", "names no file"),
    ],
)  # fmt: skip
def test_a_name_that_leads_nowhere_is_told_with_the_remedy(name: str, words: str) -> None:
    """A name without a provider, an unknown provider and a missing file are told, with the nearest that is meant."""
    with pytest.raises(UnknownSetting) as failed:
        model_named(name, environment={})
    assert words in str(failed.value)


@pytest.mark.skipif(importlib.util.find_spec("pydantic_ai") is not None, reason="the extra pydantic-ai is installed")
def test_a_missing_extra_is_told() -> None:
    """A provider that needs an extra says how to install it, in its own or its usual name."""
    for name in ("groq:x", "gemini:x", "mistralai:x"):
        with pytest.raises(UnknownSetting, match=r'pip install "sostenuto\[run,pydantic-ai\]"'):
            model_named(name, environment={})


@pytest.mark.parametrize(
    ("kind", "variable"),
    [("openai", "OPENAI_BASE_URL"), ("anthropic", "ANTHROPIC_BASE_URL"), ("ollama", "OLLAMA_HOST"), ("vllm", "VLLM_BASE_URL")],
)  # fmt: skip
def test_addresses_and_keys_are_found_in_the_environment(kind: str, variable: str) -> None:
    """The address and the key of a provider come from its variables where none is given; Ollama's host may lack the scheme."""
    with FakeServer(kind, ["Hello."], key="k") as server:
        address = server.base_url.removeprefix("http://") if kind == "ollama" else server.base_url
        environment = {variable: address, f"{kind.upper()}_API_KEY": "k"}

        async def asked() -> str:
            model = model_named(f"{kind}:{server.model}", environment=environment, window=2_048, retries=0)
            said = await model.speak({"messages": [{"role": "user", "content": "x"}]})
            await model.aclose()
            return said.text

        assert asyncio.run(asked()) == "Hello."


def test_any_server_of_chat_completions_may_be_named() -> None:
    """A provider that nobody knows is spoken to as a server of chat completions where its address is given, with its own key."""
    with FakeServer("openai", ["Hello."], key="k") as server:

        async def asked() -> str:
            model = model_named("somebody:tiny", base_url=server.base_url, environment={"SOMEBODY_API_KEY": "k"}, options={"top_p": 1})
            said = await model.speak({"messages": [{"role": "user", "content": "x"}]})
            await model.aclose()
            return f"{model.name} {said.text}"

        assert asyncio.run(asked()) == "somebody:tiny Hello."
        assert server.asked[0]["top_p"] == 1


def test_a_host_that_listens_to_everybody_is_reached_here() -> None:
    """What Ollama listens on is no address to reach it at: everybody's interface becomes this machine's, and a missing port its own."""
    from sostenuto.app._providers import address_in

    assert address_in("0.0.0.0:11500") == "http://127.0.0.1:11500"
    assert address_in("box") == "http://box:11434"
    assert address_in("https://box/x") == "https://box/x"
    assert address_in(" ") is None
