"""The Gemini codec."""

from __future__ import annotations

import base64
import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.formats import anthropic
from sostenuto.formats.gemini import CODEC
from sostenuto.messages import NOTHING, Call, Media, Message, Opaque, Result, Text, Thinking
from tests.strategies.gemini import snake
from tests.strategies.texts import png, texts

Raw = dict[str, Any]
_STAND_IN = "skip_thought_signature_validator"
_PICTURE = png(20, 10)


class _Model:
    """What the Python client hands out: an object that dumps to its fields."""

    def __init__(self, **held: Any) -> None:
        self._held = held

    def model_dump(self, *, exclude_unset: bool) -> Raw:
        """The fields as plain data."""
        assert exclude_unset
        return copy.deepcopy(self._held)


def _call(name: str = "f", args: Any = None, *, call_id: str = "", **more: Any) -> Raw:
    return {"functionCall": {**({"id": call_id} if call_id else {}), "name": name, "args": args or {}}, **more}


def _response(body: Any, name: str = "f", **more: Any) -> Raw:
    return {"functionResponse": {"name": name, "response": body, **more}}


def _model(*parts: Any) -> Raw:
    return {"role": "model", "parts": list(parts)}


def _user(*parts: Any) -> Raw:
    return {"role": "user", "parts": list(parts)}


@pytest.mark.parametrize(
    ("native", "part"),
    [
        ({"text": "a"}, Text("a")),
        ({"text": "a", "thoughtSignature": "s"}, Text("a")),
        ({"text": "a", "thought": True, "thoughtSignature": "s"}, Thinking("a", "s")),
        ({"text": "a", "thought": True}, Thinking("a")),
        ({"text": "", "thoughtSignature": "s"}, Thinking("", "s", redacted=True)),
        ({"thoughtSignature": "s"}, Thinking("", "s", redacted=True)),
        ({"text": ""}, Text("")),
        (_call("f", {"x": "é"}, call_id="c"), Call("c", "f", '{"x": "é"}')),
        ({"functionCall": {"name": "f"}, "thoughtSignature": "s"}, Call("", "f", "{}")),
        (_response({"output": "ok"}, id="c"), Result("c", "ok", name="f")),
        (_response({"result": "ok"}), Result("", "ok", name="f")),
        (_response({"return_value": "ok"}), Result("", "ok", name="f")),
        (_response({"error": "no"}), Result("", "no", succeeded=False, name="f")),
        (_response({"error": {"code": 5}}), Result("", '{"error":{"code":5}}', succeeded=False, name="f")),
        (_response({"output": "x", "error": ""}), Result("", '{"output":"x","error":""}', name="f")),
        (_response({"output": "x", "exit": 0}), Result("", '{"output":"x","exit":0}', name="f")),
        (_response({"output": [1]}), Result("", '{"output":[1]}', name="f")),
        (_response({}), Result("", "", name="f")),
        (_response(None), Result("", "", name="f")),
        ({"executableCode": {"code": "1"}, "thoughtSignature": "s"}, Opaque("executableCode", '{"executableCode":{"code":"1"}}')),
        ({"code_execution_result": {"output": "1"}}, Opaque("codeExecutionResult", '{"code_execution_result":{"output":"1"}}')),
        ({}, NOTHING),
        ({"text": None, "thought": True}, NOTHING),
        ({"text": 5}, Opaque("text", '{"text":5}')),
        ("bare", Text("bare")),
        (7, Opaque("unknown", "7")),
    ],
)
def test_each_part_is_read(native: Any, part: Any) -> None:
    """Every kind of part decodes to a part of ours, odd ones to `Opaque`, in either spelling."""
    assert CODEC.decode(_model(native)) == Message("assistant", (part,))
    if "executableCode" not in repr(native):
        assert CODEC.decode(snake(_model(native))) == Message("assistant", (part,))


@pytest.mark.parametrize(
    ("role", "speaker"),
    [("user", "user"), ("model", "assistant"), ("function", "tool"), ("tool", "tool"), ("system", "system"), (None, "user"), ([], "user")],
)
def test_each_role_is_read(role: Any, speaker: str) -> None:
    """The roles of this wire, of its frameworks, and none at all name a speaker."""
    assert CODEC.decode({"role": role, "parts": [{"text": "a"}]}).role == speaker


