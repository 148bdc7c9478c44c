"""A small session for these tests, and ways of sending it that break one property on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sostenuto.formats import openai_chat
from sostenuto.judging import Run, Sent, Session, Verdict, judged, session_of, untouched, weighing

Raw = dict[str, Any]
Spoil = Callable[[list[Raw], int], list[Raw]]

PIN = "Never touch the vault."
BUDGET = 100_000


def call(number: str, name: str, path: str) -> Raw:
    """A call that names a file."""
    return {"id": number, "type": "function", "function": {"name": name, "arguments": json.dumps({"path": path})}}


def history() -> list[Raw]:
    """Ten cycles with files, a fact that is used again at the end, and three requests of a person."""
    made: list[Raw] = [{"role": "system", "content": "Work."}, {"role": "user", "content": "Find the lost rows of build_48213."}]
    for number in range(10):
        made.append(
            {
                "role": "assistant",
                "content": f"Step {number}.",
                "tool_calls": [
                    call(f"r{number}", "read_file", f"src/read_{number}.py"),
                    call(f"w{number}", "edit_file", f"src/made_{number}.py"),
                ],
            }
        )
        fact = "cursor_77123 was empty" if number == 1 else "nothing to see"
        made.append({"role": "tool", "tool_call_id": f"r{number}", "content": f"line {number}: {fact} " + "text " * 50})
        made.append({"role": "tool", "tool_call_id": f"w{number}", "content": "1 place changed"})
        if number in (3, 6):
            made += [{"role": "assistant", "content": f"Done with {number}."}, {"role": "user", "content": f"Next: part {number}, please."}]
    made += [{"role": "assistant", "content": "It was cursor_77123."}]
    return made


def session() -> Session:
    """The session with its planted rule."""
    return session_of("small", history(), pins=[PIN])


def spoiled(made: Session, spoil: Spoil) -> Run:
    """Doing nothing, but each request goes through `spoil` with its number."""
    whole = [dict(message) for message in made.messages]
    return Run(tuple(Sent(tuple(spoil(whole[:upto], number))) for number, upto in enumerate(made.requests)))


def verdict(run: Run | None = None, *, made: Session | None = None, budget: int = BUDGET) -> Verdict:
    """The verdict by characters, on doing nothing unless another run is given."""
    judged_on = made or session()
    return judged(judged_on, run or untouched(judged_on), budget=budget, weigh=weighing(), decode=openai_chat.CODEC.decode)
