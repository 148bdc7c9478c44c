"""What a caller who keeps our messages handed over is written down as it changes, not anew with every step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sostenuto import ContextManager
from sostenuto.stores.files import Files


def stepped(manager: ContextManager, messages: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    """One more cycle of a caller who goes on with what the request held."""
    call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": f'{{"path": "a{number}.py"}}'}}
    messages += [{"role": "user", "content": f"do {number}"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    messages += [{"role": "tool", "tool_call_id": f"c{number}", "content": f"line {number}\n" * 200}]
    return list(manager.prepare_sync(messages).arguments["messages"])


def test_a_step_between_two_edits_costs_what_it_adds(tmp_path: Path) -> None:
    """However long the handed-over list is, a step without an edit writes a few hundred bytes of figures."""
    manager = ContextManager(model="openai:gpt-4.1", window=20_000, store=Files(tmp_path), conversation="c", format="openai_chat")
    edits = tmp_path / "history" / "default" / "c" / "edits.jsonl"
    messages: list[dict[str, Any]] = []
    quiet = []
    for number in range(60):
        before, known = edits.stat().st_size if edits.exists() else 0, len(manager.snapshot()["edits"])
        messages = stepped(manager, messages, number)
        if known and len(manager.snapshot()["edits"]) == known and number > 20:
            quiet.append(edits.stat().st_size - before)
    # the step behind an edit hands its outcome over for the first time, and writes that down
    assert sorted(quiet)[len(quiet) // 2] < 600
    assert len(json.dumps(messages)) > 10_000


def test_what_was_handed_over_is_known_again(tmp_path: Path) -> None:
    """A process that goes on from the records takes the kept list as it stands: nothing of it is new, and nothing went another way."""
    manager = ContextManager(model="openai:gpt-4.1", window=20_000, store=Files(tmp_path), conversation="c", format="openai_chat")
    messages: list[dict[str, Any]] = []
    for number in range(40):
        messages = stepped(manager, messages, number)
    length = len(manager.snapshot()["transcript"])
    manager.close()
    again = ContextManager(model="openai:gpt-4.1", window=20_000, store=Files(tmp_path), conversation="c", format="openai_chat")
    request = again.prepare_sync(messages)
    assert len(again.snapshot()["transcript"]) == length
    assert not again.snapshot()["branches"]
    assert list(request.arguments["messages"])[:5] == messages[:5]
