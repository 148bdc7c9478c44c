"""Every request body we send is one that the providers' own libraries could have sent: their types say so, to the last key."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.agent import Purse, Setup, codec_of, run, summarizing
from sostenuto.budget import Limits
from sostenuto.engine import translated
from sostenuto.errors import FixedPartTooLarge
from sostenuto.manager import ContextManager
from sostenuto.messages import Call, Media, MediaKind, Message, Result, Source, Text
from sostenuto.protocols import Model, Raw
from sostenuto.testing import FakeServer, Fault, Reply, ScriptedModel, Step
from sostenuto.tools import Policy
from tests.agent.acting import look, looking
from tests.providers.sdk_types import content_problems, problems
from tests.providers.staging import KEY, made
from tests.strategies.histories import histories

for _library in ("anthropic", "google.genai", "openai"):
    pytest.importorskip(_library, reason="the package is not installed: its types cannot judge")

CHAT = "openai.types.chat.completion_create_params:CompletionCreateParams"
MESSAGES = "anthropic.types.message_create_params:MessageCreateParams"
RESPONSES = "openai.types.responses.response_create_params:ResponseCreateParams"
LOCAL = ("llamacpp", "lmstudio", "sglang", "vllm")
THOUGHTS = ("messages[].reasoning_content",)
"""Servers that tell what a model thought take it back under the same name, which OpenAI's own types do not have."""
TEMPLATED = (*THOUGHTS, "chat_template_kwargs")
"""Where the server fills a template, thinking is turned off in its settings."""
PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(32)).decode()
SEALED = Reply("Look.", reasoning="Hm,\n so.", signature="c2VhbA==", calls=[look(90), look(91, "ü.txt")])


@dataclass(frozen=True)
class Scene:
    """What a run is made of; its answers come from a script that ends with a plain answer."""

    script: Sequence[Step]
    characters: int = 60
    limits: Limits = field(default_factory=Limits)
    window: int = 16_000
    cache: Any = "keep"
    is_summarized: bool = False
    is_pinned: bool = False


def _steps(count: int, first: int = 0) -> list[Step]:
    return [Reply(f"Step {first + n}.", calls=[look(first + 2 * n), look(first + 2 * n + 1)]) for n in range(count)]


SCENES: Mapping[str, Scene] = {
    "parallel calls, thinking": Scene([SEALED, Reply("", calls=[look(3)]), SEALED, "Done."]),
    "cleared, compacted, nudged": Scene([*_steps(60), "Done."], characters=1_500, limits=Limits(iterations=64), is_pinned=True),
    "a summarizer that is refused": Scene([*_steps(40), *["Done."] * 40], characters=1_500, is_summarized=True),
    "recovery": Scene([*_steps(6), Fault("overflow"), SEALED, *_steps(6, 60), Fault("too_large"), "Done."], characters=2_500),
    "a smaller window than was thought": Scene([*_steps(9), *["Done."] * 3], characters=2_500, window=60_000),
    "misunderstandings": Scene([Reply(calls=[("look", "{no json"), ("lok", {}), ("look", {"part": "x"})]), Reply(""), "Done."]),
    "circles": Scene([*[Reply(calls=[look(1)])] * 14, "Done."]),
    "a cut off answer": Scene([Reply("Half an", finish="length", output=7), "swer."]),
    "cache marks": Scene([*_steps(12), SEALED, "Done."], characters=1_500, cache="auto"),
    "a sealed long run": Scene([*[SEALED] * 24, "Done."], characters=1_500),
}


async def _played(scene: Scene, model: Model, *, history: list[Raw], streaming: bool) -> None:
    """Run the scene to its end, whatever that is."""
    purse = Purse(lambda *_: 0.01)
    context = ContextManager(
        model.name,
        window=scene.window,
        format=model.format,
        cache=scene.cache,
        summarizer=summarizing(model, purse=purse) if scene.is_summarized else "mechanical",
    )
    setup = Setup(
        model=model,
        context=context,
        tools=(looking(characters=scene.characters),),
        system="Be brief.",
        limits=scene.limits,
        policy=Policy("read-only"),
        purse=purse,
        streaming=streaming,
    )
    try:
        await run("Look at every part.", setup, history=history, pin=scene.is_pinned)
    finally:
        await model.aclose()


def _sent(kind: str, scene: Scene, history: Sequence[Raw] = ()) -> list[Any]:
    """The bodies that a server of this kind got, of the same run whole and streamed."""
    bodies: list[Any] = []
    for streaming in (False, True):
        with FakeServer(kind, scene.script, key=KEY, window=16_000) as server:
            asyncio.run(_played(scene, made(server), history=list(history), streaming=streaming))
            bodies += server.asked
    assert {bool(body.get("stream")) for body in bodies} == {False, True}
    return bodies


