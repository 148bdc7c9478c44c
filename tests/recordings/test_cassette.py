"""VCR cassettes of four wires, in YAML and JSON."""

from __future__ import annotations

import base64
import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import Recording, as_sent, history, open_recording
from tests.recordings.damage import DEEP, damaged, nested
from tests.recordings.traffic import ADDRESSES, ANTHROPIC, CHAT, GEMINI, RESPONSES, answer, conversation, exchange, said
from tests.recordings.writing import Raw, document


def _opened(tmp_path: Path, exchanges: list[Any], *, form: str) -> Recording:
    recording = open_recording(document(tmp_path / "cassette", {"version": 1, "interactions": exchanges}))
    assert (recording.reader, recording.format) == ("cassette", form)
    assert recording.used + recording.meta + len(recording.skipped) == len(exchanges)
    return recording


def _texts(recording: Recording) -> list[Any]:
    return [_text(message) for message in recording.messages]


def _text(message: Raw) -> Any:
    held = message.get("content", message.get("parts", message.get("type")))
    return held[0]["text"] if isinstance(held, list) and held and isinstance(held[0], dict) and "text" in held[0] else held


@pytest.mark.parametrize("form", ADDRESSES)
def test_requests_that_extend_each_other_are_one_history(tmp_path: Path, form: str) -> None:
    """The history is the last request with the reply to it, and each call is an exchange with its own count."""
    recording = _opened(tmp_path, conversation(form), form=form)
    assert _texts(recording) == ["say 0", "say 1", "say 2", "say 3", "say 4", "reply 4"]
    assert [(one.upto, one.boundary, one.reported, one.output) for one in recording.exchanges] == [
        (1, 0, 100, 7),
        (3, 0, 102, 7),
        (5, 0, 104, 7),
    ]
    assert (recording.used, recording.skipped) == (3, ())


def test_system_tools_and_model_come_from_the_last_request(tmp_path: Path) -> None:
    """Each wire's own fields for the system prompt and the tools are read, and Gemini's model from the address."""
    fields: dict[str, Raw] = {
        CHAT: {},
        RESPONSES: {"instructions": "S"},
        ANTHROPIC: {"system": "S"},
        GEMINI: {"systemInstruction": {"parts": [{"text": "S"}]}},
    }
    systems = {CHAT: None, RESPONSES: "S", ANTHROPIC: "S", GEMINI: {"parts": [{"text": "S"}]}}
    for form in ADDRESSES:
        recording = _opened(tmp_path, conversation(form, tools=[{"name": "t"}], **fields[form]), form=form)
        assert (recording.system, recording.tools) == (systems[form], [{"name": "t"}])
    exchanges = conversation(GEMINI)
    for one in exchanges:
        del one["request"]["parsed_body"]["model"]
    assert _opened(tmp_path, exchanges, form=GEMINI).model == "google:gemini-3-flash"


@pytest.mark.parametrize("shape", ["text", "in a string", "base64", "zipped base64"])
def test_bodies_are_read_however_they_were_kept(tmp_path: Path, shape: str) -> None:
    """A body that is text, wrapped, encoded or packed is the same body."""

    def kept(body: Any) -> Any:
        text = json.dumps(body)
        if shape == "text":
            return text
        if shape == "in a string":
            return {"encoding": "utf-8", "string": text}
        data = gzip.compress(text.encode()) if shape == "zipped base64" else text.encode()
        return {"base64_string": base64.b64encode(data).decode()}

    exchanges = conversation(ANTHROPIC)
    for one in exchanges:
        for side in one.values():
            side["body"] = kept(side.pop("parsed_body"))
    path = document(tmp_path / "c", {"http_interactions": exchanges, "recorded_with": "betamax/0.9"})
    assert _texts(open_recording(path)) == ["say 0", "say 1", "say 2", "say 3", "say 4", "reply 4"]


