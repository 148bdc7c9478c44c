"""Texts, arguments and pictures that conversations are made of."""

from __future__ import annotations

import base64
import json
from typing import Any

from hypothesis import strategies as st

_SAID = (
    "Fix the failing test.",
    "读取 src/main.py 并解释错误",
    "Привет, продолжай",
    "👩‍👩‍👧 done ✅",
    "  leading and trailing  ",
    "line one\nline two\n\n\tindented",
    "<|endoftext|> is only text",
    '{"looks": "like json"}',
    "m12.0",
    "error: exit status 2 at /srv/app/x.py:41",
)

sendable = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
"""Any text a client can send."""

texts = st.one_of(st.sampled_from(_SAID), sendable, st.integers(1, 400).map(lambda n: "word " * n)).filter(lambda text: bool(text.strip()))
"""Texts that are neither blank nor unsendable, up to 2,000 characters."""

odd_texts = st.one_of(st.just(""), st.just("  \n"), st.text(max_size=10), st.sampled_from(("\ud83d", "a\ude00b", "\x00", "🙂" * 50)))
"""Blank texts, lone surrogates, control characters."""

_scalars = st.one_of(st.none(), st.booleans(), st.integers(-(10**6), 10**6), texts)

objects = st.dictionaries(
    st.sampled_from(("path", "command", "query", "content", "limit", "内容")),
    st.one_of(_scalars, st.lists(_scalars, max_size=2)),
    max_size=3,
)
"""Arguments of a call as an object."""

arguments = st.one_of(objects.map(lambda held: json.dumps(held, ensure_ascii=False)), objects.map(json.dumps), st.just("{}"))
"""Arguments of a call as JSON text."""

broken_arguments = st.sampled_from(('{"path": "a', "not json", "{'a': 1}", "\ud83d"))
tool_names = st.sampled_from(("read_file", "write_file", "bash", "web_search", "memory_view"))

extra_fields = st.dictionaries(
    st.sampled_from(("timestamp", "metadata", "x_trace", "uuid")), st.one_of(st.integers(0, 9), st.just({"a": [1]}), st.none()), max_size=2
)
"""Fields of no wire, as hosts keep them beside a message."""


def png(width: int, height: int, *, padding: int = 0) -> str:
    """Base64 of a PNG header for `width` x `height` pixels, and `padding` more bytes."""
    head = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\x00\x00\x00"
    return base64.b64encode(head + bytes(padding)).decode()


pictures = st.builds(png, st.integers(1, 4000), st.integers(1, 4000), padding=st.integers(0, 60))


def sometimes(strategy: st.SearchStrategy[dict[str, Any]], *, one_in: int = 4) -> st.SearchStrategy[dict[str, Any]]:
    """Fields of `strategy` one time in `one_in`, else none."""
    return st.integers(1, one_in).flatmap(lambda n: strategy if n == one_in else st.just({}))
