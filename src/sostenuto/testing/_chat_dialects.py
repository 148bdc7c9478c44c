"""Chat completions as five servers write them: the bodies are those that llama.cpp and vLLM were seen to send, and that the sources
and public reports of SGLang, LM Studio and OpenAI show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sostenuto.protocols import Finish
from sostenuto.testing._answers import Answer, Turn, as_events, as_json, halves
from sostenuto.testing._script import FaultKind

_CREATED: Final = 1_796_046_631
_Looks = Callable[[str, str, int], Answer | None]
"""From a path, the model's id and the window to what the server says there."""
_FINISHES: Final[Mapping[Finish, str]] = {
    "stop": "stop", "calls": "tool_calls", "length": "length", "window": "length", "filtered": "content_filter", "other": "other",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChatDialect:
    """One server's way of writing chat completions."""

    name: str
    base: str = "/v1"

    def is_asked(self, path: str) -> bool:
        """Whether a path is that of a chat completion."""
        return path == "/v1/chat/completions"

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether the answer is wanted piece by piece."""
        del path
        return bool(body.get("stream"))

    def max_output(self, body: Mapping[str, Any]) -> int | None:
        """The output a request asks for."""
        found = body.get("max_completion_tokens", body.get("max_tokens"))
        return found if isinstance(found, int) else None

    def window(self, body: Mapping[str, Any], served: int) -> int:
        """The window for a request: here always the server's."""
        del body
        return served

    def key(self, headers: Mapping[str, str]) -> str:
        """The key a request brings."""
        return headers.get("authorization", "").removeprefix("Bearer ")

    def looked_at(self, path: str, *, model: str, window: int, asked: int) -> Answer | None:
        """What the server says about itself at a path; None where it has none."""
        del asked
        return _LOOKS.get(self.name, _openai_looks)(path, model, window)

    def answer(self, turn: Turn, *, streamed: bool) -> Answer:
        """A reply."""
        if not streamed:
            choice = {"finish_reason": _FINISHES[turn.reply.ends], "index": 0, "message": self._message(turn)}
            return as_json({**self._head(turn, "chat.completion"), "choices": [choice], "usage": self._usage(turn)})
        head = self._head(turn, "chat.completion.chunk")
        chunks: list[Any] = [{**head, "choices": [{"finish_reason": None, "index": 0, "delta": delta}]} for delta in self._deltas(turn)]
        chunks.append({**head, "choices": [{"finish_reason": _FINISHES[turn.reply.ends], "index": 0, "delta": {}}]})
        if (turn.body.get("stream_options") or {}).get("include_usage"):
            chunks.append({**head, "choices": [], "usage": self._usage(turn)})
        return as_events([("", chunk) for chunk in chunks], end="[DONE]")

    def fault(self, kind: FaultKind, turn: Turn, headers: Mapping[str, str]) -> Answer:
        """A failure in this server's words."""
        status, body = _FAULTS.get(self.name, {}).get(kind) or _OPENAI_FAULTS[kind]
        return as_json(_filled(body, turn), status=status, headers=headers)

    def error_event(self, turn: Turn) -> Answer:
        """A stream that turns into an error."""
        del turn
        error = {"error": {"message": "The server had an error while processing your request.", "type": "server_error", "code": None}}
        return as_events([("", error)])

    def _head(self, turn: Turn, kind: str) -> dict[str, Any]:
        return {"id": f"chatcmpl-{turn.number}", "object": kind, "created": _CREATED, "model": turn.model}

    def _message(self, turn: Turn) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": turn.reply.text}
        if turn.reply.reasoning:
            message["reasoning_content"] = turn.reply.reasoning
        if turn.calls:
            message["content"] = turn.reply.text or None
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in turn.calls
            ]
        return message

    def _deltas(self, turn: Turn) -> list[dict[str, Any]]:
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None if self.name == "llamacpp" else ""}]
        deltas += [{"reasoning_content": words} for words in halves(turn.reply.reasoning)]
        deltas += [{"content": words} for words in halves(turn.reply.text)]
        for index, call in enumerate(turn.calls):
            function = {"name": call.name, "arguments": ""}
            deltas.append({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]})
            deltas += [{"tool_calls": [{"index": index, "function": {"arguments": words}}]} for words in halves(call.arguments)]
        return deltas

    def _usage(self, turn: Turn) -> dict[str, Any]:
        usage: dict[str, Any] = {
            "prompt_tokens": turn.input, "completion_tokens": turn.output, "total_tokens": turn.input + turn.output
        }  # fmt: skip
        if self.name in ("vllm", "sglang"):  # without a flag at their start they do not say what was cached
            return {**usage, "prompt_tokens_details": None}
        return {**usage, "prompt_tokens_details": {"cached_tokens": turn.cached}}


def _filled(value: Any, turn: Turn) -> Any:
    """A recorded body with this turn's numbers in it."""
    if isinstance(value, str) and value in ("INPUT", "WINDOW"):
        return turn.input if value == "INPUT" else turn.window
    if isinstance(value, str):
        numbers = {"INPUT": turn.input, "WINDOW": turn.window, "ABOVE": turn.window + 1, "OUTPUT": turn.output}
        for name, number in numbers.items():
            value = value.replace(f"<{name}>", str(number))
        return value
    if isinstance(value, Mapping):
        return {name: _filled(inner, turn) for name, inner in value.items()}
    return value


