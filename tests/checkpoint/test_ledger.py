"""The ledger as a fold (checkpoint/_ledger.py, _claims.py)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.calls import facts
from sostenuto.checkpoint import CONTINUATION, EMPTY, Claims, claims, fold
from tests.checkpoint.history import HISTORIES, Turn, call, say, units, user, written


def _claims(*turns: Turn) -> Claims:
    return claims(fold(EMPTY, units(*turns)))


@given(HISTORIES, st.integers(0, 14))
def test_folding_in_two_steps_is_folding_once(turns: list[Turn], cut: int) -> None:
    """fold(fold(e, a), b) equals fold(e, a + b), also when another branch grew from the same prefix in between."""
    whole = units(*turns)
    once, prefix = fold(EMPTY, whole), fold(EMPTY, whole[:cut])
    fold(prefix, units(say("another branch with 12.5 ms")))
    twice = fold(prefix, whole[cut:])
    assert twice == once
    assert claims(twice) == claims(once)
    assert prefix == fold(EMPTY, whole[:cut])


@given(HISTORIES)
def test_every_path_a_call_named_is_known(turns: list[Turn]) -> None:
    """Every path of every call, succeeded or not, stands under exactly one of modified, read and attempted."""
    whole = units(*turns)
    found = claims(fold(EMPTY, whole))
    named = {path for unit in whole for slot in unit.slots for path in facts(slot.call_part, slot.result_part).paths}
    groups = [set(found.modified), set(found.read), set(found.attempted)]
    assert set().union(*groups) == named
    assert sum(map(len, groups)) == len(named)


def test_the_empty_ledger_stays_empty() -> None:
    """Folding from EMPTY leaves EMPTY as it was."""
    assert fold(EMPTY, units(user("x"))) != EMPTY
    assert EMPTY.length == 0
    assert EMPTY.extent is None


def test_answered_and_open_requests() -> None:
    """B127: a request is answered once words without calls came before the next user message; the one at work is open."""
    found = _claims(user("do A"), call("Edit", {"path": "/a"}), say("A is done"), user("do B"), call("Read", {"path": "/b"}))
    assert [(asked.text, state) for asked, state in found.requests] == [("do A", "answered"), ("do B", "open")]


def test_queued_requests_are_closed_together() -> None:
    """B129: two messages sent one after the other are both open until they are answered, and then both answered."""
    assert [asked.text for asked in _claims(user("a"), user("b")).asked("open")] == ["a", "b"]
    assert [asked.text for asked in _claims(user("a"), user("b"), say("both done")).asked("answered")] == ["a", "b"]


def test_a_cancelled_request_is_named() -> None:
    """B135: when the user cancels A and asks for B, A is cancelled and B is open."""
    found = _claims(user("migrate the tables"), call("Bash", {"command": "x"}), user("Cancel the migration. Write the docs instead."))
    assert [asked.text for asked in found.asked("cancelled")] == ["migrate the tables"]
    assert len(found.asked("open")) == 1


def test_cancelling_a_booking_is_work_not_a_cancellation() -> None:
    """A request to cancel something of the user's does not take back what was already answered."""
    found = _claims(user("show my flights"), say("here"), user("cancel the booking 4WQ150"))
    assert len(found.asked("answered")) == 1
    assert not found.asked("cancelled")


def test_our_own_and_the_hosts_words_are_no_requests() -> None:
    """A continuation, a stored checkpoint, a nudge and a host's notices never count as requests."""
    own = written(EMPTY, budget=100, path_budget=10)
    found = _claims(
        user("task"), user(CONTINUATION), user(own), user("<system-reminder>x</system-reminder>"), user("[Request interrupted by user]")
    )
    assert [asked.text for asked, _ in found.requests] == ["task"]


def test_a_command_that_passed_later_is_no_longer_failed() -> None:
    """The latest run of a command decides; a failure keeps the line that says why."""
    failed = call("Bash", {"command": "make"}, "Exit code 2\nError: no rule", succeeded=False)
    found = _claims(failed)
    assert found.failed["make"].error == "Error: no rule"
    assert not _claims(failed, call("Bash", {"command": "make"})).failed


def test_running_work_stays_until_it_ends() -> None:
    """B115: two children running at a compaction are both known; the one that ended is not."""
    spawn = [call("sessions_spawn", {"task": t}, f'{{"status": "accepted", "runId": "{t}"}}') for t in ("r1", "r2")]
    assert list(_claims(*spawn).running) == ["r1", "r2"]
    assert list(_claims(*spawn, call("TaskOutput", {"task_id": "r1"}, "<status>completed</status>")).running) == ["r2"]
    note = user("<task-notification><task-id>r2</task-id><status>completed</status></task-notification>")
    assert list(_claims(*spawn, note).running) == ["r1"]


def test_values_are_kept_once_they_are_used() -> None:
    """A value of a result is kept, with the key of that result, only when later words or arguments use it."""
    result = "took 12.5 ms for order ABC-123 at https://example.org/x?y=1 commit 9f3c2ab1 and 77 rows"
    found = _claims(user("q"), call("Bash", {"command": "x"}, result), say("It took 12.5 ms."), call("x", {"commit": "9f3c2ab1"}))
    assert found.values == {"12.5 ms": "m2.0", "9f3c2ab1": "m2.0"}


def test_quoted_error_lines_are_values() -> None:
    """An error line that the assistant quotes is an exact value."""
    found = _claims(call("Bash", {"command": "x"}, "a\n  ValueError: bad bin 3\nb"), say("We saw `ValueError: bad bin 3` here"))
    assert list(found.values) == ["ValueError: bad bin 3"]
