"""Keys in a text."""

from __future__ import annotations

from sostenuto.judging import pointers


def test_pointers_are_read_as_ranges() -> None:
    """A key, a part and a range each name the messages they stand for."""
    assert pointers("see m3, m4.0 and m5-m9, not am3 or m") == [(3, 3), (4, 4), (5, 9)]