STREAMS: dict[str, list[Raw]] = {
    CHAT: [
        {"model": "m", "choices": [{"delta": {"role": "assistant", "content": "He"}}]},
        {
            "choices": [
                {"delta": {"content": "llo", "tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a"'}}]}}
            ]
        },
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}}]},
        {"choices": [], "usage": {"prompt_tokens": 50, "completion_tokens": 7}},
    ],
    RESPONSES: [{"type": "response.created"}, {"type": "response.completed", "response": answer(RESPONSES, "Hello", prompt=50)}],
    ANTHROPIC: [
        {"type": "message_start", "message": {"usage": {"input_tokens": 50, "output_tokens": 1}, "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a": '}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "1}"}},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 7}},
    ],
    GEMINI: [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hel"}]}}]},
        {"candidates": [{"content": {"parts": [{"text": "lo"}, {"functionCall": {"name": "f", "args": {"a": 1}}}]}}]},
        {"usageMetadata": {"promptTokenCount": 50, "candidatesTokenCount": 7}},
    ],
}
STREAMED: dict[str, Raw] = {
    CHAT: {
        "role": "assistant",
        "content": "Hello",
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}, "id": "c"}],
    },
    RESPONSES: answer(RESPONSES, "Hello")["output"][0],
    ANTHROPIC: {
        "role": "assistant",
        "content": [{"type": "text", "text": "Hello"}, {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}],
    },
    GEMINI: {"role": "model", "parts": [{"text": "Hello"}, {"functionCall": {"name": "f", "args": {"a": 1}}}]},
}


@pytest.mark.parametrize("form", ADDRESSES)
def test_a_streamed_reply_is_put_together(tmp_path: Path, form: str) -> None:
    """The events of a stream become the reply they add up to, with its counts."""
    recorded = exchange(form, [said(form, "user", "hi")], None)
    recorded["response"]["body"] = {
        "string": "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in STREAMS[form]) + "data: [DONE]\n"
    }
    recording = _opened(tmp_path, [recorded], form=form)
    assert recording.messages[1] == STREAMED[form]
    assert (recording.exchanges[0].reported, recording.exchanges[0].output) == (50, 7)


def test_a_list_of_chunks_is_a_stream_too(tmp_path: Path) -> None:
    """Gemini streams a JSON array unless it is asked for events."""
    recorded = exchange(GEMINI, [said(GEMINI, "user", "hi")], STREAMS[GEMINI], uri="https://x/v1/models/m:streamGenerateContent")
    assert _opened(tmp_path, [recorded], form=GEMINI).messages[1] == STREAMED[GEMINI]


def test_history_kept_by_the_provider_is_put_together(tmp_path: Path) -> None:
    """A request that goes on with a response has its history, its reply and then its own items."""
    exchanges = [
        exchange(RESPONSES, "say 0", answer(RESPONSES, "reply 0", name="r0")),
        exchange(RESPONSES, [said(RESPONSES, "user", "say 1")], answer(RESPONSES, "reply 1", name="r1"), previous_response_id="r0"),
        exchange(RESPONSES, [said(RESPONSES, "user", "aside")], answer(RESPONSES, "no", name="r2"), previous_response_id="r0"),
        exchange(RESPONSES, [said(RESPONSES, "user", "say 2")], answer(RESPONSES, "reply 2", name="r3"), previous_response_id="r1"),
    ]
    recording = _opened(tmp_path, exchanges, form=RESPONSES)
    assert _texts(recording) == ["say 0", "reply 0", "say 1", "reply 1", "say 2", "reply 2"]
    assert [one.upto for one in recording.exchanges] == [1, 3, 5]
    assert [(one.line, one.kind) for one in recording.skipped] == [(3, "conversation")]


def test_a_conversation_kept_by_the_provider_is_followed(tmp_path: Path) -> None:
    """Requests that name one conversation go on with each other."""
    exchanges = [
        exchange(RESPONSES, [said(RESPONSES, "user", f"say {at}")], answer(RESPONSES, f"reply {at}"), conversation=held)
        for at, held in enumerate(["conv_1", {"id": "conv_1"}])
    ]
    assert _texts(_opened(tmp_path, exchanges, form=RESPONSES)) == ["say 0", "reply 0", "say 1", "reply 1"]


def test_history_that_is_not_in_the_cassette_is_named(tmp_path: Path) -> None:
    """What was sent behind an unknown response is read, and the request is named as one whose beginning is missing."""
    exchanges = [exchange(RESPONSES, "go on", answer(RESPONSES, "ok"), previous_response_id="resp_elsewhere")]
    recording = _opened(tmp_path, exchanges, form=RESPONSES)
    assert _texts(recording) == ["go on", "ok"]
    assert [one.kind for one in recording.skipped] == ["server_history"]


