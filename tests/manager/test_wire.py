"""The wire of a conversation by its structure, looked for in each message once."""

from __future__ import annotations

from typing import Any

from sostenuto import ContextManager
from sostenuto.manager._wire import NEWEST, Structure


class Watched(dict[str, Any]):
    """A message that counts how often its content is looked at."""

    looks = 0

    def get(self, key: str, default: Any = None, /) -> Any:
        """Its value."""
        type(self).looks += key == "content"
        return super().get(key, default)


def plain(count: int) -> list[Watched]:
    """Plain words, which are the same on every wire."""
    return [Watched(role=("user", "assistant")[number % 2], content=f"word {number}") for number in range(count)]


def test_a_message_is_looked_at_once_while_the_list_grows() -> None:
    """Asking again costs what is new and the newest few, not what was looked at before."""
    structure, messages = Structure(), plain(500)
    assert structure.wire(messages, None) is None
    once, Watched.looks = Watched.looks, 0
    assert structure.wire([*messages, *plain(1)], None) is None
    assert 0 < Watched.looks <= once * (NEWEST + 1) / 500


def test_the_first_structure_decides_wherever_it_comes() -> None:
    """One message with a call shows the wire, also far behind plain words, and words before it do not hide it."""
    structure, messages = Structure(), [dict(raw) for raw in plain(40)]
    assert structure.wire(messages, None) is None
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "x", "input": {}}]}
    assert structure.wire([*messages, call], None) == "anthropic"


def test_what_two_messages_show_together_counts_together() -> None:
    """A message that speaks for one wire is not forgotten when a later one speaks as loudly for another."""
    structure = Structure()
    first: list[dict[str, Any]] = [{"role": "system", "content": "x"}]
    assert structure.wire(first, [{"type": "text", "text": "y"}]) is None
    assert structure.wire([*first, *plain(30)], [{"type": "text", "text": "y"}]) is None
    assert structure.wire([*first, *plain(30)], None) == "openai_chat"


def test_another_list_is_looked_at_from_its_beginning() -> None:
    """Where the history goes another way, what the old one showed says nothing of the new one."""
    structure = Structure()
    assert structure.wire(plain(30), None) is None
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}],
    }
    assert structure.wire([call, *plain(40)], None) == "openai_chat"


def test_a_manager_finds_the_wire_late() -> None:
    """A manager that was given plain words speaks the wire that a later message shows, and its tools too."""
    manager = ContextManager(model="anthropic:claude-sonnet-5", window=100_000)
    messages: list[dict[str, Any]] = [dict(raw) for raw in plain(30)]
    manager.prepare_sync(messages)
    calls = [{"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}]
    messages += [{"role": "assistant", "content": None, "tool_calls": calls}, {"role": "tool", "tool_call_id": "a", "content": "y"}]
    manager.prepare_sync(messages)
    assert "function" in manager.tools()[0]
