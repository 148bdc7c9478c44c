"""Histories as agents make them, from a seed: a system prompt, a task, and tool cycles of one to three calls."""

from __future__ import annotations

import json
import random
from typing import Any

Raw = dict[str, Any]

SHORTEST, LONGEST = 200, 4_000  # characters of a tool result
SYSTEM = "You are a careful software engineer. Work in small steps, run the tests, and say what you found.\n" * 20
TASK = "Find out why the nightly import loses rows, repair it, and write a test that fails without the repair."
TOOLS: list[Raw] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"{name.replace('_', ' ')} and return the text; long output is cut at the end. " * 3,
            "parameters": {
                "type": "object",
                "properties": {one: {"type": "string", "description": f"the {one} to use"} for one in ("path", "pattern", "command")},
            },
        },
    }
    for name in ("read_file", "search_files", "run_command", "write_file", "list_folder", "ask_person")
]
_WORDS = """the import reader skips a row when its cursor meets an empty batch so offset limit and page no longer agree return value
error None true self index for in def class assert test path source target column table status queue retry == != ( ) : , .""".split()  # noqa: SIM905 - a word list
_POOL_CHARACTERS = 2_000_000


class Writer:
    """Draws text by slicing one long random text: every result is another one, and writing them costs little."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        words = self.draw.choices(_WORDS, k=_POOL_CHARACTERS // 5)
        self._pool = "".join(word + ("\n" if self.draw.random() < 0.1 else " ") for word in words)

    def text(self, characters: int) -> str:
        """Text nobody has seen before, of this length."""
        start = self.draw.randrange(len(self._pool) - characters)
        mark = f"{self.draw.getrandbits(48):012x} "
        return (mark + self._pool[start : start + characters])[:characters]


def chat(messages: int, *, seed: int = 1, longest: int = LONGEST) -> list[Raw]:
    """An OpenAI chat history of exactly so many messages, the system message included."""
    writer = Writer(seed)
    made: list[Raw] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]
    while len(made) < messages:
        made += _chat_cycle(writer, number=len(made), longest=longest)
        if writer.draw.random() < 0.02:
            made.append({"role": "assistant", "content": writer.text(300)})
            made.append({"role": "user", "content": writer.text(150)})
    del made[messages:]
    return made


def _chat_cycle(writer: Writer, *, number: int, longest: int) -> list[Raw]:
    calls = [_call(writer, f"call_{number}_{place}") for place in range(writer.draw.randint(1, 3))]
    cycle: list[Raw] = [{"role": "assistant", "content": writer.text(120), "tool_calls": calls}]
    for call in calls:
        size = writer.draw.randint(SHORTEST, longest)
        cycle.append({"role": "tool", "tool_call_id": call["id"], "content": writer.text(size)})
    return cycle


def _call(writer: Writer, call_id: str) -> Raw:
    name = writer.draw.choice(("read_file", "search_files", "run_command"))
    arguments = json.dumps({"path": f"src/{writer.text(12).strip()}.py", "pattern": writer.text(20)})
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def anthropic(messages: int, *, seed: int = 1, longest: int = LONGEST) -> list[Raw]:
    """The same shape in Anthropic's blocks: an assistant message with calls, one user message with their results."""
    writer = Writer(seed)
    made: list[Raw] = [{"role": "user", "content": TASK}]
    while len(made) < messages:
        calls = [_call(writer, f"toolu_{len(made)}_{place}") for place in range(writer.draw.randint(1, 3))]
        blocks: list[Raw] = [{"type": "text", "text": writer.text(120)}]
        blocks += [
            {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": json.loads(call["function"]["arguments"])}
            for call in calls
        ]
        results = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": writer.text(writer.draw.randint(SHORTEST, longest))}
            for call in calls
        ]
        made += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    del made[messages:]
    return made


def following(history: list[Raw], *, seed: int, count: int) -> list[Raw]:
    """What comes next in a chat history: so many further messages, one after the other."""
    writer = Writer(seed)
    made: list[Raw] = []
    while len(made) < count:
        made += _chat_cycle(writer, number=len(history) + len(made), longest=LONGEST)
    return made[:count]


def characters(messages: list[Raw]) -> int:
    """Characters of the texts of chat messages: contents and arguments."""
    total = 0
    for message in messages:
        total += len(message.get("content") or "")
        total += sum(len(call["function"]["arguments"]) for call in message.get("tool_calls", ()))
    return total
