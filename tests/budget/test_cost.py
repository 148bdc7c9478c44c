"""What a request costs (A.10)."""

from __future__ import annotations

import pytest

from sostenuto.budget import request_cost
from sostenuto.tokens import Reported
from sostenuto.window import Entry, Price


def entry(*prices: Price) -> Entry:
    """A model with these prices."""
    return Entry("maker", "model", 200_000, 0, 8_000, "2026-01-01", prices)


def test_without_prices_there_is_no_cost() -> None:
    """No entry, no price, or half a price give None, not nothing (A.10)."""
    used = Reported(1_000, 1_000)
    assert request_cost(None, used) is None
    assert request_cost(entry(), used) is None
    assert request_cost(entry(Price(0, 1.0, None)), used) is None


def test_full_rates() -> None:
    """A million tokens in at 2 dollars and half a million out at 10 are 7 dollars (A.10)."""
    assert request_cost(entry(Price(0, 2.0, 10.0)), Reported(1_000_000, 500_000)) == pytest.approx(7.0)


def test_the_cached_part_has_its_own_rate() -> None:
    """What was read from the cache costs its rate, what was written to it likewise, the rest the input rate (A.10)."""
    used = Reported(1_000_000, 0, cached=600_000, cache_write=200_000)
    assert request_cost(entry(Price(0, 10.0, 1.0, 1.0, 12.5)), used) == pytest.approx(0.6 + 2.5 + 2.0)


def test_without_a_cache_rate_everything_is_fresh() -> None:
    """Where no rate for the cache is published its tokens cost the input rate (A.10)."""
    assert request_cost(entry(Price(0, 10.0, 1.0)), Reported(1_000_000, 0, cached=600_000)) == pytest.approx(10.0)


def test_the_cached_part_is_never_more_than_the_input() -> None:
    """A report of more cached tokens than input is billed as if everything was cached (A.10)."""
    assert request_cost(entry(Price(0, 10.0, 1.0, 1.0)), Reported(100, 0, cached=10_000)) == pytest.approx(100 * 1.0 / 1e6)


def test_long_requests_have_the_rate_of_their_size() -> None:
    """Above the size of a tier its prices hold for the whole request."""
    priced = entry(Price(0, 1.0, 1.0), Price(200_000, 2.0, 2.0))
    assert request_cost(priced, Reported(200_000)) == pytest.approx(0.2)
    assert request_cost(priced, Reported(300_000)) == pytest.approx(0.6)
