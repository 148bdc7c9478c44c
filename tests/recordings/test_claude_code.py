"""Claude Code sessions as an Anthropic history."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sostenuto.recordings.opening import Recording, as_sent, history, open_recording
from tests.recordings.writing import Raw, boundary, call, jsonl, reply, result, shared_recordings, text, user

SESSIONS = shared_recordings("entire-cli", "kimi-cli", "claude-reliability")


def _opened(tmp_path: Path, *records: Raw) -> Recording:
    recording = open_recording(jsonl(tmp_path / "session", records))
    assert recording.reader == "claude_code"
    assert recording.format == "anthropic"
    assert recording.used + recording.meta + len(recording.skipped) == len(records)
    return recording


def _kinds(recording: Recording) -> list[str]:
    return [one.kind for one in recording.skipped]


def _shape(recording: Recording) -> list[tuple[str, list[str]]]:
    """Role and the ids or texts of each message."""

    def name(block: Any) -> str:
        return str(block.get("id") or block.get("tool_use_id") or block.get("text") or block.get("thinking"))

    return [
        (message["role"], [message["content"]] if isinstance(message["content"], str) else [name(block) for block in message["content"]])
        for message in recording.messages
    ]


def test_records_of_one_reply_are_one_message(tmp_path: Path) -> None:
    """Blocks with one message id become one assistant message in order, thinking byte-equal, with the usage of the last record."""
    thinking = {"type": "thinking", "thinking": "hm  \n", "signature": "c2ln+/="}
    last = {"input_tokens": 1, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 3, "output_tokens": 44}
    recording = _opened(
        tmp_path,
        user("u1", "task"),
        reply("a1", "m1", thinking, parent="u1"),
        reply("a2", "m1", text("I look"), parent="a1"),
        reply("a3", "m1", call("t1", file_path="/a"), parent="a2", usage=last),
        user("u2", [result("t1")], parent="a3", toolUseResult={"secret": "not sent"}),
    )
    assert recording.messages == (
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": [thinking, text("I look"), call("t1", file_path="/a")]},
        {"role": "user", "content": [result("t1")]},
    )
    (exchange,) = recording.exchanges
    assert (exchange.upto, exchange.reported, exchange.output, exchange.model) == (1, 6, 44, "anthropic:claude-opus-4-5")
    assert recording.model == "anthropic:claude-opus-4-5"


def test_results_between_the_calls_of_one_reply_stand_behind_it(tmp_path: Path) -> None:
    """Results of early parallel calls that were written between the records of their reply follow it in one message."""
    recording = _opened(
        tmp_path,
        user("u1", "task"),
        reply("a1", "m1", call("t1"), parent="u1"),
        user("u2", [result("t1")], parent="a1"),
        reply("a2", "m1", call("t2"), parent="a1"),
        user("u3", "a remark of the program", parent="u2", isMeta=True),
        user("u4", [text("with a note"), result("t2")], parent="a2"),
        reply("a3", "m2", text("finished"), parent="u4"),
    )
    assert _shape(recording) == [
        ("user", ["task"]),
        ("assistant", ["t1", "t2"]),
        ("user", ["t1", "t2", "with a note"]),
        ("user", ["a remark of the program"]),
        ("assistant", ["finished"]),
    ]
    assert [one.upto for one in recording.exchanges] == [1, 4]


def test_no_two_replies_follow_each_other(tmp_path: Path) -> None:
    """Where what was said between two replies is no message of the file, a user's turn that says so stands between them."""
    recording = _opened(
        tmp_path,
        user("u1", "task"),
        reply("a1", "m1", text("one"), parent="u1"),
        {"type": "attachment", "uuid": "x1", "parentUuid": "a1", "attachment": {"type": "hook_blocking_error", "text": "lint fails"}},
        reply("a2", "m2", text("two"), parent="x1"),
        user("u2", "thanks", parent="a2"),
        reply("a3", "m3", text("three"), parent="u2"),
    )
    assert [message["role"] for message in recording.messages] == ["user", "assistant", "user", "assistant", "user", "assistant"]
    assert [one.upto for one in recording.exchanges] == [1, 3, 5]
    assert all(history(recording, one)[-1]["role"] == "user" for one in recording.exchanges)


