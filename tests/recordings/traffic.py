"""Recorded HTTP exchanges with a model on four wires, as a cassette holds them."""

from __future__ import annotations

from typing import Any

from tests.recordings.writing import Raw

CHAT, RESPONSES, ANTHROPIC, GEMINI = "openai_chat", "openai_responses", "anthropic", "gemini"
ADDRESSES = {
    CHAT: "https://api.openai.com/v1/chat/completions",
    RESPONSES: "https://api.openai.com/v1/responses",
    ANTHROPIC: "https://api.anthropic.com/v1/messages?beta=true",
    GEMINI: "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash:generateContent?key=SECRET",
}


def exchange(form: str, sent: Any, answer: Any, *, uri: str | None = None, status: Any = 200, **fields: Any) -> Raw:
    held = {CHAT: "messages", RESPONSES: "input", ANTHROPIC: "messages", GEMINI: "contents"}[form]
    request = {"method": "POST", "uri": uri or ADDRESSES[form], "headers": {}, "parsed_body": {held: sent, "model": "m"} | fields}
    return {"request": request, "response": {"status": {"code": status, "message": "OK"}, "headers": {}, "parsed_body": answer}}


def said(form: str, role: str, text: str) -> Raw:
    if form == GEMINI:
        return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
    return {"role": role, "content": text}


def answer(form: str, text: str, *, prompt: int = 100, name: str = "r1") -> Raw:
    if form == CHAT:
        return {
            "choices": [{"message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": 7},
        }
    if form == RESPONSES:
        item = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        return {"id": name, "object": "response", "output": [item], "usage": {"input_tokens": prompt, "output_tokens": 7}}
    if form == ANTHROPIC:
        usage = {"input_tokens": prompt - 90, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 10, "output_tokens": 7}
        return {"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}], "usage": usage}
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [{"content": content}],
        "usageMetadata": {"promptTokenCount": prompt, "candidatesTokenCount": 4, "thoughtsTokenCount": 3},
    }


def conversation(form: str, **fields: Any) -> list[Raw]:
    """Three requests of which each holds the one before and the reply to it."""
    spoken = [said(form, "user" if at % 2 == 0 else "assistant", f"say {at}") for at in range(5)]
    return [exchange(form, spoken[: at + 1], answer(form, f"reply {at}", prompt=100 + at), **fields) for at in (0, 2, 4)]
