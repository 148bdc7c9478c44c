"""SWE-agent trajectories."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import as_sent, history, open_recording
from tests.recordings.accounting import mutated, opened_or_refused, problems, records
from tests.recordings.writing import Raw, document

SYSTEM: Raw = {"role": "system", "content": "You work in a shell.", "agent": "main"}
TASK: Raw = {"role": "user", "content": "Fix the bug.", "agent": "main", "message_type": "observation"}


def _typed(thought: str, action: str, **fields: Any) -> Raw:
    content = f"{thought}\n```\n{action}\n```" if action else thought
    return {"role": "assistant", "content": content, "thought": f"{thought}\n", "action": f"{action}\n", "agent": "main"} | fields


def _seen(content: str, **fields: Any) -> Raw:
    return {"role": "user", "content": content, "agent": "main"} | fields


def _called(name: str, **fields: Any) -> Raw:
    calls = [{"id": name, "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}]
    return {"role": "assistant", "content": f"reply {name}", "action": "ls", "agent": "main", "tool_calls": calls} | fields


def _answered(name: str, content: Any) -> Raw:
    return {"role": "tool", "content": content, "agent": "main", "tool_call_ids": [name], "message_type": "observation"}


def _step(entry: Raw, observation: str, **fields: Any) -> Raw:
    return {"action": entry.get("action"), "observation": observation, "response": entry["content"], "thought": ""} | fields


TEXT = [SYSTEM, TASK, _typed("Look.", "ls src"), _seen("a.py\n(Open file: n/a)\nbash-$"), _typed("Done.", "submit")]
TEXT_FILE: Raw = {
    "environment": "main",
    "trajectory": [_step(TEXT[2], "a.py"), _step(TEXT[4], "")],
    "history": TEXT,
    "info": {"exit_status": "submitted"},
}
CALLS = [SYSTEM, TASK, _called("c1"), _answered("c1", "one\ntwo"), _called("c2"), _answered("c2", "three"), _called("c3")]


def _calls_file(**fields: Any) -> Raw:
    steps = [_step(CALLS[2], "one\ntwo"), _step(CALLS[4], "three"), _step(CALLS[6], "")]
    return {"trajectory": steps, "history": CALLS, "info": {}} | fields


def _elided(entries: list[Raw], at: int) -> list[Raw]:
    shorter = copy.deepcopy(entries)
    shorter[at]["content"] = "Old environment output: (2 lines omitted)"
    return shorter


def test_an_action_written_as_text_is_a_call_and_its_observation_the_result(tmp_path: Path) -> None:
    """A typed action becomes a call of bash with the whole action, and the user text after it the result; nothing else changes."""
    recording = open_recording(document(tmp_path / "r", TEXT_FILE))
    assert (recording.reader, recording.format) == ("swe_agent", "openai_chat")
    system, task, reply, result, last = recording.messages
    assert (system, task) == ({"role": "system", "content": "You work in a shell."}, {"role": "user", "content": "Fix the bug."})
    function = reply["tool_calls"][0]["function"]
    assert (reply["content"], function["name"], json.loads(function["arguments"])) == ("Look.\n", "bash", {"command": "ls src\n"})
    assert result == {"role": "tool", "tool_call_id": reply["tool_calls"][0]["id"], "content": TEXT[3]["content"]}
    assert last == {"role": "assistant", "content": TEXT[4]["content"]}, "an action without an observation stays text"
    assert [one.upto for one in recording.exchanges] == [2, 4]
    assert (recording.used, recording.meta, recording.skipped) == (5, 2, ())


def test_a_reply_whose_parts_do_not_make_it_up_is_kept_whole(tmp_path: Path) -> None:
    """Text that is neither in the thought nor in the action stays in the message."""
    reply = _typed("Look.", "ls") | {"content": "x" * 200 + "ls"}
    recording = open_recording(document(tmp_path / "r", TEXT_FILE | {"history": [SYSTEM, TASK, reply, _seen("a.py")]}))
    assert recording.messages[2]["content"] == reply["content"]
    assert recording.messages[2]["tool_calls"]


def test_user_text_behind_a_reply_without_an_action_stays_user_text(tmp_path: Path) -> None:
    """What the program answers to a reply it could not read is no result."""
    recording = open_recording(
        document(tmp_path / "r", TEXT_FILE | {"history": [SYSTEM, TASK, _typed("Hm.", ""), _seen("no action found")]})
    )
    assert recording.messages[-1] == {"role": "user", "content": "no action found"}


def test_an_elided_observation_is_whole_again(tmp_path: Path) -> None:
    """Where the history keeps a count of lines, the observation comes from the step of its reply."""
    recording = open_recording(document(tmp_path / "r", _calls_file(history=_elided(CALLS, 3))))
    assert recording.messages[3] == {"role": "tool", "tool_call_id": "c1", "content": "one\ntwo"}
    typed = [*TEXT[:3], _seen("Old environment output: (3 lines omitted)"), TEXT[4]]
    recording = open_recording(document(tmp_path / "r", TEXT_FILE | {"history": typed}))
    assert recording.messages[3]["content"] == "a.py"


@pytest.mark.parametrize("name", ["query", "messages"])
def test_kept_requests_give_the_history_as_sent(tmp_path: Path, name: str) -> None:
    """The exact request of a step, kept with it or as what stood after the step before, is the as-sent history of its exchange."""
    sent = [CALLS[:2], CALLS[:4], _elided(CALLS[:6], 3)]
    kept = sent if name == "query" else [*sent[1:], CALLS]
    whole = _calls_file()
    for step, entries in zip(whole["trajectory"], kept, strict=True):
        step[name] = entries
    recording = open_recording(document(tmp_path / "r", whole))
    assert [(one.boundary, len(one.preface)) for one in recording.exchanges] == [(0, 0), (0, 0), (4, 4)]
    assert [message["content"] for message in as_sent(recording, recording.exchanges[2])] == [entry["content"] for entry in sent[2]]
    assert history(recording, recording.exchanges[2])[3]["content"] == "one\ntwo"


@pytest.mark.parametrize("name", ["query", "messages"])
def test_a_file_without_a_history_is_read_from_what_its_last_step_kept(tmp_path: Path, name: str) -> None:
    """The messages kept with the last step, and its reply, make the history; the steps are the records."""
    whole = _calls_file(history=[])
    whole["trajectory"][2][name] = CALLS[:6] if name == "query" else CALLS
    recording = open_recording(document(tmp_path / "r", whole))
    assert [message["role"] for message in recording.messages[:7]] == [entry["role"] for entry in CALLS]
    assert len(recording.exchanges) == 3
    assert records(recording) == recording.used == 3


def test_a_demonstration_is_standing_material_and_no_reply(tmp_path: Path) -> None:
    """Entries of a demonstration become system messages without an exchange, so that the task is the first request."""
    demo = [_seen("Here is a demonstration.", is_demo=True), _typed("Try.", "ls", is_demo=True)]
    recording = open_recording(document(tmp_path / "r", TEXT_FILE | {"history": [SYSTEM, *demo, *TEXT[1:]]}))
    assert [message["role"] for message in recording.messages] == ["system"] * 3 + ["user", "assistant", "tool", "assistant"]
    assert recording.messages[2]["content"].startswith("ASSISTANT: Try.")
    assert [one.upto for one in recording.exchanges] == [4, 6]


def test_other_agents_and_unknown_entries_are_named(tmp_path: Path) -> None:
    """Messages of another agent, of an unknown role or without content, and steps that are in no history, are skipped by name."""
    entries = [*TEXT, _seen("hello", agent="helper"), {"role": "critic", "content": "x"}, 7, _seen("ok"), _seen("")]
    whole = TEXT_FILE | {"history": entries, "trajectory": [*TEXT_FILE["trajectory"], _step(_typed("Lost.", "ls"), "x")]}
    recording = open_recording(document(tmp_path / "r", whole))
    assert [(one.line, one.kind) for one in recording.skipped] == [(6, "subagent"), (7, "critic"), (8, "int"), (10, "empty"), (3, "step")]
    assert records(recording) == len(entries) + 3


def test_the_first_of_several_trajectories_is_taken(tmp_path: Path) -> None:
    """A second trajectory in one file is named."""
    recording = open_recording(document(tmp_path / "r", [TEXT_FILE, _calls_file()]))
    assert len(recording.messages) == 5
    assert [(one.line, one.kind) for one in recording.skipped] == [(2, "trajectory")]


def test_model_and_usage_come_from_the_file_where_they_belong_to_a_reply(tmp_path: Path) -> None:
    """The configuration names the model, unless it was a replay; counts of a whole run are no report of a reply."""
    stats = {"api_calls": 1, "tokens_sent": 90, "tokens_received": 8}
    config = json.dumps({"agent": {"model": {"name": "anthropic/claude-x"}}})
    one = TEXT_FILE | {"history": TEXT[:3], "info": {"model_stats": stats}, "replay_config": config}
    recording = open_recording(document(tmp_path / "r", one))
    assert [(one.reported, one.output, one.model) for one in recording.exchanges] == [(90, 8, "anthropic:claude-x")]
    recording = open_recording(document(tmp_path / "r", one | {"history": TEXT, "replay_config": {"agent": {"model": {"name": "replay"}}}}))
    assert [(one.reported, one.model) for one in recording.exchanges] == [(None, None)] * 2


def test_content_parts_lose_only_their_cache_marks(tmp_path: Path) -> None:
    """A single text part becomes text, an image stays, and signed thoughts are kept."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    marked = {"type": "text", "text": "one", "cache_control": {"type": "ephemeral"}}
    thoughts = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    entries = [
        SYSTEM,
        TASK,
        _called("c1", thinking_blocks=thoughts),
        _answered("c1", [marked]),
        _called("c2"),
        _answered("c2", [marked, picture]),
    ]
    recording = open_recording(document(tmp_path / "r", _calls_file(history=entries)))
    assert recording.messages[3]["content"] == "one"
    assert recording.messages[5]["content"] == [{"type": "text", "text": "one"}, picture]
    assert recording.messages[2]["thinking_blocks"] == thoughts