def test_program_records_are_left_out_by_name(tmp_path: Path) -> None:
    """Side chains, error replies and unknown types are skipped by name; progress, snapshots and hooks are meta."""
    recording = _opened(
        tmp_path,
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        {"type": "file-history-snapshot", "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "s"},
        user("u1", "task"),
        {"type": "progress", "uuid": "p1", "parentUuid": "u1", "data": {}},
        user("u2", "of a sub-agent", isSidechain=True),
        reply("a0", "m0", text("API Error: 500"), isApiErrorMessage=True),
        {"type": "system", "subtype": "stop_hook_summary", "uuid": "y1"},
        {"type": "hologram", "uuid": "h"},
        {"type": "user", "uuid": "u9", "message": None},
        reply("a1", "m1", text("\n\n"), parent="u1"),
        reply("a2", "m1", text("hello"), parent="a1"),
        user("u1", "task"),
    )
    assert _shape(recording) == [("user", ["task"]), ("assistant", ["hello"])]
    assert recording.meta == 5
    assert _kinds(recording) == ["sidechain", "synthetic", "hologram", "malformed", "blank", "duplicate"]


def test_a_compaction_changes_what_was_sent_not_the_history(tmp_path: Path) -> None:
    """After a boundary the history as sent is the recording's summary and what followed; the full history has no summary."""
    recording = _opened(
        tmp_path,
        user("u1", "task"),
        reply("a1", "m1", text("one"), parent="u1"),
        boundary("b1", parent="a1"),
        user("u2", "the summary", parent="b1", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        user("u3", "go on", parent="u2"),
        reply("a2", "m2", text("two"), parent="u3"),
    )
    assert _shape(recording) == [("user", ["task"]), ("assistant", ["one"]), ("user", ["go on"]), ("assistant", ["two"])]
    first, second = recording.exchanges
    assert (first.boundary, first.preface) == (0, ())
    assert as_sent(recording, first) == history(recording, first) == [{"role": "user", "content": "task"}]
    assert as_sent(recording, second) == [{"role": "user", "content": "the summary"}, {"role": "user", "content": "go on"}]
    assert history(recording, second) == list(recording.messages[:3])


def test_messages_a_compaction_kept_are_part_of_what_was_sent(tmp_path: Path) -> None:
    """A boundary that names the first kept message moves the start of the history as sent back to it."""
    recording = _opened(
        tmp_path,
        user("u1", "task"),
        reply("a1", "m1", text("one"), parent="u1"),
        user("u2", "kept", parent="a1"),
        boundary("b1", parent="u2", compactMetadata={"preservedSegment": {"headUuid": "u2"}}),
        user("s1", "the summary", parent="b1", isCompactSummary=True),
        reply("a2", "m2", text("two"), parent="s1"),
    )
    assert as_sent(recording, recording.exchanges[1]) == [{"role": "user", "content": "the summary"}, {"role": "user", "content": "kept"}]


def test_an_edited_prompt_replaces_the_branch_it_abandons(tmp_path: Path) -> None:
    """Two prompts after one reply are a rewind: the earlier one is skipped with its whole branch, by name."""
    recording = _opened(
        tmp_path,
        user("u1", "task"),
        reply("a1", "m1", text("one"), parent="u1"),
        user("u2", "wrong", parent="a1"),
        reply("a2", "m2", call("t1"), parent="u2"),
        user("r1", [result("t1")], parent="a2"),
        user("u3", "right", parent="a1"),
        reply("a3", "m3", text("two"), parent="u3"),
    )
    assert _shape(recording) == [("user", ["task"]), ("assistant", ["one"]), ("user", ["right"]), ("assistant", ["two"])]
    assert _kinds(recording) == ["rewound"] * 3


@pytest.mark.parametrize("later", [user("u9", "still here", parent="a2"), user("r9", [result("t0")], parent="u2")])
def test_a_doubtful_fork_keeps_every_record(tmp_path: Path, later: Raw) -> None:
    """A branch that goes on after the other prompt, or holds the result of a call that stays, is no rewind."""
    records = [
        user("u1", "task"),
        reply("a1", "m1", call("t0"), parent="u1"),
        user("u2", "queued", parent="a1"),
        reply("a2", "m2", text("x"), parent="u2"),
        user("u3", "right", parent="a1"),
    ]
    at = 3 if later["uuid"] == "r9" else len(records)
    recording = _opened(tmp_path, *records[:at], later, *records[at:])
    assert recording.skipped == ()
    assert recording.used == len(records) + 1


def test_a_prompt_typed_while_the_model_works_is_kept(tmp_path: Path) -> None:
    """A queued prompt recorded as an attachment becomes a user message; other attachments are skipped by their type."""
    recording = _opened(
        tmp_path,
        user("u1", "task"),
        {"type": "attachment", "uuid": "x1", "attachment": {"type": "todo_reminder", "content": []}},
        reply("a1", "m1", call("t1"), parent="u1"),
        {"type": "attachment", "uuid": "x2", "attachment": {"type": "queued_command", "prompt": "and this"}},
        user("u2", [result("t1")], parent="a1"),
    )
    assert _shape(recording) == [("user", ["task"]), ("assistant", ["t1"]), ("user", ["t1"]), ("user", ["and this"])]
    assert _kinds(recording) == ["attachment:todo_reminder"]


@pytest.mark.parametrize(
    "odd", [[], None, 7, {}, {"type": ["x"]}, {"type": "user"}, {"type": "assistant", "message": {"content": [None, 3]}}]
)
def test_odd_records_are_data(tmp_path: Path, odd: Any) -> None:
    """Records of wrong types are accounted for and nothing is raised."""
    path = jsonl(tmp_path / "session", [user("u1", "task \ud800".encode("utf-8", "replace").decode()), odd, odd])
    recording = open_recording(path)
    assert recording.used + recording.meta + len(recording.skipped) == 3


@pytest.mark.skipif(not SESSIONS, reason="no shared transcripts here (set SOSTENUTO_SHARED)")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_shared_sessions_lose_no_block(path: Path) -> None:
    """Every call, result, image and signature of the main conversation of a shared session is in the history exactly once."""
    data = path.read_bytes()
    lines = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).splitlines()
    records = [json.loads(line) for line in lines]
    recorded: Counter[str] = Counter()
    for record in records:
        content = (record.get("message") or {}).get("content")
        if record["type"] in ("user", "assistant") and isinstance(content, list) and not record.get("isSidechain"):
            recorded.update(json.dumps(block) for block in content if not (block["type"] == "text" and not block["text"].strip()))
    read = Counter(json.dumps(block) for message in open_recording(str(path)).messages for block in _list(message["content"]))
    assert read == recorded


def _list(content: Any) -> list[Any]:
    return content if isinstance(content, list) else []
