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
from tests.recordings.damage import damaged
from tests.recordings.writing import Raw, document

CHAT, RESPONSES, ANTHROPIC, GEMINI = "openai_chat", "openai_responses", "anthropic", "gemini"
ADDRESSES = {
    CHAT: "https://api.openai.com/v1/chat/completions",
    RESPONSES: "https://api.openai.com/v1/responses",
    ANTHROPIC: "https://api.anthropic.com/v1/messages?beta=true",
    GEMINI: "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash:generateContent?key=SECRET",
}


def _exchange(form: str, sent: Any, answer: Any, *, uri: str | None = None, status: Any = 200, **fields: Any) -> Raw:
    held = {CHAT: "messages", RESPONSES: "input", ANTHROPIC: "messages", GEMINI: "contents"}[form]
    request = {"method": "POST", "uri": uri or ADDRESSES[form], "headers": {}, "parsed_body": {held: sent, "model": "m"} | fields}
    return {"request": request, "response": {"status": {"code": status, "message": "OK"}, "headers": {}, "parsed_body": answer}}


def _said(form: str, role: str, text: str) -> Raw:
    if form == GEMINI:
        return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
    return {"role": role, "content": text}


def _answer(form: str, text: str, *, prompt: int = 100, name: str = "r1") -> Raw:
    if form == CHAT:
        return {
            "choices": [{"message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": 7},
        }
    if form == RESPONSES:
        item = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        return {"id": name, "object": "response", "output": [item], "usage": {"input_tokens": prompt, "output_tokens": 7}}
    if form == ANTHROPIC:
        usage = {"input_tokens": prompt - 90, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 10, "output_tokens": 7}
        return {"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}], "usage": usage}
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [{"content": content}],
        "usageMetadata": {"promptTokenCount": prompt, "candidatesTokenCount": 4, "thoughtsTokenCount": 3},
    }


def _conversation(form: str, **fields: Any) -> list[Raw]:
    """Three requests of which each holds the one before and the reply to it."""
    said = [_said(form, "user" if at % 2 == 0 else "assistant", f"say {at}") for at in range(5)]
    return [_exchange(form, said[: at + 1], _answer(form, f"reply {at}", prompt=100 + at), **fields) for at in (0, 2, 4)]


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
    recording = _opened(tmp_path, _conversation(form), form=form)
    assert _texts(recording) == ["say 0", "say 1", "say 2", "say 3", "say 4", "reply 4"]
    assert [(one.upto, one.boundary, one.reported, one.output) for one in recording.exchanges] == [
        (1, 0, 100, 7),
        (3, 0, 102, 7),
        (5, 0, 104, 7),
    ]
    assert (recording.used, recording.skipped) == (3, ())


def test_system_tools_and_model_come_from_the_last_request(tmp_path: Path) -> None:
    """Each wire's own fields for the system prompt and the tools are read, and Gemini's model from the address."""
    fields = {
        CHAT: {},
        RESPONSES: {"instructions": "S"},
        ANTHROPIC: {"system": "S"},
        GEMINI: {"systemInstruction": {"parts": [{"text": "S"}]}},
    }
    systems = {CHAT: None, RESPONSES: "S", ANTHROPIC: "S", GEMINI: {"parts": [{"text": "S"}]}}
    for form in ADDRESSES:
        recording = _opened(tmp_path, _conversation(form, tools=[{"name": "t"}], **fields[form]), form=form)
        assert (recording.system, recording.tools) == (systems[form], [{"name": "t"}])
    exchanges = _conversation(GEMINI)
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

    exchanges = _conversation(ANTHROPIC)
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
    RESPONSES: [{"type": "response.created"}, {"type": "response.completed", "response": _answer(RESPONSES, "Hello", prompt=50)}],
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
    RESPONSES: _answer(RESPONSES, "Hello")["output"][0],
    ANTHROPIC: {
        "role": "assistant",
        "content": [{"type": "text", "text": "Hello"}, {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}],
    },
    GEMINI: {"role": "model", "parts": [{"text": "Hello"}, {"functionCall": {"name": "f", "args": {"a": 1}}}]},
}


@pytest.mark.parametrize("form", ADDRESSES)
def test_a_streamed_reply_is_put_together(tmp_path: Path, form: str) -> None:
    """The events of a stream become the reply they add up to, with its counts."""
    exchange = _exchange(form, [_said(form, "user", "hi")], None)
    exchange["response"]["body"] = {
        "string": "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in STREAMS[form]) + "data: [DONE]\n"
    }
    recording = _opened(tmp_path, [exchange], form=form)
    assert recording.messages[1] == STREAMED[form]
    assert (recording.exchanges[0].reported, recording.exchanges[0].output) == (50, 7)


