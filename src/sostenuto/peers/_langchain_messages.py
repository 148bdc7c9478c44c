"""Plain chat as LangChain's messages and back; a message nobody changed comes back as it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sostenuto.peers._terms import Raw, answer, assistant, call_of, calls_of, library, say


class Chat:
    """One history in both forms."""

    def __init__(self) -> None:
        self._types = library("langchain_core.messages")
        self._known: dict[str, tuple[Raw, Any, Any]] = {}

    def taken(self, new: Sequence[Raw]) -> list[Any]:
        """LangChain's form of new messages, each with an id of its own."""
        return [self._take(raw) for raw in new]

    def given(self, messages: Sequence[Any]) -> list[Raw]:
        """Plain chat of whatever a strategy made."""
        return [self._give(message) for message in messages]

    def _take(self, raw: Raw) -> Any:
        name = f"h{len(self._known)}"
        message = self._made(raw, name)
        self._known[name] = (raw, message.content, getattr(message, "tool_calls", None))
        return message

    def _made(self, raw: Raw, name: str) -> Any:
        text = raw["content"]
        if raw["role"] == "assistant":
            calls = [{"name": call, "args": _parsed(args), "id": number, "type": "tool_call"} for number, call, args in calls_of(raw)]
            return self._types.AIMessage(content=text, tool_calls=calls, id=name)
        if raw["role"] == "tool":
            return self._types.ToolMessage(content=text, tool_call_id=raw["tool_call_id"], id=name)
        kind = self._types.SystemMessage if raw["role"] == "system" else self._types.HumanMessage
        return kind(content=text, id=name)

    def _give(self, message: Any) -> Raw:
        known = self._known.get(message.id or "")
        if known is not None and message.content == known[1] and getattr(message, "tool_calls", None) == known[2]:
            return known[0]
        text = message.text if isinstance(message.text, str) else message.text()
        if message.type == "ai":
            calls = [call_of(call["id"], call["name"], json.dumps(call["args"], ensure_ascii=False)) for call in message.tool_calls]
            return assistant(text, calls)
        if message.type == "tool":
            return answer(message.tool_call_id, text)
        return say({"human": "user"}.get(message.type, message.type), text)


def _parsed(arguments: str) -> dict[str, Any]:
    """The arguments as a mapping; what is none is wrapped, and comes back as it was because the message is known."""
    try:
        found = json.loads(arguments)
    except ValueError:
        found = arguments
    return found if isinstance(found, dict) else {"input": found}


def scripted_model(summarize: Any, *, budget: int) -> Any:
    """A chat model that answers with what `summarize` makes of the prompt."""
    models = library("langchain_core.language_models.fake_chat_models")
    types = library("langchain_core.messages")
    outputs = library("langchain_core.outputs")

    class Scripted(models.GenericFakeChatModel):  # type: ignore[misc, name-defined]
        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
            prompt = "\n".join(message.text if isinstance(message.text, str) else message.text() for message in messages)
            return outputs.ChatResult(generations=[outputs.ChatGeneration(message=types.AIMessage(content=summarize(prompt)))])

    return Scripted(messages=iter(()), profile={"max_input_tokens": budget})
