"""Whole conversations as lists of raw native messages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from hypothesis import strategies as st

from tests.strategies import anthropic, gemini, openai_chat, openai_responses
from tests.strategies.breakage import broken as broken_form

Raw = dict[str, Any]
History = list[Raw]
Draw = Any

FORMATS = ("openai_chat", "anthropic")
_MARKERS_AT_MOST = 4


def histories(*, format: str, broken: bool = False, steps: int = 8, open_end: bool = False) -> st.SearchStrategy[History]:
    """Conversations in `format` of one to `steps` steps after the first request.

    A step is a user's message, an assistant's words, or a tool cycle with one to four parallel calls. Well-formed ones end with the
    user's words or with results, as a request does; with `open_end` they may end with the assistant's. With `broken`, one to four
    things went wrong: calls without results, orphans, repeated or reused ids, interleaved users, empty messages, garbled arguments.
    """
    whole = _sound(format=format, steps=steps, open_end=open_end)
    if not broken:
        return whole
    if format in ("gemini", "openai_responses"):
        broken_items: st.SearchStrategy[History] = (gemini if format == "gemini" else openai_responses).broken(whole)
        return broken_items
    return broken_form(whole, format=format)


@st.composite
def _sound(draw: Draw, *, format: str, steps: int, open_end: bool) -> History:
    wire: Any = {"openai_chat": openai_chat, "openai_responses": openai_responses, "anthropic": anthropic, "gemini": gemini}[format]
    numbers = count(1)
    history: History = draw(st.lists(wire.systems, max_size=2)) if format.startswith("openai") else []
    history.append(draw(wire.users))
    for _ in range(draw(st.integers(1, steps))):
        step = draw(st.sampled_from(("user", "answer", "cycle", "cycle", "cycle")))
        if step == "cycle":
            history.extend(draw(wire.cycles(_ids(draw, numbers, format=format))))
        else:
            made = draw(wire.users if step == "user" else wire.answers)
            history.extend(made if isinstance(made, list) else [made])  # an answer in items is several
    if history[-1].get("role") in ("assistant", "model") and not open_end:
        history.append(draw(wire.users))
    _thin_markers(history)
    return history


def _ids(draw: Draw, numbers: Iterator[int], *, format: str) -> list[str]:
    """Ids for parallel calls: unique in the message; recorded chat sessions use one again later, Gemini's may lack them."""
    many = draw(st.integers(1, 4))
    if format == "openai_chat" and draw(st.integers(1, 5)) == 5:
        return [f"call_{n}" for n in range(1, many + 1)]
    if format == "gemini" and draw(st.booleans()):
        return [""] * many
    prefix = "toolu" if format == "anthropic" else "call"
    return [f"{prefix}_{next(numbers)}" for _ in range(many)]


def _thin_markers(history: History) -> None:
    """No more cache markers than a request may carry, the newest kept; blocks drawn from constants are replaced, not changed."""
    left = [_MARKERS_AT_MOST]
    for message in reversed(history):
        if isinstance(message.get("content"), list):
            message["content"] = _thinned(message["content"], left)


def _thinned(blocks: list[Any], left: list[int]) -> list[Any]:
    out: list[Any] = []
    for block in reversed(blocks):
        kept = dict(block)
        if "cache_control" in kept:
            left[0] -= 1
            if left[0] < 0:
                del kept["cache_control"]
        if isinstance(kept.get("content"), list):
            kept["content"] = _thinned(kept["content"], left)
        out.append(kept)
    return out[::-1]
