"""Making a result fit: whole lines, whole items, and never longer than it was."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.results import cut, fitted, page, text_of

LINES = st.lists(st.text(alphabet="ab \té漢😀", max_size=40), max_size=120).map("\n".join)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=80),
    lambda inner: (
        st.lists(inner, max_size=12) | st.dictionaries(st.sampled_from(["content", "items", "body", "matches", "x"]), inner, max_size=5)
    ),
    max_leaves=40,
)


@given(LINES, st.integers(0, 3_000))
def test_head_and_tail_of_a_cut_text_are_its_own(text: str, characters: int) -> None:
    """What stands before and behind the note is the start and the end of the text, and with a page from the note on all of it is had."""
    made = cut(text, characters=characters)
    assert len(made.text) <= len(text)
    assert text.startswith(made.text[: made.head])
    assert made.text[len(made.text) - made.tail :] == text[len(text) - made.tail :]
    rest = page(text, offset=made.head) if made.head < len(text) else None
    assert made.text[: made.head] + (rest.text if rest else "") == text


@given(LINES, st.integers(300, 3_000))
def test_a_cut_text_stays_within_its_characters(text: str, characters: int) -> None:
    """With room for the note, a text that is too long comes out no longer than asked."""
    assert len(cut(text, characters=characters).text) <= max(characters, 0) or len(text) <= characters


def test_lines_are_whole_where_they_are_not_huge() -> None:
    """A log of short lines is cut between lines, and the note counts those that are missing."""
    text = "\n".join(f"line {number} of the log" for number in range(1_000))
    made = cut(text, characters=2_000, way="ask")
    shown = [line for line in made.text.split("\n") if not line.startswith("[…")]
    assert set(shown) <= set(text.split("\n"))
    missing = 1_000 - len(shown)
    assert f"{missing:,} lines" in made.note
    assert "ask" in made.note


def test_one_huge_line_is_cut_within_the_line() -> None:
    """A line of two million characters without a line end is bounded too (B153)."""
    made = cut("x" * 2_000_000, characters=12_000)
    assert len(made.text) <= 12_000
    assert "of 2,000,000 left out" in made.note


def test_the_note_says_where_reading_goes_on() -> None:
    """The offset in the note is the first character that is missing."""
    text = "\n".join(f"row {number}" for number in range(5_000))
    made = cut(text, characters=3_000, way="offset={offset}")
    assert f"offset={made.head}" in made.note


@given(PLAIN, st.integers(0, 2_000))
def test_a_fitted_result_is_never_longer_and_never_changed(value: Any, characters: int) -> None:
    """Fitting leaves the tool's own value alone and makes no text longer."""
    before = copy.deepcopy(value)
    assert len(fitted(value, characters=characters)) <= len(text_of(value))
    assert value == before


def test_a_list_loses_whole_items_from_its_end() -> None:
    """What is left of a long list is JSON: its first items as they were, and one entry that counts the others."""
    items = [{"path": f"src/file{number}.py", "line": number} for number in range(2_000)]
    read = json.loads(fitted(items, characters=4_000))
    assert read[:-1] == items[: len(read) - 1]
    assert read[-1] == f"… {2_000 - len(read) + 1:,} more items …"
    assert len(json.dumps(read, ensure_ascii=False)) <= 4_000


def test_an_object_loses_its_long_text_before_its_lists() -> None:
    """An object stays JSON: its text field is shortened first, and a short list beside it stays whole."""
    value = {"status": 200, "body": "word " * 10_000, "items": list(range(20))}
    read = json.loads(fitted(value, characters=8_000))
    assert read["items"] == value["items"]
    assert read["status"] == 200
    assert len(read["body"]) < 8_000


def test_an_object_of_nothing_but_odd_fields_is_cut_as_a_text() -> None:
    """What no rule knows how to shorten still gets under its budget."""
    assert len(fitted({"blob": "z" * 90_000}, characters=5_000)) <= 5_000
