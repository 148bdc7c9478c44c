"""The ruler, the session, the probes, the canaries and the scripted summarizers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.checkpoint import HEADINGS
from sostenuto.judging import (
    SCRIPTED,
    Canary,
    extractive,
    facts,
    hostile,
    names,
    needs,
    null,
    pointers,
    probes,
    session_of,
    sighted,
    weighing,
)
from tests.judging.sessions import PIN, call, session


def test_the_ruler_is_a_third_of_the_characters_and_four() -> None:
    """Without a tokenizer a text is its characters divided by three, rounded up, and every message 4 more."""
    weigh = weighing()
    assert weigh({"role": "user", "content": "1234567"}) == 3 + 4
    made = {"role": "assistant", "content": "", "tool_calls": [call("c", "read", "a/b.py")]}
    assert weigh(made) == 4 + 2 + 6  # "read", and {"path": "a/b.py"}


def test_a_request_stands_before_each_reply() -> None:
    """A session asks before every assistant message that has something before it, planted rules counted in."""
    found = session_of("s", [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], pins=[PIN])
    assert [message["content"] for message in found.messages] == ["a", PIN, "b"]
    assert found.requests == (2,)
    assert session_of("s", [{"role": "assistant", "content": "b"}]).requests == ()


def test_the_protected_part_is_what_no_strategy_should_leave_out() -> None:
    """It grows by nothing but the newest words and the newest reply with its results."""
    made, weigh = session(), weighing()
    needed = needs(made, weigh=weigh)
    fixed = sum(weigh(message) for message in made.messages[:3])
    assert needed[0] == fixed
    assert needed[1] == fixed + sum(weigh(message) for message in made.messages[3:6])
    newest = next(message for message in made.messages if message["content"] == "Next: part 6, please.")
    assert needed[-1] == fixed + weigh(newest) + sum(weigh(message) for message in made.messages[-4:-1])


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


def test_pointers_are_read_as_ranges() -> None:
    """A key, a part and a range each name the messages they stand for."""
    assert pointers("see m3, m4.0 and m5-m9, not am3 or m") == [(3, 3), (4, 4), (5, 9)]


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
