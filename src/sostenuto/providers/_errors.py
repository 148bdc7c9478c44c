"""What an endpoint's answer says went wrong, as one of our errors: its kind, its own words in one line, and what to do."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

from sostenuto.errors import EndpointFailed, ModelFailed, NotAuthorised, RateLimited, RequestRefused, TooLong

_DENIED: Final = frozenset((401, 402, 403))
_PASSING: Final = frozenset((408, 409, 425))
_FAULT, _NOT_BUILT, _ABSENT, _TOO_LARGE = 500, 501, 404, 413
_SHOWN: Final = 300  # characters of the endpoint's words in one of ours
_DEPTH: Final = 5
_TOLD: Final = ("message", "error", "detail", "error_description", "raw", "metadata")
_KEYLESS: Final = re.compile(r"api[ _]?key[ _](?:is )?(?:not valid|invalid|missing)|invalid[ _](?:x-)?api[ _-]key", re.IGNORECASE)
_PENNILESS: Final = re.compile(r"insufficient_quota|credit balance is too low|billing_hard_limit", re.IGNORECASE)
_TOKENLIKE: Final = re.compile(r"\b(?:sk|pk|gsk|xai|key)-[A-Za-z0-9_-]{8,}")


class NobodyThere(EndpointFailed):
    """Nothing listens at an address of this machine, and nothing ever did: waiting starts no server."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked, for the words of an error: ``provider:id``, the address, the variable that holds the key ("" if none is needed)."""

    model: str
    address: str
    key_variable: str = ""


def failure(asked: Asked, body: object, *, status: int | None = None, headers: Mapping[str, str] | None = None) -> ModelFailed:
    """The error for an answer that is none.

    Args:
        asked: who was asked.
        body: what came: parsed JSON, else text; None for nothing.
        status: the HTTP status; None for an error inside a stream that had begun with a 200.
        headers: of the answer, names in small letters; they may say when to come back.
    """
    from sostenuto.window import refused  # a hundred patterns are compiled for it, and most runs meet no error

    words = said(body)
    found = refused(body, status=status)
    kind = found.kind if found is not None else "other"
    if status in _DENIED or _KEYLESS.search(words) or _PENNILESS.search(_flat(body)):
        return NotAuthorised(_line(asked, "does not let us in", words, status, remedy=_key_remedy(asked, words)), status=status, body=body)
    if kind in ("tokens", "bytes") or (status == _TOO_LARGE and kind == "other"):
        return TooLong(_line(asked, "says the request is too long", words, status, remedy="shorten the history"), status=status, body=body)
    if kind == "rate":
        back = retry_after(headers or {})
        when = f"come back in {back:,.0f} s" if back is not None else "come back later"
        return RateLimited(_line(asked, "was asked too much", words, status, remedy=when), status=status, body=body, retry_after_s=back)
    if _is_refusal(kind, status):
        remedy = "check the model's id and the address" if status == _ABSENT else "the request must be changed; repeating it does not help"
        return RequestRefused(_line(asked, "refuses the request", words, status, remedy=remedy), status=status, body=body)
    return EndpointFailed(_line(asked, "failed", words, status, remedy="try again later"), status=status, body=body)


def said(body: object, /) -> str:
    """An endpoint's own words for an error, in one line of bounded length; "" if there are none."""
    words = " ".join(_words(body, depth=_DEPTH).split())
    return words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"


def retry_after(headers: Mapping[str, str], /) -> float | None:
    """Seconds after which to come back, from ``retry-after-ms`` or ``retry-after`` (seconds, or a date beside the answer's own)."""
    for name, scale in (("retry-after-ms", 1_000.0), ("retry-after", 1.0)):
        try:
            number = float(headers.get(name, "")) / scale
        except ValueError:
            continue
        if math.isfinite(number) and number >= 0:
            return number
    try:
        there, then = (parsedate_to_datetime(headers.get(name, "")) for name in ("date", "retry-after"))
        return max(0.0, (then - there).total_seconds())
    except (TypeError, ValueError):
        return None


def _is_refusal(kind: str, status: int | None) -> bool:
    if kind in ("output", "image", "malformed"):
        return True
    if status == _NOT_BUILT:
        return True
    return kind == "other" and status is not None and status < _FAULT and status not in _PASSING


def _line(asked: Asked, verb: str, words: str, status: int | None, *, remedy: str) -> str:
    answered = "in the middle of an answer" if status is None else f"HTTP {status}"
    return f"{asked.model} at {asked.address} {verb} ({answered}): {words or 'it said nothing more'}; {remedy}"


def _key_remedy(asked: Asked, words: str) -> str:
    if _PENNILESS.search(words):
        return "the account has no credit left"
    return f"check the key in {asked.key_variable}" if asked.key_variable else "check the key"


def _words(value: object, *, depth: int) -> str:
    """The deepest message of an error body: strings that are JSON are opened, because proxies wrap what they were told."""
    if depth < 0:
        return ""
    if isinstance(value, str):
        inner = _opened(value)
        return (_words(inner, depth=depth - 1) if inner is not None else "") or _TOKENLIKE.sub("[key]", value[: 8 * _SHOWN])
    if isinstance(value, list | tuple):
        return _words(value[0], depth=depth - 1) if value else ""
    if not isinstance(value, Mapping):
        return ""
    inside = [_words(value[name], depth=depth - 1) for name in _TOLD if value.get(name)]
    return max(inside, key=_weight, default="")


def _weight(words: str) -> int:
    return 0 if words in ("Provider returned error",) else min(len(words), _SHOWN)


def _opened(text: str) -> Any:
    bare = text.strip()
    if bare[:1] not in ("{", "[") or len(bare) > 100_000:
        return None
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        return None


def _flat(body: object) -> str:
    if not isinstance(body, Mapping):
        return ""
    held = body.get("error")
    inner = held if isinstance(held, Mapping) else body
    return " ".join(str(inner.get(name, ""))[:200] for name in ("code", "type", "message"))
