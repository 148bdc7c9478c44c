"""Anthropic messages: single ones, and the steps a conversation is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.strategies.texts import extra_fields, objects, pictures, sometimes, texts, tool_names

Raw = dict[str, Any]
Draw = Any

_marker = sometimes(st.just({"cache_control": {"type": "ephemeral"}}))
_text_block = st.builds(lambda text, marker: {"type": "text", "text": text, **marker}, texts, _marker)
_image = st.builds(
    lambda data, marker: {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}, **marker},
    pictures,
    _marker,
)
_document = st.sampled_from(
    (
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}, "title": "plan"},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "the whole plan"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "image", "source": {"type": "file", "file_id": "file_011"}},
    )
)
_server_blocks = st.sampled_from(
    (
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": [{"type": "web_search_result", "url": "https://example.org", "title": "Tides", "encrypted_content": "RW5jcnlwdGVk"}],
        },
        {"type": "from_the_future", "payload": [1, {"b": "c"}]},
    )
)
thoughts = st.one_of(
    st.builds(lambda text, seal: {"type": "thinking", "thinking": text, "signature": seal}, texts, st.sampled_from(("RXFz", "c2ln/+=="))),
    st.just({"type": "redacted_thinking", "data": "RW5j"}),
)

users: st.SearchStrategy[Raw] = st.builds(
    lambda content, extra: {"role": "user", "content": content, **extra},
    st.one_of(texts, st.lists(st.one_of(_text_block, _image, _document), min_size=1, max_size=4)),
    sometimes(extra_fields),
)
_said = st.lists(
    st.one_of(_text_block, st.builds(lambda text: {"type": "text", "text": text, "citations": None}, texts), _server_blocks),
    min_size=1,
    max_size=3,
)
answers: st.SearchStrategy[Raw] = st.builds(
    lambda content, extra: {"role": "assistant", "content": content, **extra},
    st.one_of(texts, _said, st.builds(lambda thought, said: [thought, *said], thoughts, _said)),
    sometimes(st.one_of(extra_fields, st.just({"id": "msg_01", "model": "m", "usage": {"input_tokens": 9}, "stop_reason": "end_turn"}))),
)


@st.composite
def calls(draw: Draw, call_id: str) -> Raw:
    """One tool_use block."""
    extra = draw(sometimes(st.just({"caller": {"type": "direct"}})))
    return {"type": "tool_use", "id": call_id, "name": draw(tool_names), "input": draw(objects), **extra, **draw(_marker)}


@st.composite
def callers(draw: Draw, ids: Sequence[str]) -> Raw:
    """An assistant message that makes one call per id, perhaps after thinking and words."""
    before = draw(st.one_of(st.just([]), st.lists(thoughts, min_size=1, max_size=2)))
    said = draw(st.one_of(st.just([]), st.lists(_text_block, min_size=1, max_size=1)))
    return {"role": "assistant", "content": [*before, *said, *[draw(calls(call_id)) for call_id in ids]]}


@st.composite
def results(draw: Draw, call_id: str) -> Raw:
    """The tool_result block that answers `call_id`."""
    nested = st.lists(st.one_of(_text_block, _image, _document), min_size=1, max_size=3)
    content = draw(
        st.one_of(st.builds(lambda text: {"content": text}, texts), st.builds(lambda held: {"content": held}, nested), st.just({}))
    )
    failed = draw(sometimes(st.sampled_from(({"is_error": True}, {"is_error": False}))))
    return {"type": "tool_result", "tool_use_id": call_id, **content, **failed, **draw(_marker)}


@st.composite
def answered(draw: Draw, ids: Sequence[str]) -> Raw:
    """The user message with one result per id, in any order, perhaps with queued words behind them."""
    words = draw(st.one_of(st.just([]), st.just([]), st.lists(_text_block, min_size=1, max_size=1)))
    order = draw(st.permutations(list(ids)))
    return {"role": "user", "content": [*[draw(results(call_id)) for call_id in order], *words], **draw(sometimes(extra_fields))}


@st.composite
def cycles(draw: Draw, ids: Sequence[str]) -> list[Raw]:
    """An assistant message with calls and the user message, or two in a row, that answer them."""
    caller = draw(callers(ids))
    split = draw(st.integers(0, 5)) == 0 and len(ids) > 1
    if not split:
        return [caller, draw(answered(ids))]
    first = {"role": "user", "content": [draw(results(ids[0]))]}
    return [caller, first, draw(answered(ids[1:]))]


messages: st.SearchStrategy[Raw] = st.one_of(
    users, answers, callers(("toolu_1", "toolu_2")), answered(("toolu_1", "toolu_2")), answered(("t",))
)
"""Any single well-formed message."""
