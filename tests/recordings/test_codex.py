"""Codex rollouts as a history of Responses items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import Recording, as_sent, history, open_recording
from tests.recordings.damage import DEEP, damaged, nested
from tests.recordings.writing import Raw, jsonl


def _line(kind: str, payload: Any) -> Raw:
    return {"timestamp": "2025-11-20T23:33:01.550Z", "type": kind, "payload": payload}


def _message(role: str, text: str) -> Raw:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _said(role: str, text: str) -> Raw:
    return _line("response_item", _message(role, text))


def _call(name: str) -> Raw:
    return _line("response_item", {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": name})


def _output(name: str, text: str = "done") -> Raw:
    return _line("response_item", {"type": "function_call_output", "call_id": name, "output": text})


def _tokens(total: int, last: int, output: int = 7) -> Raw:
    usage = {"input_tokens": last, "cached_input_tokens": last // 2, "output_tokens": output, "total_tokens": last + output}
    return _line("event_msg", {"type": "token_count", "info": {"total_token_usage": {"input_tokens": total}, "last_token_usage": usage}})


REASONING = _line("response_item", {"type": "reasoning", "summary": [], "content": None, "encrypted_content": "gAAA"})
META = _line("session_meta", {"id": "s", "cwd": "/w", "model_provider": "openai", "base_instructions": {"text": "You are Codex."}})
TURN = _line("turn_context", {"cwd": "/w", "model": "gpt-5-codex", "effort": "high"})
SESSION: list[Raw] = [
    META,
    _said("user", "<environment_context>\n<cwd>/w</cwd>\n</environment_context>"),
    TURN,
    _said("user", "look around"),
    _line("event_msg", {"type": "user_message", "message": "look around"}),
    REASONING,
    _said("assistant", "reading"),
    _call("c1"),
    _call("c2"),
    _tokens(1_000, 1_000),
    _output("c1"),
    _output("c2"),
    REASONING,
    _said("assistant", "all there"),
    _tokens(2_500, 1_500, 9),
]


def _opened(tmp_path: Path, *records: Any, zipped: bool = False) -> Recording:
    recording = open_recording(jsonl(tmp_path / "session", records, zipped=zipped))
    assert (recording.reader, recording.format) == ("codex", "openai_responses")
    assert recording.used + recording.meta + len(recording.skipped) == len(records)
    return recording


@pytest.mark.parametrize("zipped", [True, False])
def test_items_come_out_as_they_stand(tmp_path: Path, zipped: bool) -> None:
    """The history is the payloads of the items in their order, and what describes the run is counted as meta."""
    recording = _opened(tmp_path, *SESSION, zipped=zipped)
    assert list(recording.messages) == [one["payload"] for one in SESSION if one["type"] == "response_item"]
    assert (recording.used, recording.meta, recording.skipped) == (10, 5, ())
    assert recording.system == "You are Codex."
    assert recording.model == "openai:gpt-5-codex"


def test_a_run_of_items_is_one_reply_with_its_usage(tmp_path: Path) -> None:
    """Reasoning, text and calls of one reply are one exchange that begins at the first of them and has the count behind it."""
    recording = _opened(tmp_path, *SESSION)
    assert [(one.upto, one.reported, one.output) for one in recording.exchanges] == [(2, 1_000, 7), (8, 1_500, 9)]
    assert all(one.model == "openai:gpt-5-codex" for one in recording.exchanges)
    assert history(recording, recording.exchanges[0]) == list(recording.messages[:2])


def test_a_count_that_is_repeated_is_not_the_next_replys(tmp_path: Path) -> None:
    """The same total again, which only brings new rate limits, leaves the next reply without a count."""
    records = [
        META,
        _said("user", "a"),
        _said("assistant", "b"),
        _tokens(10, 10),
        _said("user", "c"),
        _said("assistant", "d"),
        _tokens(10, 10),
    ]
    assert [one.reported for one in _opened(tmp_path, *records).exchanges] == [10, None]


def test_two_replies_in_a_row_are_told_apart_by_the_count_between_them(tmp_path: Path) -> None:
    """A reply that follows another directly is its own exchange when a count stands between the two."""
    records = [META, _said("user", "a"), _said("assistant", "b"), _tokens(10, 10), _said("assistant", "c"), _tokens(30, 20)]
    assert [(one.upto, one.reported) for one in _opened(tmp_path, *records).exchanges] == [(1, 10), (2, 20)]


def test_a_compaction_with_its_history_replaces_what_is_sent(tmp_path: Path) -> None:
    """After a compaction the history as sent is its replacement and what follows; the full history keeps everything before it."""
    replacement = [_message("user", "look around"), {"type": "compaction", "encrypted_content": "gAAA"}]
    records = [
        *SESSION,
        _line("compacted", {"message": "", "replacement_history": replacement}),
        _said("user", "go on"),
        _said("assistant", "ok"),
    ]
    recording = _opened(tmp_path, *records)
    last = recording.exchanges[-1]
    assert as_sent(recording, last) == [*replacement, _message("user", "go on")]
    assert len(history(recording, last)) == 11
    assert not any(item.get("type") == "compaction" for item in recording.messages)


def test_an_older_compaction_sends_the_prompts_and_its_summary(tmp_path: Path) -> None:
    """A compaction that records only its text stands for the person's prompts, without what the program said, and that text."""
    records = [*SESSION, _line("compacted", {"message": "SUM"}), _said("user", "go on"), _said("assistant", "ok")]
    recording = _opened(tmp_path, *records)
    assert as_sent(recording, recording.exchanges[-1]) == [_message("user", text) for text in ("look around", "SUM", "go on")]


