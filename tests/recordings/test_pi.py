"""pi sessions as an OpenAI chat history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sostenuto.recordings.opening import Recording, as_sent, open_recording
from tests.recordings.writing import Raw, jsonl, pi_message, pi_reply, text

HEADER = {"type": "session", "id": "s", "cwd": "/w", "timestamp": "2025-11-20T23:33:50.805Z"}


def _opened(tmp_path: Path, *records: Raw) -> Recording:
    recording = open_recording(jsonl(tmp_path / "session", records, zipped=True))
    assert recording.reader == "pi"
    assert recording.format == "openai_chat"
    assert recording.used + recording.meta + len(recording.skipped) == len(records)
    return recording


def _call(name: str) -> Raw:
    return {"type": "toolCall", "id": name, "name": "read", "arguments": {"path": "/ä"}}


def _result(name: str, content: str = "done") -> Raw:
    return pi_message(role="toolResult", toolCallId=name, toolName="read", content=[text(content)], isError=False)


def test_roles_and_blocks_take_the_chat_form(tmp_path: Path) -> None:
    """Calls carry JSON text, thinking becomes reasoning content, images data addresses, and usage counts the cache."""
    recording = _opened(
        tmp_path,
        HEADER,
        pi_message(role="user", content=[text("look"), {"type": "image", "data": "QUJD", "mimeType": "image/gif"}]),
        {"type": "model_change", "provider": "anthropic", "modelId": "claude-sonnet-4-5"},
        pi_reply({"type": "thinking", "thinking": "hm", "thinkingSignature": "s"}, text("reading"), _call("t1")),
        _result("t1"),
        pi_reply(text("finished")),
    )
    assert recording.messages == (
        {"role": "user", "content": [text("look"), {"type": "image_url", "image_url": {"url": "data:image/gif;base64,QUJD"}}]},
        {
            "role": "assistant",
            "content": "reading",
            "reasoning_content": "hm",
            "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "read", "arguments": '{"path": "/ä"}'}}],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "done"},
        {"role": "assistant", "content": "finished"},
    )
    first = recording.exchanges[0]
    assert (first.upto, first.reported, first.output, first.model) == (1, 1_000, 9, "anthropic:claude-sonnet-4-5")
    assert recording.meta == 2


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"output": "a\nb", "exitCode": 0}, "Ran `ls`\n```\na\nb\n```"),
        ({"output": "", "exitCode": 2}, "Ran `ls`\n(no output)\n\nCommand exited with code 2"),
        ({"output": "a", "cancelled": True}, "Ran `ls`\n```\na\n```\n\n(command cancelled)"),
        (
            {"output": "a", "exitCode": 0, "truncated": True, "fullOutputPath": "/tmp/o"},
            "Ran `ls`\n```\na\n```\n\n[Output truncated. Full output: /tmp/o]",
        ),
    ],
)
def test_a_command_the_person_ran_is_a_user_message(tmp_path: Path, fields: Raw, expected: str) -> None:
    """A bash execution reads as the program words it for the model."""
    recording = _opened(tmp_path, HEADER, pi_message(role="bashExecution", command="ls", **fields))
    assert recording.messages == ({"role": "user", "content": expected},)


def test_replies_without_content_and_private_commands_are_skipped_by_name(tmp_path: Path) -> None:
    """An aborted empty reply and a command kept out of the context are named; an aborted reply with content is used."""
    recording = _opened(
        tmp_path,
        HEADER,
        pi_message(role="user", content="hi"),
        pi_reply(stopReason="aborted"),
        pi_reply(text("hal"), stopReason="aborted", usage={"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}),
        pi_message(role="bashExecution", command="ls", output="", excludeFromContext=True),
        {"type": "hologram"},
        pi_message(role="ghost", content="boo"),
    )
    assert [one.kind for one in recording.skipped] == ["aborted", "bashExecution", "hologram", "ghost"]
    assert [one["role"] for one in recording.messages] == ["user", "assistant"]
    assert recording.exchanges[0].reported is None


def test_a_result_stands_directly_behind_its_calls(tmp_path: Path) -> None:
    """A user message written between a call and its result moves behind the result."""
    recording = _opened(
        tmp_path,
        HEADER,
        pi_message(role="user", content="hi"),
        pi_reply(_call("t1"), _call("t2")),
        _result("t1", "one"),
        pi_message(role="user", content="hurry"),
        _result("t2", "two"),
    )
    assert [(one["role"], one["content"]) for one in recording.messages][2:] == [("tool", "one"), ("tool", "two"), ("user", "hurry")]


def test_only_the_way_to_the_last_entry_of_a_tree_is_used(tmp_path: Path) -> None:
    """In a session that is a tree, entries off the way to its tip are skipped as rewound."""
    tree = [
        (pi_message(role="user", content="hi"), "1", None),
        (pi_reply(text("wrong")), "2", "1"),
        (pi_reply(text("right")), "3", "1"),
    ]
    recording = _opened(tmp_path, HEADER | {"version": 3}, *({**entry, "id": name, "parentId": parent} for entry, name, parent in tree))
    assert [one["content"] for one in recording.messages] == ["hi", "right"]
    assert [(one.line, one.kind) for one in recording.skipped] == [(3, "rewound")]


@pytest.mark.parametrize("kept", [{"firstKeptEntryId": "3"}, {"firstKeptEntryIndex": 3}])
def test_a_compaction_sets_what_was_sent(tmp_path: Path, kept: Raw) -> None:
    """After a compaction the history as sent is its summary, the entries it kept and what followed."""
    entries = [
        pi_message(role="user", content="task"),
        pi_reply(text("one")),
        pi_message(role="user", content="kept"),
        {"type": "compaction", "summary": "SUM", "tokensBefore": 9} | kept,
        pi_reply(text("two")),
    ]
    names = [{"id": str(at), "parentId": str(at - 1) if at > 1 else None} for at in range(1, 6)] if "firstKeptEntryId" in kept else [{}] * 5
    recording = _opened(tmp_path, HEADER, *(entry | name for entry, name in zip(entries, names, strict=True)))
    sent = as_sent(recording, recording.exchanges[1])
    assert [one["content"] for one in sent][1:] == ["kept"]
    assert "<summary>\nSUM\n</summary>" in json.dumps(sent[0]).replace("\\n", "\n")
    assert len(recording.messages) == 4