def test_a_providers_compaction_is_where_the_sent_history_begins(tmp_path: Path) -> None:
    """Behind a compaction item the provider reads on from there; the item stays in the history."""
    compaction = {"type": "compaction", "id": "c", "encrypted_content": "gAAA"}
    sent = [said(RESPONSES, "user", "a"), said(RESPONSES, "assistant", "b"), compaction, said(RESPONSES, "user", "c")]
    reply = answer(RESPONSES, "b")
    reply["output"].append(compaction)
    exchanges = [exchange(RESPONSES, sent[:1], reply), exchange(RESPONSES, sent, answer(RESPONSES, "d"))]
    recording = _opened(tmp_path, exchanges, form=RESPONSES)
    assert [(one.upto, one.boundary) for one in recording.exchanges] == [(1, 0), (4, 2)]
    assert as_sent(recording, recording.exchanges[1]) == [compaction, sent[3]]
    assert history(recording, recording.exchanges[1]) == sent


def test_a_cassette_that_changes_wires_yields_the_longest(tmp_path: Path) -> None:
    """Calls on other wires are named by their wire, and their replies in the history have no count."""
    mine, other = conversation(ANTHROPIC), conversation(RESPONSES)
    recording = _opened(tmp_path, [mine[0], other[0], other[1], mine[2]], form=ANTHROPIC)
    assert [(one.line, one.kind) for one in recording.skipped] == [(2, RESPONSES), (3, RESPONSES)]
    assert [(one.upto, one.reported) for one in recording.exchanges] == [(1, 100), (3, None), (5, 104)]


def test_of_equal_requests_the_newest_counts(tmp_path: Path) -> None:
    """A request sent again replaces the earlier one, and a conversation of its own is set aside."""
    first, second, third = conversation(CHAT)
    again = exchange(CHAT, second["request"]["parsed_body"]["messages"], answer(CHAT, "reply 2", prompt=999))
    alone = exchange(CHAT, [said(CHAT, "user", "something else")], answer(CHAT, "x"))
    recording = _opened(tmp_path, [first, second, again, alone, third], form=CHAT)
    assert [(one.line, one.kind) for one in recording.skipped] == [(2, "conversation"), (4, "conversation")]
    assert [one.reported for one in recording.exchanges] == [100, 999, 104]


def test_cache_markers_that_move_change_nothing(tmp_path: Path) -> None:
    """A request whose markers stand elsewhere, or whose text became a block, still extends the one before."""
    exchanges = conversation(ANTHROPIC)
    for one in exchanges:
        last = one["request"]["parsed_body"]["messages"][-1]
        one["request"]["parsed_body"]["messages"][-1] = last | {
            "content": [{"type": "text", "text": last["content"], "cache_control": {"type": "ephemeral"}}]
        }
    assert _opened(tmp_path, exchanges, form=ANTHROPIC).used == 3


def test_what_is_no_model_call_is_named(tmp_path: Path) -> None:
    """Other addresses, failed calls and unreadable replies are skipped by method and path, without the query that may hold a key."""
    hello = [said(CHAT, "user", "hi")]
    exchanges = [
        exchange(CHAT, "text to embed", {"data": []}, uri="https://api.openai.com/v1/embeddings?key=SECRET"),
        exchange(ANTHROPIC, hello, {"input_tokens": 5}, uri="https://api.anthropic.com/v1/messages/count_tokens"),
        {"request": {"method": "GET", "uri": "https://x/v1/models"}, "response": {}},
        exchange(CHAT, hello, {"error": {}}, status=529),
        exchange(CHAT, hello, "data: broken"),
        "no exchange",
        *conversation(CHAT),
    ]
    recording = _opened(tmp_path, exchanges, form=CHAT)
    assert [one.kind for one in recording.skipped] == [
        "POST /v1/embeddings",
        "POST /v1/messages/count_tokens",
        "GET /v1/models",
        "POST /v1/chat/completions",
        "POST /v1/chat/completions",
        "str",
    ]
    assert "status 529" in recording.skipped[3].reason
    assert "SECRET" not in str(recording.skipped)


