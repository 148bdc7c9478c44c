"""How a model's name finds its published window (D6, D7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.window import SMALLEST_PLAUSIBLE, Entry, Facts, Table, listings, lookup, nearest, nearest_providers, resolve

TABLE = Table.of(
    [
        Entry("openai", "gpt-5", 400_000, 272_000, 128_000, "2025-08-07"),
        Entry("openai", "gpt-4o", 128_000, 0, 16_384, "2024-08-06"),
        Entry("openai", "gpt-4", 8_192, 0, 8_192, "2023-06-13"),
        Entry("openai", "gpt-4.1", 1_047_576, 0, 32_768, "2025-04-14"),
        Entry("azure", "gpt-4o", 100_000, 0, 16_384, "2024-08-06"),
        Entry("github-copilot", "gpt-5", 128_000, 64_000, 64_000, "2025-08-07"),
        Entry("tinyhost", "gpt-5", 2_000, 0, 1_000, "2025-08-07"),
        Entry("anthropic", "claude-opus-4-5", 200_000, 0, 64_000, "2025-11-24"),
        Entry("anthropic", "claude-opus-4-7", 1_000_000, 0, 128_000, "2026-04-16"),
        Entry("anthropic", "claude-sonnet-4-5-20250929", 200_000, 0, 64_000, "2025-09-29"),
        Entry("anthropic", "claude-sonnet-4-5", 200_000, 0, 64_000, "2025-09-29"),
        Entry("openrouter", "anthropic/claude-sonnet-4.5", 1_000_000, 0, 64_000, "2025-09-29"),
        Entry("amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0", 190_000, 0, 64_000, "2025-09-29"),
        Entry("google-vertex-anthropic", "claude-sonnet-4-5@20250929", 180_000, 0, 64_000, "2025-09-29"),
        Entry("google", "gemini-2.5-pro", 1_048_576, 0, 65_536, "2025-06-05"),
        Entry("google-vertex", "gemini-2.5-pro", 1_000_001, 0, 65_536, "2025-06-05"),
        Entry("xai", "grok-4.3", 1_000_000, 0, 30_000, "2026-04-17"),
        Entry("moonshotai", "kimi-k2.5", 262_144, 0, 262_144, "2026-01-01"),
        Entry("deepseek", "deepseek-chat", 1_000_000, 0, 384_000, "2026-02-28"),
        Entry("togetherai", "meta-llama/Llama-3.3-70B-Instruct-Turbo", 131_072, 0, 0, "2024-12-06"),
        Entry("zai", "glm-4.6", 204_800, 0, 131_072, "2025-09-30"),
        Entry("lmstudio", "qwen3-30b", 262_144, 0, 16_384, "2025-07-30"),
    ],
    snapshot="2026-08-18",
)


@pytest.mark.parametrize(
    ("provider", "model", "found"),
    [
        ("OpenAI", "GPT-5", "openai:gpt-5"),
        ("", "gpt-5", "openai:gpt-5"),
        ("", "claude-sonnet-4-5-20250929", "anthropic:claude-sonnet-4-5-20250929"),
        ("", "openai/gpt-5", "openai:gpt-5"),
        ("", "models/gemini-2.5-pro", "google:gemini-2.5-pro"),
        ("gemini", "gemini-2.5-pro", "google:gemini-2.5-pro"),
        ("vertex_ai", "gemini-2.5-pro", "google-vertex:gemini-2.5-pro"),
        ("vertex", "claude-sonnet-4-5@20250929", "google-vertex-anthropic:claude-sonnet-4-5@20250929"),
        ("x-ai", "grok-4.3", "xai:grok-4.3"),
        ("moonshot", "kimi-k2.5", "moonshotai:kimi-k2.5"),
        ("zhipuai", "glm-4.6", "zai:glm-4.6"),
        ("z-ai", "glm-4.6", "zai:glm-4.6"),
        ("together_ai", "meta-llama/llama-3.3-70b-instruct-turbo", "togetherai:meta-llama/Llama-3.3-70B-Instruct-Turbo"),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon-bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon-bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("lmstudio", "qwen3-30b", "lmstudio:qwen3-30b"),
    ],
)
def test_what_a_provider_lists_is_found_exactly(provider: str, model: str, found: str) -> None:
    """Whatever people call a provider, and with or without one, an id that is listed is found exactly (D7)."""
    match = lookup(provider, model, catalogue=TABLE)
    assert match is not None
    assert (match.entry.name, match.is_exact) == (found, True)
    assert "lists this id" in match.why


@pytest.mark.parametrize(
    ("provider", "model", "found"),
    [
        ("openai", "gpt-5-2025-08-07", "openai:gpt-5"),
        ("openai", "gpt-4-0613", "openai:gpt-4"),
        ("azure", "gpt-4o-2024-11-20", "azure:gpt-4o"),
        ("anthropic", "claude-opus-4.5", "anthropic:claude-opus-4-5"),
        ("anthropic", "claude-opus-4-5-latest", "anthropic:claude-opus-4-5"),
        ("", "claude-opus-4-5[1m]", "anthropic:claude-opus-4-5"),
        ("openrouter", "anthropic/claude-sonnet-4.5:free", "openrouter:anthropic/claude-sonnet-4.5"),
        ("fireworks", "accounts/fireworks/models/kimi-k2p5", "moonshotai:kimi-k2.5"),
        ("newhost", "gpt-5", "github-copilot:gpt-5"),
        ("newhost", "claude-sonnet-4-5", "google-vertex-anthropic:claude-sonnet-4-5@20250929"),
        ("anthropic", "claude-opus-9", "anthropic:claude-opus-4-5"),
    ],
)
def test_a_like_name_gives_the_smallest_plausible(provider: str, model: str, found: str) -> None:
    """A dated, newer, otherwise spelt or elsewhere hosted name takes the smallest plausible of those alike, and the window says so."""
    match = lookup(provider, model, catalogue=TABLE)
    assert match is not None
    assert (match.entry.name, match.is_exact) == (found, False)
    assert "smallest" in match.why
    assert any("alike" in note for note in resolve(Facts(provider, model, match=match)).notes)


def test_one_version_is_not_taken_for_another() -> None:
    """A version that is not listed never takes the number of another version of the same number."""
    assert lookup("openai", "gpt-4.2", catalogue=TABLE) is None
    assert lookup("anthropic", "claude-opus-4-6", catalogue=(Entry("anthropic", "claude-opus-4-7", 1_000_000, 0, 0, ""),)) is None


def test_an_exact_entry_counts_however_small() -> None:
    """What a provider lists under the very name is taken, even below what is plausible for a likeness."""
    match = lookup("tinyhost", "gpt-5", catalogue=TABLE)
    assert match is not None
    assert match.entry.takes < SMALLEST_PLAUSIBLE


def test_hosts_that_disagree_give_the_smaller_number() -> None:
    """Two hosts of one model with different windows: another host gets the smaller (D7)."""
    table = (Entry("a", "model-x", 1_000_000, 0, 0, ""), Entry("b", "model-x", 131_072, 0, 0, ""), Entry("c", "model-x", 7, 0, 0, ""))
    match = lookup("d", "model-x", catalogue=table)
    assert match is not None
    assert match.entry.provider == "b"
    own = lookup("a", "model-x", catalogue=table)
    assert own is not None
    assert own.entry.takes == 1_000_000


@pytest.mark.parametrize("local", ["ollama", "llamacpp", "llama.cpp", "vllm", "hosted_vllm", "sglang", "lmstudio", "lm-studio", "tgi"])
def test_a_local_model_is_not_matched_by_likeness(local: str) -> None:
    """A hosted listing of similar weights says nothing about a local server; the very same id may, but not with another size as tag."""
    assert lookup(local, "deepseek-chat-distilled-8b", catalogue=TABLE) is None
    assert lookup(local, "kimi-k2.5:8b", catalogue=TABLE) is None
    assert lookup(local, "deepseek-chat", catalogue=TABLE) is not None
    assert lookup(local, "deepseek-chat:latest", catalogue=TABLE) is not None


@pytest.mark.parametrize("model", ["", "   ", "entirely-unheard-of", "/", ":", "-", "gpt"])
def test_an_unknown_name_finds_nothing(model: str) -> None:
    """No name, or one like no other, has no entry."""
    assert lookup("newhost", model, catalogue=TABLE) is None


def test_listings_are_all_spellings_of_one_model() -> None:
    """Every host of a model is found, whatever it calls it, and no other version."""
    assert listings("claude-sonnet-4-5", catalogue=TABLE) == (
        ("amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("anthropic", "claude-sonnet-4-5"),
        ("anthropic", "claude-sonnet-4-5-20250929"),
        ("google-vertex-anthropic", "claude-sonnet-4-5@20250929"),
        ("openrouter", "anthropic/claude-sonnet-4.5"),
    )
    assert listings("", catalogue=TABLE) == ()


def test_a_mistyped_name_has_nearest_ones() -> None:
    """The nearest names are the provider's own, or the makers' where none is named; a mistyped provider has some too."""
    assert nearest("openai", "gpt4o", catalogue=TABLE)[0] == "openai:gpt-4o"
    assert nearest("", "grok4.3", catalogue=TABLE)[0] == "xai:grok-4.3"
    assert nearest("newhost", "zzzzzz", catalogue=TABLE) == ()
    assert nearest_providers("gemni", catalogue=TABLE) == ("gemini",)


@given(st.text(max_size=20), st.text(max_size=40))
def test_looking_up_never_raises(provider: str, model: str) -> None:
    """Any names find an entry or none, and nothing implausible unless it is the very name."""
    match = lookup(provider, model, catalogue=TABLE)
    assert match is None or match.is_exact or match.entry.takes >= SMALLEST_PLAUSIBLE


@pytest.mark.parametrize("model", ["gpt-5" * 200_000, "-" * 1_000_000, "a/" * 500_000, "us." * 300_000, "gpt-5:" * 200_000])
def test_a_very_long_name_costs_no_more_than_a_long_one(model: str) -> None:
    """A name of a million characters is looked up like any other that is not listed."""
    assert lookup("openai", model, catalogue=TABLE) is None or len(model) > 400
