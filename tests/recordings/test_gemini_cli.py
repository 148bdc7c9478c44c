"""Gemini CLI sessions as a Gemini history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import Recording, as_sent, open_recording
from tests.recordings.damage import DEEP, damaged, nested
from tests.recordings.writing import Raw, document, jsonl

HEADER = {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-15T20:51:48Z", "lastUpdated": "2026-01-15T20:52:56Z"}
TOKENS = {"input": 1_200, "output": 10, "cached": 900, "thoughts": 5, "tool": 0, "total": 1_215}


def _said(name: str, content: Any, **fields: Any) -> Raw:
    return {"id": name, "timestamp": "2026-01-15T20:51:48Z", "type": "user", "content": content} | fields


def _reply(name: str, content: Any = "", *calls: Raw, **fields: Any) -> Raw:
    record = _said(name, content, type="gemini", model="gemini-2.5-flash", tokens=TOKENS, thoughts=[])
    return record | ({"toolCalls": list(calls)} if calls else {}) | fields


def _call(name: str, result: Any = ...) -> Raw:
    answer = [{"functionResponse": {"id": name, "name": "ls", "response": {"output": "done"}}}] if result is ... else result
    return {"id": name, "name": "ls", "args": {"path": "/"}, "status": "success", "result": answer, "description": "for people"}


def _info(name: str, kind: str = "info") -> Raw:
    return _said(name, "an update is there", type=kind)


THOUGHT = {"subject": "Looking", "description": "Where is it?", "timestamp": "2026-01-15T20:51:51Z"}
MESSAGES = [
    _said("1", "look"),
    _info("2"),
    _reply("3", "reading", _call("a"), _call("b"), thoughts=[THOUGHT]),
    _reply("4", "all there"),
]
CONTENTS = [
    {"role": "user", "parts": [{"text": "look"}]},
    {
        "role": "model",
        "parts": [
            {"text": "**Looking**\n\nWhere is it?", "thought": True},
            {"text": "reading"},
            {"functionCall": {"id": "a", "name": "ls", "args": {"path": "/"}}},
            {"functionCall": {"id": "b", "name": "ls", "args": {"path": "/"}}},
        ],
    },
    {"role": "user", "parts": [_call("a")["result"][0], _call("b")["result"][0]]},
    {"role": "model", "parts": [{"text": "all there"}]},
]


def _written(path: Path, messages: list[Any], shape: str) -> str:
    if shape == "lines":
        return jsonl(path, [HEADER, *messages], zipped=True)
    return document(path, HEADER | {"messages": messages}, indent=2 if shape == "indented" else None)


def _opened(tmp_path: Path, *records: Any) -> Recording:
    recording = open_recording(jsonl(tmp_path / "session", [HEADER, *records]))
    assert (recording.reader, recording.format) == ("gemini_cli", "gemini")
    assert recording.used + recording.meta + len(recording.skipped) == len(records) + 1
    return recording


def _texts(recording: Recording) -> list[str]:
    return [part["text"] for content in recording.messages for part in content["parts"] if "text" in part]


@pytest.mark.parametrize("shape", ["document", "indented", "lines"])
def test_messages_become_contents(tmp_path: Path, shape: str) -> None:
    """Thoughts, text and calls of a reply are one content, and one content behind it answers its calls in their order."""
    recording = open_recording(_written(tmp_path / "s", MESSAGES, shape))
    assert list(recording.messages) == CONTENTS
    assert (recording.used, recording.meta, recording.skipped) == (3, 2 if shape == "lines" else 1, ())


def test_usage_counts_what_the_provider_counts_apart(tmp_path: Path) -> None:
    """The prompt holds cached tokens and what tools added to it, and the reply its thoughts."""
    recording = _opened(tmp_path, *MESSAGES[:-1], _reply("4", "x", tokens=TOKENS | {"tool": 30}))
    assert [(one.upto, one.reported, one.output, one.model) for one in recording.exchanges] == [
        (1, 1_200, 15, "google:gemini-2.5-flash"),
        (3, 1_230, 15, "google:gemini-2.5-flash"),
    ]


def test_calls_recorded_apart_from_their_text_belong_to_one_reply(tmp_path: Path) -> None:
    """A record that cost nothing and holds only calls goes on with the reply before it, whatever the program showed in between."""
    recording = _opened(
        tmp_path, _said("1", "look"), _reply("2", "reading"), _info("3"), _reply("4", "", _call("a"), tokens=dict.fromkeys(TOKENS, 0))
    )
    assert [len(content["parts"]) for content in recording.messages] == [1, 2, 1]
    assert len(recording.exchanges) == 1
    assert recording.used == 3


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("plain", [{"functionResponse": {"id": "a", "name": "ls", "response": {"output": "plain"}}}]),
        ({"text": "part"}, [{"functionResponse": {"id": "a", "name": "ls", "response": {"output": "part"}}}]),
        (
            ["one", {"inlineData": {"data": "QUJD", "mimeType": "image/png"}}],
            [
                {"functionResponse": {"id": "a", "name": "ls", "response": {"output": "one"}}},
                {"inlineData": {"data": "QUJD", "mimeType": "image/png"}},
            ],
        ),
        (None, None),
    ],
)
def test_results_in_other_shapes_are_responses_too(tmp_path: Path, result: Any, expected: Any) -> None:
    """A result that is text or parts is wrapped as the response to its call, and a call without one is left unanswered."""
    recording = _opened(tmp_path, _said("1", "look"), _reply("2", "", _call("a", result)))
    assert [content["parts"] for content in recording.messages[2:]] == ([expected] if expected else [])


def test_commands_and_empty_messages_are_skipped_by_name(tmp_path: Path) -> None:
    """A command no model answered is named and so is a message without content; a path, or a command that was answered, is said."""
    recording = _opened(
        tmp_path,
        _said("1", "/stats model"),
        _info("2", "hologram"),
        _said("3", [{"text": "/usr/bin/x fails"}]),
        _reply("4", "why"),
        _said("5", "/review"),
        _reply("6", "done"),
        _reply("7"),
        "x",
    )
    assert _texts(recording) == ["/usr/bin/x fails", "why", "/review", "done"]
    assert [(one.line, one.kind) for one in recording.skipped] == [(2, "command"), (3, "hologram"), (8, "empty"), (9, "str")]


def test_a_message_that_is_written_again_is_used_once(tmp_path: Path) -> None:
    """The newest version of a message stands where its first stood, and the older records are named."""
    recording = _opened(tmp_path, _said("1", "look"), _reply("2", "rea"), _said("3", "more"), _reply("2", "reading"))
    assert _texts(recording) == ["look", "reading", "more"]
    assert [(one.line, one.kind) for one in recording.skipped] == [(3, "replaced")]


@pytest.mark.parametrize(("target", "left"), [("3", ["a", "b"]), ("1", []), ("ghost", []), (7, [])])
def test_a_rewind_takes_back_the_message_it_names_and_all_behind_it(tmp_path: Path, target: Any, left: list[str]) -> None:
    """What stands from the named message on is skipped as rewound; a name that is not known takes back everything."""
    records = [
        _said("1", "a"),
        _reply("2", "b"),
        _said("3", "c"),
        _reply("4", "d"),
        {"$rewindTo": target},
        _said("5", "e"),
        _reply("6", "f"),
    ]
    recording = _opened(tmp_path, *records)
    assert _texts(recording) == [*left, "e", "f"]
    assert {one.kind for one in recording.skipped} == {"rewound"}


def test_a_compression_sets_what_was_sent(tmp_path: Path) -> None:
    """What replaces the messages is sent before those it keeps and is not part of the full history."""
    records = [_said("1", "a"), _reply("2", "b"), _said("3", "c"), _reply("4", "d")]
    summary = [_said("s1", "SUMMARY"), _reply("s2", "Got it")]
    recording = _opened(tmp_path, *records, {"$set": {"messages": [*summary, *records[2:]]}}, _said("5", "e"), _reply("6", "f"))
    assert _texts(recording) == ["a", "b", "c", "d", "e", "f"]
    sent = as_sent(recording, recording.exchanges[-1])
    assert [content["parts"][0]["text"] for content in sent] == ["SUMMARY", "Got it", "c", "d", "e"]
    assert [one.boundary for one in recording.exchanges] == [0, 0, 2]


def test_a_rewind_behind_a_compression_hides_nothing_new(tmp_path: Path) -> None:
    """Messages said after a rewind to before the compression are sent although they stand where older ones were left out."""
    records = [_said("1", "a"), _reply("2", "b"), _said("3", "c"), {"$set": {"messages": [_said("s", "S")]}}, {"$rewindTo": "2"}]
    recording = _opened(tmp_path, *records, *[_said(str(at), f"new {at}") for at in range(5, 9)], _reply("9", "done"))
    sent = as_sent(recording, recording.exchanges[-1])
    assert [content["parts"][0]["text"] for content in sent] == ["S", "new 5", "new 6", "new 7", "new 8"]


def test_a_replacement_without_anything_known_starts_anew(tmp_path: Path) -> None:
    """Where nothing is kept, only the replacement and what follows was sent."""
    recording = _opened(tmp_path, _said("1", "a"), _reply("2", "b"), {"$set": {"messages": []}}, _said("3", "c"), _reply("4", "d"))
    assert as_sent(recording, recording.exchanges[-1]) == [{"role": "user", "parts": [{"text": "c"}]}]


def test_a_replacement_can_hold_the_whole_session(tmp_path: Path) -> None:
    """Messages that stand only in a replacement are read, those that were dropped at the end are rewound, and descriptions are meta."""
    first = {"$set": {"messages": [_said("1", "a"), _reply("2", "b"), _said("3", "wrong")]}}
    recording = _opened(
        tmp_path, first, _reply("4", "no"), {"$set": {"messages": first["$set"]["messages"][:2]}}, {"$set": {"summary": "x"}}
    )
    assert _texts(recording) == ["a", "b"]
    assert [(one.line, one.kind) for one in recording.skipped] == [(3, "rewound")]
    assert (recording.used, recording.meta) == (1, 3)


def test_a_torn_last_line_is_named(tmp_path: Path) -> None:
    """A session whose writer was killed is read up to its last whole line."""
    path = Path(jsonl(tmp_path / "s", [HEADER, *MESSAGES]))
    path.write_bytes(path.read_bytes()[:-30])
    assert [one.kind for one in open_recording(path).skipped] == ["torn"]


@pytest.mark.parametrize("shape", ["document", "lines"])
@given(records=damaged([*MESSAGES, {"$set": {"messages": MESSAGES[:1]}}, {"$rewindTo": "4"}, _reply("5", "x", _call("c"))]))
def test_no_damage_raises_anything_but_a_clear_error(tmp_path_factory: pytest.TempPathFactory, shape: str, records: list[Any]) -> None:
    """A damaged session is read with every record accounted for, or refused with a clear error."""
    path = _written(tmp_path_factory.mktemp("damaged") / "s", records, shape)
    try:
        recording = open_recording(path)
    except UnusableInput:
        return
    if recording.reader == "gemini_cli":
        assert recording.used + recording.meta + len(recording.skipped) == len(records) + (shape == "lines")


def test_the_shared_session_pairs_calls_and_responses(shared: Path) -> None:
    """The recorded session has one response content behind each content with calls, ten replies with counts, and nothing unread."""
    (path,) = (shared / "transcripts" / "entire-cli-gemini").glob("*.json")
    recording = open_recording(path)
    assert (recording.used, recording.meta, recording.skipped) == (12, 1, ())
    assert len(recording.exchanges) == 10
    assert all(one.reported and one.output for one in recording.exchanges)
    for content, following in zip(recording.messages, recording.messages[1:], strict=False):
        calls = [part["functionCall"]["id"] for part in content["parts"] if "functionCall" in part]
        assert [part["functionResponse"]["id"] for part in following["parts"] if "functionResponse" in part] == calls


@pytest.mark.parametrize("levels", [800, 5_000])
def test_values_of_many_levels_are_read_or_refused(tmp_path: Path, levels: int) -> None:
    """Values nested as deeply as the interpreter follows are read, and deeper ones are one clear error."""
    records = [HEADER, *MESSAGES, _reply("5", [DEEP, {"text": DEEP}], thoughts=DEEP, toolCalls=[{"args": {"a": DEEP}}])]
    try:
        recording = open_recording(nested(tmp_path / "deep", records, levels=levels))
    except UnusableInput:
        assert levels > 800
        return
    assert recording.reader == "gemini_cli"
