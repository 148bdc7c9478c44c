"""What waits for approval in a kept conversation, whatever wire the model speaks that goes on with it (origin 11.2; 14.1, 28)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sostenuto.agent import Event, Stop, codec_of
from sostenuto.app import Ran, Verdict, Wish, perform
from sostenuto.errors import UnusableInput
from sostenuto.messages import Call, Result
from sostenuto.testing import Reply, Script, ScriptedModel

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
SHELL = Reply(calls=[("read_file", {"path": "a.txt"}), ("shell", {"command": "echo ran >> made"}), ("list_files", {"path": "."})])


def performed(folder: Path, script: Script, format: str, **changes: Any) -> tuple[Ran, ScriptedModel, list[Event]]:
    """One run of the conversation c in a folder that is home and project."""
    (folder / "a.txt").write_text("hello")
    wish = Wish(**{"prompt": "Go.", "home": folder, "project": folder, "model": f"scripted:{format}", "conversation": "c", **changes})
    model = ScriptedModel(script, format=format, name=wish.model, window=16_000)
    events: list[Event] = []
    made = perform(wish, listener=events.append, stop=Stop(), models=lambda name, /, **_: model)
    return asyncio.run(made), model, events


@pytest.mark.parametrize("after", FORMATS)
@pytest.mark.parametrize("before", FORMATS)
def test_a_model_of_another_wire_goes_on(tmp_path: Path, before: str, after: str) -> None:
    """A batch that was parked on one wire is approved and answered on any, in order, in a request that its wire takes."""
    ran, _, _ = performed(tmp_path, [SHELL], before, parks=True)
    assert ran.outcome.parked is not None
    verdict = Verdict(ran.outcome.parked.waiting[0].id, approved=True)
    ran, model, _ = performed(tmp_path, ["Done."], after, prompt=None, verdict=verdict)
    assert (ran.outcome.ended, ran.outcome.text) == ("done", "Done.")
    assert (tmp_path / "made").read_text() == "ran\n"
    codec = codec_of(after)
    assert not codec.problems(model.requests[0].arguments)
    parts = [part for raw in ran.outcome.history for part in codec.decode(raw).parts]
    results = [part for part in parts if isinstance(part, Result)]
    assert [call.id for call in parts if isinstance(call, Call)] == [result.call_id for result in results]
    assert "hello" in results[0].text
    assert "ran after the other calls" in results[1].text
    assert "a.txt" in results[2].text


@pytest.mark.parametrize("after", FORMATS)
@pytest.mark.parametrize("before", FORMATS)
def test_a_conversation_that_changed_its_wire_before(tmp_path: Path, before: str, after: str) -> None:
    """A batch is parked and approved in a conversation that began on another wire; so is a prompt in its place, with the real results."""
    performed(tmp_path, ["Hello."], before)
    ran, _, _ = performed(tmp_path, [SHELL], after, prompt="More.", parks=True)
    assert ran.outcome.parked is not None
    verdict = Verdict(ran.outcome.parked.waiting[0].id, approved=True)
    ran, model, _ = performed(tmp_path, [SHELL], after, prompt=None, verdict=verdict)
    assert ran.outcome.ended == "parked"
    ran, model, _ = performed(tmp_path, ["Well."], before, prompt="Leave it.")
    codec = codec_of(before)
    assert not codec.problems(model.requests[0].arguments)
    results = [part.text for raw in ran.outcome.history for part in codec.decode(raw).parts if isinstance(part, Result)]
    assert len(results) == 6
    assert ["hello" in results[0], "ran after" in results[1], "hello" in results[3], "nobody approved it" in results[4]] == [True] * 4
    assert ran.outcome.text == "Well."
    assert (tmp_path / "made").read_text() == "ran\n"
    ran, model, _ = performed(tmp_path, ["Still."], before, prompt="And now?")
    assert json.dumps(model.requests[0].arguments[codec.field]).count("nobody approved it") == 1
    assert not codec.problems(model.requests[0].arguments)


@pytest.mark.parametrize("format", FORMATS)
def test_another_prompt_is_said_behind_the_answers(tmp_path: Path, format: str) -> None:
    """Another process that is given a new task sends the answers first, and then the task (14.1, 28)."""
    performed(tmp_path, [SHELL], format, parks=True)
    ran, model, _ = performed(tmp_path, ["Well."], format, prompt="Leave it.")
    assert not codec_of(format).problems(model.requests[0].arguments)
    sent = json.dumps(model.requests[0].arguments[codec_of(format).field])
    assert sent.index("hello") < sent.index("nobody approved it") < sent.index("Leave it.")
    assert ran.outcome.text == "Well."
    assert not (tmp_path / "made").exists()


def test_a_workflow_is_not_given_again(tmp_path: Path) -> None:
    """A run that goes on with a workflow has its terms, and its task is in the history once."""
    flow = tmp_path / "flow.md"
    flow.write_text("---\nname: flow\ndescription: d\n---\nDo the flow.\n")
    ran, _, _ = performed(tmp_path, [SHELL], "openai_chat", parks=True, prompt=None, workflow=str(flow))
    assert ran.outcome.parked is not None
    verdict = Verdict(ran.outcome.parked.waiting[0].id, approved=False)
    _, model, _ = performed(tmp_path, ["Done."], "openai_chat", prompt=None, workflow=str(flow), verdict=verdict)
    assert json.dumps(model.requests[0].arguments["messages"]).count("Do the flow.") == 1


def test_figures_go_by_the_run_that_was_parked(tmp_path: Path) -> None:
    """The figures of a run that goes on have the id of the run that was parked, so both are one run."""
    ran, _, _ = performed(tmp_path, [SHELL], "openai_chat", parks=True)
    assert ran.outcome.parked is not None
    performed(tmp_path, ["Done."], "openai_chat", prompt=None, verdict=Verdict(ran.outcome.parked.waiting[0].id, approved=True))
    lines = [json.loads(line) for path in (tmp_path / "telemetry").rglob("*.jsonl") for line in path.read_text().splitlines()]
    assert {line["run"] for line in lines} == {ran.outcome.parked.run}


def test_where_nothing_is_kept_nothing_waits(tmp_path: Path) -> None:
    """A conversation that cannot be written lets no call wait: it is refused, that is said, and nothing can be decided in it."""
    (tmp_path / "history").write_text("in the way")
    ran, _, events = performed(tmp_path, [SHELL, "Then not."], "openai_chat", parks=True)
    assert ran.outcome.ended == "done"
    assert any("nothing can wait for approval" in str(event.detail) for event in events if event.kind == "notice")
    (tmp_path / "work" / "default" / "c").mkdir(parents=True)
    with pytest.raises(UnusableInput, match="cannot be decided about"):
        performed(tmp_path, [], "openai_chat", prompt=None, verdict=Verdict("x", approved=True))


def test_a_document_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """What is decided about a batch whose document is damaged ends with the file and what is wrong with it."""
    ran, _, _ = performed(tmp_path, [SHELL], "openai_chat", parks=True)
    assert ran.outcome.parked is not None
    (tmp_path / "work" / "default" / "c" / "parked.json").write_text("{")
    with pytest.raises(UnusableInput, match=r"parked\.json: not JSON"):
        performed(tmp_path, [], "openai_chat", prompt=None, verdict=Verdict(ran.outcome.parked.waiting[0].id, approved=True))
