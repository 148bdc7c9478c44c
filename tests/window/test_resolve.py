"""How many tokens the model takes, and who says so (origin 2 and A.2, D6 to D8)."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.window import Entry, Facts, Match, Window, resolve, start_warning


def facts(provider: str, *, maximum: int = 0, **known: Any) -> Facts:
    match = Match(Entry(provider, "m", maximum, 0, 0, "2026-01-01"), is_exact=True) if maximum else None
    return Facts(provider, "m", match=match, **known)


@pytest.mark.parametrize(
    ("given_facts", "tokens", "source"),
    [
        (facts("ollama", pinned=131_072, maximum=262_144), 131_072, "pinned"),
        (facts("llamacpp", server=32_768, maximum=262_144), 32_768, "server"),
        (facts("vllm", server=65_536), 65_536, "server"),
        (facts("vllm", pinned=131_072, server=32_768), 32_768, "pinned"),
        (facts("sglang", pinned=131_072, server=32_768), 32_768, "pinned"),
        (facts("ollama", pinned=65_536, server=131_072), 65_536, "pinned"),
        (facts("ollama", pinned=131_072, maximum=40_960), 40_960, "pinned"),
        (facts("ollama", pinned=131_072, server=131_072, maximum=40_960), 131_072, "pinned"),
        (facts("llamacpp", server=131_072, maximum=40_960), 131_072, "server"),
        (facts("anthropic", pinned=65_536, maximum=200_000), 200_000, "catalogue"),
        (facts("ollama", pinned=200_000), 200_000, "pinned"),
        (facts("llamacpp", server=200_000), 200_000, "server"),
        (facts("ollama"), 128_000, "fallback"),
        (facts("ollama", pinned=0), 128_000, "fallback"),
        (facts("ollama", maximum=40_960), 40_960, "catalogue"),
        (facts("anthropic", maximum=200_000, stated=32_768), 32_768, "pinned"),
        (facts("openai", maximum=200_000, learned=180_000), 180_000, "learned"),
        (facts("openai", learned=180_000), 180_000, "learned"),
        (facts("ollama", pinned=32_768, learned=8_192), 8_192, "learned"),
        (facts("ollama", pinned=8_192, learned=32_768), 8_192, "pinned"),
        (facts("ollama", server=32_768, served=4_096), 4_096, "learned"),
        (facts("anthropic", maximum=200_000, served=300_000), 200_000, "catalogue"),
    ],
)
def test_sources_of_a_window(given_facts: Facts, tokens: int, source: str) -> None:
    """Each combination of facts gives the origin's number and names who said it (A.2)."""
    window = resolve(given_facts)
    assert (window.tokens, window.source) == (tokens, source)


def test_the_maximum_is_reported() -> None:
    """The published maximum travels beside a smaller pin, and is absent where nothing is published (A.2)."""
    assert resolve(facts("ollama", pinned=131_072, maximum=262_144)).maximum == 262_144
    assert resolve(facts("ollama", pinned=200_000)).maximum == 0


@pytest.mark.parametrize(
    ("given_facts", "tokens", "capped"),
    [
        (facts("anthropic", maximum=200_000, ceiling=60_000), 60_000, True),
        (facts("ollama", pinned=32_768, ceiling=60_000), 32_768, False),
        (facts("anthropic", maximum=200_000, ceiling=0), 200_000, False),
        (facts("anthropic", maximum=200_000), 200_000, False),
    ],
)
def test_a_ceiling_only_lowers(given_facts: Facts, tokens: int, capped: bool) -> None:
    """A ceiling lowers the number, says so, and leaves source and maximum alone; zero is no ceiling (A.2)."""
    window = resolve(given_facts)
    assert (window.tokens, window.capped) == (tokens, capped)
    assert window.source == resolve(facts(given_facts.provider, maximum=window.maximum, pinned=given_facts.pinned)).source


def test_b025_b041_the_smaller_of_two_budgets_counts() -> None:
    """B025, B041: with a total budget of a million and a window of 200,000, or a ceiling of 30,000, the smaller is used."""
    assert resolve(facts("anthropic", maximum=200_000, ceiling=1_000_000)).tokens == 200_000
    assert resolve(facts("openai", maximum=128_000, ceiling=30_000)).budget() == 30_000


def test_b037_a_catalogue_never_raises_what_the_user_said() -> None:
    """B037: the user's 32,768 stands against a catalogue's million, locally and hosted."""
    assert resolve(facts("openai", maximum=1_000_000, stated=32_768)).tokens == 32_768
    assert resolve(facts("ollama", maximum=1_000_000, pinned=32_768)).tokens == 32_768


def test_b039_an_unknown_model_is_a_visible_note() -> None:
    """B039: an unknown id falls back to 128,000 and says so; stating the window overrides it."""
    window = resolve(facts("newhost"))
    assert (window.source, window.tokens) == ("fallback", 128_000)
    assert any("not known" in note and "128,000" in note for note in window.notes)
    assert resolve(facts("newhost", stated=1_000_000)).tokens == 1_000_000


