"""What one record of the journal holds, and reading what anybody wrote (origin 8.1)."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from sostenuto.work import Recorded, record_in, record_value, recorded

NOW = datetime(2026, 11, 30, 21, 5, 7, tzinfo=UTC)
SAID = {
    "tokensBefore": 900,
    "tokensAfter": 300,
    "messagesBefore": 40,
    "messagesAfter": 9,
    "summary": "# S",
    "mechanical": True,
    "cause": "x",
}


def test_a_record_holds_figures_time_and_summary() -> None:
    """The ladder's record gets its time, and reads back equal after JSON (A.6)."""
    record = recorded(SAID, now=NOW)
    assert record == Recorded("2026-11-30T21:05:07+00:00", "# S", 900, 300, 40, 9, mechanical=True)
    value = record_value(record)
    assert list(value) == ["recordedAt", "tokensBefore", "tokensAfter", "messagesBefore", "messagesAfter", "summary", "mechanical"]
    assert record_in(json.loads(json.dumps(value))) == record


def test_what_may_hold_the_words_of_strangers_says_so() -> None:
    """A tainted record is marked, and stays so when it is read."""
    value = record_value(recorded(SAID, now=NOW, tainted=True))
    assert value["tainted"] is True
    found = record_in(value)
    assert found is not None
    assert found.tainted


def test_a_corrupt_record_is_none_or_loses_only_what_is_wrong() -> None:
    """Without a summary there is no record; wrong figures are 0, and a time is one short line."""
    broken: tuple[object, ...] = (None, 5, [], {}, {"summary": " "}, {"summary": 5})
    assert [record_in(value) for value in broken] == [None] * len(broken)
    odd = record_in({"summary": "s", "tokensBefore": "9", "messagesAfter": -3, "recordedAt": "a\n# b" * 90, "mechanical": 1})
    assert odd is not None
    assert (odd.tokens_before, odd.messages_after, odd.mechanical) == (0, 0, False)
    assert "\n" not in odd.recorded_at
    assert len(odd.recorded_at) <= 40
