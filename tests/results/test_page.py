"""Pages that rejoin, and a search that shows lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.results import PAGE_CHARACTERS, Page, found, listed, page


def _pages(text: str, longest: int) -> list[Page]:
    pages: list[Page] = []
    at = 0
    while (read := page(text, offset=at, longest=lambda piece: min(len(piece), longest))) is not None:
        pages.append(read)
        at = read.end
        if at >= len(text):
            break
    return pages


@given(st.text(max_size=400), st.integers(1, 50))
def test_pages_rejoin_to_the_text(text: str, longest: int) -> None:
    """Read from offset to offset, the pages together are the text, and only the last one says that it is the end."""
    pages = _pages(text, longest)
    assert "".join(read.text for read in pages) == text
    assert all("next: offset=" in read.footer for read in pages[:-1])
    assert pages[-1].is_whole or "this is the end" in pages[-1].footer


def test_a_page_has_at_most_23000_characters() -> None:
    """A text of three pages comes in three pages of the origin's size."""
    text = "0123456789" * 6_000
    assert [len(read.text) for read in _pages(text, 10**9)] == [PAGE_CHARACTERS, PAGE_CHARACTERS, 14_000]


def test_past_the_end_there_is_no_page() -> None:
    """An offset at or behind the end, or before the start, has no page; an empty text has one."""
    assert page("abc", offset=3) is None
    assert page("abc", offset=-1) is None
    assert page("") == Page("", 0, 0, 0)


def test_a_search_gives_lines_and_offsets() -> None:
    """A place is found without regard to case, literally, with its line from 1 and an offset at which its line starts."""
    text = "first\nsecond [x]\nthird SECOND [X]"
    hits, total = found(text, "second [x]")
    assert total == 2
    assert [hit.line for hit in hits] == [2, 3]
    assert text[hits[1].offset :] == "third SECOND [X]"


def test_a_search_is_capped_and_counts_the_rest() -> None:
    """Of many places fifty are shown and the others counted."""
    said = listed("hit\n" * 1_000, "hit")
    assert said.count("(offset") == 50
    assert "950 more places" in said


def test_a_search_in_one_long_line_shows_what_stands_around() -> None:
    """In a line of a million characters the excerpt holds the place and stays short."""
    text = "a" * 500_000 + "needle" + "b" * 500_000
    (hit,), total = found(text, "NEEDLE")
    assert total == 1
    assert "needle" in hit.text
    assert len(hit.text) < 300
    assert text[hit.offset :].index("needle") < 300


def test_nothing_found_is_said() -> None:
    """No place is a sentence, and looking for nothing finds nothing."""
    assert "No line holds" in listed("abc", "z")
    assert found("abc", "") == ((), 0)
