"""The demo's run: the scripted model, its tools and a context manager, request by request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sostenuto.cli._audit import AT_ONCE, TASK, TOOLS, Raw, Step, Tools, answered, said, script
from sostenuto.replaying import Happening, Row, arrived, unedited

RETRIEVED_FROM, PASTED_AT, THANKED_AT, REFUSED_AT = 12, 27, 29, 34
"""Requests (from 0): from which the model reads an original back; where a person pastes a log, goes on; where one is refused."""
PASTED_LINES = 700
ORIGINAL = 400
"""Characters of an original that must come back to count as read back."""
THANKS = "The log is fine, never mind. Go on with the audit."
SUMMARY = """## Goal
Audit the installed sostenuto package and report one line for each room.
## Constraints & Preferences
Report only what has been read.
## Covered So Far
{covered} tool calls made; the files are listed with the record below.
## Progress
### Done
{covered} steps of the audit.
### In Progress
Reading the next files in alphabetical order.
### Blocked
(none)
## Key Decisions
Numbers, documented errors and input or output are checked in every file.
## Next Steps
Read the remaining files, search for the remaining patterns, then write the report.
## Critical Context
Nothing has been found so far that contradicts the rules of the house.
"""


class Sent(Protocol):
    """A request as the manager makes it."""

    @property
    def arguments(self) -> Mapping[str, Any]: ...
    @property
    def tokens(self) -> int: ...
    @property
    def window(self) -> int: ...
    @property
    def events(self) -> Sequence[Any]: ...
    @property
    def notices(self) -> Sequence[str]: ...
    @property
    def nudges(self) -> int: ...


class Manager(Protocol):
    """The part of the context manager the demo uses."""

    def prepare_sync(self, messages: list[Any], *, system: Any = None, tools: Any = None, max_output: int | None = None) -> Sent: ...
    def record(self, reply_or_usage: Any, /) -> Any: ...
    def tools(self) -> list[Any]: ...
    def answer(self, call: Any, /) -> Any: ...
    def recover(self, error: Any) -> Sent: ...
    def snapshot(self) -> dict[str, Any]: ...


class PromptTooLong(Exception):
    """How the scripted provider refuses a request."""

    code = "context_length_exceeded"


@dataclass(slots=True)
class Rehearsal:
    """One demo run. `weigh` gives the tokens of a native message; the counts say what has been seen so far.

    `plain` are the tokens of each request had nothing been rewritten, `handed` what the manager was given for each; `snapshot` is the
    manager's own, taken when the run ends.
    """

    make: Callable[[Callable[[str], str]], Manager]
    tools: Tools
    weigh: Callable[[Any], int]
    cycles: int
    rows: list[Row] = field(default_factory=list)
    plain: list[int] = field(default_factory=list)
    handed: list[list[Raw]] = field(default_factory=list)
    snapshot: dict[str, Any] = field(default_factory=dict)
    accepted: int = 0
    refused: int = 0
    unused: int = 0
    recovered: int = 0
    retrieved: int = 0
    read_back: str = ""

    def run(self) -> Iterator[Row]:
        """The requests, as they are made."""
        manager = self.make(self._summary)
        own = manager.tools()
        messages: list[Raw] = [{"role": "user", "content": TASK}]
        for cycle, planned in enumerate(script(self.tools.files(), cycles=self.cycles, largest=self.tools.largest(AT_ONCE))):
            if cycle in (PASTED_AT, THANKED_AT):
                messages.append({"role": "user", "content": pasted() if cycle == PASTED_AT else THANKS})
            row = self._row(cycle, manager, messages=messages, tools=[*TOOLS, *own])
            self.rows.append(row)
            yield row
            reading = self._reading(cycle)
            step = [(own[0]["function"]["name"], {"key": reading})] if reading else planned
            self._act(cycle, step, manager=manager, messages=messages)
        self.snapshot = manager.snapshot()

    def _act(self, cycle: int, step: Step, *, manager: Manager, messages: list[Raw]) -> None:
        """The model's reply and the answers of its tools, added to the history."""
        reply = said(cycle, step)
        manager.record({"prompt_tokens": self.rows[-1].tokens, "completion_tokens": self.weigh(reply)})
        messages += [reply, *answered(reply, lambda call: self._answer(call, manager=manager, messages=messages))]

    def _row(self, cycle: int, manager: Manager, *, messages: list[Raw], tools: list[Any]) -> Row:
        request = manager.prepare_sync(messages, tools=tools)
        events = list(request.events)
        if cycle == REFUSED_AT:
            before = request.tokens
            request = manager.recover(PromptTooLong("prompt is too long: it exceeds the maximum context length"))
            events += request.events
            self.recovered += request.tokens < before
        self.handed.append(list(messages))
        sent = sum(map(self.weigh, request.arguments["messages"]))
        self.plain += unedited([request.tokens], sent=[sent], plain=[sum(map(self.weigh, messages))])
        for event in events:
            self.accepted += event.rung == "compact" and event.detail.get("by") == "model"
            self.unused += event.rung == "summary"
            self.refused += event.rung == "summary" and event.detail.get("outcome") == "refused"
        new = messages[len(self.handed[-2]) :] if cycle else messages
        return Row(
            index=cycle,
            tokens=request.tokens,
            window=request.window,
            format="openai_chat",
            native={"messages": request.arguments["messages"]},
            events=tuple(map(_happening, events)),
            arrived=arrived(new),
            nudges=request.nudges,
            notices=tuple(request.notices),
        )

    def _reading(self, cycle: int) -> str:
        """The key of an original the model reads back, once, when one was cleared; empty otherwise."""
        if self.retrieved or cycle < RETRIEVED_FROM:
            return ""
        return next((key for row in self.rows for event in row.events if event.rung == "clear" for key in event.keys), "")

    def _answer(self, call: Raw, *, manager: Manager, messages: list[Raw]) -> str:
        function = call["function"]
        arguments = json.loads(function["arguments"])
        if "key" in arguments:
            answer = manager.answer(call)
            text = str(answer["content"]) if answer is not None else ""
            ordinal = int(arguments["key"].removeprefix("m").partition(".")[0])
            self.retrieved += messages[ordinal]["content"][:ORIGINAL] in text
            self.read_back = arguments["key"]
            return text
        return self.tools.run(function["name"], arguments)

    def _summary(self, prompt: str) -> str:
        """The scripted summarizer: good at first, then one refusal, then good again."""
        if self.accepted and not self.refused:
            return "I'm sorry, but I can't help with that."
        return SUMMARY.format(covered=len(self.rows))


def _happening(event: Any) -> Happening:
    return Happening(event.rung, event.tokens_before, event.tokens_after, event.reason, tuple(event.keys))


def pasted() -> str:
    """A long log, as a person would paste it."""
    lines = (
        f"12:{n // 60 % 60:02}:{n % 60:02} worker-{n % 7} step {n} finished in {n * 37 % 911} ms, queue {n % 13}"
        for n in range(PASTED_LINES)
    )
    return "Here is the log of last night's run, look at it while you audit:\n" + "\n".join(lines)