def _llamacpp_looks(path: str, model: str, window: int) -> Answer | None:
    if path == "/health":
        return as_json({"status": "ok"})
    if path == "/slots":
        return as_json([{"id": 0, "n_ctx": window, "speculative": False, "is_processing": False}])
    if path == "/props":
        settings = {"params": {"temperature": 0.8, "max_tokens": -1, "n_predict": -1}, "n_ctx": window}
        return as_json({"default_generation_settings": settings, "total_slots": 1, "model_alias": model, "is_sleeping": False})
    if path == "/v1/models":
        meta = {"vocab_type": 2, "n_vocab": 49_152, "n_ctx": window, "n_ctx_train": 8_192}
        card = {"id": model, "aliases": [model], "object": "model", "created": _CREATED, "owned_by": "llamacpp", "meta": meta}
        return as_json({"object": "list", "data": [card]})
    return None


def _cards(owner: str) -> _Looks:
    def looks(path: str, model: str, window: int) -> Answer | None:
        if path != "/v1/models":
            return None
        card = {"id": model, "object": "model", "created": _CREATED, "owned_by": owner, "root": model, "parent": None}
        return as_json({"object": "list", "data": [{**card, "max_model_len": window}]})

    return looks


def _lmstudio_looks(path: str, model: str, window: int) -> Answer | None:
    card = {"id": model, "object": "model", "type": "llm", "arch": "llama", "compatibility_type": "gguf", "quantization": "Q4_K_M"}
    if path == "/api/v0/models":
        loaded = {**card, "state": "loaded", "max_context_length": 131_072, "loaded_context_length": window}
        idle = {**card, "id": "another-model", "state": "not-loaded", "max_context_length": 32_768}
        return as_json({"object": "list", "data": [loaded, idle]})
    return _openai_looks(path, model, window)


def _openai_looks(path: str, model: str, window: int) -> Answer | None:
    del window
    card = {"id": model, "object": "model", "created": _CREATED, "owned_by": "system"}
    return as_json({"object": "list", "data": [card]}) if path == "/v1/models" else None


_LOOKS: Final[Mapping[str, _Looks]] = {
    "llamacpp": _llamacpp_looks,
    "lmstudio": _lmstudio_looks,
    "sglang": _cards("sglang"),
    "vllm": _cards("vllm"),
}


def _error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


_OPENAI_FAULTS: Final[Mapping[FaultKind, tuple[int, Any]]] = {
    "overflow": (400, _error(
        "This model's maximum context length is <WINDOW> tokens. However, your messages resulted in <INPUT> tokens. "
        "Please reduce the length of the messages.",
        type="invalid_request_error", param="messages", code="context_length_exceeded",
    )),
    "too_large": (413, _error("Request Entity Too Large", type="invalid_request_error", code=None)),
    "rate_limited": (429, _error(
        "Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 2s.",
        type="requests", param=None, code="rate_limit_exceeded",
    )),
    "unauthorised": (401, _error(
        "Incorrect API key provided: sk-wrong-key-of-nobody.", type="invalid_request_error", param=None, code="invalid_api_key"
    )),
    "refused": (400, _error(
        "Invalid schema for function 'read': schema must be a JSON Schema of 'type: \"object\"'.",
        type="invalid_request_error", param="tools[0].function.parameters", code="invalid_function_parameters",
    )),
    "loading": (503, _error("Loading model", type="unavailable_error", code=503)),
    "server_fault": (500, _error("The server had an error while processing your request.", type="server_error", code=None)),
}  # fmt: skip

_FAULTS: Final[Mapping[str, Mapping[FaultKind, tuple[int, Any]]]] = {
    "llamacpp": {
        "overflow": (400, {"error": {
            "code": 400, "message": "request (<INPUT> tokens) exceeds the available context size (<WINDOW> tokens), try increasing it",
            "type": "exceed_context_size_error", "n_prompt_tokens": "INPUT", "n_ctx": "WINDOW",
        }}),
        "unauthorised": (401, _error("Invalid API Key", type="authentication_error", code=401)),
        "refused": (400, _error("Expected 'messages' to be an array", type="invalid_request_error", code=400)),
    },
    "lmstudio": {
        "overflow": (400, {"error": (
            "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: <INPUT>>= n_ctx: <WINDOW>). "
            "Try to load the model with a larger context length, or provide a shorter input."
        )}),
    },
    "sglang": {
        "overflow": (400, {
            "object": "error", "message": "The input (<INPUT> tokens) is longer than the model's context length (<WINDOW> tokens).",
            "type": "BadRequest", "param": None, "code": 400,
        }),
    },
    "vllm": {
        "overflow": (400, _error(
            "This model's maximum context length is <WINDOW> tokens. However, your prompt contains at least <ABOVE> input tokens, which "
            "exceeds this limit even without any output tokens. Please reduce the length of the input prompt. "
            "(parameter=input_tokens, value=<ABOVE>)",
            type="BadRequestError", param="input_tokens", code=400,
        )),
    },
}  # fmt: skip
