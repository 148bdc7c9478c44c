"""The OpenAI Responses codec: every kind of item, read and written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.formats.openai_responses import CODEC, server_side
from sostenuto.messages import Call, Media, Message, Opaque, Result, Text, Thinking
from tests.strategies.texts import texts

_USER = {"role": "user", "content": "hi"}
_SCREEN = {"type": "computer_screenshot", "image_url": "data:image/png;base64,iVBORw0KGgo="}


def _summary(text: str) -> list[dict[str, str]]:
    return [{"type": "summary_text", "text": text}]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (_USER, Message("user", (Text("hi"),))),
        ({"role": "user", "content": ""}, Message("user", ())),
        ({"type": "message", "content": None}, Message("user", ())),
        ({"role": "developer", "content": "be brief"}, Message("system", (Text("be brief"),))),
        (
            {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "be brief"}]},
            Message("system", (Text("be brief"),)),
        ),
        (
            {"role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "no"}]},
            Message("assistant", (Text("a"), Text("no"))),
        ),
        ({"type": "reasoning", "summary": _summary("a") + _summary("b")}, Message("assistant", (Thinking("a\nb"),))),
        (
            {"type": "reasoning", "summary": _summary("s"), "content": [{"type": "reasoning_text", "text": "t"}]},
            Message("assistant", (Thinking("t"),)),
        ),
        ({"type": "reasoning", "summary": _summary("s"), "encrypted_content": "Z0FB"}, Message("assistant", (Thinking("", "Z0FB"),))),
        (
            {"type": "reasoning", "summary": [], "encrypted_content": "Z0FB"},
            Message("assistant", (Thinking("", "Z0FB", redacted=True),)),
        ),
        ({"type": "reasoning", "id": "rs_1", "summary": []}, Message("assistant", (Thinking(""),))),
    ],
)
def test_messages_and_reasoning_are_read(raw: dict[str, Any], message: Message) -> None:
    """Roles, contents and reasoning decode as the table says; sealed reasoning is its seal, which is what is sent and counts (D5)."""
    assert CODEC.decode(raw) == message


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        ({"type": "function_call", "call_id": "a", "name": "f", "arguments": '{"x": 1'}, Call("a", "f", '{"x": 1')),
        ({"type": "function_call", "call_id": "a", "name": "f"}, Call("a", "f", "")),
        ({"type": "function_call", "call_id": None, "name": None, "arguments": {"x": "é"}}, Call("", "", '{"x": "é"}')),
        ({"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "free"}, Call("a", "f", "free", free=True)),
        ({"type": "local_shell_call", "call_id": "a", "action": {"command": ["ls"]}}, Call("a", "local_shell", '{"command": ["ls"]}')),
        ({"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}}, Call("a", "shell", '{"commands": ["ls"]}')),
        ({"type": "apply_patch_call", "call_id": "a", "operation": {"path": "x"}}, Call("a", "apply_patch", '{"path": "x"}')),
        ({"type": "computer_call", "call_id": "a", "action": {"type": "wait"}}, Call("a", "computer", '{"type": "wait"}')),
        ({"type": "computer_call", "call_id": "a", "actions": [{"type": "wait"}]}, Call("a", "computer", '[{"type": "wait"}]')),
    ],
)
def test_each_kind_of_call_is_read(raw: dict[str, Any], part: Call) -> None:
    """A call item is the assistant's and holds one call; objects are dumped, a custom tool's input is free text."""
    assert CODEC.decode(raw) == Message("assistant", (part,))


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        ({"type": "function_call_output", "call_id": "a", "output": "x"}, Result("a", "x")),
        ({"type": "function_call_output", "call_id": "a", "name": "f", "output": None}, Result("a", "", name="f")),
        (
            {"type": "custom_tool_call_output", "call_id": "a", "output": [{"type": "input_text", "text": t} for t in "xy"]},
            Result("a", "x\ny"),
        ),
        ({"type": "local_shell_call_output", "call_id": "a", "output": "x"}, Result("a", "x")),
        ({"type": "local_shell_call_output", "id": "a", "output": "x"}, Result("a", "x")),
        (
            {
                "type": "shell_call_output",
                "call_id": "a",
                "output": [
                    {"stdout": "x", "stderr": "y", "outcome": {"type": "exit", "exit_code": 0}},
                    {"stdout": "", "stderr": "z", "outcome": {"type": "timeout"}},
                ],
            },
            Result("a", "x\ny\nz", succeeded=False),
        ),
        ({"type": "shell_call_output", "call_id": "a", "output": []}, Result("a", "")),
        ({"type": "apply_patch_call_output", "call_id": "a", "status": "completed"}, Result("a", "", succeeded=True)),
        ({"type": "apply_patch_call_output", "call_id": "a", "status": "failed", "output": "no"}, Result("a", "no", succeeded=False)),
    ],
)
def test_each_kind_of_output_is_read(raw: dict[str, Any], part: Result) -> None:
    """An output item is a tool's and holds one result; outcomes of shells and patches say whether it succeeded."""
    assert CODEC.decode(raw) == Message("tool", (part,))