def test_a_list_of_chunks_is_a_stream_too(tmp_path: Path) -> None:
    """Gemini streams a JSON array unless it is asked for events."""
    exchange = _exchange(GEMINI, [_said(GEMINI, "user", "hi")], STREAMS[GEMINI], uri="https://x/v1/models/m:streamGenerateContent")
    assert _opened(tmp_path, [exchange], form=GEMINI).messages[1] == STREAMED[GEMINI]


def test_history_kept_by_the_provider_is_put_together(tmp_path: Path) -> None:
    """A request that goes on with a response has its history, its reply and then its own items."""
    exchanges = [
        _exchange(RESPONSES, "say 0", _answer(RESPONSES, "reply 0", name="r0")),
        _exchange(RESPONSES, [_said(RESPONSES, "user", "say 1")], _answer(RESPONSES, "reply 1", name="r1"), previous_response_id="r0"),
        _exchange(RESPONSES, [_said(RESPONSES, "user", "aside")], _answer(RESPONSES, "no", name="r2"), previous_response_id="r0"),
        _exchange(RESPONSES, [_said(RESPONSES, "user", "say 2")], _answer(RESPONSES, "reply 2", name="r3"), previous_response_id="r1"),
    ]
    recording = _opened(tmp_path, exchanges, form=RESPONSES)
    assert _texts(recording) == ["say 0", "reply 0", "say 1", "reply 1", "say 2", "reply 2"]
    assert [one.upto for one in recording.exchanges] == [1, 3, 5]
    assert [(one.line, one.kind) for one in recording.skipped] == [(3, "conversation")]


def test_a_conversation_kept_by_the_provider_is_followed(tmp_path: Path) -> None:
    """Requests that name one conversation go on with each other."""
    exchanges = [
        _exchange(RESPONSES, [_said(RESPONSES, "user", f"say {at}")], _answer(RESPONSES, f"reply {at}"), conversation=held)
        for at, held in enumerate(["conv_1", {"id": "conv_1"}])
    ]
    assert _texts(_opened(tmp_path, exchanges, form=RESPONSES)) == ["say 0", "reply 0", "say 1", "reply 1"]


def test_history_that_is_not_in_the_cassette_is_named(tmp_path: Path) -> None:
    """What was sent behind an unknown response is read, and the request is named as one whose beginning is missing."""
    exchanges = [_exchange(RESPONSES, "go on", _answer(RESPONSES, "ok"), previous_response_id="resp_elsewhere")]
    recording = _opened(tmp_path, exchanges, form=RESPONSES)
    assert _texts(recording) == ["go on", "ok"]
    assert [one.kind for one in recording.skipped] == ["server_history"]


def test_a_providers_compaction_is_where_the_sent_history_begins(tmp_path: Path) -> None:
    """Behind a compaction item the provider reads on from there; the item stays in the history."""
    compaction = {"type": "compaction", "id": "c", "encrypted_content": "gAAA"}
    said = [_said(RESPONSES, "user", "a"), _said(RESPONSES, "assistant", "b"), compaction, _said(RESPONSES, "user", "c")]
    answer = _answer(RESPONSES, "b")
    answer["output"].append(compaction)
    exchanges = [_exchange(RESPONSES, said[:1], answer), _exchange(RESPONSES, said, _answer(RESPONSES, "d"))]
    recording = _opened(tmp_path, exchanges, form=RESPONSES)
    assert [(one.upto, one.boundary) for one in recording.exchanges] == [(1, 0), (4, 2)]
    assert as_sent(recording, recording.exchanges[1]) == [compaction, said[3]]
    assert history(recording, recording.exchanges[1]) == said


def test_a_cassette_that_changes_wires_yields_the_longest(tmp_path: Path) -> None:
    """Calls on other wires are named by their wire, and their replies in the history have no count."""
    mine, other = _conversation(ANTHROPIC), _conversation(RESPONSES)
    recording = _opened(tmp_path, [mine[0], other[0], other[1], mine[2]], form=ANTHROPIC)
    assert [(one.line, one.kind) for one in recording.skipped] == [(2, RESPONSES), (3, RESPONSES)]
    assert [(one.upto, one.reported) for one in recording.exchanges] == [(1, 100), (3, None), (5, 104)]


