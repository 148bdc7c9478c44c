"""What is no longer sent as it was said, piece by piece."""

from __future__ import annotations

from typing import Any

from sostenuto.manager import ContextManager


def _history(cycles: int) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Read all of it."}]
    for number in range(cycles):
        function = {"name": "read_file", "arguments": f'{{"path": "{number}.py"}}'}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        said += [{"role": "assistant", "content": None, "tool_calls": calls}]
        said += [{"role": "tool", "tool_call_id": f"c{number}", "content": f"line {number}\n" * 120}]
    return said


def test_every_piece_has_the_level_that_its_edit_gave_it() -> None:
    """Whole pieces are not named; cleared ones are; behind a checkpoint everything but what stands is covered; undo takes it back."""
    manager = ContextManager("openai:gpt-4o", window=6_000)
    assert manager.levels == {}
    said = _history(13)
    for upto in range(1, len(said) + 1, 2):
        manager.prepare_sync(said[:upto])
    cleared = {key for key, level in manager.levels.items() if level == "cleared"}
    assert cleared
    assert all(manager.recall(key)[0].source.startswith("tool result") for key in cleared)
    assert "m0.0" not in manager.levels
    manager.compact_sync()
    covered = {key for key, level in manager.levels.items() if level == "covered"}
    assert cleared & covered
    assert not covered & {"m0.0", f"m{len(said) - 1}.0"}
    manager.undo()
    assert {key for key, level in manager.levels.items() if level == "cleared"} == cleared


def test_what_was_cut_is_clipped() -> None:
    """A request of the user that is too large to stay whole is called clipped, and its key returns all of it."""
    asked = "word " * 3_000
    manager = ContextManager("openai:gpt-4o", window=3_000)
    manager.prepare_sync([*_history(3), {"role": "user", "content": asked}])
    assert manager.levels["m7.0"] == "clipped"
    assert manager.recall("m7.0")[0].text == asked


def test_what_was_trimmed_is_dropped() -> None:
    """What left by the last rung is called dropped, also under a later checkpoint."""
    manager = ContextManager("openai:gpt-4o", window=3_000)
    manager.prepare_sync(_history(30))
    snapshot = manager.snapshot()
    cover = next(edit for edit in snapshot["edits"] if edit.get("cover"))
    cover["kind"] = "drop"
    trimmed = ContextManager.restore(snapshot)
    assert {level for level in trimmed.levels.values() if level != "cleared"} == {"dropped"}