def test_a_screenshot_is_a_picture_of_its_result() -> None:
    """A computer's output has no words and one image."""
    (part,) = CODEC.decode({"type": "computer_call_output", "call_id": "a", "output": _SCREEN}).parts
    assert isinstance(part, Result)
    assert (part.text, [media.kind for media in part.media]) == ("", ["image"])


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("web_search_call", "assistant"),
        ("file_search_call", "assistant"),
        ("code_interpreter_call", "assistant"),
        ("image_generation_call", "assistant"),
        ("mcp_call", "assistant"),
        ("mcp_list_tools", "assistant"),
        ("mcp_approval_request", "assistant"),
        ("mcp_approval_response", "user"),
        ("tool_search_call", "assistant"),
        ("tool_search_output", "assistant"),
        ("additional_tools", "system"),
        ("configuration_update", "system"),
        ("item_reference", "assistant"),
        ("compaction", "assistant"),
        ("compaction_summary", "assistant"),
        ("compaction_trigger", "user"),
        ("from_the_future", "assistant"),
    ],
)
def test_what_we_do_not_act_on_passes_through(kind: str, role: str) -> None:
    """Items the server made and kinds nobody knows are one `Opaque` named by their type, in the turn they belong to."""
    raw = {"type": kind, "id": "x_1", "payload": ["a"]}
    message = CODEC.decode(raw)
    assert message.role == role
    assert [part.kind for part in message.parts if isinstance(part, Opaque)] == [kind]
    assert CODEC.rewrite(raw, {}) == raw
    assert CODEC.rewrite(raw, {0: None}) is None


def test_an_unknown_item_is_the_same_without_its_id_and_status() -> None:
    """D46: the text an item is known by holds neither id nor status, but a reference, which is nothing else, keeps its id."""
    assert CODEC.decode({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}}) == CODEC.decode(
        {"type": "web_search_call", "action": {}}
    )
    assert CODEC.decode({"id": "msg_1"}) != CODEC.decode({"id": "msg_2"})
    assert CODEC.decode({"id": "msg_1"}).role == "assistant"


def test_a_generated_picture_does_not_count_as_text() -> None:
    """D5: the base64 of an image the server made is not part of the item's text, but tells two of them apart."""
    texts_of = [CODEC.decode({"type": "image_generation_call", "result": data * 10_000}).parts[0] for data in ("AAAA", "BBBB")]
    assert all(isinstance(part, Opaque) and len(part.text) < 100 for part in texts_of)
    assert texts_of[0] != texts_of[1]


