"""What is read of a models.dev catalogue: limits, prices, dates."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.window import Entry, Price, entries, shaped


def listed(**facts: Any) -> tuple[Entry, ...]:
    return entries({"openai": {"models": {"gpt-9": facts}}})


def test_limits_and_dates_are_read() -> None:
    """Limits, a separate input limit and the date of the newest fact become an entry."""
    limit = {"context": 400_000, "input": 272_000, "output": 128_000}
    assert listed(limit=limit, last_updated="2026-11-01") == (Entry("openai", "gpt-9", 400_000, 272_000, 128_000, "2026-11-01"),)
    assert listed(limit={"context": 8_192}, release_date="2026-10")[0].date == "2026-10"
    assert listed(limit={"context": 8_192}, last_updated="soon")[0].date == ""


def test_the_input_limit_is_never_above_the_context() -> None:
    """An input limit alone is the context; one above the context is a slip and the smaller number holds (D6)."""
    assert listed(limit={"input": 100_000})[0].takes == 100_000
    assert listed(limit={"context": 100_000, "input": 900_000})[0].takes == 100_000


def test_prices_step_up_with_size() -> None:
    """Cache prices and tiers by context size are read; the first price holds up to and with a tier's size."""
    cost = {
        "input": 5, "output": 30, "cache_read": 0.5,
        "tiers": [{"input": 10, "output": 45, "tier": {"type": "context", "size": 272_000}},
                  {"input": 7, "tier": {"type": "speed", "size": 3}}],
        "context_over_200k": {"input": 10, "output": 45},
    }  # fmt: skip
    entry = listed(limit={"context": 10}, cost=cost)[0]
    assert entry.prices == (Price(0, 5.0, 30.0, 0.5), Price(272_000, 10.0, 45.0))
    assert entry.price(272_000) == entry.prices[0]
    assert entry.price(272_001) == entry.prices[1]
    assert Entry("a", "b", 1, 0, 0, "").price(5) is None


def test_the_old_way_to_write_a_tier_is_read() -> None:
    """`context_over_200k` alone is a tier at 200,000 tokens."""
    cost = {"input": 1, "output": 2, "context_over_200k": {"input": 2, "output": 3}}
    assert [price.above for price in listed(limit={"context": 10}, cost=cost)[0].prices] == [0, 200_000]


@pytest.mark.parametrize(
    "cost", [None, 5, [], {}, {"input": "5"}, {"input": -1}, {"input": float("nan")}, {"input": float("inf")}, {"input": True}]
)
def test_impossible_prices_are_no_prices(cost: Any) -> None:
    """A price that is no finite number of zero or more is not taken for one."""
    assert listed(limit={"context": 10}, cost=cost)[0].prices == ()


@pytest.mark.parametrize(
    "facts",
    [{}, {"limit": {"context": 0}}, {"limit": {"context": "many"}}, {"limit": {"context": True}}, {"limit": {"context": 10**15}},
     {"limit": {"context": 8_192}, "modalities": {"output": ["image"]}}],
)  # fmt: skip
def test_what_has_no_window_or_writes_no_text_is_left_out(facts: Any) -> None:
    """A model without a possible window, or that makes only pictures, has no entry."""
    assert listed(**facts) == ()


@pytest.mark.parametrize("name", ["", " ", "a\tb", "a\nb", "a\x1b[2J", "x" * 201])
def test_a_name_that_cannot_stand_in_a_line_is_left_out(name: str) -> None:
    """Control characters and endless names are no names, of models or of providers."""
    assert entries({"openai": {"models": {name: {"limit": {"context": 10}}}}}) == ()
    assert entries({name: {"models": {"gpt-9": {"limit": {"context": 10}}}}}) == ()


@given(st.recursive(st.one_of(st.none(), st.integers(), st.text(), st.floats()), lambda inner: st.one_of(
    st.lists(inner, max_size=2),
    st.dictionaries(st.sampled_from(["models", "limit", "context", "p", "cost", "input", "tiers", "tier", "size"]), inner, max_size=4),
)))  # fmt: skip
def test_reading_a_catalogue_never_raises(data: Any) -> None:
    """Whatever a file holds, what comes out are entries with a window."""
    assert all(entry.takes > 0 for entry in entries(data))


DOLLARS = st.one_of(st.none(), st.integers(0, 10**6).map(lambda cents: cents / 1_000))
NAMES = st.text("abcXYZ019-_./:@", min_size=1, max_size=20)
ENTRIES = st.builds(
    lambda provider, model, context, share, output, date, base, tiers: Entry(
        provider, model, context, context // share if share > 1 else 0, output, date,
        (Price(0, 1.5, *base), *(Price(size, 2.5, *tier) for size, tier in sorted(tiers.items()))) if base else (),
    ),
    NAMES.map(str.lower), NAMES, st.integers(1_000, 10**7), st.integers(1, 3), st.integers(0, 10**6),
    st.sampled_from(["", "2026-01", "2026-01-02"]), st.one_of(st.none(), st.tuples(DOLLARS, DOLLARS, DOLLARS)),
    st.dictionaries(st.integers(1, 10**6), st.tuples(DOLLARS, DOLLARS, DOLLARS), max_size=2),
)  # fmt: skip


@given(st.lists(ENTRIES, max_size=5, unique_by=lambda entry: (entry.provider, entry.model)))
def test_the_shape_gives_the_entries_back(found: list[Entry]) -> None:
    """Entries written in the models.dev shape are read back as they were."""
    assert set(entries(shaped(found))) == set(found)
