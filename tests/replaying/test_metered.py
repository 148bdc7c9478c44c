"""The summarizer's tokens are counted."""

from __future__ import annotations

import pytest

from sostenuto.replaying import Metered


def test_a_metered_summarizer_counts_both_ways() -> None:
    """Prompt and summary are counted, the prompt also where the summarizer raises."""
    metered = Metered(lambda prompt: "ab", len)
    assert metered("12345") == "ab"
    assert (metered.calls, metered.tokens) == (1, 7)

    def raising(prompt: str) -> str:
        raise RuntimeError

    failing = Metered(raising, len)
    with pytest.raises(RuntimeError):
        failing("12345")
    assert failing.tokens == 5
