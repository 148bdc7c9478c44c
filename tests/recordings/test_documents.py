"""tau-bench results, LiteLLM logs and plain message lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sostenuto.errors import UnknownFormat
from sostenuto.recordings.opening import history, open_recording
from tests.recordings.writing import Raw, call, document, jsonl, result, text

CHAT: list[Raw] = [
    {"role": "system", "content": "policy"},
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "7"},
    {"role": "assistant", "content": "seven"},
]
ANTHROPIC: list[Raw] = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": [call("t1")]},
    {"role": "user", "content": [result("t1")]},
]
SIMULATION: Raw = {"task_id": 3, "reward": 0.0, "info": {}, "traj": CHAT, "trial": 0}
USAGE = {"prompt_tokens": 50, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 40}}


def _logged(messages: list[Raw], reply: Any, **fields: Any) -> Raw:
    response = {"model": "litellm_proxy/claude-x", "choices": [{"message": reply}], "usage": USAGE}
    return {"messages": messages, "response": response, "tools": [{"type": "function"}]} | fields


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("value", [SIMULATION, [SIMULATION]])
def test_a_tau_bench_simulation_is_its_messages(tmp_path: Path, value: Any, indent: int | None) -> None:
    """The messages of a simulation, alone or in an array, on one line or many, come out as they are, the system message first."""
    recording = open_recording(document(tmp_path / "r", value, indent=indent))
    assert (recording.reader, recording.format) == ("tau_bench", "openai_chat")
    assert list(recording.messages) == CHAT
    assert [one.upto for one in recording.exchanges] == [2, 4]
    assert (recording.used, recording.meta, recording.skipped) == (5, 0, ())


def test_further_tau_bench_simulations_are_named(tmp_path: Path) -> None:
    """Of several simulations the first with messages is read and the others are skipped by name."""
    recording = open_recording(document(tmp_path / "r", [SIMULATION | {"traj": []}, SIMULATION, SIMULATION]))
    assert list(recording.messages) == CHAT
    assert [(one.line, one.kind) for one in recording.skipped] == [(1, "simulation"), (3, "simulation")]


def test_a_litellm_log_ends_with_its_response(tmp_path: Path) -> None:
    """The reply comes from the response without the library's own fields, with usage, model and tools."""
    reply = {"role": "assistant", "content": "bye", "tool_calls": None, "function_call": None, "provider_specific_fields": {"x": 1}}
    recording = open_recording(document(tmp_path / "r", _logged(CHAT, reply)))
    assert (recording.reader, recording.format) == ("litellm_log", "openai_chat")
    assert list(recording.messages) == [*CHAT, {"role": "assistant", "content": "bye"}]
    last = recording.exchanges[-1]
    assert (last.upto, last.reported, last.output, last.model) == (5, 50, 5, "anthropic:claude-x")
    assert history(recording, last) == CHAT
    assert recording.tools == [{"type": "function"}]
    assert recording.used == 6


def test_a_litellm_response_without_a_message_is_named(tmp_path: Path) -> None:
    """A failed request keeps its history and its missing reply is skipped by name."""
    recording = open_recording(document(tmp_path / "r", _logged(CHAT, None)))
    assert list(recording.messages) == CHAT
    assert [one.kind for one in recording.skipped] == ["response"]


def test_of_several_logged_requests_the_longest_is_read(tmp_path: Path) -> None:
    """A log with a request a line is read from the request with the longest history."""
    reply = {"role": "assistant", "content": "bye"}
    recording = open_recording(jsonl(tmp_path / "r", [_logged(CHAT[:2], reply), _logged(CHAT, reply), _logged(CHAT[:1], reply)]))
    assert len(recording.messages) == 6
    assert [(one.line, one.kind) for one in recording.skipped] == [(1, "request"), (3, "request")]


@pytest.mark.parametrize(("messages", "format"), [(CHAT, "openai_chat"), (ANTHROPIC, "anthropic"), (ANTHROPIC[:1], "openai_chat")])
@pytest.mark.parametrize("shape", ["array", "object", "lines"])
def test_plain_messages_are_read_in_every_shape(tmp_path: Path, messages: list[Raw], format: str, shape: str) -> None:
    """An array, an object and a message a line give the same messages in the format their structure shows."""
    path = tmp_path / "r"
    if shape == "lines":
        jsonl(path, messages)
    else:
        document(path, messages if shape == "array" else {"messages": messages}, indent=2)
    recording = open_recording(path)
    assert (recording.reader, recording.format) == ("messages", format)
    assert list(recording.messages) == messages


def test_a_reply_behind_a_reply_is_the_same_turn_where_the_wire_merges(tmp_path: Path) -> None:
    """In an Anthropic list no request ends with a reply: the second of two makes none; an OpenAI list keeps both."""
    spoken = [{"role": "assistant", "content": [text("one")]}, {"role": "assistant", "content": [text("two")]}]
    merged = open_recording(document(tmp_path / "a", [*ANTHROPIC, *spoken]))
    assert [one.upto for one in merged.exchanges] == [1, 3]
    apart = open_recording(document(tmp_path / "o", [*CHAT, {"role": "assistant", "content": "eight"}]))
    assert [one.upto for one in apart.exchanges] == [2, 4, 5]


