"""The store of one process: everything is in the log already, only the journal is added (D60)."""

from __future__ import annotations

from typing import Any

from sostenuto.stores.in_memory import InMemory


def test_everything_is_kept() -> None:
    """Every key that is asked for can be had again, and none that is not."""
    log = InMemory().open("one")
    assert log.keep({"m1.0": "text", "m2.0": ""}) == {"m1.0", "m2.0"}
    assert log.keep({}) == frozenset()


def test_the_journal_is_a_copy() -> None:
    """A record that its writer changes later reads as it was written."""
    log = InMemory().open("one")
    record: dict[str, Any] = {"summary": "first"}
    assert log.journal(record)
    record["summary"] = "second"
    assert list(log.journalled()) == [{"summary": "first"}]
