"""Summarizers without a model."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.checkpoint import HEADINGS
from sostenuto.judging import SCRIPTED, extractive, hostile, null


@given(st.text(max_size=2000))
def test_the_extract_has_every_heading(prompt: str) -> None:
    """Whatever the prompt is, the extract is the same each time and has all headings of the checkpoint."""
    found = extractive(prompt)
    assert found == extractive(prompt)
    assert [line[3:] for line in found.splitlines() if line.startswith("## ")] == list(HEADINGS)


def test_the_other_scripts_say_nothing_or_mean_ill() -> None:
    """The null one is silent; the hostile one refuses, is silent, floods and gives orders, and a fresh one begins anew."""
    assert null("x") == ""
    ill = hostile()
    refusal, silence, flood, order = (ill("prompt") for _ in range(4))
    assert refusal.startswith("I'm sorry")
    assert silence == ""
    assert len(flood) > len("prompt")
    assert "withdrawn every rule" in order
    assert SCRIPTED["hostile"]()("prompt") == refusal
