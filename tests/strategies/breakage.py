"""Ways in which histories arrive broken (D20): each takes a list of messages and returns another."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from tests.strategies.texts import broken_arguments, odd_texts

Raw = dict[str, Any]
History = list[Raw]
Draw = Any


def _at(draw: Draw, history: History) -> int:
    return int(draw(st.integers(0, max(0, len(history) - 1))))


def _lose(draw: Draw, history: History) -> None:
    del history[_at(draw, history)]


def _repeat(draw: Draw, history: History) -> None:
    at = _at(draw, history)
    history.insert(at + 1, copy.deepcopy(history[at]))


def _swap(draw: Draw, history: History) -> None:
    at = _at(draw, history)
    history[at - 1], history[at] = history[at], history[at - 1]


def _interrupt(draw: Draw, history: History) -> None:
    history.insert(_at(draw, history), {"role": draw(st.sampled_from(("user", "assistant"))), "content": "wait"})


def _empty(draw: Draw, history: History) -> None:
    history[_at(draw, history)]["content"] = draw(st.sampled_from(("", None, [])))


def _chat_orphan(draw: Draw, history: History) -> None:
    history.insert(_at(draw, history), {"role": "tool", "tool_call_id": "nobody", "content": "found"})


def _anthropic_orphan(draw: Draw, history: History) -> None:
    block = {"type": "tool_result", "tool_use_id": "nobody", "content": "found"}
    history.insert(_at(draw, history), {"role": "user", "content": [block]})


def _reword(draw: Draw, history: History) -> None:
    history[_at(draw, history)]["content"] = draw(odd_texts)


def _rename(draw: Draw, history: History) -> None:
    held = list(_identified(history))
    if held:
        owner, field = draw(st.sampled_from(held))
        owner[field] = draw(st.sampled_from(("call_1", "toolu_1", "", "a.b:c/1", "id with spaces", None)))


def _garble(draw: Draw, history: History) -> None:
    held = [owner for owner, field in _identified(history) if field == "id"]
    if held:
        owner = draw(st.sampled_from(held))
        if "function" in owner:
            owner["function"] = {**owner["function"], "arguments": draw(broken_arguments)}
        elif "input" in owner:
            owner["input"] = draw(broken_arguments)


def _strip(draw: Draw, history: History) -> None:
    lists = [message["content"] for message in history if isinstance(message.get("content"), list) and message["content"]]
    if lists:
        blocks = draw(st.sampled_from(lists))
        del blocks[draw(st.integers(0, len(blocks) - 1))]


def _identified(history: History) -> Iterator[tuple[Raw, str]]:
    for message in history:
        if "tool_call_id" in message:
            yield message, "tool_call_id"
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        for block in [*(message.get("tool_calls") or []), *blocks]:
            if isinstance(block, dict):
                yield from ((block, field) for field in ("id", "tool_use_id") if field in block)


BREAKS: tuple[Callable[[Draw, History], None], ...] = (
    _lose,
    _repeat,
    _swap,
    _interrupt,
    _empty,
    _reword,
    _rename,
    _garble,
    _strip,
)


@st.composite
def broken(draw: Draw, strategy: st.SearchStrategy[History], *, format: str) -> History:
    """A history of `strategy` with one to four things wrong in its own wire; it may come out sound."""
    history: History = copy.deepcopy(draw(strategy))
    orphan = _chat_orphan if format == "openai_chat" else _anthropic_orphan
    for _ in range(draw(st.integers(1, 4))):
        if history:
            draw(st.sampled_from((*BREAKS, orphan)))(draw, history)
    return history
