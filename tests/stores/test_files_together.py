"""Many processes, few conversations: one writes, the others wait their turn or read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sostenuto.errors import ConversationInUse
from sostenuto.stores.files import Files
from tests.stores.dying import NAME, ended, hammers, hammers_for, started

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are started by a fork server, which Windows has not")

PROCESSES = 8


def _hammered(tmp_path: Path, target: Callable[..., None], amount: Any) -> None:
    home = tmp_path / "home"
    told = [tmp_path / f"told{number}" for number in range(PROCESSES)]
    processes = [started(target, home, path, number, amount) for number, path in enumerate(told)]
    assert [ended(process) for process in processes] == [0] * PROCESSES
    acknowledged = [line.split() for path in told for line in path.read_text().splitlines()]
    held: dict[str, list[int]] = {}
    for name in {name for name, _ in acknowledged}:
        kept = Files(home).read(name)
        assert not kept.notes
        held[name] = [record["seq"] for record in kept.transcript]
        assert sorted([*held[name], *(record["seq"] for record in kept.edits)]) == list(range(len(kept.transcript) + len(kept.edits)))
        assert len(held[name]) == 2 * sum(other == name for other, _ in acknowledged)
    assert all(int(first) in held[name] for name, first in acknowledged)


def test_eight_processes_write_four_conversations_without_losing_a_line(tmp_path: Path) -> None:
    """B179: every record that any of them was told is safe is there once, no number is given twice, and nobody waits for ever."""
    _hammered(tmp_path, hammers, 6)


@pytest.mark.long
def test_eight_processes_write_four_conversations_for_a_minute(tmp_path: Path) -> None:
    """The same for a minute."""
    _hammered(tmp_path, hammers_for, 60.0)


def test_a_forked_child_neither_writes_nor_keeps_the_lease(tmp_path: Path) -> None:
    """D33: what a child forked meanwhile appends is refused, and its life does not hold up the next writer."""
    told = tmp_path / "told"
    assert ended(started(forks, tmp_path / "home", told)) == 0
    assert told.read_text() == "refused, and let in"


def forks(home: Path, told: Path) -> None:
    """Fork while a conversation is open, close it, and open it again while the child lives."""
    log = Files(home).open(NAME)
    assert log.append([{"seq": 0}], [])
    mine, its = os.pipe()
    done, end = os.pipe()
    if os.fork() == 0:
        refused = not log.append([{"seq": 1}], []) and not log.journal({"a": 1})
        log.close()
        os.write(its, b"refused" if refused else b"written")
        os.close(end)
        os.read(done, 1)  # lives until its parent is through
        os._exit(0)
    answer = os.read(mine, 100).decode()
    try:
        Files(home).open(NAME)
        answer += ", and let another in"
    except ConversationInUse:
        log._lease.forget()  # as if this process had died: the system closes its handles
        Files(home).open(NAME).close()
        answer += ", and let in"
    os.close(end)
    told.write_text(answer)