def _asked(format: str, scene: Scene, history: Sequence[Raw] = ()) -> list[Any]:
    """The arguments that a program would hand to its client on this wire, tools included."""
    model = ScriptedModel(scene.script, format=format, window=16_000)
    asyncio.run(_played(scene, model, history=list(history), streaming=False))
    return [{**request.arguments, "tools": list(request.tools)} for request in model.requests]


def _judged(bodies: Sequence[Any], kind: str, known: Sequence[str] = ()) -> list[str]:
    return [
        f"request {number}: {found}"
        for number, body in enumerate(bodies)
        for found in problems(body, kind=f"{kind}{'Streaming' if body.get('stream') else 'NonStreaming'}", known=known)
    ]


def _contents(bodies: Sequence[Any]) -> list[str]:
    """What is wrong with the contents of Gemini's wire, and with the tools and the instructions beside them."""
    found: list[str] = []
    for body in bodies:
        config = {name: value for name, value in body.items() if name != "contents"}
        found += content_problems(body["contents"], kind="google.genai.types:Content")
        found += content_problems([config], kind="google.genai.types:GenerateContentConfig")
    return found


@pytest.mark.parametrize("name", SCENES)
def test_chat_completions_are_what_openai_sends(name: str) -> None:
    """In every scene each body for OpenAI passes the types of the ``openai`` library, and has no key they do not know."""
    assert not _judged(_sent("openai", SCENES[name]), CHAT, known=THOUGHTS)


@pytest.mark.parametrize("kind", LOCAL)
@pytest.mark.parametrize("name", ["parallel calls, thinking", "cleared, compacted, nudged", "a summarizer that is refused"])
def test_local_servers_are_sent_the_same_and_no_more(kind: str, name: str) -> None:
    """What a local server is sent passes OpenAI's types too, but for thoughts and what its template is told."""
    assert not _judged(_sent(kind, SCENES[name]), CHAT, known=TEMPLATED)


@pytest.mark.parametrize("name", SCENES)
def test_messages_are_what_anthropic_sends(name: str) -> None:
    """In every scene each body passes the types of the ``anthropic`` library, thinking, marks of the cache and all."""
    bodies = _sent("anthropic", SCENES[name])
    assert not _judged(bodies, MESSAGES)
    assert ("cache_control" in json.dumps(bodies)) is (SCENES[name].cache == "auto")


@pytest.mark.parametrize("name", SCENES)
def test_responses_are_what_openai_takes(name: str) -> None:
    """In every scene each request on the Responses wire passes the ``openai`` library's types."""
    bodies = [{**body, "model": "m"} for body in _asked("openai_responses", SCENES[name])]
    assert not _judged(bodies, RESPONSES)


@pytest.mark.parametrize("name", SCENES)
def test_contents_are_what_gemini_takes(name: str) -> None:
    """In every scene the contents, tools and instructions pass the ``google-genai`` library's own models, which refuse unknown fields."""
    assert not _contents(_asked("gemini", SCENES[name]))


PICTURES: Mapping[str, Raw] = {
    "openai_chat": {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}},
    "openai_responses": {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}", "detail": "auto"},
    "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
    "gemini": {"inlineData": {"mimeType": "image/png", "data": PICTURE}},
}
WORDS: Mapping[str, Raw] = {
    "openai_chat": {"type": "text", "text": "See."},
    "openai_responses": {"type": "input_text", "text": "See."},
    "anthropic": {"type": "text", "text": "See."},
    "gemini": {"text": "See."},
}


def _pictured(format: str) -> Raw:
    blocks = [WORDS[format], PICTURES[format]]
    return {"role": "user", "parts": blocks} if format == "gemini" else {"role": "user", "content": blocks}


def _wrong(format: str, bodies: Sequence[Any]) -> list[str]:
    """What the library of this wire says of requests that were only prepared."""
    if format == "gemini":
        return _contents(bodies)
    kind = {"openai_chat": CHAT, "openai_responses": RESPONSES, "anthropic": MESSAGES}[format]
    more = {"model": "m", **({"max_tokens": 100} if format == "anthropic" else {})}
    return _judged([{**more, **body} for body in bodies], kind, known=THOUGHTS if format == "openai_chat" else ())


@pytest.mark.parametrize("format", PICTURES)
def test_pictures_are_sent_as_their_library_sends_them(format: str) -> None:
    """A picture of a person is in the requests of a long run, and they pass."""
    bodies = _asked(format, Scene([*_steps(30), "Done."], characters=1_500), history=[_pictured(format)] * 2)
    assert not _wrong(format, bodies)
    assert "iVBOR" in json.dumps(bodies)