def test_a_stated_window_above_the_catalogue_is_noted() -> None:
    """What the user states is used as it is, with a note where the catalogue has less."""
    window = resolve(facts("openai", maximum=200_000, stated=1_000_000))
    assert window.tokens == 1_000_000
    assert any("above" in note for note in window.notes)


def test_every_window_carries_the_date_of_its_fact() -> None:
    """The date is the catalogue's for its number, and the caller's for the others (D7)."""
    assert resolve(facts("anthropic", maximum=200_000)).date == "2026-01-01"
    assert resolve(facts("vllm", server=65_536, dates={"server": "2026-11-30"})).date == "2026-11-30"


def test_the_input_limit_is_the_window() -> None:
    """With a context of 400,000 and a separate input limit of 272,000 the window is the input limit (D6)."""
    entry = Entry("openai", "gpt-5", 400_000, 272_000, 128_000, "2025-08-07")
    window = resolve(Facts("openai", "gpt-5", match=Match(entry, is_exact=True)))
    assert (window.tokens, window.total, window.output_limit) == (272_000, 400_000, 128_000)
    assert window.budget(128_000) == 272_000


def test_case_43_input_and_output_fit_together() -> None:
    """Library case 43: 180,225 tokens with 16,384 requested are one too many for 196,608."""
    window = resolve(facts("minimax", maximum=196_608))
    assert window.budget(16_384) == 180_224
    assert 180_225 + 16_384 > 196_608


def test_a_small_window_lowers_the_output_request() -> None:
    """A request for more than half of the window is lowered, never below 1,024 tokens or an eighth of the window (D6)."""
    small = Window(tokens=4_096, total=4_096, source="server")
    assert (small.reserve(4_096), small.budget(4_096)) == (1_024, 3_072)
    large = Window(tokens=32_768, total=32_768, source="server")
    assert (large.reserve(30_000), large.reserve(8_000), large.lowest_reserve(8_000)) == (4_096, 8_000, 4_096)
    assert Window(tokens=32_768, total=32_768, source="server", output_limit=2_000).reserve(8_000) == 2_000
    assert large.reserve(None) == large.lowest_reserve(0) == 0


def test_a_local_server_without_a_pin_is_warned_about() -> None:
    """The warning names the maximum, the ceiling, or that it is an estimate, and what to do (A.2)."""
    for given_facts, words in (
        (facts("ollama", maximum=40_960), "maximum of 40,960"),
        (facts("ollama"), "only an estimate"),
        (facts("ollama", maximum=40_960, ceiling=8_000), "ceiling of 8,000"),
    ):
        warning = start_warning(given_facts, resolve(given_facts))
        assert warning is not None
        assert words in warning
        assert "set the window" in warning


@pytest.mark.parametrize("quiet", [facts("ollama", pinned=8_192), facts("ollama", pinned=8_192, ceiling=4_096), facts("vllm", server=8_192),
                                   facts("anthropic", maximum=200_000), facts("openai")])  # fmt: skip
def test_pinned_served_and_hosted_are_not_warned_about(quiet: Facts) -> None:
    """Where the number is known, or the provider is hosted, there is no start warning (A.2)."""
    assert start_warning(quiet, resolve(quiet)) is None


NUMBER = st.one_of(st.none(), st.integers(-5, 10**7), st.floats(), st.sampled_from([math.nan, math.inf, 0, -1]))


@given(
    st.sampled_from(["ollama", "vllm", "llamacpp", "anthropic", ""]), NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, st.integers(0, 10**6)
)
def test_a_window_is_always_found(
    provider: str, stated: Any, pinned: Any, server: Any, learned: Any, served: Any, ceiling: Any, out: int
) -> None:
    """Whatever the facts, the window is positive, a ceiling is kept, and input and output fit together."""
    window = resolve(Facts(provider, "m", stated, pinned, server, learned, served, None, ceiling))
    assert window.tokens >= 1
    assert window.budget(out) + window.reserve(out) <= window.total
    if isinstance(ceiling, int) and ceiling > 0:
        assert window.tokens <= ceiling


def test_the_note_of_an_unknown_name_has_the_nearest_ones() -> None:
    """Names that look like an unknown one stand in its note, and only there."""
    note = resolve(Facts("openai", "gtp-4o", near=("openai:gpt-4o", "openai:gpt-4"))).notes[0]
    assert "128,000 tokens are assumed. Did you mean openai:gpt-4o or openai:gpt-4? Else state the window" in note
    assert "Did you mean" not in resolve(Facts("openai", "gtp-4o")).notes[0]
    assert resolve(facts("openai", maximum=9_000, near=("openai:gpt-4o",))).notes == ()
