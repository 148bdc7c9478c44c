"""Runs for tests: a scripted model, tools that say what they were asked, and a witness of everything that must hold."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sostenuto.agent import Event, Outcome, Purse, Setup, codec_of, run
from sostenuto.manager import ContextManager
from sostenuto.messages import Call, Message, Result, Text
from sostenuto.protocols import Heard, Raw, Spoken
from sostenuto.testing import Reply, Script, ScriptedModel
from sostenuto.tools import Context, Policy, Tool

WINDOW = 16_000


class Hesitant(ScriptedModel):
    """The same, but others get a turn before, while and after it speaks."""

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """One reply, with pauses."""
        pieces: list[tuple[Any, str]] = []
        spoken = await super().speak(
            arguments, tools=tools, max_output=max_output, thinking=thinking, heard=lambda *each: pieces.append(each)
        )
        for kind, words in pieces:
            await asyncio.sleep(0)
            if heard is not None:
                heard(kind, words)
        await asyncio.sleep(0)
        return spoken


def looking(name: str = "look", *, characters: int = 40, repeatable: bool = True) -> Tool:
    """A tool that only looks, and finds so many characters."""

    async def run(arguments: Mapping[str, Any], context: Context, /) -> str:
        await asyncio.sleep(0)
        said = f"{name} {sorted(arguments.items())} "
        return (said * (characters // len(said) + 1))[:characters]

    schema = {"type": "object", "properties": {"path": {"type": "string"}, "part": {"type": "integer"}}, "additionalProperties": False}
    return Tool(name, "Look at a part.", schema, run, risk="read-only", repeatable=repeatable)


def look(part: int, path: str = "data.txt") -> tuple[str, dict[str, Any]]:
    """A call of it."""
    return "look", {"path": path, "part": part}


@dataclass
class Played:
    """A run and its witnesses."""

    outcome: Outcome
    model: ScriptedModel
    events: list[Event] = field(default_factory=list)

    def told(self, kind: str) -> list[Mapping[str, Any]]:
        """The details of the events of a kind, of the run itself."""
        return [event.detail for event in self.events if event.kind == kind and not event.depth]

    @property
    def notices(self) -> list[str]:
        """Lines for the person."""
        return [str(detail["text"]) for detail in self.told("notice")]

    def sent(self, number: int) -> str:
        """The last message of a request, as text."""
        return str(self.model.requests[number].messages[-1])


def played(
    script: Script,
    *,
    task: str | None = "Do the work.",
    tools: Sequence[Tool] = (),
    format: str = "openai_chat",
    name: str = "scripted:model",
    window: int = WINDOW,
    history: list[Raw] | None = None,
    queue: Any = None,
    model: ScriptedModel | None = None,
    price: float | None = 0.001,
    **setup: Any,
) -> Played:
    """Play a script to its end."""
    model = model or ScriptedModel(script, format=format, window=window, name=name)
    events: list[Event] = []
    context = setup.pop("context", None) or ContextManager(model.name, window=window, format=model.format)
    whole = Setup(
        model=model,
        context=context,
        tools=tuple(tools),
        policy=Policy("read-only"),
        purse=setup.pop("purse", None) or Purse(lambda *_: price),
        on_event=events.append,
        **setup,
    )
    outcome = asyncio.run(run(task, whole, history=history, queue=queue))
    check_valid(outcome.history, model.format)
    return Played(outcome, model, events)


def check_valid(history: Sequence[Raw], format: str) -> None:
    """Every call of the history has exactly one answer, and with what a person says next it makes a request its wire takes."""
    codec = codec_of(format)
    calls = [part.id for raw in history for part in codec.decode(raw).parts if isinstance(part, Call)]
    answers = [part.call_id for raw in history for part in codec.decode(raw).parts if isinstance(part, Result)]
    assert sorted(calls) == sorted(answers)
    said = codec.encode(Message("user", (Text("Go on."),)))
    request = ContextManager(window=200_000, format=format).prepare_sync([*history, said])
    assert not codec.problems(request.arguments)
    assert not request.mended or any("arguments" in event.reason for event in request.events)  # what a model said in no JSON


def steps(count: int, *, text: str = "Done.", per: int = 1) -> list[Reply | str]:
    """So many batches of looks at different parts, then an answer."""
    return [*(Reply(f"Step {n}.", calls=[look(n * per + each) for each in range(per)]) for n in range(count)), text]