@pytest.mark.parametrize("data", [b'{"trajectory": [{"action": "l', gzip.compress(b'{"trajectory": []}' * 9)[:-9]])
def test_a_torn_file_is_one_clear_error(tmp_path: Path, data: bytes) -> None:
    """A file that stops in the middle is refused with a remedy."""
    path = tmp_path / "torn"
    path.write_bytes(data)
    with pytest.raises(UnusableInput, match=r"cut off.*;"):
        open_recording(path)


def test_a_file_of_many_steps_is_read_in_one_pass(tmp_path: Path) -> None:
    """Five thousand steps with equal replies lose no record."""
    entries = [SYSTEM, TASK, *([_typed("Again.", "ls"), _seen("a.py")] * 5_000)]
    recording = open_recording(
        document(tmp_path / "r", {"history": entries, "trajectory": [_step(entries[2], "a.py")] * 4_999, "info": {}})
    )
    assert records(recording) == len(entries) + 4_999
    assert len({message["tool_calls"][0]["id"] for message in recording.messages[2::2]}) == 5_000


@pytest.mark.parametrize(
    ("name", "messages", "replies", "meta"),
    [
        ("marshmallow-1867_function_calling.traj.gz", 28, 13, 13),
        ("marshmallow-1867_xml_windowed.traj", 25, 12, 12),
        ("ctf_forensics_flash.traj", 9, 4, 4),
    ],
)
def test_shared_trajectories_are_valid_and_accounted_for(shared: Path, name: str, messages: int, replies: int, meta: int) -> None:
    """Every history of a shared trajectory is valid, and its entries and steps are all used or meta."""
    recording = open_recording(shared / "transcripts" / "swe-agent" / name)
    assert (len(recording.messages), len(recording.exchanges)) == (messages, replies)
    assert (recording.used, recording.meta, recording.skipped) == (messages, meta, ())
    assert problems(shared, recording) == []


def test_the_shared_function_calling_file_is_sent_as_its_steps_kept_it(shared: Path) -> None:
    """The as-sent history of each exchange has, message for message, the content the step before has kept."""
    path = shared / "transcripts" / "swe-agent" / "marshmallow-1867_function_calling.traj.gz"
    recording = open_recording(path)
    steps = json.loads(gzip.decompress(path.read_bytes()))["trajectory"]
    for exchange, step in zip(recording.exchanges[1:], steps, strict=False):
        assert [message["content"] for message in as_sent(recording, exchange)] == [entry["content"] for entry in step["messages"]]
    assert not any("omitted)" in str(message["content"])[:60] for message in recording.messages)


@given(st.sampled_from([TEXT_FILE, _calls_file(), _calls_file(history=None)]).flatmap(mutated))
def test_odd_content_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, whole: Any) -> None:
    """A trajectory with anything in any place is read with every record accounted for, or refused with one clear line."""
    recording = opened_or_refused(tmp_path_factory.mktemp("odd") / "x", whole)
    if recording is not None and recording.reader == "swe_agent" and isinstance(whole, dict):
        entries = whole["history"] if isinstance(whole.get("history"), list) else []
        assert records(recording) == len(entries) + len(whole["trajectory"])
