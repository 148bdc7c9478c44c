"""ATIF trajectories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import as_sent, open_recording
from tests.recordings.accounting import mutated, opened_or_refused, problems, records
from tests.recordings.writing import Raw, document, text


def _trajectory(*steps: Any, **fields: Any) -> Raw:
    numbered = [{"step_id": at} | step if isinstance(step, dict) else step for at, step in enumerate(steps, start=1)]
    agent = {"name": "a", "version": "1", "model_name": "openai/gpt-x"}
    return {"schema_version": "ATIF-v1.7", "session_id": "s", "agent": agent, "steps": numbered} | fields


def _agent(message: Any, **fields: Any) -> Raw:
    return {"source": "agent", "message": message} | fields


def _call(name: str) -> Raw:
    return {"tool_call_id": name, "function_name": "read", "arguments": {"path": "a.py"}}


def _observed(*results: Raw) -> Raw:
    return {"results": list(results)}


TASK: Raw = {"source": "user", "message": "Fix it."}
CALLED = _agent(
    "Reading.",
    model_name="gpt-y",
    reasoning_content="first look",
    tool_calls=[_call("c1"), _call("c2")],
    observation=_observed({"source_call_id": "c2", "content": "two"}, {"source_call_id": "c1", "content": "one"}),
    metrics={"prompt_tokens": 900, "completion_tokens": 20, "cached_tokens": 700},
)
WHOLE = _trajectory({"source": "system", "message": "Be brief."}, TASK, CALLED, _agent("Done."))


def test_steps_are_messages_calls_and_results(tmp_path: Path) -> None:
    """Each source has its role, results follow their calls in order, and metrics and model belong to their reply."""
    recording = open_recording(document(tmp_path / "r", WHOLE))
    assert (recording.reader, recording.format, recording.model) == ("atif", "openai_chat", "openai:gpt-y")
    system, task, reply, first, second, last = recording.messages
    assert (system, task) == ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Fix it."})
    assert (reply["content"], reply["reasoning_content"]) == ("Reading.", "first look")
    assert [call["id"] for call in reply["tool_calls"]] == ["c1", "c2"]
    assert json.loads(reply["tool_calls"][0]["function"]["arguments"]) == {"path": "a.py"}
    assert [(one["tool_call_id"], one["content"]) for one in (first, second)] == [("c1", "one"), ("c2", "two")]
    assert last == {"role": "assistant", "content": "Done."}
    assert [(one.upto, one.reported, one.output, one.model) for one in recording.exchanges] == [
        (2, 900, 20, "openai:gpt-y"),
        (5, None, None, "openai:gpt-x"),
    ]
    assert (recording.used, recording.meta, recording.skipped) == (4, 0, ())


@pytest.mark.parametrize(
    ("message", "name", "arguments"),
    [
        ('Plan: {"commands": [{"keystrokes": "ls\\n"}, {"keystrokes": "pwd\\n"}]}', "terminal", {"command": "ls\npwd\n"}),
        ('<commands><keystrokes duration="1">ls\n</keystrokes><keystrokes>pwd', "terminal", {"command": "ls\n"}),
        ('{"commands": []}', "terminal", {"command": ""}),
        ("I will look.", "environment", {}),
        ('{"commands": [', "environment", {}),
    ],
)
def test_an_observation_without_a_call_answers_a_made_one(tmp_path: Path, message: str, name: str, arguments: Raw) -> None:
    """What an agent typed inside its text becomes a call with the keystrokes, and what it saw the result; the text stays whole."""
    step = _agent(message, observation=_observed({"content": "a.py"}, {"content": "/src"}))
    reply, result = open_recording(document(tmp_path / "r", _trajectory(TASK, step, _agent("ok")))).messages[1:3]
    function = reply["tool_calls"][0]["function"]
    assert (reply["content"], function["name"], json.loads(function["arguments"])) == (message, name, arguments)
    assert result == {"role": "tool", "tool_call_id": reply["tool_calls"][0]["id"], "content": "a.py\n/src"}


def test_results_that_name_no_call_answer_the_open_ones(tmp_path: Path) -> None:
    """A result without the name of a call goes to the next unanswered call, and what is left over to the last."""
    results = [{"content": "x"}, {"source_call_id": "c1", "content": "one"}, {"source_call_id": "lost", "content": "y"}]
    step = _agent("Reading.", tool_calls=[_call("c1"), _call("c2")], observation=_observed(*results))
    messages = open_recording(document(tmp_path / "r", _trajectory(TASK, step))).messages
    assert [(one["tool_call_id"], one["content"]) for one in messages[2:]] == [("c1", "one"), ("c2", "x\ny")]
    step = _agent("Reading.", tool_calls=[_call("c1")], observation=_observed({"source_call_id": "c1", "content": "one"}, {"content": "x"}))
    assert open_recording(document(tmp_path / "r", _trajectory(TASK, step))).messages[2]["content"] == "one\nx"


def test_an_observation_of_a_user_or_system_step_is_a_result(tmp_path: Path) -> None:
    """What was observed without the model asking becomes a made call and its result, without an exchange."""
    step = {"source": "user", "message": "I ran it.", "observation": _observed({"content": "failed"})}
    recording = open_recording(document(tmp_path / "r", _trajectory(TASK, step, _agent("I see."))))
    assert [message["role"] for message in recording.messages] == ["user", "user", "assistant", "tool", "assistant"]
    assert [one.upto for one in recording.exchanges] == [4]


def test_copied_steps_are_history_without_an_exchange(tmp_path: Path) -> None:
    """Steps copied from an earlier trajectory are messages, and nothing was asked for them here; nor for a step without a model call."""
    copied = [TASK | {"is_copied_context": True}, _agent("Old.", is_copied_context=True)]
    recording = open_recording(document(tmp_path / "r", _trajectory(*copied, _agent("Fixed.", llm_call_count=0), _agent("New."))))
    assert len(recording.messages) == 4
    assert [one.upto for one in recording.exchanges] == [3]


def test_the_sum_of_several_calls_is_no_report(tmp_path: Path) -> None:
    """Metrics of a step that asked the model twice are left out."""
    step = _agent("Done.", llm_call_count=2, metrics={"prompt_tokens": 900})
    assert open_recording(document(tmp_path / "r", _trajectory(TASK, step))).exchanges[0].reported is None


def test_a_compaction_is_a_boundary(tmp_path: Path) -> None:
    """The note of a compaction is meta; what follows was sent behind the system messages."""
    note = {"source": "system", "message": "Summarised.", "extra": {"context_management": {"type": "compaction", "boundary": "replace"}}}
    steps = [
        {"source": "system", "message": "Be brief."},
        TASK,
        _agent("Old."),
        note,
        {"source": "user", "message": "Go on."},
        _agent("New."),
    ]
    recording = open_recording(document(tmp_path / "r", _trajectory(*steps)))
    assert recording.meta == 1
    assert [message["content"] for message in recording.messages] == ["Be brief.", "Fix it.", "Old.", "Go on.", "New."]
    assert [message["content"] for message in as_sent(recording, recording.exchanges[1])] == ["Be brief.", "Go on."]


def test_other_trajectories_are_named(tmp_path: Path) -> None:
    """Embedded sub-agents, a continuation, other trajectories, unknown sources and empty steps are skipped by name."""
    whole = _trajectory(
        *(TASK, _agent("Hi."), {"source": "critic", "message": "x"}, _agent(""), 7, {"source": "user"}),
        subagent_trajectories=[_trajectory(TASK, trajectory_id="sub"), None],
        continued_trajectory_ref="next.json",
    )
    recording = open_recording(document(tmp_path / "r", [_trajectory(TASK), whole]))
    kinds = ["critic", "empty", "int", "empty", "trajectory", "subagent", "subagent", "continuation"]
    assert [one.kind for one in recording.skipped] == kinds
    assert "'next.json'" in recording.skipped[-1].reason
    assert records(recording) == 6 + 4


def test_parts_and_tools_are_taken_over(tmp_path: Path) -> None:
    """Text and image parts and the definitions of tools come out in the shapes of the wire."""
    picture = {"type": "image", "source": {"media_type": "image/png", "path": "shots/1.png"}}
    step = _agent("Look.", tool_calls=[_call("c1")], observation=_observed({"source_call_id": "c1", "content": [text("see"), picture]}))
    whole = _trajectory(TASK | {"message": [text("Fix it.")]}, step)
    whole["agent"]["tool_definitions"] = [{"type": "function", "function": {"name": "read"}}]
    recording = open_recording(document(tmp_path / "r", whole))
    assert recording.messages[0]["content"] == "Fix it."
    assert recording.messages[2]["content"] == [text("see"), {"type": "image_url", "image_url": {"url": "shots/1.png"}}]
    assert recording.tools == whole["agent"]["tool_definitions"]


def test_a_trajectory_without_a_version_is_known_by_its_steps(tmp_path: Path) -> None:
    """Agent, step numbers and sources are enough; steps of something else are not."""
    assert open_recording(document(tmp_path / "r", WHOLE | {"schema_version": None})).reader == "atif"
    with pytest.raises(UnusableInput, match="not a recording that is known"):
        open_recording(document(tmp_path / "r", {"agent": {}, "steps": [{"name": "build"}]}))


def test_text_of_many_openings_is_read_in_one_pass(tmp_path: Path) -> None:
    """A reply of a hundred thousand unclosed keystrokes is read like any other."""
    step = _agent("<keystrokes>" * 100_000, observation=_observed({"content": "x"}))
    assert len(open_recording(document(tmp_path / "r", _trajectory(TASK, step))).messages) == 3


@pytest.mark.parametrize(
    ("name", "messages", "replies", "counts"), [("trajectory.json", 7, 3, (4, 1, 1)), ("trajectory.cont-1.json", 12, 4, (8, 0, 0))]
)
def test_shared_specimens_are_valid_and_accounted_for(
    shared: Path, name: str, messages: int, replies: int, counts: tuple[int, int, int]
) -> None:
    """Every history of the two linked specimens is valid, and every step is used, meta or named."""
    stem = "terminus_2_hello-world-context-summarization-linear-history"
    recording = open_recording(shared / "transcripts" / "atif-specimens" / f"{stem}.{name}")
    assert (len(recording.messages), len(recording.exchanges)) == (messages, replies)
    assert (recording.used, recording.meta, len(recording.skipped)) == counts
    assert all(one.reported for one in recording.exchanges)
    assert problems(shared, recording) == []


@given(st.sampled_from([WHOLE, _trajectory(TASK, _agent("x", observation=_observed({"content": "y"})), _agent("z"))]).flatmap(mutated))
def test_odd_content_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, whole: Any) -> None:
    """A trajectory with anything in any place is read with every step accounted for, or refused with one clear line."""
    recording = opened_or_refused(tmp_path_factory.mktemp("odd") / "x", whole)
    if recording is not None and recording.reader == "atif" and isinstance(whole, dict):
        assert records(recording) == len(whole["steps"])
