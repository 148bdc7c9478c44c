"""Does an error say that the request was too long, and which maximum does it state? Structured codes first, never a guess (D9, B033).

This reads the common shapes; the full table of hosted providers is a later issue.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.tokens import usage_of

_CODES = ("context_length_exceeded", "exceed_context_size_error", "context_window_exceeded", "input_too_long", "string_above_max_length")
_WORDS = re.compile(
    r"maximum (?:context|prompt) length|maximum number of tokens allowed|model token limit"
    r"|context (?:length|window|size)[^.]{0,40}(?:exceed|too (?:long|large))|exceeds? [^.]{0,60}(?:context|limit of \d)"
    r"|prompt is too long|input (?:is )?too long|too many (?:input )?tokens for|longer than the model's context"
    r"|reduce the length of the (?:messages|prompt|input)|inputs? tokens? \+ max_new_tokens",
    re.IGNORECASE,
)
_NOT = re.compile(r"rate.?limit|per minute|tokens per|quota|api.?key|unauthori[sz]ed|max_tokens[^.]{0,40}(?:must|too large)", re.IGNORECASE)
_MAXIMUM = re.compile(
    r"(?:maximum (?:context length|allowed|of|prompt length|number of tokens allowed)[^0-9]{0,20}|> |<= |limit(?: of|:)?[^0-9]{0,10}"
    r"|context (?:size|window)[^0-9]{0,24})"
    r"([0-9][0-9,_]{2,12})",
    re.IGNORECASE,
)
_TOO_LARGE = 413
_EDGE = 0.97
"""Share of the window from which an answer that stopped for length is taken to have run into its end."""
_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Overflow:
    """Evidence that a request was too long: a stated maximum in tokens, or that the body had too many bytes."""

    maximum: int | None = None
    too_many_bytes: bool = False


def overflow(error: object) -> Overflow | None:
    """The evidence in an error, None where it shows none. Takes exceptions of any client, mappings and text; never raises."""
    texts = list(_texts(error, depth=_DEPTH))
    joined = "\n".join(texts)
    status = _status(error)
    coded = any(code in joined for code in _CODES)
    if not coded and (_NOT.search(joined) or status in (401, 403, 429)):
        return None
    stated = _MAXIMUM.search(joined)
    maximum = int(stated.group(1).replace(",", "").replace("_", "")) if stated else _field_number(error)
    if coded or _WORDS.search(joined):
        return Overflow(maximum=maximum)
    if status == _TOO_LARGE or "request_too_large" in joined:
        return Overflow(too_many_bytes=True)
    return None


def stopped_at_edge(reply: object, window: int) -> bool:
    """True if an answer was cut off because the window was full: it stopped for length, and prompt and answer fill the window (B075)."""
    found = usage_of(reply)
    if found is None or found.input + found.output < _EDGE * window:
        return False
    return any(reason in ("length", "max_tokens") for reason in _finish(reply))


def _finish(reply: object) -> Iterator[object]:
    choices = _field(reply, "choices")
    for holder in (reply, *(choices if isinstance(choices, list | tuple) else ())):
        for name in ("finish_reason", "stop_reason", "done_reason"):
            yield _field(holder, name)


def _field(holder: object, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _status(error: object) -> int | None:
    for name in ("status_code", "status", "code"):
        value = _field(error, name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _field_number(error: object) -> int | None:
    body = error if isinstance(error, Mapping) else getattr(error, "body", None)
    for holder in (body, body.get("error") if isinstance(body, Mapping) else None):
        value = holder.get("n_ctx") if isinstance(holder, Mapping) else None
        if isinstance(value, int) and value > 0:
            return value
    return None


def _texts(value: Any, *, depth: int) -> Iterator[str]:
    """Every text in an error: its words, its body, and JSON inside text."""
    if depth <= 0 or value is None:
        return
    if isinstance(value, str):
        yield value[:20_000]
        if value.lstrip()[:1] == "{":
            try:
                yield from _texts(json.loads(value[:100_000]), depth=depth - 1)
            except (ValueError, RecursionError):
                return
    elif isinstance(value, Mapping):
        for item in list(value.values())[:50]:
            yield from _texts(item, depth=depth - 1)
    elif isinstance(value, list | tuple):
        for item in value[:50]:
            yield from _texts(item, depth=depth - 1)
    elif isinstance(value, BaseException) or hasattr(value, "message"):
        yield str(value)[:20_000]
        for name in ("body", "code", "message", "response"):
            inner = getattr(value, name, None)
            yield from _texts(inner if isinstance(inner, str | Mapping) else getattr(inner, "text", None), depth=depth - 1)