@pytest.mark.parametrize(
    ("block", "media"),
    [
        ({"type": "input_image", "image_url": "https://example.org/a.png"}, ("image", 0, "https://example.org/a.png")),
        ({"type": "input_image", "file_id": "file-1"}, ("image", 0, "file-1")),
        ({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}, ("audio", 3, "audio wav")),
        ({"type": "input_file", "filename": "p.pdf", "file_data": "data:application/pdf;base64,AAAA"}, ("pdf", 3, "p.pdf")),
        ({"type": "input_file", "filename": "p.pdf", "file_data": "AAAA"}, ("pdf", 3, "p.pdf")),
        ({"type": "input_file", "file_url": "https://example.org/p"}, ("file", 0, "https://example.org/p")),
        ({"type": "input_file", "file_id": "file-1"}, ("file", 0, "file-1")),
    ],
)
def test_each_attachment_is_read(block: dict[str, Any], media: tuple[str, int, str]) -> None:
    """Pictures, audio and files decode to `Media` with kind, bytes and a label."""
    part = CODEC.decode({"role": "user", "content": [block]}).parts[0]
    assert isinstance(part, Media)
    assert (part.kind, part.size, part.label) == media


def test_a_changed_call_keeps_its_form() -> None:
    """Text arguments stay text, an action stays an object, and all other fields stay."""
    said = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}", "namespace": "n"}
    assert CODEC.rewrite(said, {0: Call("b", "f", '{"x": 1}')}) == {**said, "call_id": "b", "arguments": '{"x": 1}'}
    shell = {"type": "local_shell_call", "call_id": "a", "action": {"command": ["ls"]}, "status": "completed"}
    assert CODEC.rewrite(shell, {0: Call("a", "local_shell", '{"command": ["cut"]}')}) == {**shell, "action": {"command": ["cut"]}}


def test_a_changed_text_loses_what_counted_in_its_letters() -> None:
    """Annotations and log probabilities of an output text point nowhere after a change, and are emptied with it."""
    block = {"type": "output_text", "text": "long", "annotations": [{"start_index": 3}], "logprobs": []}
    raw = {"type": "message", "id": "msg_1", "role": "assistant", "content": [block]}
    assert CODEC.rewrite(raw, {0: Text("cut")}) == {**raw, "content": [{**block, "text": "cut", "annotations": []}]}


def test_an_attachment_becomes_words_of_its_speaker() -> None:
    """A left-out picture of the user's is an ``input_text`` block, one in a result too, one of the assistant's an ``output_text``."""
    picture = {"type": "input_image", "file_id": "file-1"}
    for role, kind in (("user", "input_text"), ("assistant", "output_text")):
        after = CODEC.rewrite({"role": role, "content": [picture]}, {0: Text("[gone]")})
        assert after == {"role": role, "content": [{"type": kind, "text": "[gone]"}]}
    shown = {"type": "function_call_output", "call_id": "a", "output": [picture]}
    assert CODEC.rewrite(shown, {0: Result("a", "[gone]")}) == {**shown, "output": [{"type": "input_text", "text": "[gone]"}]}


def test_a_cleared_output_keeps_its_kind() -> None:
    """A shell keeps its failing outcome, a patch its status, and a screenshot becomes a white picture, for nothing else is taken."""
    outcome = {"type": "exit", "exit_code": 2}
    shell = {"type": "shell_call_output", "call_id": "a", "output": [{"stdout": "x", "stderr": "y", "outcome": outcome}]}
    cut = CODEC.rewrite(shell, {0: Result("a", "cut", succeeded=False)})
    assert cut == {**shell, "output": [{"stdout": "cut", "stderr": "", "outcome": outcome}]}
    patch = {"type": "apply_patch_call_output", "call_id": "a", "status": "failed", "output": "long"}
    assert CODEC.rewrite(patch, {0: Result("a", "cut", succeeded=False)}) == {**patch, "output": "cut"}
    screen = {"type": "computer_call_output", "call_id": "a", "output": _SCREEN, "acknowledged_safety_checks": []}
    blank = CODEC.rewrite(screen, {0: Result("a", "[gone]")})
    assert blank is not None
    assert blank["output"]["type"] == "computer_screenshot"
    (part,) = CODEC.decode(blank).parts
    assert isinstance(part, Result)
    assert [(media.width, media.height) for media in part.media] == [(16, 16)]


