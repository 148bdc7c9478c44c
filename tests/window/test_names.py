"""What people call providers and models (D7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.window import LOCAL_PROVIDERS, is_local, known_as, maker, parted


@pytest.mark.parametrize(
    ("model", "sides"),
    [
        ("openai:gpt-5", ("openai", "gpt-5")),
        ("gpt-5", ("", "gpt-5")),
        ("", ("", "")),
        ("ollama:qwen3:8b", ("ollama", "qwen3:8b")),
        ("qwen3:8b", ("", "qwen3:8b")),
        ("ollama:8b", ("ollama", "8b")),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", ("", "us.anthropic.claude-sonnet-4-5-20250929-v1:0")),
        ("bedrock/anthropic.claude-3-haiku-20240307-v1:0", ("", "bedrock/anthropic.claude-3-haiku-20240307-v1:0")),
        ("bedrock:anthropic.claude-3-haiku-20240307-v1:0", ("bedrock", "anthropic.claude-3-haiku-20240307-v1:0")),
        ("deepseek/deepseek-r1:free", ("", "deepseek/deepseek-r1:free")),
        ("openai:o3", ("openai", "o3")),
    ],
)
def test_a_colon_parts_a_provider_from_an_id_only_where_there_is_one(model: str, sides: tuple[str, str]) -> None:
    """`provider:id` is parted; the colon of a version or a tag is part of the id."""
    assert parted(model) == sides


@given(st.text(max_size=40))
def test_parting_loses_nothing(model: str) -> None:
    """Provider and id together are the name as it was typed."""
    provider, name = parted(model)
    assert model in (name, f"{provider}:{name}")


def test_what_people_type_is_known() -> None:
    """Other names of a provider mean the catalogue's id, in any case of letters; an unknown one means itself; none means none."""
    for typed, meant in (("Gemini", "google"), ("x-ai", "xai"), ("together_ai", "togetherai"), ("AWS", "amazon-bedrock"), ("acme", "acme")):
        assert known_as(typed)[0] == meant
    assert known_as(" ") == ()


def test_local_providers_are_known_whatever_their_spelling() -> None:
    """Every listed local provider is local in capitals too, and a hosted one is not."""
    assert all(is_local(name.upper()) for name in LOCAL_PROVIDERS)
    assert not is_local("openai")


@pytest.mark.parametrize(
    ("model", "who"),
    [
        ("claude-x", "anthropic"),
        ("meta/o3-mini", "openai"),
        ("glm-4.6", "zai"),
        ("qwen3-max", "alibaba"),
        ("us.anthropic.claude-3", "anthropic"),
        ("my-model", ""),
    ],
)
def test_a_name_tells_its_maker(model: str, who: str) -> None:
    """The beginning of a model's name tells who makes it, or nothing does."""
    assert maker(model) == who
