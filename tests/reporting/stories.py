"""Small stories to tell: sessions in OpenAI chat messages, replayed by hand so that every request is known."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from sostenuto.budget import DEFAULT
from sostenuto.formats import openai_chat
from sostenuto.replaying import Arrived, Happening, Row, costs, figures
from sostenuto.reporting import Story
from sostenuto.tokens import ruler

Raw = dict[str, Any]
WINDOW = 16_000
BY = ruler("openai:gpt-4o")
CODEC = openai_chat.CODEC
EMPTY = ("meta", "link", "input", "br", "img")


WEIGHED: dict[int, tuple[Any, int]] = {}


def weigh(message: Any) -> int:
    """Tokens of a message, counted once for each object."""
    if id(message) not in WEIGHED:
        WEIGHED[id(message)] = (message, BY.tokens(BY.measure(CODEC.decode(message))))  # holding it keeps its id from being used again
    return WEIGHED[id(message)][1]


def said(role: str, text: str) -> Raw:
    """A message of words."""
    return {"role": role, "content": text}


def cycle(number: int, answer: str, *, path: str = "") -> list[Raw]:
    """A call and its answer."""
    function = {"name": "read_file", "arguments": json.dumps({"path": path or f"src/part{number}.py"})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": f"Looking at part {number}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": answer},
    ]


def row(index: int, messages: Sequence[Raw], *events: Happening, **fields: Any) -> Row:
    """A request of these messages."""
    made = Row(index, sum(map(weigh, messages)) + 100, WINDOW, "openai_chat", {"messages": list(messages)}, tuple(events))
    return replace(made, **fields)


def story(rows: Sequence[Row], handed: Sequence[Sequence[Raw]], **fields: Any) -> Story:
    """The story of these requests, for which these histories were handed over."""
    doing_nothing = costs(({"messages": messages} for messages in handed), weigh=weigh)
    found = figures(rows, doing_nothing=doing_nothing, weigh=weigh, problems=lambda one: ())
    untouched = [sum(map(weigh, messages)) + 100 for messages in handed]
    made = Story("a session", rows, handed, found, doing_nothing, untouched, CODEC, BY, DEFAULT.lines(WINDOW))
    return replace(made, **fields)


def cleared() -> Story:
    """Three requests: as it is, with a result cleared and a nudge, and with everything but the task under a checkpoint."""
    task, first, second = said("user", "Review src/ and fix it."), cycle(0, "alpha " * 400), cycle(1, "beta " * 50)
    short = {**first[1], "content": "[Result of read_file cleared]"}
    checkpoint, goon = said("assistant", "# Checkpoint of m0-m4"), said("user", "[CONTINUE]")
    histories = [[task, *first], [task, *first, *second], [task, *first, *second, *cycle(2, "gamma")]]
    clear = Happening("clear", 900, 500, "half full", ("m2.0",))
    compact = Happening("compact", 700, 200, "mechanical checkpoint", ("m0-m4",))
    rows = [
        row(0, histories[0], arrived=Arrived(users=(task["content"],), read=("src/part0.py",))),
        row(1, [task, first[0], short, *second, said("user", "[nudge]")], clear, nudges=1, notices=("Cleared 1 old result",)),
        row(2, [task, checkpoint, goon, *histories[2][5:]], compact),
    ]
    return story(rows, histories, written=frozenset({checkpoint["content"], goon["content"]}))


class Parsed(HTMLParser):
    """A page taken apart: its elements with their attributes, and the text of its scripts. Elements must close as they opened."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of an element."""
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self._open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        """It is the one that was opened last."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Take note of text."""
        if self._open[-1:] == ["script"]:
            self.scripts[-1] += data
        elif self._open[-1:] != ["style"]:
            self.text.append(data)

    @property
    def words(self) -> str:
        """Everything that is read without the script."""
        return re.sub(r"\s+", " ", " ".join(self.text))

    @property
    def data(self) -> Any:
        """What the script draws from."""
        return json.loads(self.scripts[0])


def sent(data: Any, request: int) -> list[int]:
    """The messages of a request, as the script puts them together from the data."""
    found: list[int] = []
    for shared, ranges in data["requests"][: request + 1]:
        del found[shared:]
        for first, count in zip(ranges[::2], ranges[1::2], strict=True):
            found += range(first, first + count)
    return found
