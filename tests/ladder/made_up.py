"""Small made-up histories in every wire, a cheap exact weigher, and scripted summarizers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sostenuto import ContextManager, Request
from sostenuto.checkpoint import HEADINGS
from sostenuto.messages import Call, Part, Result, Text, Thinking
from sostenuto.protocols import Raw
from tests.engine import wires
from tests.engine.conversing import CODECS

FORMATS = sorted(CODECS)
_KEY = {"type": "object", "properties": {"key": {"type": "string"}}}
RETRIEVE = [{"type": "function", "function": {"name": "recall", "parameters": _KEY}}]
PLACEHOLDER = "cleared to save space"
LEFT_OUT = "left out here"


class Quarters:
    """An exact weigher that is cheap: a token is four characters."""

    name = "quarters"
    exact = True

    def __call__(self, text: str, /) -> int:
        return (len(text) + 3) // 4


def sized(tokens: int, mark: str = "text") -> str:
    """A text of so many tokens that opens with `mark`, has words and line ends, and differs from one mark to another."""
    line = f"{mark} lorem ipsum dolor sit amet consectetur\n"
    return (line * (tokens * 4 // len(line) + 1))[: tokens * 4]


@dataclass
class Talk:
    """A history that grows, in any wire."""

    format: str = "openai_chat"
    messages: list[Raw] = field(default_factory=list)
    cycles: int = 0
    names: dict[str, str] = field(default_factory=dict)

    def user(self, text: str) -> Talk:
        """The person says something."""
        self.messages.append(wires.user(text, format=self.format))
        return self

    def says(self, text: str) -> Talk:
        """The model says something and calls nothing."""
        self.messages += wires.reply(text, format=self.format)
        return self

    def cycle(
        self, *results: str | int, name: str = "bash", arguments: Raw | None = None, thinking: str = "", failed: bool = False
    ) -> Talk:
        """The model calls a tool once per result, and is answered. A number is a result of so many tokens."""
        ids = self.calls(*[name] * len(results), arguments=arguments, thinking=thinking)
        for call_id, result in zip(ids, results, strict=True):
            self.result(call_id, result if isinstance(result, str) else sized(result, f"result {call_id}"), failed=failed)
        return self

    def calls(self, *names: str, arguments: Raw | None = None, thinking: str = "") -> list[str]:
        """The model calls these tools; returns the call ids."""
        self.cycles += 1
        ids = [f"c{self.cycles}_{number}" for number in range(len(names))]
        given = arguments if arguments is not None else {"command": f"step {self.cycles}"}
        asked = list(zip(ids, names, strict=True))
        self.names.update(asked)
        text = json.dumps(given)
        if self.format == "anthropic":
            blocks: list[Raw] = [{"type": "thinking", "thinking": thinking, "signature": f"sig{self.cycles}"}] if thinking else []
            blocks += [{"type": "tool_use", "id": i, "name": name, "input": given} for i, name in asked]
            self.messages.append({"role": "assistant", "content": blocks})
        elif self.format == "gemini":
            parts: list[Raw] = [{"text": thinking, "thought": True}] if thinking else []
            made: list[Raw] = [{"functionCall": {"id": i, "name": name, "args": given}} for i, name in asked]
            made[0]["thoughtSignature"] = f"sig{self.cycles}"
            self.messages.append({"role": "model", "parts": [*parts, *made]})
        elif self.format == "openai_responses":
            self.messages += [wires.reasoning(f"sig{self.cycles}")] if thinking else []
            self.messages += [
                {"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": name, "arguments": text} for i, name in asked
            ]
        else:
            functions = [{"id": i, "type": "function", "function": {"name": name, "arguments": text}} for i, name in asked]
            self.messages.append({"role": "assistant", "content": None, "tool_calls": functions})
        return ids

    def result(self, call_id: str, text: str, *, failed: bool = False) -> Talk:
        """One call is answered; on the Anthropic and Gemini wires the answers of one batch share a message."""
        if self.format in ("openai_chat", "openai_responses"):
            self.messages += wires.answered([call_id], [f"Error: {text}" if failed else text], format=self.format)
            return self
        block: Raw = {"type": "tool_result", "tool_use_id": call_id, "content": text, **({"is_error": True} if failed else {})}
        if self.format == "gemini":
            body = {"error" if failed else "output": text}
            block = {"functionResponse": {"id": call_id, "name": self.names[call_id], "response": body}}
        place, last = ("parts" if self.format == "gemini" else "content"), self.messages[-1]
        if last["role"] == "user" and isinstance(last[place], list):
            self.messages[-1] = {**last, place: [*last[place], block]}
        else:
            self.messages.append({"role": "user", place: [block]})
        return self

    def grown(self, cycles: int, tokens: int, **how: Any) -> Talk:
        """So many cycles with one result of so many tokens each."""
        for _ in range(cycles):
            self.cycle(tokens, **how)
        return self


def manager(window: int, **wishes: Any) -> ContextManager:
    """A manager that counts in quarters."""
    return ContextManager(window=window, counter=Quarters(), **wishes)


def sent(request: Request) -> list[Raw]:
    """The native messages that are sent."""
    found: list[Raw] = request.arguments[CODECS[request.format].field]
    return found


def parts(request: Request) -> Iterator[Part]:
    """Every part of what is sent, in order."""
    for raw in sent(request):
        yield from CODECS[request.format].decode(raw).parts


def results(request: Request) -> dict[str, str]:
    """Call id -> text of its result."""
    return {part.call_id: part.text for part in parts(request) if isinstance(part, Result)}


def call_ids(request: Request) -> list[str]:
    """Ids of the calls that are sent."""
    return [part.id for part in parts(request) if isinstance(part, Call)]


def said(request: Request) -> str:
    """All words that are sent, results included."""
    return "\n".join(part.text for part in parts(request) if isinstance(part, Text | Result))


def thoughts(request: Request) -> list[str]:
    """The signatures of the thinking that is sent."""
    return [part.sealed for part in parts(request) if isinstance(part, Thinking)]


def rungs(request: Request) -> list[str]:
    """The rungs that fired, in order."""
    return [event.rung for event in request.events]


def faults(request: Request, *, thinking: bool = False) -> list[str]:
    """What the endpoint would refuse in a request (D57)."""
    arguments = {**request.arguments, "thinking": {"type": "enabled"}} if thinking else request.arguments
    return CODECS[request.format].problems(arguments)


def summary(note: str = "the work stands well") -> str:
    """A sound checkpoint of the schema."""
    return "\n\n".join(f"## {heading}\n" + (note if heading != "Progress" else f"### Done\n{note}") for heading in HEADINGS)


class Scripted:
    """A summarizer that gives the same answer each time, or raises it, and remembers what it was asked."""

    def __init__(self, answer: str | Exception | None = None) -> None:
        self.answer = summary() if answer is None else answer
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def played(context: ContextManager, talk: Talk, *, begin: int = 0, **asked: Any) -> list[Request]:
    """A request at every point where a model would be called; each one is legal."""
    requests: list[Request] = []
    messages = talk.messages
    theirs = [CODECS[talk.format].decode(raw).role == "assistant" for raw in messages]
    for number in range(begin + 1, len(messages) + 1):
        if not theirs[number - 1] and (number == len(messages) or theirs[number]):
            requests.append(context.prepare_sync(messages[:number], **asked))
            assert faults(requests[-1]) == []
    return requests


def fired(requests: list[Request], rung: str) -> int:
    """How often a rung fired."""
    return sum(rungs(request).count(rung) for request in requests)


def noticed(requests: list[Request], words: str) -> int:
    """How many notices hold these words."""
    return sum(words in notice for request in requests for notice in request.notices)