def test_results_are_one_item_each_and_untouched_ones_are_the_callers() -> None:
    """An unchanged output is the very object handed over, a changed one a copy, an unknown one a function's output."""
    first = {"type": "function_call_output", "call_id": "a", "output": "x", "extra": 1}
    second = {"type": "custom_tool_call_output", "id": "ctco_1", "call_id": "b", "output": "y"}
    made = CODEC.results([(first, 0, Result("a", "x")), (second, 0, Result("b", "cut")), (None, 0, Result("c", "never ran"))])
    assert made[0] is first
    assert made[1:] == [{**second, "output": "cut"}, {"type": "function_call_output", "call_id": "c", "output": "never ran"}]
    assert second["output"] == "y"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("function_call", {"output": "never ran"}),
        ("custom_tool_call", {"output": "never ran"}),
        ("local_shell_call", {"output": "never ran"}),
        ("apply_patch_call", {"output": "never ran", "status": "failed"}),
        ("shell_call", {"output": [{"stdout": "never ran", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}]}),
    ],
)
def test_the_item_of_a_call_tells_the_kind_of_its_missing_output(kind: str, fields: dict[str, Any]) -> None:
    """With the call's item in place of an output, the new output is of the kind that answers it, and the request is valid."""
    call = {"type": kind, "call_id": "a", "name": "f"}
    (made,) = CODEC.results([(call, 0, Result("a", "never ran", succeeded=False))])
    assert made == {"type": f"{kind}_output", "call_id": "a", **fields}
    assert CODEC.problems({"input": [call, made]}) == []


def test_a_missing_screenshot_is_a_white_picture() -> None:
    """The new output of a computer call holds a picture, whatever the words."""
    (made,) = CODEC.results([({"type": "computer_call", "call_id": "a"}, 0, Result("a", "never ran"))])
    assert made["type"] == "computer_call_output"
    assert made["output"]["image_url"].startswith("data:image/png;base64,")


@given(st.sampled_from(("system", "user", "assistant")), st.lists(texts, min_size=1, max_size=3))
def test_a_made_message_keeps_its_words(role: Any, said: list[str]) -> None:
    """Decoding what `encode` made gives the message back."""
    message = Message(role, tuple(map(Text, said[:1] if role == "assistant" else said)))
    assert CODEC.decode(CODEC.encode(message)) == message


def test_made_messages_have_the_smallest_form() -> None:
    """One text is a string without type or id; more of a user are blocks; a call or a result is its item; several items are refused."""
    assert CODEC.encode(Message("assistant", (Text("done"),), kind="summary")) == {"role": "assistant", "content": "done"}
    assert CODEC.encode(Message("user", ())) == {"role": "user", "content": ""}
    assert CODEC.encode(Message("user", (Text("a"), Text("b"))))["content"][1] == {"type": "input_text", "text": "b"}
    assert CODEC.encode(Message("tool", (Result("a", "x"),))) == {"type": "function_call_output", "call_id": "a", "output": "x"}
    with pytest.raises(UnusableInput, match="2 Responses items"):
        CODEC.encode(Message("assistant", (Text("a"), Call("1", "f", "{}"))))


def test_a_message_of_another_wire_becomes_items() -> None:
    """Words, calls and results stand in their order, each in its own item if the assistant's; foreign reasoning is left out."""
    parts = (Thinking("hm", "seal"), Text("a"), Media("image", "d", label="a.png"), Call("1", "f", "{}"), Call("2", "g", "x", free=True))
    assert CODEC.items(Message("assistant", parts)) == [
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": "[a.png]"},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "2", "name": "g", "input": "x"},
    ]
    answered = CODEC.items(Message("user", (Result("1", "x"), Text("go on"))))
    assert answered == [{"type": "function_call_output", "call_id": "1", "output": "x"}, {"role": "user", "content": "go on"}]
    assert CODEC.items(Message("tool", (Text("x"),))) == [{"role": "user", "content": "x"}]


