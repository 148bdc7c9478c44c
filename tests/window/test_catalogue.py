"""How a model's name finds its published window (D6, D7)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.window import BUILT_IN, Entry, Facts, entries, lookup, resolve


def test_the_table_is_sound() -> None:
    """Every entry has a context at least as large as its input limit, a date, and a pair of names of its own."""
    assert len({(entry.provider, entry.model) for entry in BUILT_IN}) == len(BUILT_IN)
    assert all(entry.context >= entry.input and len(entry.date) == 10 for entry in BUILT_IN)


def test_an_exact_pair_is_found_exactly() -> None:
    """Provider and model together decide, in any case of letters."""
    match = lookup("OpenAI", "GPT-5")
    assert match is not None
    assert match.is_exact
    assert match.entry.takes == 272_000


@pytest.mark.parametrize(
    ("provider", "model", "takes"),
    [
        ("bedrock", "anthropic/claude-opus-4-5-20251101", 200_000),
        ("azure", "gpt-4o-2024-11-20", 128_000),
        ("anthropic", "claude-sonnet-5", 200_000),
    ],
)
def test_a_like_name_gives_the_smallest_plausible(provider: str, model: str, takes: int) -> None:
    """A dated, vendor-prefixed or newer name takes the smallest number of those alike, and the window says so."""
    match = lookup(provider, model)
    assert match is not None
    assert (match.is_exact, match.entry.takes) == (False, takes)
    assert any("alike" in note for note in resolve(Facts(provider, model, match=match)).notes)


def test_hosts_that_disagree_give_the_smaller_number() -> None:
    """Two hosts of one model with different windows: another host gets the smaller (D7)."""
    table = (Entry("a", "model-x", 1_000_000, 0, 0, ""), Entry("b", "model-x", 131_072, 0, 0, ""), Entry("c", "model-x", 7, 0, 0, ""))
    match = lookup("d", "model-x", catalogue=table)
    assert match is not None
    assert match.entry.provider == "b"
    own = lookup("a", "model-x", catalogue=table)
    assert own is not None
    assert own.entry.takes == 1_000_000


def test_a_local_model_is_not_matched_by_likeness() -> None:
    """A hosted listing of similar weights says nothing about a local server; the very same id may."""
    assert lookup("ollama", "deepseek-chat-distilled-8b") is None
    assert lookup("ollama", "deepseek-chat") is not None


@pytest.mark.parametrize("model", ["", "   ", "entirely-unheard-of"])
def test_an_unknown_name_finds_nothing(model: str) -> None:
    """No name, or one like no other, has no entry."""
    assert lookup("newhost", model) is None


def test_a_catalogue_in_the_known_shape_is_read() -> None:
    """The limits of a models.dev catalogue become entries, separate input limits included."""
    data = {
        "openai": {"models": {"gpt-9": {"limit": {"context": 400_000, "input": 272_000, "output": 128_000}, "last_updated": "2026-11-01"}}}
    }
    assert entries(data) == (Entry("openai", "gpt-9", 400_000, 272_000, 128_000, "2026-11-01"),)


@given(st.recursive(st.one_of(st.none(), st.integers(), st.text()), lambda inner: st.one_of(
    st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["models", "limit", "context", "p"]), inner, max_size=3),
)))  # fmt: skip
def test_reading_a_catalogue_never_raises(data: Any) -> None:
    """Whatever a file holds, what comes out are entries with a window."""
    assert all(entry.takes > 0 for entry in entries(data))


@given(st.text(max_size=20), st.text(max_size=40))
def test_looking_up_never_raises(provider: str, model: str) -> None:
    """Any names find an entry or none."""
    match = lookup(provider, model)
    assert match is None or match.entry.takes >= 4_096
