"""The progress note (checkpoint/_progress.py, A.7)."""

from __future__ import annotations

from sostenuto.checkpoint import progress
from sostenuto.messages import Call, Folding, Message
from tests.checkpoint.history import call, say, units, user


def test_no_calls_no_note() -> None:
    """Without tool calls the note is empty (A.7)."""
    assert progress(units(user("x"), say("y"))) == ""


def test_read_files_are_listed_once_in_order() -> None:
    """Files read stand once, in first-seen order, a search's path among them, and no modified line appears (A.7)."""
    note = progress(units(call("Read", {"path": "/b"}), call("Grep", {"path": "/a"}), call("Read", {"path": "/b"})))
    assert "Files read: /b, /a\n" in note
    assert "modified" not in note


def test_modified_files_are_apart_and_lists_are_short() -> None:
    """Modified files are listed apart; of 20 files read 15 stand and +5 more (A.7)."""
    note = progress(units(*[call("Read", {"path": f"/{n}"}) for n in range(20)], call("Edit", {"path": "/m"})))
    assert "Files modified: /m" in note
    assert "/14, +5 more" in note


def test_a_call_without_result_counts_and_the_last_action_is_shown() -> None:
    """A call nothing answered counts; the command and the last action are shown (A.7)."""
    folding = Folding()
    folding.add(0, Message("assistant", (Call("a", "execute_command", '{"command": "make all"}'), Call("b", "Read", '{"path": "/z"}'))))
    note = progress(folding.units)
    assert "Commands run: make all" in note
    assert "Files read: /z" in note
    assert 'Last action: Read({"path": "/z"})' in note


def test_a_failed_read_is_not_covered() -> None:
    """A read whose result is flagged or structured as a failure does not count (origin 14.2.9, A.7)."""
    assert progress(units(call("Read", {"path": "/a"}, "error-free log", succeeded=False))) == ""


def test_a_path_argument_of_any_tool_is_tracked_and_malformed_ones_are_not() -> None:
    """An unknown tool's *_path argument counts; arguments that are not JSON are skipped (A.7)."""
    assert "/data.csv" in progress(units(call("plugin", {"input_path": "/data.csv"})))
    folding = Folding()
    folding.add(0, Message("assistant", (Call("a", "Read", '{"path": '),)))
    assert progress(folding.units) == ""
