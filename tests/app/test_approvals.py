"""Approvals through a whole run: who is asked, in what order, and what those who watch are told (origin 11.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sostenuto.agent import Event, Stop
from sostenuto.app import Ran, Wish, perform
from sostenuto.testing import Reply, Script, ScriptedModel
from sostenuto.tools import Ask, Asking


def performed(folder: Path, script: Script, ask: Asking | None, *, stop: Stop | None = None) -> tuple[Ran, list[dict[str, Any]]]:
    """One run, and its approval events."""
    model = ScriptedModel(script, name="scripted:x", window=16_000)
    events: list[Event] = []
    wish = Wish("Go.", folder, folder, model="scripted:x")
    made = perform(wish, listener=events.append, stop=stop or Stop(), models=lambda name, /, **_: model, ask=ask)
    return asyncio.run(made), [event.as_dict() for event in events if event.kind == "approval"]


def results(ran: Ran) -> list[str]:
    """What the model was told of its calls."""
    return [str(raw["content"]) for raw in ran.outcome.history if raw["role"] == "tool"]


def test_a_question_and_its_answer_are_events(tmp_path: Path) -> None:
    """Each call above the policy is told as asked and then as answered, with its tool, tier, arguments and the words of a no."""
    shell = Reply(calls=[("shell", {"command": "echo one"}), ("shell", {"command": "echo two"})])
    ran, events = performed(tmp_path, [shell, "Done."], lambda question: "one" in question.call.arguments["command"] or "not that")
    assert [(event["state"], event["name"]) for event in events] == [("asked", "shell"), ("answered", "shell")] * 2
    assert events[0]["arguments"] == '{"command": "echo one"}'
    assert (events[0]["risk"], events[1]["allowed"], events[3]["allowed"], events[3]["text"]) == ("high-risk", True, False, "not that")
    assert results(ran)[0].strip() == "one"
    assert "They said: not that" in results(ran)[1]


def test_without_anybody_to_ask_it_is_told_as_refused(tmp_path: Path) -> None:
    """The event and the model have the same words."""
    ran, (event,) = performed(tmp_path, [Reply(calls=[("shell", {"command": "ls"})]), "Done."], None)
    assert (event["state"], event["allowed"], event["text"]) == ("refused", False, results(ran)[0])


def test_a_sub_agents_question_says_whose_it_is(tmp_path: Path) -> None:
    """The person is asked for a sub-agent's call too, and is told that it is one's; so is who watches."""

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        mine = "Look into it." in str([raw for raw in arguments["messages"] if raw["role"] == "user"])
        done = any(raw["role"] == "tool" for raw in arguments["messages"])
        if mine:
            return "Looked." if done else Reply(calls=[("shell", {"command": "echo deep"})])
        return "Done." if done else Reply(calls=[("spawn_subagent", {"task": "Look into it."})])

    asked: list[Ask] = []

    def ask(question: Ask) -> bool:
        asked.append(question)
        return True

    _, events = performed(tmp_path, script, ask)
    assert [question.depth for question in asked] == [1]
    assert [event["depth"] for event in events] == [1, 1]


def test_a_stop_at_a_question_answers_the_call(tmp_path: Path) -> None:
    """A run that is stopped while the person is asked ends as interrupted, and the call is answered as not run."""
    stop = Stop()

    async def ask(question: Ask) -> bool:
        stop.now()
        await asyncio.Event().wait()
        return True

    ran, events = performed(tmp_path, [Reply(calls=[("shell", {"command": "touch made"})]), "Never."], ask, stop=stop)
    assert ran.outcome.ended == "interrupted"
    assert "was not run: the person interrupted the run" in results(ran)[0]
    assert [event["state"] for event in events] == ["asked"]
    assert not (tmp_path / "made").exists()
