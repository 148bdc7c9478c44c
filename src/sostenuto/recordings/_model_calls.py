"""One recorded HTTP exchange as a call of a model: what was sent, what came back, on which wire."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sostenuto.recordings._recording import Raw, model_name, token_sum
from sostenuto.recordings._streamed import events, whole

_LONGEST_BODY = 100_000_000
_GZIP = b"\x1f\x8b"
# The fields of a chat reply a next request repeats; a response carries others beside them.
_REPLY_FIELDS = (
    "content",
    "refusal",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "thinking_blocks",
    "tool_calls",
    "function_call",
    "audio",
)
_PROMPT_TOKENS = {
    "openai_chat": ("prompt_tokens",),
    "openai_responses": ("input_tokens",),
    "anthropic": ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    "gemini": ("promptTokenCount", "toolUsePromptTokenCount"),
}
_REPLY_TOKENS = {
    "openai_chat": ("completion_tokens",),
    "openai_responses": ("output_tokens",),
    "anthropic": ("output_tokens",),
    "gemini": ("candidatesTokenCount", "thoughtsTokenCount"),
}
_HISTORY = {"openai_chat": "messages", "openai_responses": "input", "anthropic": "messages", "gemini": "contents"}
_PATHS = (
    (re.compile(r"/chat/completions\Z"), "openai_chat"),
    (re.compile(r"/responses\Z"), "openai_responses"),
    (re.compile(r"/messages\Z"), "anthropic"),
    (re.compile(r":(?:streamGenerateContent|generateContent)\Z"), "gemini"),
    (re.compile(r":(?:rawPredict|streamRawPredict)\Z|/invoke(?:-with-response-stream)?\Z"), "anthropic"),
)
_MODEL_IN_PATH = re.compile(r"/models?/([^/:]+)[:/]")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call that got a reply.

    Attributes:
        line: position of the exchange in the cassette, from 1.
        form: the wire.
        sent: what the request holds of the history.
        reply: what the model answered, as the messages, items or contents of the wire.
        response_id: name under which the provider keeps this history, where it does.
        previous: name of the response this request goes on with at the provider, else ``None``.
        conversation: name of the conversation the provider keeps, else ``None``.
        reported: prompt tokens the provider reported, cache reads and writes included.
        output: output tokens the provider reported.
    """

    line: int
    form: str
    sent: list[Raw]
    reply: list[Raw]
    system: Any
    tools: Any
    model: str | None
    reported: int | None
    output: int | None
    response_id: str | None
    previous: str | None
    conversation: str | None


def model_call(line: int, exchange: Raw) -> ModelCall | tuple[str, str]:
    """The call behind one exchange, or its name and the reason why it is none."""
    request, response = (value if isinstance(value, dict) else {} for value in (exchange.get("request"), exchange.get("response")))
    address = _path(request.get("uri", request.get("url")))
    name = f"{_text(request.get('method')) or 'request'} {address}"[:80].strip()
    body = _body(request)
    form = _form(address, body)
    if form is None or not isinstance(body, dict):
        return name, "not a model call on a wire this reader knows"
    status = _status(response)
    if status is not None and not 200 <= status < 300:
        return name, f"a failed call (status {status})"
    answer = _answer(_body(response), form)
    reply = _reply(answer, form)
    if not reply:
        return name, "a call without a reply that can be read"
    usage = answer.get("usageMetadata" if form == "gemini" else "usage")
    in_path = _MODEL_IN_PATH.search(address)
    model = _text(body.get("model")) or (in_path.group(1) if in_path else None) or answer.get("model")
    return ModelCall(
        line=line,
        form=form,
        sent=_history(body, form),
        reply=reply,
        system=_system(body, form),
        tools=body.get("tools") or None,
        model=model_name(model),
        reported=token_sum(usage, _PROMPT_TOKENS[form]),
        output=token_sum(usage, _REPLY_TOKENS[form]),
        response_id=_text(answer.get("id")) if form == "openai_responses" else None,
        previous=_text(body.get("previous_response_id")) if form == "openai_responses" else None,
        conversation=_conversation(body) if form == "openai_responses" else None,
    )


def _path(address: object) -> str:
    """The path of an address without its host and query, which may hold a key."""
    if isinstance(address, dict):  # Betamax writes an address apart where it was given apart
        address = address.get("uri")
    try:
        return urlsplit(address).path if isinstance(address, str) else ""
    except ValueError:
        return ""


def _form(path: str, body: object) -> str | None:
    if not isinstance(body, dict):
        return None
    form = next((form for pattern, form in _PATHS if pattern.search(path)), None)
    held = body.get(_HISTORY[form]) if form else None
    return form if isinstance(held, list) or (form == "openai_responses" and (isinstance(held, str) or _has_history(body))) else None


def _has_history(body: Raw) -> bool:
    return _text(body.get("previous_response_id")) is not None or _conversation(body) is not None


def _history(body: Raw, form: str) -> list[Raw]:
    held = body.get(_HISTORY[form])
    if isinstance(held, str):
        return [{"role": "user", "content": held}]
    return [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []


def _system(body: Raw, form: str) -> Any:
    if form == "gemini":
        return body.get("systemInstruction", body.get("system_instruction"))
    return body.get({"anthropic": "system", "openai_responses": "instructions"}.get(form, ""))


def _conversation(body: Raw) -> str | None:
    named = body.get("conversation")
    return _text(named.get("id")) if isinstance(named, dict) else _text(named)


def _answer(body: object, form: str) -> Raw:
    if isinstance(body, str):
        body = events(body)
    if isinstance(body, list):
        body = whole([one for one in body if isinstance(one, dict)], form)
    return body if isinstance(body, dict) else {}


def _reply(answer: Raw, form: str) -> list[Raw]:
    if form == "openai_responses":
        output = answer.get("output")
        return [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
    if form == "anthropic":
        content = answer.get("content")
        return [{"role": "assistant", "content": content}] if isinstance(content, list) and content else []
    if form == "gemini":
        content = _first(answer.get("candidates")).get("content")
        if not isinstance(content, dict) or not isinstance(content.get("parts"), list) or not content["parts"]:
            return []
        return [{"role": "model"} | content]
    message = _first(answer.get("choices")).get("message")
    kept = {name: message[name] for name in _REPLY_FIELDS if message.get(name)} if isinstance(message, dict) else {}
    return [{"role": "assistant", "content": None} | kept] if kept else []


def _status(response: Raw) -> int | None:
    status = response.get("status", response.get("status_code"))
    code = status.get("code") if isinstance(status, dict) else status
    return code if type(code) is int else None


def _body(message: Raw) -> Any:
    """The body of a request or response: parsed where it is JSON, else its text."""
    parsed = message.get("parsed_body")
    if parsed is not None:
        return parsed
    body = message.get("body", message.get("content"))
    if isinstance(body, dict) and ("string" in body or "base64_string" in body):
        body = _from_base64(body["base64_string"]) if isinstance(body.get("base64_string"), str) else body["string"]
    text = _plain(body) if isinstance(body, bytes) else body
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return b""


def _plain(data: bytes) -> str:
    """Bytes as text, unpacked when they are gzip; no more of them than a body may have."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, _LONGEST_BODY)
        except zlib.error:
            data = b""
    return data.decode("utf-8", "replace")


def _first(value: object) -> Raw:
    first = value[0] if isinstance(value, list) and value else None
    return first if isinstance(first, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
