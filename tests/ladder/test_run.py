"""The frozen run: what it adds up, and the edits it makes."""

from __future__ import annotations

from sostenuto.ladder._edit import applied
from tests.ladder.made_up import Talk
from tests.ladder.running import at_start


def test_sums_belong_to_one_run() -> None:
    """After an edit the total is added up anew; the run before keeps its own."""
    run = at_start(Talk().user("Do the task").grown(3, 400), window=5_000)
    before = run.total
    after = run.with_edit(run.edit("clear", "test", forms=[((2, 0), None)]))
    assert run.total == before > after.total
    assert after.edits[0].tokens_before == before
    assert after.edits[0].tokens_after == after.total


def test_an_edit_has_read_everything_and_names_its_pieces() -> None:
    """An edit reaches to the newest message and addresses the pieces whose form it changes (D32, D47)."""
    run = at_start(Talk().user("Do the task").grown(2, 50), window=5_000)
    edit = run.edit("clear", "test", forms=[((2, 0), None), ((4, 0), None)])
    assert (edit.reach, edit.keys) == (len(run.history.messages) - 1, ("m2.0", "m4.0"))
    assert edit.guard == run.history.guard(edit.reach)
    assert applied(run.view, edit, history=run.history).levels == {(2, 0): 2, (4, 0): 2}