def test_of_equal_requests_the_newest_counts(tmp_path: Path) -> None:
    """A request sent again replaces the earlier one, and a conversation of its own is set aside."""
    first, second, third = _conversation(CHAT)
    again = _exchange(CHAT, second["request"]["parsed_body"]["messages"], _answer(CHAT, "reply 2", prompt=999))
    alone = _exchange(CHAT, [_said(CHAT, "user", "something else")], _answer(CHAT, "x"))
    recording = _opened(tmp_path, [first, second, again, alone, third], form=CHAT)
    assert [(one.line, one.kind) for one in recording.skipped] == [(2, "conversation"), (4, "conversation")]
    assert [one.reported for one in recording.exchanges] == [100, 999, 104]


def test_cache_markers_that_move_change_nothing(tmp_path: Path) -> None:
    """A request whose markers stand elsewhere, or whose text became a block, still extends the one before."""
    exchanges = _conversation(ANTHROPIC)
    for one in exchanges:
        last = one["request"]["parsed_body"]["messages"][-1]
        one["request"]["parsed_body"]["messages"][-1] = last | {
            "content": [{"type": "text", "text": last["content"], "cache_control": {"type": "ephemeral"}}]
        }
    assert _opened(tmp_path, exchanges, form=ANTHROPIC).used == 3


def test_what_is_no_model_call_is_named(tmp_path: Path) -> None:
    """Other addresses, failed calls and unreadable replies are skipped by method and path, without the query that may hold a key."""
    said = [_said(CHAT, "user", "hi")]
    exchanges = [
        _exchange(CHAT, "text to embed", {"data": []}, uri="https://api.openai.com/v1/embeddings?key=SECRET"),
        _exchange(ANTHROPIC, said, {"input_tokens": 5}, uri="https://api.anthropic.com/v1/messages/count_tokens"),
        {"request": {"method": "GET", "uri": "https://x/v1/models"}, "response": {}},
        _exchange(CHAT, said, {"error": {}}, status=529),
        _exchange(CHAT, said, "data: broken"),
        "no exchange",
        *_conversation(CHAT),
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
        _exchange(RESPONSES, [_said(RESPONSES, "user", "x")], _answer(RESPONSES, "y", name=f"r{at}"), previous_response_id=f"r{at - 1}")
        for at in range(5_000)
    ]
    exchanges += [_exchange(RESPONSES, [_said(RESPONSES, "user", "x")], _answer(RESPONSES, "y", name="z")) for _ in range(5_000)]
    assert len(_opened(tmp_path, exchanges, form=RESPONSES).messages) == 10_000


BOTH = [*_conversation(ANTHROPIC), *_conversation(GEMINI), *_conversation(RESPONSES), *_conversation(CHAT)]


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


def _yaml(path: Path, value: Any) -> str:
    library = pytest.importorskip("yaml", reason="no YAML library here (extra yaml)")
    path.write_text(library.safe_dump(value, allow_unicode=True), encoding="utf-8")
    return str(path)


def _yaml_text(path: Path, text: str) -> str:
    pytest.importorskip("yaml", reason="no YAML library here (extra yaml)")
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("form", ADDRESSES)
@pytest.mark.parametrize("zipped", [True, False])
def test_yaml_and_json_are_read_alike(tmp_path: Path, form: str, zipped: bool) -> None:
    """The same exchanges give the same recording in both notations, zipped or not."""
    cassette = {"version": 1, "interactions": _conversation(form)}
    path = Path(_yaml(tmp_path / "c", cassette))
    if zipped:
        path.write_bytes(gzip.compress(path.read_bytes()))
    found, expected = open_recording(path), open_recording(document(tmp_path / "j", cassette))
    assert (found.messages, found.exchanges, found.skipped) == (expected.messages, expected.exchanges, expected.skipped)


@pytest.mark.parametrize("start", ["", "# recorded\n", "---\n", "%YAML 1.1\n---\n", "version: 1\n", "\n\n"])
def test_a_yaml_cassette_is_recognised_by_its_first_lines(tmp_path: Path, start: str) -> None:
    """Comments, a document mark and the version may stand before the exchanges."""
    library = pytest.importorskip("yaml", reason="no YAML library here (extra yaml)")
    text = start + library.safe_dump({"interactions": _conversation(CHAT)})
    assert open_recording(_yaml_text(tmp_path / "c.md", text)).reader == "cassette"


