"""The window as ten by ten cells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.cli._grid import BUFFER, CELLS, COMPONENTS, FREE, cells, grid
from sostenuto.cli._terminal import PLAIN

NAMES = st.sampled_from([*COMPONENTS, "something new"])


@given(st.dictionaries(NAMES, st.integers(0, 10**6)), st.integers(0, 10**6), st.integers(0, 10**6))
def test_there_are_always_a_hundred_cells(components: dict[str, int], window: int, line: int) -> None:
    """Whatever the figures, also beyond the window and for a window of nothing."""
    assert len(cells(components, window=window, line=line)) == CELLS


def test_cells_follow_the_shares() -> None:
    """A quarter of results is 25 cells; from the line on cells are kept free; the rows are ten."""
    found = cells({"tool results": 25}, window=100, line=80)
    assert found == [COMPONENTS["tool results"]] * 25 + [FREE] * 55 + [BUFFER] * 20
    rows = grid({"tool results": 25}, window=100, line=80, shown=PLAIN)
    assert len(rows) == 10
    assert rows[2] == "  r r r r r . . . . ."
