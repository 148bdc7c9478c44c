"""Small histories for the tests of this room."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count as numbers

from hypothesis import strategies as st

from sostenuto.checkpoint import Ledger, compose, render
from sostenuto.messages import Call, Folding, Message, Result, Text, Unit

Turn = tuple[str, str] | tuple[str, dict[str, object], str, bool]


def user(text: str) -> Turn:
    return ("user", text)


def say(text: str) -> Turn:
    return ("assistant", text)


def call(name: str, arguments: dict[str, object], result: str = "ok", *, succeeded: bool = True) -> Turn:
    return (name, arguments, result, succeeded)


def units(*turns: Turn) -> list[Unit]:
    """The units of a history written as turns."""
    folding, ordinal = Folding(), numbers()
    for n, turn in enumerate(turns):
        if len(turn) == 2:
            role, text = turn
            folding.add(next(ordinal), Message("user" if role == "user" else "assistant", (Text(text),)))
        else:
            name, arguments, result, succeeded = turn
            folding.add(next(ordinal), Message("assistant", (Call(f"c{n}", name, json.dumps(arguments)),)))
            folding.add(next(ordinal), Message("tool", (Result(f"c{n}", result, succeeded),)))
    return folding.units


def count(text: str) -> int:
    """A counter that is not additive: words, plus one for every 20 characters."""
    return len(text.split()) + len(text) // 20


def written(ledger: Ledger, *, budget: int, path_budget: int, recall_named: bool = False, rules: Sequence[str] = ()) -> str:
    """The checkpoint that no model wrote."""
    rendering = render(ledger, budget=budget, path_budget=path_budget, count=count, recall_named=recall_named)
    return compose(None, rendering, rules=rules, recall_named=recall_named)


_WORDS = st.text("ab #-\n.\u4e2d1", max_size=60) | st.sampled_from(
    ["cancel that", "## Goal\nx", "12.5 ms and ABC-123", "- m1.0 (open; 5 characters):"]
)
_PATHS = st.sampled_from(["/a/b.py", "c d.txt", "/x/## Goal", "https/é"])
TURNS: st.SearchStrategy[Turn] = st.one_of(
    st.builds(user, _WORDS),
    st.builds(say, _WORDS),
    st.builds(
        lambda name, path, command, text, ok: call(name, {"path": path, "command": command}, text, succeeded=ok),
        st.sampled_from(["Read", "Edit", "Bash", "Task", "x"]),
        _PATHS,
        st.text("ls -a`\n", max_size=20),
        _WORDS,
        st.booleans(),
    ),
)
HISTORIES = st.lists(TURNS, max_size=14)
