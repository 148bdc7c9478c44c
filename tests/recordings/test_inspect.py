"""Inspect evaluation logs: documents, single samples and archives."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnknownFormat, UnusableInput
from sostenuto.recordings.opening import LIMITS, as_sent, open_recording
from tests.recordings.accounting import mutated, opened_or_refused, problems, records
from tests.recordings.writing import Raw, document, jsonl, text

ASK: Raw = {"id": "m1", "role": "user", "content": "Look it up.", "source": "input"}
CALL: Raw = {
    "id": "m2",
    "role": "assistant",
    "content": "",
    "source": "generate",
    "model": "gpt-4o-mini",
    "tool_calls": [{"id": "c1", "function": "search", "arguments": {"query": "ü"}}],
}
FOUND: Raw = {"id": "m3", "role": "tool", "content": "three hits", "tool_call_id": "c1", "function": "search"}
ANSWER: Raw = {"id": "m4", "role": "assistant", "content": "There are three.", "source": "generate", "model": "gpt-4o-mini"}
MESSAGES = [ASK, CALL, FOUND, ANSWER]


def _asked(reply: Raw, sent: list[Raw], **fields: Any) -> Raw:
    usage = {"input_tokens": 10, "output_tokens": 3, "total_tokens": 113, "input_tokens_cache_read": 100}
    output = {"model": "gpt-4o-mini", "choices": [{"message": reply}], "usage": usage}
    return {"event": "model", "model": "openai/gpt-4o-mini", "input": sent, "tools": [], "output": output} | fields


def _sample(messages: list[Any], *, events: Any = (), **fields: Any) -> Raw:
    return {"id": 1, "epoch": 1, "input": "Look it up.", "target": "", "messages": messages, "events": list(events)} | fields


def _log(*samples: Any, **fields: Any) -> Raw:
    return {"version": 2, "eval": {"model": "openai/gpt-4o-mini", "task": "t"}, "plan": {}, "samples": list(samples)} | fields


EVENTS = [{"event": "span_begin"}, _asked(CALL, [ASK]), {"event": "tool"}, _asked(ANSWER, MESSAGES[:3])]
LOG = _log(_sample(MESSAGES, events=EVENTS))


@pytest.mark.parametrize("indent", [None, 2])
def test_a_sample_is_its_messages(tmp_path: Path, indent: int | None) -> None:
    """Messages become OpenAI chat with arguments as JSON text, and each reply has the usage of its model event, cache reads included."""
    recording = open_recording(document(tmp_path / "r", LOG, indent=indent))
    assert (recording.reader, recording.format, recording.model) == ("inspect", "openai_chat", "openai:gpt-4o-mini")
    ask, call, found, answer = recording.messages
    assert ask == {"role": "user", "content": "Look it up."}
    assert call["content"] is None
    assert call["tool_calls"] == [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "ü"}'}}]
    assert found == {"role": "tool", "tool_call_id": "c1", "content": "three hits"}
    assert answer == {"role": "assistant", "content": "There are three."}
    assert [(one.upto, one.reported, one.output, one.model) for one in recording.exchanges] == [
        (1, 110, 3, "openai:gpt-4o-mini"),
        (3, 110, 3, "openai:gpt-4o-mini"),
    ]
    assert (recording.used, recording.meta, recording.skipped) == (4, 4, ())


def test_a_count_that_holds_the_cache_is_not_counted_twice(tmp_path: Path) -> None:
    """Where the total says that cache reads are in the input already, the input is the prompt."""
    usage = {"input_tokens": 110, "output_tokens": 3, "total_tokens": 113, "input_tokens_cache_read": 100}
    event = _asked(CALL, [ASK])
    event["output"]["usage"] = usage
    recording = open_recording(document(tmp_path / "r", _log(_sample(MESSAGES[:2], events=[event]))))
    assert recording.exchanges[0].reported == 110


@pytest.mark.parametrize("write", [document, jsonl])
def test_single_samples_are_read(tmp_path: Path, write: Any) -> None:
    """A sample by itself, alone or a line of a file, is recognised without its log."""
    sample = _sample(MESSAGES)
    recording = open_recording(write(tmp_path / "r", [sample] if write is jsonl else sample))
    assert (recording.reader, len(recording.messages), len(recording.exchanges)) == ("inspect", 4, 2)


def test_the_longest_sample_is_taken_and_the_others_are_named(tmp_path: Path) -> None:
    """Of several samples the first with the most messages is read; the others are skipped with id and epoch."""
    samples = [_sample(MESSAGES[:2], id="a"), _sample(MESSAGES, id="b"), _sample(MESSAGES, id="b", epoch=2), 7]
    recording = open_recording(document(tmp_path / "r", _log(*samples)))
    assert len(recording.messages) == 4
    assert [one.line for one in recording.skipped] == [1, 3, 4]
    assert 'sample "a", epoch 1' in recording.skipped[0].reason
    assert records(recording) == 4 + 3


def test_attachments_are_put_back(tmp_path: Path) -> None:
    """Texts, arguments, images and descriptions of tools that are kept once are whole again; a reference to nothing stays."""
    call = CALL | {"tool_calls": [{"id": "c1", "function": "search", "arguments": {"query": ["attachment://h1"]}}]}
    image = {"type": "image", "image": "attachment://h2", "detail": "auto"}
    found = FOUND | {"content": [text("attachment://h1"), image]}
    answer = ANSWER | {"content": "attachment://lost"}
    tool = {"name": "search", "description": "tc://h1", "parameters": {"type": "object"}, "options": {}}
    events = [_asked(call, [ASK | {"content": "attachment://h3"}], tools=[tool])]
    held = {"h1": "long text", "h2": "data:image/png;base64,AA", "h3": "Look it up."}
    recording = open_recording(document(tmp_path / "r", _log(_sample([ASK, call, found, answer], events=events, attachments=held))))
    assert json.loads(recording.messages[1]["tool_calls"][0]["function"]["arguments"]) == {"query": ["long text"]}
    assert recording.messages[2]["content"] == [
        {"type": "text", "text": "long text"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA", "detail": "auto"}},
    ]
    assert recording.messages[3]["content"] == "attachment://lost"
    assert recording.tools == [
        {"type": "function", "function": {"name": "search", "description": "long text", "parameters": {"type": "object"}}}
    ]
    assert (recording.exchanges[0].boundary, recording.exchanges[0].preface) == (0, ()), "the same request, written another way"


@pytest.mark.parametrize("pool", ["message_pool", "events_data"])
def test_a_compacted_request_is_the_history_as_sent(tmp_path: Path, pool: str) -> None:
    """Where the request of a model event differs from the messages before it, inline or from a pool, it is the as-sent history."""
    summary = {"id": "s", "role": "user", "content": "Summary so far."}
    pooled = [ASK, summary, FOUND, {"odd": 1}]
    event = _asked(ANSWER, [], input_refs=[[1, 4]])
    fields = {pool: pooled if pool == "message_pool" else {"messages": pooled}}
    for one, more in ((event, fields), (_asked(ANSWER, [summary, FOUND]), {})):
        recording = open_recording(document(tmp_path / "r", _log(_sample(MESSAGES, events=[_asked(CALL, [ASK]), one], **more))))
        first, last = recording.exchanges
        assert (first.boundary, first.preface) == (0, ())
        assert [message["content"] for message in as_sent(recording, last)] == ["Summary so far.", "three hits"]
        assert last.boundary == 2


def test_thoughts_sound_and_files_keep_what_they_hold(tmp_path: Path) -> None:
    """Reasoning with its signature, redacted reasoning, audio and documents come out in the shapes of the wire."""
    thought = {"type": "reasoning", "reasoning": "hm", "signature": "sig"}
    hidden = {"type": "reasoning", "reasoning": "opaque", "redacted": True, "summary": "hidden"}
    sound = {"type": "audio", "audio": "data:audio/wav;base64,BB", "format": "wav"}
    paper = {"type": "document", "document": "data:application/pdf;base64,CC", "filename": "a.pdf"}
    odd = {"type": "data", "data": {"x": 1}}
    messages = [ASK | {"content": [sound, paper, odd]}, ANSWER | {"content": [thought, hidden, text("Well.")]}]
    asked, answer = open_recording(document(tmp_path / "r", _sample(messages))).messages
    assert asked["content"] == [
        {"type": "input_audio", "input_audio": {"data": "BB", "format": "wav"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,CC", "filename": "a.pdf"}},
        odd,
    ]
    assert (answer["content"], answer["reasoning_content"]) == ("Well.", "hm\nhidden")
    assert answer["thinking_blocks"] == [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "opaque"},
    ]


@pytest.mark.parametrize(
    ("content", "expected"), [("", "Error: timed out"), ("half", "Error: timed out\nhalf"), ("it timed out", "it timed out")]
)
def test_an_error_of_a_tool_is_said(tmp_path: Path, content: str, expected: str) -> None:
    """A tool's error heads its output, once."""
    found = FOUND | {"content": content, "error": {"type": "timeout", "message": "timed out"}}
    assert open_recording(document(tmp_path / "r", _sample([ASK, CALL, found]))).messages[2]["content"] == expected


