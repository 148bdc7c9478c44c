"""A catalogue as text: searched as it lies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.window import Entry, Price, Table
from tests.window.test_entry import ENTRIES

FOUND = (
    Entry("openai", "gpt-5", 400_000, 272_000, 128_000, "2025-08-07", (Price(0, 1.25, 10.0, 0.125), Price(200_000, 2.5, 15.0, None, 0.0))),
    Entry("minimax", "MiniMax-M2", 204_800, 0, 0, "", ()),
)


def test_a_table_gives_its_entries_back() -> None:
    """An entry comes out as it went in, its prices and the case of its letters included; without a date it has the snapshot's."""
    table = Table.of(FOUND, snapshot="2026-08-18")
    assert table.exact("OpenAI", "GPT-5") == FOUND[0]
    assert table.exact("minimax", "minimax-m2") == FOUND[1]._replace(date="2026-08-18")
    assert table.exact("minimax", "minimax-m") is None
    assert table.has_provider("MiniMax")
    assert not table.has_provider("mini")
    assert len(table) == 2


def test_the_first_of_two_entries_counts() -> None:
    """In one table, and of two tables put one before the other, the first entry of a name hides the second."""
    low, high = Entry("a", "m", 1_000, 0, 0, ""), Entry("A", "M", 2_000, 0, 0, "")
    assert list(Table.of([low, high])) == [low]
    both = Table.of([high], snapshot="2026-02-02").before(Table.of([low, FOUND[0]], snapshot="2026-01-01"))
    found = both.exact("a", "m")
    assert found is not None
    assert found.takes == 2_000
    assert both.exact("openai", "gpt-5") == FOUND[0]
    assert both.snapshot == "2026-02-02"


@given(st.lists(ENTRIES, max_size=6, unique_by=lambda entry: (entry.provider, entry.model.lower())))
def test_dumped_text_is_the_table(found: list[Entry]) -> None:
    """A dumped table loads into the same one, whatever the order its entries came in."""
    table = Table.of(found, snapshot="2026-08-18")
    assert Table.load(table.dump()).dump() == table.dump() == Table.of(found[::-1], snapshot="2026-08-18").dump()
    assert {entry.name for entry in table} == {entry.name for entry in found}
    assert all(table.exact(entry.provider, entry.model) == (entry if entry.date else entry._replace(date="2026-08-18")) for entry in found)


def test_a_search_finds_each_line_once() -> None:
    """Every entry whose line holds a word is found once; no word finds all; an empty table finds nothing."""
    table = Table.of([Entry("a", name, 9_000, 0, 0, "") for name in ("gpt-gpt", "o3", "gpt-4")])
    assert sorted(table.names("GPT")) == [("a", "gpt-4"), ("a", "gpt-gpt")]
    assert len(list(table.names())) == 3
    assert list(Table.of([]).names()) == list(Table.of([]).names("a")) == []


@pytest.mark.parametrize("text", ["", "sostenuto catalogue 2\t2026\n", "{}", "sostenuto catalogue 1\t2026-01-01\na\tb\t3"])
def test_other_text_is_no_table(text: str) -> None:
    """A text of another kind, another version or that is cut off is refused."""
    with pytest.raises(ValueError, match="no catalogue"):
        Table.load(text)


@pytest.mark.parametrize("line", ["a\tm", "a\tm\tx\t\t\t\t", "a\tm\t1\t\t\t\tone two", "a\tm\t1\t\t\t\t1"])
def test_a_damaged_line_is_no_entry(line: str) -> None:
    """A line with too little, or with words for numbers, is passed over."""
    table = Table.load(f"sostenuto catalogue 1\t2026-01-01\n{line}\n")
    assert list(table) == []
    assert table.exact("a", "m") is None


@given(st.text(max_size=10), st.text(max_size=10))
def test_no_name_breaks_out_of_its_line(provider: str, model: str) -> None:
    """Whatever is asked for, tabs and line ends included, finds an entry of that name or nothing."""
    found = Table.of(FOUND).exact(provider, model)
    assert found is None or found.model.lower() == model.lower()
