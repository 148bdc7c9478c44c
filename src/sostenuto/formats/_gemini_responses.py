"""What a function answered, as Gemini writes it: an object of any shape, and attachments beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sostenuto.formats._blocks import fields
from sostenuto.formats._gemini_fields import attachment, media_part
from sostenuto.formats._text import compact, well_formed, word
from sostenuto.messages import Media, Result

_OUTPUT = "output"
_ERROR = "error"
"""The two keys the endpoint gives a meaning; with neither, the whole object counts as the output."""


def result(response: Mapping[str, Any]) -> Result:
    """A function response as a part. Its text is the object's only value where that is a string, else the object as JSON."""
    body = response.get("response")
    media = tuple(found for found in map(_attachment, _beside(response)) if found is not None)
    return Result(word(response.get("id")), _text(body), False if _failed(body) else None, media=media, name=word(response.get("name")))


def made(answer: Result) -> dict[str, Any]:
    """A function response of our own."""
    named = {"id": answer.call_id, "name": answer.name} if answer.call_id else {"name": answer.name}
    shown = [part for part in map(media_part, answer.media) if part is not None]
    body = {_ERROR if answer.succeeded is False else _OUTPUT: well_formed(answer.text)}
    return {**named, "response": body, **({"parts": shown} if shown else {})}


def rewritten(response: Mapping[str, Any], old: Result, *, new: Result) -> dict[str, Any]:
    """`response` reading as `new` instead of `old`; what did not change stays the same object."""
    out = dict(response)
    if new.call_id != old.call_id:
        out["id"] = new.call_id
        if not new.call_id:
            del out["id"]
    if new.name and new.name != old.name:  # the endpoint takes no response without a name
        out["name"] = new.name
    if (new.text, new.succeeded is False) != (old.text, old.succeeded is False):
        out["response"] = {_key(response.get("response"), old, new=new): new.text}
    if new.media != old.media:
        out["parts"] = _kept(response, new.media)
    return out


def _text(body: Any) -> str:
    if isinstance(body, str):
        return body
    sole = _sole(body)
    if sole is not None:
        return str(body[sole])
    return compact(body) if body else ""


def _sole(body: Any) -> str | None:
    """The only key of an object, where its value is a string."""
    if not isinstance(body, Mapping) or len(body) != 1:
        return None
    key, value = next(iter(body.items()))
    return key if isinstance(key, str) and isinstance(value, str) else None


def _failed(body: Any) -> bool:
    """Whether the object says what went wrong; an empty ``error`` beside an output says nothing."""
    return isinstance(body, Mapping) and (bool(body.get(_ERROR)) or _sole(body) == _ERROR)


def _key(body: Any, old: Result, *, new: Result) -> str:
    """The key the text stands under: the one it stood under, unless success changed."""
    if new.succeeded is False:
        return _ERROR
    sole = _sole(body)
    return sole if sole is not None and old.succeeded is not False else _OUTPUT


def _beside(response: Mapping[str, Any]) -> list[Any]:
    parts = response.get("parts")
    return list(parts) if isinstance(parts, list | tuple) else []


def _attachment(value: Any) -> Media | None:
    block = fields(value)
    return None if block is None else attachment(block)


def _kept(response: Mapping[str, Any], media: tuple[Media, ...]) -> list[Any]:
    """The parts beside a response without the attachments that are not in `media`."""
    wanted = Counter(media)
    kept: list[Any] = []
    for value in _beside(response):
        found = _attachment(value)
        if found is not None:
            wanted[found] -= 1
            if wanted[found] < 0:
                continue
        kept.append(value)
    return kept
