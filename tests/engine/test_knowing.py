"""Asking what is known of the work: only where a checkpoint may come of it, and never at the price of a request (D43)."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto import UnknownSetting
from tests.ladder.made_up import Talk, noticed, played, rungs, said
from tests.ladder.test_compact import compacting


def test_work_is_asked_for_where_a_compaction_may_come() -> None:
    """Below the compaction line nobody asks; above it, and when a person compacts, the text is asked for once each."""
    asked: list[int] = []

    def work() -> str:
        asked.append(1)
        return "Objective: ship"

    context, talk = compacting(10_000, work=work), Talk().user("Do the task").grown(6, 700)
    played(context, talk)
    assert not asked
    context.prepare_sync(talk.messages)
    context.compact_sync()
    assert len(asked) == 1
    context.preview()
    assert len(asked) == 2


def test_a_host_that_drops_messages_is_answered_with_known_work() -> None:
    """The checkpoint that stands for messages left out by the host carries it too (D46)."""
    context, talk = compacting(40_000, work=lambda: "Objective: ship"), Talk().user("Do the task").grown(6, 700)
    context.prepare_sync(talk.messages)
    request = context.prepare_sync(talk.messages[5:] + Talk().says("done").user("more").messages)
    assert said(request).count("Objective: ship") == 1


class Failing:
    """Work that fails as long as it is told to, in one way or another."""

    def __init__(self, failure: Any) -> None:
        self.failure = failure

    def __call__(self) -> Any:
        if isinstance(self.failure, Exception):
            raise self.failure
        return self.failure


@pytest.mark.parametrize("failure", [OSError("disk"), None, 5, b"x"])
def test_a_failure_is_told_once_and_fails_no_request(failure: Any) -> None:
    """Work that raises or gives no text costs one notice until it succeeds; the compaction goes on without."""
    work = Failing(failure)
    context, talk = compacting(10_000, work=work), Talk().user("Do the task").grown(40, 700)
    requests = played(context, talk)
    assert sum("compact" in rungs(request) for request in requests) >= 3
    assert noticed(requests, "What is known of the work could not be asked for") == 1
    work.failure, known = "Objective: ship", len(talk.messages)
    requests = played(context, talk.grown(12, 700), begin=known)
    assert noticed(requests, "could not be asked for") == 0
    assert said(requests[-1]).count("Objective: ship") == 1
    work.failure, known = failure, len(talk.messages)
    assert noticed(played(context, talk.grown(12, 700), begin=known), "could not be asked for") == 1


def test_work_that_is_no_function_is_refused_at_the_door() -> None:
    """A text in place of a function is named with what would be right."""
    wrong: Any = "Objective: ship"
    with pytest.raises(UnknownSetting, match="work 'Objective: ship' must be a function"):
        compacting(10_000, work=wrong)
