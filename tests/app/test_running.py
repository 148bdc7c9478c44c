"""A run of the program, with models that are handed in (origin 11.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sostenuto.agent import Event, Stop
from sostenuto.app import Ran, Wish, perform
from sostenuto.errors import UnusableInput
from sostenuto.testing import Reply, Script, ScriptedModel


def performed(
    folder: Path, script: Script, *, events: list[Event] | None = None, format: str = "openai_chat", **changes: Any
) -> tuple[Ran, ScriptedModel]:
    """One run in a folder that is home and project."""
    wish = Wish(**{"prompt": "Go.", "home": folder, "project": folder, "model": f"scripted:{format}", **changes})
    model = ScriptedModel(script, format=format, name=wish.model, window=16_000)

    def models(name: str, /, *, window: int | None = None, retries: int = 0) -> ScriptedModel:
        return model

    taken = events if events is not None else []
    return asyncio.run(perform(wish, listener=taken.append, stop=Stop(), models=models)), model


def test_the_window_is_the_one_the_server_says(tmp_path: Path) -> None:
    """A server that serves 16,000 tokens is believed, and a ceiling below lowers it."""
    events: list[Event] = []
    performed(tmp_path, ["Hi."], events=events)
    performed(tmp_path, ["Hi."], events=events, flags={"llm.maxContextTokens": 9_000})
    assert [event.detail["window"] for event in events if event.kind == "start"] == [16_000, 9_000]


def test_a_model_is_let_go(tmp_path: Path) -> None:
    """After the run the connections of its model are closed."""
    assert performed(tmp_path, ["Hi."])[1].is_closed


@pytest.mark.parametrize("format", ["anthropic", "gemini", "openai_responses"])
def test_a_conversation_goes_on_with_a_model_of_another_wire(tmp_path: Path, format: str) -> None:
    """What was said on one wire is sent on the other, calls and results included."""
    (tmp_path / "a.txt").write_text("hello")
    read = Reply(calls=[("read_file", {"path": "a.txt"})])
    performed(tmp_path, [read, "It says hello."], conversation="c")
    ran, model = performed(tmp_path, ["As I said."], format=format, conversation="c", prompt="Again?")
    assert ran.outcome.text == "As I said."
    sent = str(model.requests[0].arguments)
    assert "It says hello." in sent
    assert "Again?" in sent
    ran, _ = performed(tmp_path, ["Still."], format=format, conversation="c", prompt="And now?")
    assert ran.outcome.text == "Still."


def test_a_run_that_is_given_up_is_failed_and_kept(tmp_path: Path) -> None:
    """After --timeout the run is failed, and its conversation holds what was done."""

    class Hanging(ScriptedModel):
        async def speak(self, *arguments: Any, **named: Any) -> Any:
            if self.requests:
                await asyncio.Event().wait()
            return await super().speak(*arguments, **named)

    (tmp_path / "a.txt").write_text("hello")
    model = Hanging([Reply(calls=[("read_file", {"path": "a.txt"})])], name="scripted:x", window=16_000)
    wish = Wish("Go.", tmp_path, tmp_path, model="scripted:x", conversation="c", timeout_s=0.3)
    ran = asyncio.run(perform(wish, listener=lambda event: None, stop=Stop(), models=lambda name, /, **_: model))
    assert ran.outcome.ended == "failed"
    assert "--timeout" in str(ran.outcome.error)
    assert [raw["role"] for raw in ran.outcome.history] == ["user", "assistant", "tool"]
    assert performed(tmp_path, ["Here."], conversation="c")[0].outcome.text == "Here."


def test_a_conversation_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    """With a file where the folder should be the answer is there all the same, and why it is not kept."""
    (tmp_path / "history").write_text("")
    ran, _ = performed(tmp_path, ["Hi."], conversation="c")
    assert ran.outcome.text == "Hi."
    assert "cannot be opened for writing" in ran.unsaved


def test_a_workflow_stays_in_every_request(tmp_path: Path) -> None:
    """The text of a workflow is byte-equal in the last request of a run that compacted several times."""
    task = "# Task\r\n\n  Keep   every space of this.\n"
    path = tmp_path / "workflows" / "w" / "WORKFLOW.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(f"---\nname: w\n---\n{task}".encode())
    (tmp_path / "big.txt").write_text("some words of a large file\n" * 400)
    number = iter(range(100))

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        if "Keep   every" not in str(arguments["messages"][:2]):
            return "no summary"
        step = next(number)
        words = "What was read there is described at length. " * 40
        return Reply(words, calls=[("read_file", {"path": "big.txt", "offset": step + 1, "limit": 5})]) if step < 40 else "Done."

    events: list[Event] = []
    ran, model = performed(tmp_path, script, events=events, workflow="w", prompt=None, flags={"maxSubagentDepth": 0})
    assert ran.outcome.text == "Done.", ran.outcome
    assert any(event.kind == "rung" and event.detail["rung"] == "compact" for event in events)
    assert all({"role": "user", "content": task} in request.messages for request in model.requests if len(request.messages) > 2)


def test_a_conversation_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    """A conversation that a newer version wrote is named and stays as it is."""
    path = tmp_path / "history" / "default" / "c" / "transcript.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"schema": 99, "kind": "transcript"}\n')
    with pytest.raises(UnusableInput, match="newer version"):
        performed(tmp_path, ["Hi."], conversation="c")
    assert path.read_text() == '{"schema": 99, "kind": "transcript"}\n'


def _local(folder: Path, *, text: int, pin: int | None = None) -> list[Event]:
    """A run on a server that does not say its window, in which one result of so many characters is read; every rung and notice of it."""
    name, flags = "ollama:nobody-knows-it", {} if pin is None else {"llm.numCtx": pin}
    (folder / "a.txt").write_text("some words of a file\n" * (text // 21))
    reading = [Reply(calls=[("read_file", {"path": "a.txt", "start_line": 1 + 300 * n, "end_line": 300 + 300 * n})]) for n in range(12)]
    model = ScriptedModel([*reading, *["Done."] * 9], name=name)
    events: list[Event] = []
    wish = Wish("Go.", folder, folder, model=name, flags=flags)
    ran = asyncio.run(perform(wish, listener=events.append, stop=Stop(), models=lambda called, /, **_: model))
    assert ran.outcome.ended == "done", ran.outcome
    return events


def _rungs(events: list[Event]) -> set[str]:
    return {event.detail["rung"] for event in events if event.kind == "rung"}


def _notices(events: list[Event]) -> list[str]:
    return [event.detail["text"] for event in events if event.kind == "notice"]


def test_the_ladder_goes_by_the_pin(tmp_path: Path) -> None:
    """Pinned at 8,000 tokens a run clears or compacts by that window; at 200,000, above what is assumed, nothing fires (A.2)."""
    small = _local(tmp_path, text=80_000, pin=8_000)
    assert _rungs(small) & {"clear", "compact"}
    assert next(event.detail["window"] for event in small if event.kind == "start") == 8_000
    large = _local(tmp_path, text=80_000, pin=200_000)
    assert not _rungs(large)
    assert next(event.detail["window"] for event in large if event.kind == "start") == 200_000


def test_a_local_model_without_a_pin_is_told(tmp_path: Path) -> None:
    """Where neither server nor pin says a window, the person hears which number is assumed and how to pin one (A.2)."""
    said = " ".join(_notices(_local(tmp_path, text=21)))
    assert "128,000" in said
    assert "pin" in said
    assert not any("pin" in text for text in _notices(_local(tmp_path, text=21, pin=32_000)))


def test_a_ceiling_is_what_pressure_is_told_of(tmp_path: Path) -> None:
    """With a ceiling the warning names its number, not the window's, and below the compaction line nothing is compacted (A.3)."""
    (tmp_path / "a.txt").write_text("some words of a file\n" * 1_000)
    step = Reply("Words. " * 900, calls=[("read_file", {"path": "a.txt", "end_line": 200})])
    events: list[Event] = []
    performed(tmp_path, [step, step, "Done."], events=events, flags={"llm.maxContextTokens": 9_000})
    warned = [text for text in _notices(events) if "9,000" in text]
    assert warned
    assert "compact" not in _rungs(events)


def test_sub_agents_have_the_tools_of_the_run_and_no_others(tmp_path: Path) -> None:
    """Where an agent may only read, so may whoever it hands work to (A.3)."""

    def script(arguments: Mapping[str, Any]) -> Reply | str:
        turn = sum(raw["role"] == "assistant" for raw in arguments["messages"])
        if "Part one." in str(arguments["messages"][-1]["content"]) or turn:
            return "Done."
        return Reply(calls=[("spawn_subagent", {"task": "Part one."})])

    _, model = performed(tmp_path, script, flags={"tools": ["read_file"]})
    offered = [{tool["function"]["name"] for tool in request.tools} for request in model.requests]
    assert len(offered) == 3
    assert all("read_file" in names and not names & {"shell", "write_file", "edit_file"} for names in offered)