def test_instructions_stand_apart() -> None:
    """Leading system, developer and settings items are counted; a system given apart is ``instructions``."""
    lead: list[dict[str, Any]] = [{"role": "system", "content": "a"}, {"type": "additional_tools", "role": "developer", "tools": []}]
    assert CODEC.split_system([*lead, _USER, lead[0]]) == 2
    assert CODEC.split_system(lead) == 2
    assert CODEC.split_system([]) == 0
    assert CODEC.body([_USER], system=None, tools=[{}]) == {"input": [_USER]}
    assert CODEC.body([_USER], system="be brief", tools=None) == {"input": [_USER], "instructions": "be brief"}
    assert CODEC.system_texts([{"role": "developer", "content": [{"type": "input_text", "text": "be brief"}]}]) == ["be brief"]


def test_a_joined_nudge_changes_a_copy_of_the_users_last_message() -> None:
    """The nudge stands at the end of the user's last message; behind anything else it is a message of its own."""
    assert CODEC.join_nudge([_USER], "[N]") == [{"role": "user", "content": "hi\n\n[N]"}]
    assert _USER == {"role": "user", "content": "hi"}
    blocks = {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    assert CODEC.join_nudge([blocks], "[N]")[0]["content"][1:] == [{"type": "input_text", "text": "[N]"}]
    for last in ({"role": "assistant", "content": "x"}, {"type": "function_call_output", "call_id": "a", "output": "x"}):
        assert CODEC.join_nudge([last], "[N]") == [last, {"role": "user", "content": "[N]"}]


def test_tools_are_listed_and_calls_read() -> None:
    """A tool is a flat function that is not strict; a call is read from an item or a client's object, and from nothing else."""
    schema = {"type": "object"}
    assert CODEC.tool_definitions([("f", "does", schema)]) == [
        {"type": "function", "name": "f", "description": "does", "parameters": schema, "strict": False}
    ]

    class Item:
        def model_dump(self, **_: Any) -> dict[str, Any]:
            return {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}

    item: Any = Item()
    assert CODEC.call(item) == Call("a", "f", "{}")
    assert CODEC.decode(item).parts == (Call("a", "f", "{}"),)
    assert [CODEC.call(odd) for odd in (None, "x", _USER, {"type": "function_call"})] == [None] * 4


def test_ids_have_at_most_64_characters() -> None:
    """A legal id stays, an empty one gets a name, two long ones with one beginning stay apart."""
    assert CODEC.legal_id("call:1/é") == "call:1/é"
    assert CODEC.legal_id("") == "call"
    long = [CODEC.legal_id("x" * 64 + end) for end in ("a", "b", "\ud83d")]
    assert len(set(long)) == 3
    assert max(map(len, long)) <= 64
    assert CODEC.legal_id("x" * 64) == "x" * 64


def test_an_item_can_leave_without_its_id() -> None:
    """D57: the copy lacks only the id; an item that has none, or is named by it, is the very object."""
    call = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}"}
    assert CODEC.without_id(call) == {name: value for name, value in call.items() if name != "id"}
    assert call["id"] == "fc_1"
    for raw in (_USER, {"type": "item_reference", "id": "msg_1"}, {"type": "mcp_approval_request", "id": "mcpr_1"}):
        assert CODEC.without_id(raw) is raw


def test_history_on_the_server_is_named() -> None:
    """The arguments by which the server keeps, cuts or compacts history are named when they are in force."""
    assert server_side({"input": [], "truncation": "disabled", "context_management": [], "conversation": None}) == ()
    held = {"truncation": "auto", "previous_response_id": "resp_1", "context_management": [{"type": "compaction"}], "conversation": "c"}
    assert server_side(held) == ("previous_response_id", "conversation", "truncation", "context_management")
