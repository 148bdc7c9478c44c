"""What became of planted sentences."""

from __future__ import annotations

import pytest

from sostenuto.judging import Canary, sighted

OLD = "The port is 7001."
NEW = Canary("fact", "Correction: the port is 8002.", "8002", stale=OLD)
RULE = Canary("rule", "Always run it.", "run")


@pytest.mark.parametrize(
    ("view", "stale"),
    [([OLD, NEW.text], 0), ([NEW.text], 0), ([OLD], 1), ([NEW.text, OLD], 1), ([], 0)],
)
def test_a_stale_value_is_current_where_no_correction_follows(view: list[str], stale: int) -> None:
    """The old sentence alone, or behind its correction, is shown as current."""
    assert sighted([NEW], [{"role": "user", "content": text} for text in view]).stale == stale


def test_canaries_are_counted_by_kind_and_searched_for() -> None:
    """A canary out of view lowers its kind, and counts as recoverable where the search returns its sentence."""
    seen = sighted([NEW, RULE], [{"role": "user", "content": RULE.text}], search=lambda words: [f"He said: {NEW.text}"])
    assert (seen.kinds["rule"], seen.kinds["fact"], seen.in_view, seen.recoverable) == (1.0, 0.0, 0.5, 1.0)
    assert sighted([NEW, RULE], [], search=lambda words: []).recoverable == 0
