"""Figures in a log that no version of ours writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sostenuto import ContextManager
from sostenuto.stores.files import Files


@pytest.mark.parametrize(
    "figures", ['{"upto":"x"}', '{"upto":-1,"sent_to":[]}', '{"upto":-1,"order":7}', '{"upto":-1,"kept_mode":1,"handed":1}']
)
def test_figures_without_sense_cost_themselves(figures: str, tmp_path: Path) -> None:
    """A conversation with such figures goes on with every message, and that something was left out is said."""
    manager = ContextManager(model="openai:gpt-4.1", store=Files(tmp_path), conversation="c", format="openai_chat")
    messages = [{"role": "user", "content": "x"}]
    manager.prepare_sync(messages)
    manager.close()
    path = tmp_path / "history" / "default" / "c" / "edits.jsonl"
    path.write_text(path.read_text() + f'{{"seq":9000,"meta":{figures}}}\n')
    again = ContextManager(model="openai:gpt-4.1", store=Files(tmp_path), conversation="c", format="openai_chat")
    assert again.history == messages
    notices = again.prepare_sync([*messages, {"role": "user", "content": "y"}]).notices
    assert any("make no sense" in notice for notice in notices)
