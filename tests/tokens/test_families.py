"""Which family and column a model name means (origin A.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.tokens import family


@pytest.mark.parametrize(
    ("hint", "name"),
    [
        *((f"openai:{model}", "o200k") for model in ("gpt-4o", "gpt-4o-mini", "gpt-5", "gpt-5-mini", "gpt-4.1", "o1-mini", "o3-mini")),
        ("openai:gpt-4-turbo", "cl100k"),
        ("openai:gpt-3.5-turbo", "cl100k"),
        ("gpt-4o", "o200k"),
        ("openrouter:openai/gpt-5", "o200k"),
        ("anthropic:claude-3-5-sonnet", "anthropic"),
        ("openrouter:anthropic/claude-sonnet-4", "anthropic"),
        ("google:gemini-2.5-pro", "gemini"),
        ("openrouter:google/gemini-2.5-flash", "gemini"),
        ("mistral:mistral-large", "mistral"),
        ("openrouter:ministral-8b", "mistral"),
        ("groq:llama-3.3-70b-versatile", "llama"),
        ("ollama:llama3.2", "llama"),
        ("alibaba:qwen3-max", "qwen"),
        ("moonshotai:kimi-k2", "qwen"),
        ("minimax:m2", "qwen"),
        ("zhipuai:glm-4.6", "qwen"),
        ("openrouter:z-ai/glm-4.6", "qwen"),
        ("deepseek:deepseek-chat", "deepseek"),
        ("xai:grok-4", "unknown"),
        ("ollama:phi4", "unknown"),
        ("llamacpp:my-model", "unknown"),
        ("", "unknown"),
    ],
)
def test_family_of_a_hint(hint: str, name: str) -> None:
    """Each hint of the origin's list gets the origin's family (A.1)."""
    assert family(hint).name == name


@pytest.mark.parametrize(
    ("hint", "group"),
    [
        ("anthropic:claude-3-haiku", "claude-3"),
        ("anthropic:claude-3-5-sonnet-20241022", "claude-3"),
        ("anthropic:claude-sonnet-4-20250514", "claude-3"),
        ("anthropic:claude-opus-4-6", "claude-3"),
        ("anthropic:claude-haiku-4.5", "claude-3"),
        ("anthropic:claude-opus-4-7", "claude-4.7"),
        ("anthropic:claude-sonnet-5", "claude-4.7"),
        ("anthropic:claude-latest", "claude-4.7"),
        ("moonshotai:kimi-k2", "kimi"),
        ("openrouter:moonshotai/kimi-k2", "kimi"),
        ("zhipuai:glm-4.6", "glm"),
        ("minimax:minimax-m1", "o200k"),
        ("ollama:qwen3:8b", "qwen"),
        ("alibaba:some-name", "qwen"),
        ("google:gemini-3-flash", "gemma"),
        ("ollama:gemma3:27b", "gemma"),
        ("mistral:mistral-large-latest", "mistral"),
        ("groq:llama-3.3-70b", "llama"),
        ("ollama:llama2:7b", "mistral"),
        ("deepseek:deepseek-chat", "deepseek"),
        ("openai:gpt-4", "cl100k"),
        ("openai:gpt-5", "o200k"),
        ("somebody:something-new", "o200k"),
    ],
)
def test_group_of_a_hint(hint: str, group: str) -> None:
    """A hint names the column of weights its tokenizer belongs to (D1)."""
    assert family(hint).group == group


@given(st.one_of(st.text(), st.none(), st.integers()))
def test_a_family_is_always_found(hint: object) -> None:
    """Any hint at all has a family with a seed inside the clamp (A.1)."""
    assert 2.0 <= family(hint).seed <= 6.0
