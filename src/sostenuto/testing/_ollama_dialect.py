"""Ollama's native wire, as its source and public reports show it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sostenuto.protocols import Finish
from sostenuto.testing._answers import Answer, Turn, as_json, as_lines, as_object, halves
from sostenuto.testing._script import FaultKind

_CREATED: Final = "2026-08-21T10:00:00.000000Z"
_FINISHES: Final[Mapping[Finish, str]] = {"length": "length", "window": "length"}
_CEILING: Final = 131_072
_FAULTS: Final[Mapping[FaultKind, tuple[int, str]]] = {
    "too_large": (413, "http: request body too large"),
    "rate_limited": (429, "too many requests: you have reached your hourly usage limit"),
    "unauthorised": (401, "unauthorized"),
    "refused": (400, "llama3.2 does not support tools"),
    "loading": (503, "server busy, please try again.  maximum pending requests exceeded"),
    "server_fault": (500, "llama runner process has terminated: exit status 2"),
}


@dataclass(frozen=True, slots=True)
class OllamaDialect:
    """Ollama's way of chatting."""

    name: str = "ollama"
    base: str = ""

    def is_asked(self, path: str) -> bool:
        """Whether a path is that of a chat."""
        return path == "/api/chat"

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether the answer is wanted piece by piece: so it is unless the request says otherwise."""
        del path
        return bool(body.get("stream", True))

    def max_output(self, body: Mapping[str, Any]) -> int | None:
        """The output a request asks for."""
        found = (body.get("options") or {}).get("num_predict")
        return found if isinstance(found, int) and found > 0 else None

    def window(self, body: Mapping[str, Any], served: int) -> int:
        """The window for a request: what it asks for, else the server's."""
        found = (body.get("options") or {}).get("num_ctx")
        return found if isinstance(found, int) else served

    def key(self, headers: Mapping[str, str]) -> str:
        """The key a request brings."""
        return headers.get("authorization", "").removeprefix("Bearer ")

    def looked_at(self, path: str, *, model: str, window: int, asked: int) -> Answer | None:
        """What the server says about itself at a path; a model is loaded once it was asked."""
        details = {"parent_model": "", "format": "gguf", "family": "llama", "parameter_size": "4.3B", "quantization_level": "Q4_K_M"}
        card = {"name": model, "model": model, "size": 6_591_830_464, "details": details}
        if path == "/api/ps":
            return as_json({"models": [{**card, "context_length": window}] if asked else []})
        if path == "/api/tags":
            return as_json({"models": [card]})
        if path == "/api/show":
            facts = {"general.architecture": "llama", "llama.context_length": _CEILING}
            parameters = f"num_ctx                       {window}\nstop                           <|im_end|>"
            return as_json({"parameters": parameters, "details": details, "model_info": facts, "capabilities": ["completion", "tools"]})
        return as_json({"version": "0.33.0"}) if path == "/api/version" else None

    def answer(self, turn: Turn, *, streamed: bool) -> Answer:
        """A reply."""
        head = {"model": turn.model, "created_at": _CREATED}
        calls = [
            {"id": call.id, "function": {"index": index, "name": call.name, "arguments": as_object(call.arguments)}}
            for index, call in enumerate(turn.calls)
        ]
        counts = {"prompt_eval_count": turn.input, "eval_count": turn.output}
        last = {
            **head, "done": True, "done_reason": _FINISHES.get(turn.reply.ends, "stop"), "total_duration": 4_883_583_458,
            "load_duration": 1_334_875, **{name: count for name, count in counts.items() if count},
        }  # fmt: skip
        said = {"role": "assistant", "content": turn.reply.text}
        if not streamed:
            thought = {"thinking": turn.reply.reasoning} if turn.reply.reasoning else {}
            return as_json({**last, "message": {**said, **thought, **({"tool_calls": calls} if calls else {})}})
        pieces = [{"role": "assistant", "content": "", "thinking": words} for words in halves(turn.reply.reasoning)]
        pieces += [{"role": "assistant", "content": words} for words in halves(turn.reply.text)]
        lines: list[Any] = [{**head, "message": piece, "done": False} for piece in pieces]
        if calls:
            lines.append({**head, "message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": False})
        return as_lines([*lines, {**last, "message": {"role": "assistant", "content": ""}}])

    def fault(self, kind: FaultKind, turn: Turn, headers: Mapping[str, str]) -> Answer:
        """A failure in Ollama's words; that a request is too long is JSON in a string, as the server below it said it."""
        if kind != "overflow":
            status, words = _FAULTS[kind]
            return as_json({"error": words}, status=status, headers=headers)
        words = f"request ({turn.input} tokens) exceeds the available context size ({turn.window} tokens), try increasing it"
        inner = {"code": 400, "message": words, "type": "exceed_context_size_error", "n_prompt_tokens": turn.input, "n_ctx": turn.window}
        return as_json({"error": json.dumps({"error": inner})}, status=400, headers=headers)

    def error_event(self, turn: Turn) -> Answer:
        """A stream that turns into an error."""
        begun = {"model": turn.model, "created_at": _CREATED, "message": {"role": "assistant", "content": "The "}, "done": False}
        return as_lines([begun, {"error": "llama runner process has terminated: exit status 2"}])