def test_unknown_messages_and_events_are_named(tmp_path: Path) -> None:
    """A message of an unknown role or without content, and an event of an unknown type, are skipped by name."""
    messages = [ASK, {"role": "critic", "content": "x"}, 3, ANSWER | {"content": ""}, ANSWER]
    recording = open_recording(document(tmp_path / "r", _sample(messages, events=[{"event": "state"}, {"event": "new"}, None])))
    assert [(one.line, one.kind) for one in recording.skipped] == [(2, "critic"), (3, "int"), (4, "assistant"), (2, "new"), (3, "NoneType")]
    assert records(recording) == len(messages) + 3


def test_a_log_without_samples_is_refused(tmp_path: Path) -> None:
    """A header alone holds no conversation, and says so."""
    with pytest.raises(UnusableInput, match="Inspect evaluation log but holds no message"):
        open_recording(document(tmp_path / "r", _log() | {"samples": None}))


def _archive(path: Path, entries: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for name, value in entries.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


HEADER = {key: value for key, value in LOG.items() if key != "samples"}


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_an_archive_of_samples_is_read(tmp_path: Path, name: str) -> None:
    """A log as Inspect writes it is recognised by its first bytes, and its longest sample is read."""
    entries = {"samples/a_epoch_1.json": _sample(MESSAGES[:2]), "samples/b_epoch_1.json": LOG["samples"][0], "header.json": HEADER}
    recording = open_recording(_archive(tmp_path / name, entries))
    assert (recording.reader, len(recording.messages), recording.model) == ("inspect", 4, "openai:gpt-4o-mini")
    assert [one.line for one in recording.skipped] == [1]
    assert open_recording(_archive(tmp_path / name, entries), format="inspect").used == 4
    with pytest.raises(UnknownFormat, match="zip archive, which no pi is"):
        open_recording(tmp_path / name, format="pi")


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ({"word/document.xml": b"<a/>"}, "without the header of an Inspect log"),
        ({"header.json": HEADER, "samples/a_epoch_1/sample.json": {}}, "written in pieces; convert it with: inspect log convert"),
        ({"header.json": HEADER, "samples/a_epoch_1.json": b'{"messages": ['}, "cut off"),
        ({"header.json": HEADER, "samples/a_epoch_1.json": b"[" * 100_000}, "nested too deeply"),
        ({"header.json": HEADER}, "holds no message"),
    ],
)
def test_a_bad_archive_is_one_clear_error(tmp_path: Path, entries: dict[str, Any], expected: str) -> None:
    """An archive that holds no usable log says what it lacks and what to do."""
    with pytest.raises(UnusableInput, match=expected) as caught:
        open_recording(_archive(tmp_path / "x", entries))
    assert ";" in str(caught.value)


