"""How full a kept conversation is: one number, whoever asks for it and in which process (D28, D32)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sostenuto.errors import UnusableInput
from sostenuto.manager import ContextManager
from sostenuto.stores.files import Files

TOOLS: list[Any] = [
    {"type": "function", "function": {"name": f"tool{number}", "description": "It does things. " * 12, "parameters": {}}}
    for number in range(8)
]


def _talk(turns: int) -> list[Any]:
    said: list[Any] = [{"role": "system", "content": "Be careful. " * 40}]
    for number in range(turns):
        said += [{"role": "user", "content": f"Question {number}?"}, {"role": "assistant", "content": f"Answer {number}. " + "word " * 80}]
    return [*said, {"role": "user", "content": "And now?"}]


def _manager(home: Path) -> ContextManager:
    return ContextManager("scripted:x", window=4_000, store=Files(home, agent="default"), conversation="c")


@pytest.mark.parametrize(
    ("reported", "turns"), [(None, 14), (0.8, 14), (1.3, 9)], ids=["nothing reported", "less reported", "more reported"]
)
def test_another_process_counts_as_the_last_request_did(tmp_path: Path, reported: float | None, turns: int) -> None:
    """Instructions, tools and output reserve of the last request count in usage, preview, compaction and undo alike, and add up."""
    first = _manager(tmp_path)
    request = first.prepare_sync(_talk(turns), tools=TOOLS, max_output=500)
    if reported is not None:
        first.record({"prompt_tokens": int(request.tokens * reported), "completion_tokens": 9})
        first.prepare_sync(_talk(turns), tools=TOOLS, max_output=500)
    there = first.usage()
    first.close()
    second = _manager(tmp_path)
    here = second.usage()
    assert (here.tokens, here.budget, here.window) == (there.tokens, there.budget, 4_000)
    assert here.budget == 3_500
    assert sum(here.components.values()) == here.tokens
    assert {"system", "tools"} <= here.components.keys()
    found = second.preview()
    assert found.tokens_before == here.tokens
    second.compact_sync()
    assert second.usage().tokens == found.tokens_after < here.tokens
    edits = second.snapshot()["edits"]
    assert (edits[0]["tokens_before"], edits[-1]["tokens_after"]) == (here.tokens, found.tokens_after)
    assert second.undo().tokens == here.tokens
    second.close()


def test_a_key_beyond_the_conversation_compacts_nothing(tmp_path: Path) -> None:
    """`before` a message that is not there is refused with the last key, and nothing is done."""
    manager = _manager(tmp_path)
    manager.prepare_sync(_talk(14))
    before = manager.usage().tokens
    for ask in (manager.preview, manager.compact_sync):
        with pytest.raises(UnusableInput, match="'m999' names no message of this conversation: the last one is m28"):
            ask(before="m999")
    assert manager.usage().tokens == before
    manager.close()


def test_an_edit_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Undo and redo say which edits there are, and that one is undone, or in force, already."""
    manager = _manager(tmp_path)
    manager.prepare_sync(_talk(14))
    assert manager.undo(7).text == "There is no edit 7: this conversation has none."
    manager.compact_sync()
    assert manager.undo(99).text == "There is no edit 99: this conversation has edit 0."
    assert "is in force already" in manager.redo(0).text
    assert manager.undo(0).applied
    assert "is undone already" in manager.undo(0).text
    manager.close()


def test_a_piece_that_stands_before_the_checkpoint_is_among_the_largest(tmp_path: Path) -> None:
    """A large task is still sent whole behind a compaction, so it is shown as the piece it is."""
    manager = _manager(tmp_path)
    talk = _talk(14)
    talk[1] = {"role": "user", "content": "The task. " * 100}
    manager.prepare_sync(talk)
    manager.compact_sync()
    assert manager.usage().largest[0][0] == "m0.0"
    manager.close()
