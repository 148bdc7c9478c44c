"""How long a result may be: by its form, and by the window."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.results import PAGE_CHARACTERS, Sizing, budget, widened


@pytest.mark.parametrize(
    ("value", "characters"),
    [
        ("short", 12_000),
        ("x" * 4_001, 24_000),
        ([1] * 100, 16_000),
        ([1] * 101, 24_000),
        ({"stdout": "x" * 2_001}, 24_000),
        ({"stdout": "x" * 2_000}, 12_000),
        ({"matches": [1] * 101}, 16_000),
        ({"other": "x" * 9_000}, 12_000),
        (7, 12_000),
    ],
)
def test_the_budget_goes_by_the_form_of_the_result(value: Any, characters: int) -> None:
    """Texts, lists and objects have the origin's budgets."""
    assert budget(value) == characters


@given(st.text(max_size=500), st.integers(1, 600), st.integers(0, 4_000))
def test_the_longest_start_fits_both_bounds(text: str, characters: int, window: int) -> None:
    """What is allowed is within the characters and, by the counter, within a tenth of the window, unless it is one character."""
    length = Sizing(window, count=len).longest(text, characters)
    assert 1 <= length <= max(1, min(len(text), characters))
    assert not window or length == 1 or length <= window // 10


def test_without_a_window_only_characters_bound() -> None:
    """A window that is not known bounds nothing."""
    assert Sizing().longest("x" * 90_000, PAGE_CHARACTERS) == PAGE_CHARACTERS


@pytest.mark.parametrize(
    ("window", "characters"), [(0, 24_000), (128_000, 24_000), (200_000, 24_000), (400_000, 48_000), (1_000_000, 120_000), (10**7, 120_000)]
)
def test_b155_the_characters_keep_their_share_of_a_large_window(window: int, characters: int) -> None:
    """B155: up to 200,000 tokens the origin's characters hold, above they grow with the window, at most five times."""
    assert widened(24_000, window=window) == characters
    assert Sizing(window).longest("word " * 40_000, 24_000) == min(characters, window // 10 * 4 or characters)


def test_a_small_window_narrows() -> None:
    """A window of 4,000 tokens leaves 400 of them (D41)."""
    assert Sizing(4_000).longest("word " * 10_000, 24_000) == 1_600