@pytest.mark.parametrize("there", PICTURES)
@pytest.mark.parametrize("here", PICTURES)
def test_a_conversation_in_another_wire_is_written_as_its_library_writes_it(here: str, there: str) -> None:
    """Words, a picture, sealed thinking, calls and results of one wire pass the types of each other wire after a switch."""
    model = ScriptedModel([SEALED, Reply("", calls=[look(3)]), SEALED, "Done."], format=here)
    history: list[Raw] = [_pictured(here)]
    asyncio.run(_played(Scene([]), model, history=history, streaming=False))
    manager = ContextManager("scripted:model", window=60_000, format=here)
    manager.prepare_sync(history)
    moved = manager.switch("scripted:other", window=60_000, format=there).messages if here != there else history
    assert moved is not None
    said = codec_of(there).encode(Message("user", (Text("Go on."),)))
    request = manager.prepare_sync([*moved, said], system="Be brief.")
    assert not _wrong(there, [request.arguments])
    assert here == "gemini" or "iVBOR" in json.dumps(request.arguments)


SOURCES = {
    "image": Source("image/png", PICTURE),
    "audio": Source("audio/wav", "AAAA"),
    "pdf": Source("application/pdf", "AAAA"),
    "file": Source("text/plain", "AAAA"),
    "video": Source("video/mp4", "AAAA"),
    "an address": Source("image/png", url="https://example.org/a.png"),
}


@pytest.mark.parametrize("format", PICTURES)
def test_whatever_we_make_of_an_attachment_is_what_its_library_sends(format: str) -> None:
    """An attachment of each kind, of a person, of the model and in a result, becomes a block that the wire has, or words."""
    codec = codec_of(format)
    for name, source in SOURCES.items():
        media = Media("image" if name == "an address" else cast(MediaKind, name), "d", source=source)
        call, result = Call("a", "look", "{}"), Result("a", "seen", media=(media,))
        said = [Message("user", (Text("See."), media)), Message("assistant", (Text("One."), media, Text("Two."), call))]
        messages = [raw for message in (*said, Message("tool", (result,))) for raw in codec.items(message)]
        assert not _wrong(format, [codec.body(messages, system="Be brief.", tools=None)]), name


@st.composite
def _conversations(draw: Any, *, other: bool) -> tuple[str, str, list[Raw]]:
    """A wire, the same or another one, and a history in the first, with faults or without."""
    here = draw(st.sampled_from(sorted(PICTURES)))
    there = draw(st.sampled_from([name for name in sorted(PICTURES) if name != here])) if other else here
    return here, there, draw(histories(format=here, broken=draw(st.booleans()), steps=5))


@given(_conversations(other=True))
def test_any_history_is_written_in_another_wire_as_its_library_writes_it(case: tuple[str, str, list[Raw]]) -> None:
    """Whatever a history holds, and whatever is wrong with it, what is made of it for another wire passes that wire's types."""
    here, there, history = case
    body = translated(history, source=codec_of(here), target=codec_of(there)).body
    assert not body[codec_of(there).field] or not _wrong(there, [body])


@given(_conversations(other=False), st.sampled_from([700, 1_200, 3_000]), st.sampled_from(["keep", "auto"]))
def test_no_rung_adds_what_a_library_does_not_know(case: tuple[str, str, list[Raw]], window: int, cache: Any) -> None:
    """A request in a small window has no fault that the history it is made of did not bring along, whatever was cleared, cut or mended."""
    format, _, history = case
    try:
        request = ContextManager(window=window, format=format, cache=cache).prepare_sync(history)
    except FixedPartTooLarge:
        return
    brought = {_kind(found) for found in _wrong(format, [{codec_of(format).field: history}])}
    assert {_kind(found) for found in _wrong(format, [request.arguments])} <= brought


def _kind(found: str) -> str:
    """A finding without the numbers of its places."""
    return re.sub(r"\d+", "N", found.partition(": ")[2] if found.startswith("request ") else found)


def test_a_message_that_no_library_would_send_is_found() -> None:
    """An unknown key, a wrong value and a missing one are each named, however deep they lie."""
    body: dict[str, Any] = {"model": "m", "stream": False, "messages": [{"role": "user", "content": "x", "colour": "red"}]}
    assert problems(body, kind=f"{CHAT}NonStreaming") == ["messages[0].colour is unknown"]
    body["messages"] = [{"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": 7}]}]
    assert problems(body, kind=f"{CHAT}NonStreaming")
    body["messages"] = [{"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function"}]}]
    assert any("function is missing" in found for found in problems(body, kind=f"{CHAT}NonStreaming"))
    assert content_problems([{"role": "user", "parts": [{"words": "x"}]}], kind="google.genai.types:Content")