def test_a_damaged_or_swollen_archive_is_one_clear_error(tmp_path: Path) -> None:
    """A truncated archive and an entry longer than the longest line are refused."""
    path = _archive(tmp_path / "x", {"header.json": HEADER, "samples/a_epoch_1.json": b" " * 9_000})
    with pytest.raises(UnusableInput, match="longer than"):
        open_recording(path, limits=replace(LIMITS, line=5_000))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(UnusableInput, match="damaged"):
        open_recording(path)


def test_content_nested_deeper_than_it_can_be_followed_is_refused(tmp_path: Path) -> None:
    """What can be parsed but not walked through is one clear error."""
    nested = json.loads("[" * 700 + "]" * 700)
    with pytest.raises(UnusableInput, match="nested too deeply; "):
        open_recording(document(tmp_path / "r", _sample([ASK, FOUND | {"metadata": nested}])))


def test_ranges_that_repeat_a_pool_cost_nothing(tmp_path: Path) -> None:
    """References that would blow a request up are not followed."""
    pool = [ASK | {"id": str(at), "content": str(at)} for at in range(2_000)]
    event = _asked(ANSWER, [], input_refs=[[0, 2_000]] * 20_000)
    recording = open_recording(document(tmp_path / "r", _sample([ASK, ANSWER], events=[event], message_pool=pool)))
    assert recording.exchanges[0].preface == ()


def test_the_shared_log_is_valid_and_accounted_for(shared: Path) -> None:
    """The shared log gives ten messages, five replies with usage, and valid histories; its 43 events are meta."""
    recording = open_recording(shared / "transcripts" / "inspect-ai" / "browser-eval-log.json.gz")
    assert (len(recording.messages), recording.used, recording.meta, recording.skipped) == (10, 10, 43, ())
    assert [one.reported for one in recording.exchanges] == [1124, 1568, 2732, 3896, 5915]
    assert all(not one.preface for one in recording.exchanges)
    assert len(recording.tools) == 8
    assert problems(shared, recording) == []


@given(st.sampled_from([LOG, LOG["samples"][0], _log(_sample(MESSAGES), _sample(MESSAGES[:1]))]).flatmap(mutated))
def test_odd_content_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, whole: Any) -> None:
    """A log with anything in any place is read, or refused with one clear line."""
    opened_or_refused(tmp_path_factory.mktemp("odd") / "x", whole)
