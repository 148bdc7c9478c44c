"""Names and facts, and which of them are asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.judging import facts, names, probes
from tests.judging.sessions import session


def test_names_are_words_that_cannot_be_paraphrased() -> None:
    """Identifiers, paths, URLs and long numbers are names; plain words are not."""
    found = names("see src/shop/a.py, parse_row and camelCase at https://example.org/x?y=1 with 48213 rows of plain words.")
    assert found == {"src/shop/a.py", "parse_row", "camelCase", "https://example.org/x?y=1", "48213"}


def test_an_error_line_is_a_fact() -> None:
    """The line that says what went wrong counts as a whole."""
    assert "ValueError: expected 3 rows, got 2" in facts("trace\nValueError: expected 3 rows, got 2\nend")


def test_a_probe_is_a_fact_that_is_used_again_far_from_where_it_came() -> None:
    """The fact of the second cycle that the last reply names is asked for in the request before that reply."""
    found = [probe for probe in probes(session()) if probe.text == "cursor_77123"]
    assert [(session().requests[probe.request], session().messages[probe.born]["tool_call_id"]) for probe in found] == [
        (len(session().messages) - 1, "r1")
    ]


@given(st.text(max_size=400))
def test_names_are_found_in_any_text(text: str) -> None:
    """Whatever the text is, names are parts of it and looking for them raises nothing."""
    assert all(name in text for name in facts(text))
