"""What is in view is judged from the requests alone; every measure has a mutant that must score badly."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sostenuto.replaying import Arrived, Row, record, retention, row

TASK = "Please audit the parser"
NEWEST = "Now write the report"
RULE = "PIN: never touch the vault"


def call(name: str, path: str) -> dict[str, Any]:
    """An assistant message with one Anthropic call that names a file."""
    return {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": name, "input": {"file_path": path}}]}


def said(text: str) -> dict[str, Any]:
    """A user message."""
    return {"role": "user", "content": text}


def rows() -> list[Row]:
    """Two requests; the second is a rewritten history that still shows everything."""
    first = [said(TASK), said(RULE), call("Read", "src/a.py"), call("Edit", "src/b.py")]
    second = [said(TASK), said(RULE), said("Summary: read src/a.py, modified src/b.py"), said(NEWEST)]
    return [
        made(0, first, Arrived(users=(TASK,), read=("src/a.py",), modified=("src/b.py",), pins=(RULE,))),
        made(1, second, Arrived(users=(NEWEST,))),
    ]


def made(index: int, messages: list[dict[str, Any]], arrived: Arrived) -> Row:
    """A row with these messages."""
    return Row(index=index, tokens=10, window=100, format="anthropic", native={"messages": messages}, arrived=arrived)


def without(text: str) -> list[Row]:
    """The rows with a text cut out of the last request."""
    *before, last = rows()
    native = json.loads(json.dumps(last.native).replace(text, "x"))
    return [*before, replace(last, native=native)]


def test_a_rewritten_history_that_shows_everything_scores_full() -> None:
    """Where every text and path is still somewhere in the request all shares are 1."""
    assert set(retention(rows()).as_dict().values()) == {1.0}


@pytest.mark.parametrize(
    ("lost", "measure", "share"),
    [
        (TASK, "task", 0.0),
        (NEWEST, "latest_user", 0.0),
        (TASK, "user_requests", 0.5),
        ("src/a.py", "files_read", 0.0),
        ("src/b.py", "files_modified", 0.0),
        (RULE, "pins", 0.0),
    ],
)
def test_each_mutant_scores_badly_on_its_measure(lost: str, measure: str, share: float) -> None:
    """Cutting one text out of the last request lowers exactly the measure that asks for it."""
    assert retention(without(lost)).as_dict()[measure] == share


def test_the_worst_request_counts() -> None:
    """A text that is missing in one request and back in the next is still a loss."""
    first, second = rows()
    gap = replace(second, native={"messages": [said("nothing")]})
    assert retention([first, gap, replace(second, arrived=Arrived())]).task == 0.0


def test_the_beginning_of_a_clipped_user_text_is_enough() -> None:
    """An oversized user text counts as in view by its first 400 characters, not by fewer."""
    long = "word " * 1000
    assert retention([made(0, [said(long[:400])], Arrived(users=(long,)))]).latest_user == 1.0
    assert retention([made(0, [said(long[:399])], Arrived(users=(long,)))]).latest_user == 0.0


def test_a_text_that_comes_back_after_it_was_gone_is_found() -> None:
    """A message seen before the text was asked for, gone and back again, is searched again."""
    old = said("earlier words")
    steps = [
        made(0, [old], Arrived()),
        made(1, [said("earlier words quoted")], Arrived(users=("earlier words",))),
        made(2, [old], Arrived()),
    ]
    assert retention(steps).task == 1.0


def test_a_restart_forgets_what_was_asked_for() -> None:
    """After a recorded compaction (as-sent) only what the new history brings must be in view."""
    first, _ = rows()
    again = made(1, [said("fresh")], Arrived(users=("fresh",), restart=True))
    assert set(retention([first, again]).as_dict().values()) == {1.0}


def test_nothing_to_keep_scores_full() -> None:
    """Without rows, or with rows nothing arrived for, every share is 1."""
    assert set(retention([]).as_dict().values()) == {1.0}


def test_figures_can_be_recomputed_from_the_written_rows() -> None:
    """Rows read back from their JSON give the same retention."""
    written = [json.loads(json.dumps(record(one))) for one in without("src/a.py")]
    assert retention([row(one) for one in written]) == retention(without("src/a.py"))