def test_a_cassette_without_a_model_call_is_a_clear_error(tmp_path: Path) -> None:
    """A cassette of other traffic holds no message and says so."""
    path = document(tmp_path / "c", {"interactions": [{"request": {"method": "GET", "uri": "https://x/"}, "response": {}}]})
    with pytest.raises(UnusableInput, match=r"VCR cassette but holds no message; "):
        open_recording(path)


def test_many_calls_are_read_in_linear_time(tmp_path: Path) -> None:
    """Five thousand requests that go on with each other at the provider, and as many that repeat the first, lose none."""
    exchanges = [
        exchange(RESPONSES, [said(RESPONSES, "user", "x")], answer(RESPONSES, "y", name=f"r{at}"), previous_response_id=f"r{at - 1}")
        for at in range(5_000)
    ]
    exchanges += [exchange(RESPONSES, [said(RESPONSES, "user", "x")], answer(RESPONSES, "y", name="z")) for _ in range(5_000)]
    assert len(_opened(tmp_path, exchanges, form=RESPONSES).messages) == 10_000


BOTH = [*conversation(ANTHROPIC), *conversation(GEMINI), *conversation(RESPONSES), *conversation(CHAT)]


@given(damaged(BOTH))
def test_no_damage_raises_anything_but_a_clear_error(tmp_path_factory: pytest.TempPathFactory, exchanges: list[Any]) -> None:
    """A damaged cassette is read with every exchange accounted for, or refused with a clear error."""
    path = document(tmp_path_factory.mktemp("damaged") / "c", {"interactions": exchanges})
    try:
        recording = open_recording(path)
    except UnusableInput:
        return
    if recording.reader == "cassette":
        assert recording.used + recording.meta + len(recording.skipped) == len(exchanges)


SHARED: list[tuple[str, str, int, int, int]] = [
    ("test_google_instructions_only_with_tool_calls", GEMINI, 10, 5, 0),
    ("test_live_tool_search_handoff_anthropic_openai_anthropic", ANTHROPIC, 12, 6, 2),
    ("test_multimodal_tool_return_matrix__direct-binary-image-anthropic", ANTHROPIC, 4, 2, 0),
    ("test_openai_native_tool_search_with_deferred_capability", RESPONSES, 12, 4, 0),
    ("test_openai_responses_compact_stateful_mode", RESPONSES, 9, 4, 0),
]


@pytest.fixture(scope="module")
def checked(shared: Path) -> Callable[[list[Raw], str], list[str]]:
    """The independent validator of request bodies."""
    sys.path.insert(0, str(shared / "checks"))
    try:
        validate = pytest.importorskip("validate")
    finally:
        sys.path.pop(0)
    return lambda messages, form: list(validate.FORMATS[form](messages))


@pytest.mark.parametrize(("name", "form", "messages", "replies", "skipped"), SHARED)
def test_shared_cassettes_hold_valid_requests(
    shared: Path, checked: Callable[[list[Raw], str], list[str]], name: str, form: str, messages: int, replies: int, skipped: int
) -> None:
    """Each recorded cassette is read on its wire with everything accounted for, and what was sent before each reply is valid."""
    pytest.importorskip("yaml", reason="no YAML library here (extra yaml)")
    recording = open_recording(shared / "transcripts" / "pydantic-ai-cassettes" / f"{name}.yaml")
    assert (recording.reader, recording.format, len(recording.messages)) == ("cassette", form, messages)
    assert (len(recording.exchanges), len(recording.skipped)) == (replies, skipped)
    for one in recording.exchanges:
        assert checked(history(recording, one), form) == []


@pytest.mark.parametrize("levels", [800, 5_000])
def test_values_of_many_levels_are_read_or_refused(tmp_path: Path, levels: int) -> None:
    """Values nested as deeply as the interpreter follows are read, and deeper ones are one clear error."""
    records = [{"interactions": [*conversation(CHAT), exchange(CHAT, [{"role": "user", "content": DEEP}], answer(CHAT, "x"))]}]
    try:
        recording = open_recording(nested(tmp_path / "deep", records, levels=levels))
    except UnusableInput:
        assert levels > 800
        return
    assert recording.reader == "cassette"