def test_turns_that_were_rolled_back_are_skipped_by_name(tmp_path: Path) -> None:
    """The newest prompt and all that came of it leave the history when the person takes the turn back."""
    rollback = _line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    recording = _opened(
        tmp_path, *SESSION, _said("user", "wrong"), _said("assistant", "oh"), rollback, _said("user", "right"), _said("assistant", "ah")
    )
    texts = [block["text"] for item in recording.messages if item["type"] == "message" for block in item["content"]]
    assert texts[-2:] == ["right", "ah"]
    assert [(one.line, one.kind) for one in recording.skipped] == [(16, "rewound"), (17, "rewound")]
    assert [one.upto for one in recording.exchanges] == [2, 8, 11]


@pytest.mark.parametrize("turns", [0, -1, "1", None, 99])
def test_any_number_of_turns_may_be_rolled_back(tmp_path: Path, turns: Any) -> None:
    """No count or an impossible one takes nothing back, and one that is too large takes back every prompt."""
    rollback = _line("event_msg", {"type": "thread_rolled_back", "num_turns": turns})
    recording = _opened(tmp_path, *SESSION, rollback, _said("user", "more"))
    assert len(recording.messages) == (2 if turns == 99 else 11)


def test_an_older_file_holds_bare_items_behind_a_header(tmp_path: Path) -> None:
    """Items without an envelope are read, and instructions that are sent as a message as well are not counted twice."""
    header = {"id": "s", "timestamp": "2025-05-20T23:33:01.550Z", "instructions": "Be brief."}
    items = [
        _message("user", "<user_instructions>\n\nBe brief.\n\n</user_instructions>"),
        _message("user", "hi"),
        _message("assistant", "ho"),
    ]
    recording = _opened(tmp_path, header, {"record_type": "state"}, *items)
    assert list(recording.messages) == items
    assert recording.system is None
    assert (recording.used, recording.meta) == (3, 2)
    assert _opened(tmp_path, header, *items[1:]).system == "Be brief."


def test_records_that_are_not_known_are_named(tmp_path: Path) -> None:
    """Unknown types, malformed items and values that are no objects are skipped by name; the program's own items are meta."""
    recording = _opened(
        tmp_path,
        *SESSION,
        _line("hologram", {}),
        _line("response_item", "x"),
        _line("response_item", {"type": "ghost_snapshot"}),
        _line("turn_context", None),
        ["x"],
        {"a": 1},
        _line("world_state", {}),
    )
    assert [one.kind for one in recording.skipped] == ["hologram", "malformed", "malformed", "list", "untyped"]
    assert recording.meta == 7


def test_a_torn_last_line_is_named(tmp_path: Path) -> None:
    """A rollout whose writer was killed is read up to its last whole line."""
    path = Path(jsonl(tmp_path / "session", SESSION))
    path.write_bytes(path.read_bytes()[:-20])
    recording = open_recording(path)
    assert [(one.line, one.kind) for one in recording.skipped] == [(15, "torn")]
    assert recording.used + recording.meta + len(recording.skipped) == 15


def test_many_items_are_read_in_linear_time(tmp_path: Path) -> None:
    """Ten thousand compactions, roll-backs and replies lose no record."""
    rollback = _line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    many = [
        one for _ in range(2_000) for one in (_said("user", "a"), _said("assistant", "b"), _line("compacted", {"message": "S"}), rollback)
    ]
    assert _opened(tmp_path, *SESSION, *many).used == 10


@given(damaged(SESSION))
def test_no_damage_raises_anything_but_a_clear_error(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    """A damaged rollout is read with every record accounted for, or refused with a clear error."""
    path = jsonl(tmp_path_factory.mktemp("damaged") / "session", records)
    try:
        recording = open_recording(path)
    except UnusableInput:
        return
    if recording.reader == "codex":
        assert recording.used + recording.meta + len(recording.skipped) == len(records)


@pytest.mark.parametrize("levels", [800, 5_000])
def test_values_of_many_levels_are_read_or_refused(tmp_path: Path, levels: int) -> None:
    """Values nested as deeply as the interpreter follows are read, and deeper ones are one clear error."""
    records = [*SESSION, _line("response_item", {"type": "message", "role": "user", "content": [DEEP]}), _line("event_msg", {"info": DEEP})]
    try:
        recording = open_recording(nested(tmp_path / "deep", records, levels=levels))
    except UnusableInput:
        assert levels > 800
        return
    assert recording.reader == "codex"
