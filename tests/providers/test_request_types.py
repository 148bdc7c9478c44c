"""Every request body we send is one that the providers' own libraries could have sent: their types say so."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import pytest

from sostenuto.testing import FakeServer, Reply, Step
from tests.providers.speaking import TOOLS, spoken
from tests.providers.staging import KEY, made

SCRIPT: Sequence[Step] = (
    Reply("Look.", reasoning="Hm.", signature="c2VhbA==", calls=[("read", {"path": "ü"}), ("read", {})]),
    Reply("", calls=[("read", {"path": "b"})]),
    Reply("Done."),
)


def _valid(library: str, module: str, types: Sequence[str], bodies: Sequence[Any]) -> None:
    """Raises where a body is none of the types. Unknown fields are let be: they go to servers that know them."""
    pytest.importorskip(library, reason=f"the package {library} is not installed: its types cannot judge")
    pydantic: Any = importlib.import_module("pydantic")
    homes = importlib.import_module(module)
    for body in bodies:
        wanted = getattr(homes, types[bool(body.get("stream"))])
        pydantic.TypeAdapter(wanted).validate_python(body)


@pytest.mark.parametrize("kind", ["llamacpp", "lmstudio", "openai", "sglang", "vllm"])
def test_chat_completions_are_what_openai_sends(kind: str) -> None:
    """Histories with calls, results and reasoning, whole and streamed, pass the types of the ``openai`` library."""
    bodies: list[Any] = []
    for heard in (None, lambda kind, words: None):
        with FakeServer(kind, SCRIPT, key=KEY) as server:
            history: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello."}]
            for _ in SCRIPT:
                said = spoken(made(server), history, tools=TOOLS, max_output=100, thinking=False, heard=heard)
                history += said.messages
                history += [{"role": "tool", "tool_call_id": call.id, "content": "text"} for call in said.calls]
            bodies += server.asked
    types = ("CompletionCreateParamsNonStreaming", "CompletionCreateParamsStreaming")
    _valid("openai", "openai.types.chat.completion_create_params", types, bodies)


def test_messages_are_what_anthropic_sends() -> None:
    """Histories with signed thinking, calls and results, whole and streamed, pass the types of the ``anthropic`` library."""
    bodies: list[Any] = []
    tools = [{"name": "read", "description": "Reads.", "input_schema": {"type": "object", "properties": {}}}]
    for heard in (None, lambda kind, words: None):
        with FakeServer("anthropic", SCRIPT, key=KEY) as server:
            history: list[Any] = [{"role": "user", "content": "Hello."}]
            for _ in SCRIPT:
                said = spoken(made(server), history, tools=tools, heard=heard)
                answers = [{"type": "tool_result", "tool_use_id": call.id, "content": "text"} for call in said.calls]
                history += [*said.messages, {"role": "user", "content": answers or "Thanks."}]
            bodies += server.asked
    types = ("MessageCreateParamsNonStreaming", "MessageCreateParamsStreaming")
    _valid("anthropic", "anthropic.types.message_create_params", types, bodies)
