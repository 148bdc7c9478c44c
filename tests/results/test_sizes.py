"""What the results of each tool weigh."""

from __future__ import annotations

import pytest

from sostenuto.results import Size, Sizes, about_tokens


@pytest.mark.parametrize(("characters", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2), (9, 3), (400_001, 100_001)])
def test_four_characters_are_a_token_rounded_up(characters: int, tokens: int) -> None:
    """The estimate of the metrics is the origin's (A.10)."""
    assert about_tokens(characters) == tokens


def test_sizes_add_up_by_tool_and_together() -> None:
    """Calls, failures and characters add up, and adding makes a new value (A.10)."""
    none = Sizes()
    some = none.added("grep", 10).added("grep", 6, succeeded=False).added("shell", 100)
    assert none.total == Size()
    assert some.tools["grep"] == Size(2, 1, 16)
    assert some.total == Size(3, 1, 116)
    assert some.total.tokens == 29
