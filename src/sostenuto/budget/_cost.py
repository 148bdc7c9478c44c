"""What a request cost, from published prices and reported tokens (origin 7.3)."""

from __future__ import annotations

from sostenuto.tokens import Reported
from sostenuto.window import Entry, Price

PER: int = 1_000_000
"""Prices are dollars for so many tokens."""


def request_cost(entry: Entry | None, reported: Reported, /) -> float | None:
    """Dollars of one request; None where no price is published for what it used.

    The part read from the provider's cache is billed at the price for that (the input price where none is published), the part
    written to it likewise, the rest as fresh input.
    """
    price = entry.price(reported.input) if entry is not None else None
    return _billed(price, reported) if price is not None else None


def _billed(price: Price, reported: Reported) -> float | None:
    if price.input is None or price.output is None:
        return None
    cached = min(reported.cached, reported.input)
    written = min(reported.cache_write, reported.input - cached)
    fresh = reported.input - cached - written
    read_price = price.input if price.cache_read is None else price.cache_read
    write_price = price.input if price.cache_write is None else price.cache_write
    return (fresh * price.input + cached * read_price + written * write_price + reported.output * price.output) / PER
