"""Histories as ``pydantic_ai`` has them."""

from __future__ import annotations

import base64
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="the extra pydantic-ai is not installed")

from pydantic_ai import messages as theirs

from sostenuto.providers._pydantic_history import as_ours, as_theirs, definitions, mark

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}


def _kinds(messages: list[Any]) -> list[list[str]]:
    return [[part.part_kind for part in message.parts] for message in as_theirs(messages, {})]


def test_what_stands_between_two_answers_is_one_request() -> None:
    """Instructions and the user's words are one request, and so are all results and what the user says after them."""
    history: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Look.", "reasoning_content": "Hm.", "tool_calls": [CALL, {**CALL, "id": "c2"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "Done."},
    ]
    assert _kinds(history) == [
        ["system-prompt", "user-prompt"],
        ["thinking", "text", "tool-call", "tool-call"],
        ["tool-return", "tool-return", "user-prompt"],
        ["text"],
    ]
    returned = as_theirs(history, {})[2].parts[0]
    assert isinstance(returned, theirs.ToolReturnPart)
    assert (returned.tool_name, returned.tool_call_id, returned.content) == ("read", "c1", "one")


def test_attachments_are_carried_or_named() -> None:
    """Bytes and addresses of images are carried; what cannot be is named in words."""
    data = base64.b64encode(b"\x89PNG").decode()
    content = [
        {"type": "text", "text": "See."},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        {"type": "image_url", "image_url": {"url": "https://there/x.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,***"}},
        {"type": "of_the_future", "x": 1},
    ]
    part: Any = as_theirs([{"role": "user", "content": content}], {})[0].parts[0]
    words, image, address, broken, opaque = part.content
    assert words == "See."
    assert (image.data, image.media_type) == (b"\x89PNG", "image/png")
    assert address.url == "https://there/x.png"
    assert broken.startswith("[")
    assert "of_the_future" in opaque


def test_a_known_message_is_the_response_it_was_made_of() -> None:
    """A message that went through untouched is the very response; one that was changed is made anew of what it now says."""
    response = theirs.ModelResponse(
        parts=[
            theirs.TextPart("First."),
            theirs.ThinkingPart("Hm.", signature="s", provider_name="anthropic"),
            theirs.ToolCallPart("read", {"path": "a"}, tool_call_id="c1"),
        ]
    )
    raw, text, calls = as_ours(response)
    assert raw is not None
    assert (text, calls[0].arguments) == ("First.", '{"path":"a"}')
    known = {mark(raw): response}
    assert as_theirs([dict(raw)], known)[0] is response
    changed = as_theirs([{**raw, "content": "Cut."}], known)[0]
    assert [part.part_kind for part in changed.parts] == ["thinking", "text", "tool-call"]
    thought = changed.parts[0]
    assert isinstance(thought, theirs.ThinkingPart)
    assert (thought.content, thought.signature, thought.provider_name) == ("Hm.", "s", "anthropic")


def test_a_response_without_words_and_calls_is_no_message() -> None:
    """A response that only thought leaves no message."""
    assert as_ours(theirs.ModelResponse(parts=[theirs.ThinkingPart("Hm.")])) == (None, "", ())


def test_tools_are_defined_as_they_were() -> None:
    """Name, description and schema are handed on; a tool without a schema takes an object."""
    full, bare = definitions(
        [{"type": "function", "function": {"name": "a", "description": "d", "parameters": {"type": "object"}}}, {"name": "b"}]
    )
    assert (full.name, full.description, full.parameters_json_schema) == ("a", "d", {"type": "object"})
    assert (bare.name, bare.parameters_json_schema) == ("b", {"type": "object", "properties": {}})
