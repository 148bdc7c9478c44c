"""Gemini's wire, as its documentation and public reports show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sostenuto.protocols import Finish
from sostenuto.testing._answers import Answer, Turn, as_events, as_json, as_object, halves
from sostenuto.testing._script import FaultKind

_FINISHES: Final[Mapping[Finish, str]] = {"length": "MAX_TOKENS", "window": "MAX_TOKENS", "filtered": "SAFETY", "other": "OTHER"}
_FAULTS: Final[Mapping[FaultKind, tuple[int, str, str]]] = {
    "too_large": (413, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
    "rate_limited": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota: requests per minute."),
    "unauthorised": (401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
    "refused": (400, "INVALID_ARGUMENT", "Unknown name \"parameter\" at 'tools[0].function_declarations[0]': Cannot find field."),
    "loading": (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "server_fault": (500, "INTERNAL", "An internal error has occurred."),
}


@dataclass(frozen=True, slots=True)
class GeminiDialect:
    """Gemini's way of generating content."""

    name: str = "gemini"
    base: str = ""

    def is_asked(self, path: str) -> bool:
        """Whether a path is that of a generation."""
        return ":generateContent" in path or ":streamGenerateContent" in path

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether the answer is wanted piece by piece: the path says so."""
        del body
        return ":streamGenerateContent" in path

    def max_output(self, body: Mapping[str, Any]) -> int | None:
        """The output a request asks for."""
        found = (body.get("generationConfig") or {}).get("maxOutputTokens")
        return found if isinstance(found, int) else None

    def window(self, body: Mapping[str, Any], served: int) -> int:
        """The window for a request: here always the model's."""
        del body
        return served

    def key(self, headers: Mapping[str, str]) -> str:
        """The key a request brings."""
        return headers.get("x-goog-api-key", "")

    def looked_at(self, path: str, *, model: str, window: int, asked: int) -> Answer | None:
        """What the API says about a model."""
        del asked
        if not path.endswith(f"/models/{model}"):
            return None
        return as_json({"name": f"models/{model}", "version": "001", "inputTokenLimit": window, "outputTokenLimit": 8_192})

    def answer(self, turn: Turn, *, streamed: bool) -> Answer:
        """A reply."""
        parts = _parts(turn)
        usage = {"promptTokenCount": turn.input, "candidatesTokenCount": turn.output, "totalTokenCount": turn.input + turn.output}
        if turn.cached:
            usage["cachedContentTokenCount"] = turn.cached
        head = {"modelVersion": turn.model, "responseId": f"response-{turn.number}"}
        end = {"finishReason": _FINISHES.get(turn.reply.ends, "STOP"), "index": 0}
        if not streamed:
            return as_json({"candidates": [{"content": {"role": "model", "parts": parts}, **end}], "usageMetadata": usage, **head})
        pieces = [piece for part in parts for piece in _pieces(part)] or [{"text": ""}]
        chunks: list[Any] = [{"candidates": [{"content": {"role": "model", "parts": [piece]}, "index": 0}], **head} for piece in pieces]
        chunks[-1]["candidates"][0].update(end)
        chunks[-1]["usageMetadata"] = usage
        return as_events([("", chunk) for chunk in chunks])

    def fault(self, kind: FaultKind, turn: Turn, headers: Mapping[str, str]) -> Answer:
        """A failure in Google's words."""
        if kind == "overflow":
            words = f"The input token count ({turn.input}) exceeds the maximum number of tokens allowed ({turn.window})."
            status, name = 400, "INVALID_ARGUMENT"
        else:
            status, name, words = _FAULTS[kind]
        return as_json({"error": {"code": status, "message": words, "status": name}}, status=status, headers=headers)

    def error_event(self, turn: Turn) -> Answer:
        """A stream that turns into an error."""
        del turn
        return as_events([("", {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}})])


def _parts(turn: Turn) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if turn.reply.reasoning:
        parts.append({"text": turn.reply.reasoning, "thought": True})
    if turn.reply.text:
        parts.append({"text": turn.reply.text})
    for place, call in enumerate(turn.calls):
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": call.name, "args": as_object(call.arguments)}}
        if turn.reply.signature and place == 0:  # the first call of a turn bears the seal
            part["thoughtSignature"] = turn.reply.signature
        parts.append(part)
    return parts


def _pieces(part: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "text" not in part:
        return [dict(part)]
    return [{**part, "text": words} for words in halves(part["text"])]
