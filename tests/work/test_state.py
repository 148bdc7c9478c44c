"""Work state: patched field by field, read from anything, told in words (origin 8.1, A.8)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.work import FIELDS, NUMBERS, WorkState, patched, rendered, state_in, state_value

NOW = datetime(2026, 11, 30, 21, 5, 7, tzinfo=UTC)
LATER = datetime(2026, 11, 30, 22, 0, 0, tzinfo=UTC)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*FIELDS, "updatedAt", "x"]), inner, max_size=7),
    max_leaves=20,
)


def test_one_field_is_patched_and_the_others_stay() -> None:
    """One field patched, others kept; an explicit field is replaced, and a given list replaces the list (A.8)."""
    state = patched(WorkState(), {"goal": "ship", "decisions": ["sqlite", "no cache"]}, now=NOW)
    state = patched(state, {"nextStep": "tests", "decisions": ["postgres"]}, now=LATER)
    assert state == WorkState(goal="ship", decisions=("postgres",), next_step="tests", updated_at="2026-11-30T22:00:00+00:00")
    assert patched(state, {"goal": "", "decisions": []}, now=NOW).goal == ""


def test_nothing_given_is_the_very_state() -> None:
    """Without fields nothing changes, not even the time (A.8)."""
    state = WorkState(goal="ship", updated_at="then")
    assert patched(state, {}, now=NOW) is state


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"next_step": "x"}, "did you mean 'nextStep'"),
        ({"updatedAt": "x"}, "there are goal, constraints"),
        ({"goal": ["x"]}, "goal must be a text, not list"),
        ({"decisions": "x"}, "decisions must be a list of texts, not str"),
        ({"decisions": ["x", 5]}, r"decisions\[1\] must be a text, not int"),
        ({"goal": "x" * 2_001}, "goal has 2,001 characters and 2,000 is the most"),
        ({"openQuestions": ["x"] * 51}, "openQuestions has 51 entries and 50 is the most"),
        ({"openQuestions": ["x" * 501]}, r"openQuestions\[0\] has 501 characters and 500 is the most"),
    ],
)
def test_a_wrong_field_is_named_with_the_nearest_and_the_figures(changes: dict[str, Any], words: str) -> None:
    """An unknown name, a wrong type or a passed bound is one clear error, and nothing is changed."""
    with pytest.raises(UnusableInput, match=words):
        patched(WorkState(goal="ship"), {"constraints": ["a"], **changes}, now=NOW)


def test_what_is_written_is_read_back() -> None:
    """The names in JSON are those of origin 8.1, fields without anything are left out, and reading gives the state back."""
    state = WorkState("g", ("c",), ("d",), ("a.py",), ("q?",), "n", "2026-11-30T21:05:07+00:00")
    value = state_value(state)
    assert list(value) == ["goal", "constraints", "decisions", "filesTouched", "openQuestions", "nextStep", "updatedAt"]
    assert state_in(json.loads(json.dumps(value))) == state
    assert state_value(WorkState()) == {}


@given(JSON)
def test_anything_reads_as_a_state(value: Any) -> None:
    """Corrupt is none: whatever the file held, reading gives a state within its bounds, which a later write can hold (A.8)."""
    state = state_in(value)
    again = patched(state, {name: held for name, held in state_value(state).items() if name in FIELDS}, now=NOW)
    assert (again.goal, again.decisions, again.files_touched) == (state.goal, state.decisions, state.files_touched)


def test_a_hostile_size_is_cut_in_reading() -> None:
    """A file with a million entries reads as the first ones, each within its bound."""
    state = state_in({"goal": "x" * 1_000_000, "decisions": ["y" * 10_000] * 1_000_000, "constraints": {"a": 1}, "nextStep": 5})
    assert (len(state.goal), len(state.decisions), len(state.decisions[0])) == (NUMBERS.text, NUMBERS.items, NUMBERS.item)
    assert (state.constraints, state.next_step) == ((), "")


def test_rendering_shows_labelled_sections_in_order() -> None:
    """Sections stand in the order of origin 8.1, absent ones are left out, and an empty state renders nothing (A.8)."""
    state = WorkState(goal="ship\n## it", decisions=("no cache",), next_step="tests", open_questions=("why?",))
    assert rendered(state) == "Goal: ship ## it\nDecisions:\n- no cache\nOpen questions:\n- why?\nNext step: tests"
    assert rendered(WorkState(updated_at="then")) == ""
