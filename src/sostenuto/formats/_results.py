"""The content of a tool result: a string, or blocks of text and attachments. Several wires write it alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from sostenuto.formats._blocks import fields, opaque, settled, words
from sostenuto.formats._text import MARKER
from sostenuto.messages import Media, Result

MediaOf = Callable[[dict[str, Any]], Media | None]


def read(content: Any, *, media_of: MediaOf) -> tuple[str, tuple[Media, ...]]:
    """(text, attachments) of a result's content: text blocks joined by newlines, other blocks as JSON, attachments apart."""
    if isinstance(content, str):
        return content, ()
    if content is None:
        return "", ()
    if not isinstance(content, list | tuple):
        return opaque(content).text, ()
    texts: list[str] = []
    media: list[Media] = []
    for block in content:
        attached = _attachment(block, media_of)
        if attached is not None:
            media.append(attached)
        else:
            text = words(block)
            texts.append(opaque(block).text if text is None else text)
    return "\n".join(texts), tuple(media)


def rewritten(content: Any, old: Result, *, new: Result, media_of: MediaOf, kind: str = "text") -> Any:
    """`content` reading as `new` instead of `old`; blocks that did not change stay the same objects. `kind`: type of new text blocks."""
    if not isinstance(content, list | tuple):
        return new.text
    text: str | None = new.text if new.text != old.text else None
    wanted = Counter(new.media)
    pairs: list[tuple[Any, Any]] = []
    written = text is None
    for block in content:
        attached = _attachment(block, media_of)
        if attached is not None:
            stays = wanted[attached] > 0
            wanted[attached] -= 1
            pairs.append((block, block if stays else None))
        elif text is None:
            pairs.append((block, block))
        else:
            pairs.append((block, None if written or not text else _reworded(block, text, kind)))
            written = True
    if not written and text:
        pairs.insert(0, (None, {"type": kind, "text": text}))
    return settled(pairs) or ""


def _attachment(block: Any, media_of: MediaOf) -> Media | None:
    if isinstance(block, str):
        return None
    held = fields(block)
    return media_of(held) if held is not None else None


def _reworded(block: Any, text: str, kind: str) -> dict[str, Any]:
    held = fields(block) or {}
    if words(held) is not None:
        return {**held, "text": text}
    fresh: dict[str, Any] = {"type": kind, "text": text}
    if MARKER in held:
        fresh[MARKER] = held[MARKER]
    return fresh