def test_the_clients_objects_and_bytes_are_read() -> None:
    """A model object with raw bytes decodes as the endpoint's JSON does: the same signature, the same picture."""
    data = base64.b64decode(_PICTURE)
    held = [
        {"text": "hm", "thought": True, "thought_signature": b"\x01\xff\xfe"},
        {"inline_data": {"data": data, "mime_type": "image/png"}},
    ]
    thinking, media = CODEC.decode(_Model(role="model", parts=held)).parts  # type: ignore[arg-type]
    assert thinking == Thinking("hm", "Af/+")
    assert media == CODEC.decode(_user({"inlineData": {"mimeType": "image/png", "data": _PICTURE}})).parts[0]
    assert CODEC.decode("hi") == Message("user", (Text("hi"),))  # type: ignore[arg-type]
    inside = {"role": "user", "parts": [_Model(text="a"), _Model(text="b")]}
    kept = CODEC.rewrite(inside, {1: Text("c")})
    assert kept == {"role": "user", "parts": [inside["parts"][0], {"text": "c"}]}


def test_attachments_are_media_and_their_bytes_no_text() -> None:
    """Inline bytes and files have kind, label, size and pixels, one digest in both base64 alphabets, and D5: no byte is text."""
    image, pdf, film = CODEC.decode(
        _user(
            {"inlineData": {"mimeType": "image/png", "data": _PICTURE}},
            {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjQK", "displayName": "plan"}},
            {"fileData": {"mimeType": "video/mp4", "fileUri": "https://example.org/v"}},
        )
    ).parts
    assert isinstance(image, Media)
    assert (image.kind, image.width, image.height, image.label) == ("image", 20, 10, "image/png")
    assert isinstance(pdf, Media)
    assert (pdf.kind, pdf.label, pdf.size) == ("pdf", "plan", 9)
    assert isinstance(film, Media)
    assert (film.kind, film.label) == ("video", "https://example.org/v")
    source = {"type": "base64", "media_type": "image/png", "data": _PICTURE}
    assert anthropic.CODEC.decode({"role": "user", "content": [{"type": "image", "source": source}]}).parts == (image,)
    safe = CODEC.decode(_user({"inlineData": {"mimeType": "image/png", "data": _PICTURE.replace("+", "-").replace("/", "_")}}))
    assert safe.parts == (image,)
    unknown = CODEC.decode(_user({"liveInput": {"mimeType": "audio/pcm", "data": "A" * 500}})).parts[0]
    assert isinstance(unknown, Opaque)
    assert "AAAA" not in unknown.text


def test_attachments_go_to_another_wire_and_back_unless_only_google_has_them() -> None:
    """Bytes and public addresses have a source and are made again; uploaded files have none and become their label."""
    blob = {"inlineData": {"mimeType": "image/png", "data": _PICTURE}}
    link = {"fileData": {"mimeType": "image/png", "fileUri": "https://example.org/a.png"}}
    kept = CODEC.encode(CODEC.decode(_user(blob, link)))
    assert kept == _user(blob, link)
    for uri in ("https://generativelanguage.googleapis.com/v1beta/files/x", "gs://bucket/x"):
        assert CODEC.encode(CODEC.decode(_user({"fileData": {"fileUri": uri}}))) == _user({"text": f"[{uri}]"})


@pytest.mark.parametrize("parts", [[], None])
def test_an_empty_content_has_no_parts(parts: Any) -> None:
    """A content without parts decodes to a message without parts, which an unchanged rewrite gives back."""
    raw = {"role": "user", "parts": parts}
    assert CODEC.decode(raw) == Message("user", ())
    assert CODEC.rewrite(raw, {}) == raw


@pytest.mark.parametrize("spell", [lambda raw: raw, snake])
def test_a_call_changes_in_its_own_spelling_and_keeps_its_signature(spell: Any) -> None:
    """Clipped arguments and a new id stand where the old ones stood; the signature and unknown fields ride along."""
    raw = spell(_model(_call("f", {"x": 1}, thoughtSignature="s", extra=2)))
    expected = spell(_model({"functionCall": {"name": "f", "args": {"x": 2}, "id": "c"}, "thoughtSignature": "s", "extra": 2}))
    assert CODEC.rewrite(raw, {0: Call("c", "f", '{"x": 2}')}) == expected
    assert CODEC.rewrite(expected, {0: Call("", "g", '{"x": 2}')}) == spell(_model(_call("g", {"x": 2}, thoughtSignature="s", extra=2)))


@pytest.mark.parametrize(
    ("arguments", "args"),
    [("", {}), ("[1", {"input": "[1"}), ("[1]", {"input": [1]}), ('"a"', {"input": "a"}), ('{"a": "\\ud83d"}', {"a": "\ufffd"})],
)
def test_arguments_are_an_object_of_text_that_can_be_sent(arguments: str, args: Any) -> None:
    """JSON objects become the arguments, anything else is kept under ``input``, and half a surrogate pair becomes U+FFFD."""
    made = CODEC.rewrite(_model(_call("f", {"x": 1})), {0: Call("", "f", arguments)})
    assert made is not None
    assert made["parts"][0]["functionCall"]["args"] == args


def test_signed_thinking_is_kept_whole_or_dropped_whole() -> None:
    """D29: a thought survives other changes as the same object, can be left out, and cannot be shortened."""
    thought = {"text": "long " * 4000, "thought": True, "thoughtSignature": "s"}
    raw = _model(thought, {"text": "done"})
    kept = CODEC.rewrite(raw, {1: Text("ok")})
    assert kept is not None
    assert kept["parts"][0] is thought
    assert CODEC.rewrite(raw, {0: None}) == _model({"text": "done"})
    with pytest.raises(UnusableInput, match="leave it out"):
        CODEC.rewrite(raw, {0: Thinking("short", "s")})


@pytest.mark.parametrize("spell", [lambda raw: raw, snake])
def test_the_first_call_of_a_step_stays_signed(spell: Any) -> None:
    """Where the signed call goes, the next one carries Google's stand-in; a text or an unsigned call that goes changes nothing."""
    raw = spell(_model({"text": "a"}, _call("f", thoughtSignature="s"), _call("g"), _call("h")))
    assert CODEC.only(raw, {0, 2, 3}) == spell(_model({"text": "a"}, _call("g", thoughtSignature=_STAND_IN), _call("h")))
    assert CODEC.rewrite(raw, {0: None, 2: None}) == spell(_model(_call("f", thoughtSignature="s"), _call("h")))
    assert CODEC.only(raw, {0}) == spell(_model({"text": "a"}))
    assert CODEC.only(raw, ()) is None


def test_a_replaced_attachment_is_a_text() -> None:
    """An attachment replaced by words leaves a text and nothing of itself; a text cut short keeps its signature."""
    raw = _user(
        {"inlineData": {"mimeType": "image/png", "data": _PICTURE}, "thoughtSignature": "s"}, {"text": "a", "thoughtSignature": "t"}
    )
    assert CODEC.rewrite(raw, {0: Text("[image]"), 1: Text("b")}) == _user({"text": "[image]"}, {"text": "b", "thoughtSignature": "t"})


@pytest.mark.parametrize("spell", [lambda raw: raw, snake])
@pytest.mark.parametrize(
    ("body", "result", "after"),
    [
        ({"output": "long"}, Result("", "cut", name="f"), {"output": "cut"}),
        ({"return_value": "long"}, Result("", "cut", name="f"), {"return_value": "cut"}),
        ({"error": "long"}, Result("", "cut", succeeded=False, name="f"), {"error": "cut"}),
        ({"error": "long"}, Result("", "cut", name="f"), {"output": "cut"}),
        ({"output": "long"}, Result("", "", succeeded=False, name="f"), {"error": ""}),
        ({"rows": [1, 2], "n": 2}, Result("", "cut", name="f"), {"output": "cut"}),
        ({"error": {"code": 1}}, Result("", "cut", succeeded=False, name="f"), {"error": "cut"}),
        ("odd", Result("", "cut", name="f"), {"output": "cut"}),
        ({"output": "same"}, Result("", "same"), {"output": "same"}),
    ],
)
def test_a_response_changes_in_its_own_form(body: Any, result: Result, after: Any, spell: Any) -> None:
    """The one text is replaced where it stood, an object of another shape becomes an output, and a name is never lost."""
    raw = spell(_user(_response(body, scheduling="SILENT"), {"text": "next"}))
    assert CODEC.rewrite(raw, {0: result}) == spell(_user(_response(after, scheduling="SILENT"), {"text": "next"}))


def test_attachments_of_a_response_are_its_media() -> None:
    """Parts beside the object are `Media`; those that go are left out, unknown ones stay."""
    shown = [{"inlineData": {"mimeType": "image/png", "data": _PICTURE}}, {"odd": 1}, {"fileData": {"fileUri": "gs://b/x"}}]
    raw = _user(_response({"output": "ok"}, parts=shown))
    result = CODEC.decode(raw).parts[0]
    assert isinstance(result, Result)
    assert [media.kind for media in result.media] == ["image", "file"]
    less = CODEC.rewrite(raw, {0: Result("", "ok", name="f", media=result.media[1:])})
    assert less == _user(_response({"output": "ok"}, parts=shown[1:]))


def test_results_are_one_content_in_the_order_of_the_calls() -> None:
    """Responses of several contents and a made one stand in one user content, in the spelling of the others."""
    first, second = _user(_response({"output": "b"}, "g", id="b"), {"text": "queued"}), _user(_response({"n": 1}, "f"))
    kept = copy.deepcopy([first, second])
    pieces = [(second, 0, Result("", '{"n":1}', name="f")), (first, 0, Result("b", "cut", name="g"))]
    made = CODEC.results([*pieces, (None, 0, Result("", "never ran", succeeded=False, name="h"))])
    assert made == [_user(_response({"n": 1}, "f"), _response({"output": "cut"}, "g", id="b"), _response({"error": "never ran"}, "h"))]
    assert [first, second] == kept
    old = snake(first)
    assert CODEC.results([(old, 0, Result("b", "b", name="g")), (None, 0, Result("c", "x", name="h"))]) == [
        snake(_user(_response({"output": "b"}, "g", id="b"), {"functionResponse": {"id": "c", "name": "h", "response": {"output": "x"}}}))
    ]
    assert CODEC.results([]) == []


def test_results_that_are_a_whole_content_are_the_callers_object() -> None:
    """Unchanged responses that are all of their content give that very content; changed ones keep its fields and role."""
    raw = {"role": "function", "parts": [_response({"output": "a"}), _response({"x": 1})], "uuid": 7}
    whole = CODEC.results([(raw, 0, Result("", "a", name="f")), (raw, 1, Result("", '{"x":1}', name="f"))])
    assert whole[0] is raw
    cut = CODEC.results([(raw, 0, Result("", "-", name="f")), (raw, 1, Result("", '{"x":1}', name="f"))])
    assert cut == [{"role": "function", "parts": [_response({"output": "-"}), _response({"x": 1})], "uuid": 7}]


@given(st.sampled_from(("user", "assistant")), st.lists(texts, min_size=1, max_size=3))
def test_a_made_message_keeps_its_words(role: Any, said: list[str]) -> None:
    """Decoding what `encode` made gives the message back."""
    message = Message(role, tuple(map(Text, said)))
    assert CODEC.decode(CODEC.encode(message)) == message


def test_made_messages_have_the_smallest_form() -> None:
    """Texts, calls and results are parts; thinking and blanks are left out; the first call carries the stand-in for a signature."""
    assert CODEC.encode(Message("assistant", (Text("summary"),), kind="summary")) == _model({"text": "summary"})
    made = CODEC.encode(Message("assistant", (Thinking("a", "s"), Text(" "), Call("c", "f", "[1]"), Call("", "g", ""))))
    assert made == _model(_call("f", {"input": [1]}, call_id="c", thoughtSignature=_STAND_IN), _call("g"))
    assert CODEC.encode(Message("tool", (Result("c", "no", False, name="f"),))) == _user(
        {"functionResponse": {"id": "c", "name": "f", "response": {"error": "no"}}}
    )
    assert CODEC.encode(Message("system", (Text("cut \ud83d"),))) == _user({"text": "cut \ufffd"})


def test_the_body_has_the_system_that_was_given() -> None:
    """``system_instruction`` is an argument of its own, as the caller passed it; contents of the role ``system`` lead."""
    messages = [_user({"text": "hi"})]
    assert CODEC.body(messages, system="rules", tools=[{}]) == {"system_instruction": "rules", "contents": messages}
    assert CODEC.body(messages, system=None, tools=None) == {"contents": messages}
    assert CODEC.split_system(messages) == 0
    assert CODEC.split_system([{"role": "system", "parts": [{"text": "r"}]}, *messages]) == 1


@pytest.mark.parametrize(
    ("system", "said"),
    [
        (None, []),
        ("be brief", ["be brief"]),
        ({"parts": [{"text": "be"}, {"text": "brief"}]}, ["be", "brief"]),
        ({"role": "user", "parts": {"text": "be"}}, ["be"]),
        (["be", {"text": "brief"}], ["be", "brief"]),
        ({"systemInstruction": {"parts": [{"text": "be"}]}}, ["be"]),
        ({"system_instruction": "be"}, ["be"]),
        (_Model(parts=[{"text": "be"}]), ["be"]),
        ({"odd": 1}, ['{"odd":1}']),
        (7, ["7"]),
    ],
)
def test_every_text_of_the_instructions_is_counted(system: Any, said: list[str]) -> None:
    """A string, parts, a content, the client's object or the argument that holds one gives its texts."""
    assert CODEC.system_texts(system) == said


def test_tools_are_declared_in_one_tool_and_counted_one_by_one() -> None:
    """One tool declares all functions with their JSON schema; each is a text that names it, and tools of other kinds are texts too."""
    schema = {"type": "object", "additionalProperties": False}
    made = CODEC.tool_definitions([("recall", "reads", schema), ("other", "does", {})])
    assert [tool.keys() for tool in made] == [{"functionDeclarations"}]
    assert made[0]["functionDeclarations"][0] == {"name": "recall", "description": "reads", "parametersJsonSchema": schema}
    assert CODEC.tool_definitions([]) == []
    counted = CODEC.tool_texts([*made, {"googleSearch": {}}])
    assert ['"name":"recall"' in text for text in counted] == [True, False, False]
    assert counted[2] == '{"googleSearch":{}}'
    assert len(CODEC.tool_texts(_Model(function_declarations=[{"name": "a"}, _Model(name="b")], code_execution={}))) == 3

    def weather(city: str) -> str:
        """Say what the weather is."""
        return city

    assert CODEC.tool_texts([weather]) == ['{"name":"weather","description":"Say what the weather is."}']
    assert CODEC.tool_texts(None) == []


@pytest.mark.parametrize(
    ("native", "call"),
    [
        (_call("f", {"a": 1}, call_id="c", thoughtSignature="s"), Call("c", "f", '{"a": 1}')),
        (snake(_call("f", {"a": 1})), Call("", "f", '{"a": 1}')),
        ({"name": "f", "args": {"a": 1}, "id": "c"}, Call("c", "f", '{"a": 1}')),
        ({"name": "f", "args": None, "id": None}, Call("", "f", "{}")),
        (_Model(name="f", args={}), Call("", "f", "{}")),
        (_Model(name="f"), Call("", "f", "{}")),
        (_Model(function_call={"name": "f"}), Call("", "f", "{}")),
        ({"type": "tool_use", "id": "c", "name": "f", "input": {}}, None),
        ({"text": "a"}, None),
        (_response({"output": "x"}), None),
        (None, None),
        ("f", None),
    ],
)
def test_a_call_is_read_as_the_client_returns_it(native: Any, call: Call | None) -> None:
    """A part, the call alone and the client's objects are the call; anything else is None."""
    assert CODEC.call(native) == call


def test_a_joined_nudge_is_the_last_part_of_a_copy() -> None:
    """The nudge follows responses and words in the last user content, and stands alone after a model's."""
    raw = _user(_response({"output": "x"}))
    assert CODEC.join_nudge([raw], "[N]") == [_user(_response({"output": "x"}), {"text": "[N]"})]
    assert len(raw["parts"]) == 1
    said = _model({"text": "x"})
    assert CODEC.join_nudge([said], "[N]") == [said, _user({"text": "[N]"})]
    assert CODEC.join_nudge([], "[N]") == [_user({"text": "[N]"})]


def test_ids_are_free_and_nothing_is_marked() -> None:
    """Any id stays, an empty one too; caching is the endpoint's own, so nothing changes."""
    assert [CODEC.legal_id(call_id) for call_id in ("", "a b", "é")] == ["", "a b", "é"]
    raw = _user({"text": "a"})
    arguments = {"contents": [raw]}
    assert CODEC.mark_cache(arguments, stable=1) is arguments
    assert CODEC.with_marker(raw) is CODEC.without_id(raw) is raw
    assert not CODEC.has_marker(raw)