def test_a_request_body_keeps_system_and_tools(tmp_path: Path) -> None:
    """A system prompt beside the messages says Anthropic and is kept, as are tools and model."""
    body = {"model": "claude-x", "system": [text("be kind")], "tools": [{"name": "f"}], "messages": ANTHROPIC[:1]}
    recording = open_recording(document(tmp_path / "r", body))
    assert (recording.format, recording.system, recording.tools) == ("anthropic", [text("be kind")], [{"name": "f"}])
    assert recording.model == "anthropic:claude-x"


def test_what_is_no_message_in_a_list_is_named(tmp_path: Path) -> None:
    """Values that are no messages are skipped by what they are."""
    recording = open_recording(document(tmp_path / "r", [CHAT[1], 5, {"role": "robot", "content": ""}, {"type": "note"}]))
    assert [one.kind for one in recording.skipped] == ["int", "robot", "note"]
    assert recording.used == 1


def test_further_conversations_are_named(tmp_path: Path) -> None:
    """Of several conversations, one a line, the first is read and the others are skipped by name."""
    recording = open_recording(jsonl(tmp_path / "r", [{"messages": CHAT}, {"messages": ANTHROPIC}]))
    assert list(recording.messages) == CHAT
    assert [(one.line, one.kind) for one in recording.skipped] == [(2, "conversation")]


ITEMS: list[Raw] = [
    {"role": "user", "content": "hi"},
    {"type": "reasoning", "id": "rs", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "7"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "seven"}]},
]
CONTENTS: list[Raw] = [
    {"role": "user", "parts": [{"text": "hi"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": 7}}}]},
    {"role": "model", "parts": [{"text": "seven"}]},
]
WIRES = [(ITEMS, "openai_responses", "input", [1, 4]), (CONTENTS, "gemini", "contents", [1, 3])]


@pytest.mark.parametrize(("messages", "format", "name", "replies"), WIRES)
@pytest.mark.parametrize("shape", ["array", "body", "lines"])
def test_items_and_contents_are_read_in_every_shape(
    tmp_path: Path, messages: list[Raw], format: str, name: str, replies: list[int], shape: str
) -> None:
    """A list of items or contents, a body that holds one, and one a line give the same messages, each run of the model one reply."""
    path = tmp_path / "r"
    if shape == "lines":
        jsonl(path, messages)
    else:
        document(path, messages if shape == "array" else {"model": "m", name: messages}, indent=2)
    recording = open_recording(path)
    assert (recording.reader, recording.format) == ("messages", format)
    assert list(recording.messages) == messages
    assert [one.upto for one in recording.exchanges] == replies
    assert (recording.used, recording.skipped) == (len(messages), ())


@pytest.mark.parametrize(
    ("body", "system"),
    [
        ({"input": ITEMS, "instructions": "S"}, "S"),
        ({"contents": CONTENTS, "systemInstruction": {"parts": [{"text": "S"}]}}, {"parts": [{"text": "S"}]}),
        ({"contents": CONTENTS, "system_instruction": {"parts": [{"text": "S"}]}}, {"parts": [{"text": "S"}]}),
        ({"messages": CHAT[1:], "system": "S"}, "S"),
    ],
)
def test_a_bodys_system_and_tools_are_read(tmp_path: Path, body: Raw, system: Any) -> None:
    """The system prompt of each wire, the tools and the model come from the body."""
    recording = open_recording(document(tmp_path / "r", body | {"tools": [{"name": "f"}], "model": "gpt-x"}))
    assert (recording.system, recording.tools, recording.model) == (system, [{"name": "f"}], "openai:gpt-x")


def test_what_a_providers_own_tool_returned_is_part_of_the_reply(tmp_path: Path) -> None:
    """A search the provider ran stands inside the reply that asked for it, while the output of a call begins the next one's history."""
    items = [
        {"type": "message", "role": "user", "content": "hi"},
        {"type": "tool_search_call", "execution": "server", "arguments": {}},
        {"type": "tool_search_output", "execution": "server", "tools": []},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "7"},
        {"type": "additional_tools", "role": "developer", "tools": []},
        {"type": "compaction", "encrypted_content": "gAAA"},
    ]
    recording = open_recording(document(tmp_path / "r", {"input": items}))
    assert [one.upto for one in recording.exchanges] == [1, 6]


@pytest.mark.parametrize("name", ["input", "contents", "messages"])
def test_members_that_do_not_belong_are_named(tmp_path: Path, name: str) -> None:
    """Values in a body's list that are none of its wire's are skipped with their position."""
    known = {"input": ITEMS, "contents": CONTENTS, "messages": CHAT}[name]
    recording = open_recording(
        document(tmp_path / "r", {name: [*known, 7, {"type": "hologram"}, {"role": ["user"], "parts": [], "content": ""}]})
    )
    assert list(recording.messages) == known
    assert [(one.line - len(known), one.kind) for one in recording.skipped] == [(1, "int"), (2, "hologram"), (3, "untyped")]


@pytest.mark.parametrize(
    "body", [{"input": ["text to embed"]}, {"input": "text"}, {"contents": "text"}, {"contents": [{"parts": "x"}]}, {"messages": [{}]}]
)
def test_bodies_without_a_history_are_no_recording(tmp_path: Path, body: Raw) -> None:
    """An embedding request, or a body whose history is none, is refused as unknown."""
    with pytest.raises(UnknownFormat):
        open_recording(document(tmp_path / "r", body))