def test_yaml_bodies_may_be_bytes(tmp_path: Path) -> None:
    """A body kept as YAML binary, packed or not, is read."""
    exchanges = _conversation(CHAT)
    for at, one in enumerate(exchanges):
        data = json.dumps(one["response"].pop("parsed_body")).encode()
        one["response"]["body"] = {"string": gzip.compress(data) if at else data}
    assert _texts(open_recording(_yaml(tmp_path / "c", {"interactions": exchanges})))[-1] == "reply 4"


def test_plain_words_of_yaml_keep_their_type(tmp_path: Path) -> None:
    """Numbers, truth values and nothing are what JSON would make of them, and every other plain word stays text."""
    values = "[1, -2.5, 1e3, true, null, ~, yes, 2024-01-01, 0x1F, 012, 1_000, 'true', .inf, " + "9" * 2_000 + "]"
    text = json.dumps({"interactions": _conversation(ANTHROPIC, tools="VALUES")}, indent=1).replace('"VALUES"', values)
    lines = text.splitlines()[1:-1]
    recording = open_recording(_yaml_text(tmp_path / "c", "interactions: " + "\n".join(lines).split(":", 1)[1]))
    expected = [1, -2.5, 1000.0, True, None, None, "yes", "2024-01-01", "0x1F", "012", "1_000", "true", ".inf", "9" * 2_000]
    assert recording.tools == expected


def test_aliases_repeat_what_they_name(tmp_path: Path) -> None:
    """Values that are shared in a cassette are read wherever they are named."""
    shared = _conversation(CHAT)
    headers = {"content-type": ["application/json"]}
    for one in shared:
        one["request"]["headers"] = one["response"]["headers"] = headers
    path = _yaml(tmp_path / "c", {"interactions": shared})
    assert "*id" in Path(path).read_text(encoding="utf-8")
    assert open_recording(path).used == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("interactions:\n- [a\n- b: }\n", r"line \d: not YAML \("),
        ("interactions:\n- request: {a: 1}\n  b: *nothing\n", r"line 3: (\*nothing names nothing|not YAML)"),
        ("interactions: &a\n- *a\n", r"line 2: \*a names nothing before it"),
        ("interactions:\n- ? [a]\n  : 1\n", "line 2: a key is no text"),
        ("interactions:\n" + "".join("  " * at + "- \n" for at in range(1, 300)), "nested deeper than 200 levels"),
        ("interactions: " + "[" * 5_000 + "]" * 5_000, r"nested deeper than 200 levels|not YAML"),
        ("interactions:\n- \x07\n", r"not YAML \("),
        ("interactions:\n- !!python/object/apply:os.system ['touch x']\n", "holds no message"),
        ("interactions: []\n", "holds no message"),
    ],
)
def test_bad_yaml_gets_one_clear_line(tmp_path: Path, text: str, expected: str) -> None:
    """Everything that is no usable cassette is one line with file, what and remedy, and nothing in it is ever run."""
    path = _yaml_text(tmp_path / "c", text)
    with pytest.raises(UnusableInput, match=expected) as caught:
        open_recording(path)
    assert "\n" not in str(caught.value)
    assert ";" in str(caught.value)


@pytest.mark.parametrize("leaf", ["[x, x]", "'" + "x" * 1_000 + "'"])
def test_alias_bombs_are_refused(tmp_path: Path, leaf: str) -> None:
    """Aliases of aliases that would stand for millions of values or characters are one clear error."""
    levels = "".join(f"  l{at}: &l{at} [{', '.join([f'*l{at - 1}'] * 10)}]\n" for at in range(1, 10))
    path = _yaml_text(tmp_path / "c", f"interactions:\n- l0: &l0 {leaf}\n{levels}")
    with pytest.raises(UnusableInput, match="the aliases repeat too much; write the file without aliases"):
        open_recording(path)


def test_a_missing_yaml_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a YAML library the error names the extra, and JSON cassettes are read all the same."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.setitem(sys.modules, "ruamel", None)
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    path = tmp_path / "c"
    path.write_text("interactions:\n- request: {}\n", encoding="utf-8")
    with pytest.raises(UnusableInput, match=r"needs a YAML library; install sostenuto\[yaml\]"):
        open_recording(path)
    assert _opened(tmp_path, _conversation(CHAT), form=CHAT).used == 3


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
