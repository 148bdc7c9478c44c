"""The catalogue that comes with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from sostenuto.catalogues import bundled as room
from sostenuto.catalogues.bundled import bundled
from sostenuto.window import lookup, parted

LIMIT = 400_000
"""Bytes the bundled file may have."""


def test_the_file_is_small_and_says_of_when_it_is() -> None:
    """The bundled file is well under 400 kB and its snapshot is a day."""
    path = Path(room.__file__).with_name("models.txt.gz")
    assert path.stat().st_size < LIMIT / 2
    assert len(bundled().snapshot) == 10
    assert bundled() is bundled()


def test_every_entry_is_sound() -> None:
    """Every line is an entry with a window, no input limit above its context, a date, and prices that go up in size."""
    found = list(bundled())
    assert len(found) == len(bundled()) > 5_000
    assert len({(entry.provider, entry.model.lower()) for entry in found}) == len(found)
    for entry in found:
        assert 0 < entry.takes <= entry.context
        assert entry.date
        sizes = [price.above for price in entry.prices]
        assert sizes == sorted(set(sizes))
        assert sizes[:1] in ([], [0])


def test_the_text_is_the_one_its_entries_make() -> None:
    """Nothing in the file is damaged, repeated or out of order."""
    assert type(bundled()).of(bundled(), snapshot=bundled().snapshot).dump() == bundled().dump()


# What the short table of the first version had: no model it knew may be forgotten, and no window it gave may be exceeded unnoticed.
KNOWN = {
    "anthropic:claude-opus-4-7": 1_000_000, "anthropic:claude-opus-4-6": 1_000_000, "anthropic:claude-opus-4-5": 200_000,
    "anthropic:claude-opus-4-1": 200_000, "anthropic:claude-sonnet-4-6": 1_000_000, "anthropic:claude-sonnet-4-0": 200_000,
    "anthropic:claude-haiku-4-5": 200_000, "anthropic:claude-3-7-sonnet": 200_000, "anthropic:claude-3-5-sonnet": 200_000,
    "anthropic:claude-3-5-haiku": 200_000, "openai:gpt-5.5": 922_000, "openai:gpt-5.4": 922_000, "openai:gpt-5.4-mini": 272_000,
    "openai:gpt-5.3-codex": 272_000, "openai:gpt-5.2": 272_000, "openai:gpt-5.1": 272_000, "openai:gpt-5": 272_000,
    "openai:gpt-5-mini": 272_000, "openai:gpt-4.1": 1_047_576, "openai:gpt-4.1-mini": 1_047_576, "openai:gpt-4o": 128_000,
    "openai:gpt-4o-mini": 128_000, "openai:gpt-4-turbo": 128_000, "openai:gpt-4": 8_192, "openai:gpt-3.5-turbo": 16_385,
    "openai:o3": 200_000, "openai:o4-mini": 200_000, "google:gemini-3.5-flash": 1_048_576,
    "google:gemini-3.1-pro-preview": 1_048_576, "google:gemini-2.5-pro": 1_048_576, "google:gemini-2.5-flash": 1_048_576,
    "deepseek:deepseek-chat": 1_000_000, "deepseek:deepseek-reasoner": 1_000_000, "mistral:mistral-large-latest": 262_144,
    "mistral:mistral-medium-latest": 262_144, "mistral:devstral-2512": 262_144, "xai:grok-4.3": 1_000_000,
    "alibaba:qwen3.6-plus": 1_000_000, "alibaba:qwen3-max": 262_144, "alibaba:qwen3-coder-plus": 1_048_576,
    "moonshotai:kimi-k2.6": 262_144, "moonshotai:kimi-k2.5": 262_144, "zhipuai:glm-5.1": 200_000, "zhipuai:glm-4.6": 204_800,
    "minimax:MiniMax-M2.7": 204_800, "groq:llama-3.3-70b-versatile": 131_072, "groq:openai/gpt-oss-120b": 131_072,
}  # fmt: skip


@pytest.mark.parametrize("model", KNOWN)
def test_well_known_models_have_their_windows(model: str) -> None:
    """The models most people use are found at their own provider, with the input limit that is published."""
    match = lookup(*parted(model), catalogue=bundled())
    assert match is not None
    assert (match.entry.provider, match.entry.takes) == (model.partition(":")[0], KNOWN[model])


def test_prices_of_long_requests_have_the_size_they_start_at() -> None:
    """Prices with a tier say from which size on it holds, also where the source only said that there is one."""
    for model, size in (("openai:gpt-5.5", 272_000), ("openai:gpt-5.6", 272_000), ("google:gemini-2.5-pro", 200_000)):
        match = lookup(*parted(model), catalogue=bundled())
        assert match is not None
        assert [price.above for price in match.entry.prices] == [0, size]
