"""Copies of values without the secrets in them (D35, D59): what leaves a conversation leaves without keys and passwords."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sostenuto.checkpoint import redacted
from sostenuto.errors import UnusableInput

_JSON = ("{", "[")
_TELLING = re.compile("pass|secret|key|token", re.I)
"""A name without any of these says nothing about what stands under it."""


def without_secrets(value: Any, /) -> Any:
    """`value` as plain JSON values, every secret in its texts replaced by ``[redacted]``; keys of objects stay.

    A text that is JSON itself, as the arguments of a call are, stays JSON. What stands under a name such as ``password`` counts as one.

    Raises:
        UnusableInput: it is nested deeper than JSON can be written.
    """
    try:
        return _clean(value)
    except RecursionError:
        raise UnusableInput("a message is nested too deeply to look for secrets in it; export it with --with-secrets") from None


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        made = {}
        for name, inner in value.items():
            made[name] = _named(str(name), inner) if isinstance(inner, str) else _clean(inner)
        return made
    if isinstance(value, list | tuple):
        items = []
        for inner in value:
            items.append(_clean(inner))
        return items
    return value


def _text(text: str) -> str:
    if text.lstrip()[:1] in _JSON:
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return redacted(text)
        clean = _clean(inner)
        return text if clean == inner else json.dumps(clean, ensure_ascii=False)
    return redacted(text)


def _named(name: str, text: str) -> str:
    """A text under a name that says it is a secret counts as one, whatever it looks like."""
    clean = _text(text)
    if clean != text or not text or not _TELLING.search(name):
        return clean
    return "[redacted]" if redacted(f"{name}={text}").startswith(f"{name}=[redacted]") else text
