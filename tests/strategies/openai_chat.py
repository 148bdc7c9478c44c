"""OpenAI chat messages: single ones, and the steps a conversation is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.strategies.texts import arguments, extra_fields, pictures, sometimes, texts, tool_names

Raw = dict[str, Any]
Draw = Any

_marker = sometimes(st.just({"cache_control": {"type": "ephemeral"}}))
_text_block = st.builds(lambda text, marker: {"type": "text", "text": text, **marker}, texts, _marker)
_image = st.builds(
    lambda data, detail: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}", **detail}},
    pictures,
    sometimes(st.just({"detail": "low"})),
)
_other_block = st.sampled_from(
    (
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "input_audio", "input_audio": {"data": "UklGRgAAAABXQVZF", "format": "wav"}},
        {"type": "file", "file": {"filename": "plan.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjQK"}},
        {"type": "file", "file": {"file_id": "file-abc"}},
        {"type": "from_the_future", "payload": [1, {"b": "c"}]},
    )
)

user_content = st.one_of(texts, st.lists(st.one_of(_text_block, _image, _other_block), min_size=1, max_size=4))
result_content = st.one_of(texts, st.lists(st.one_of(_text_block, _image), min_size=1, max_size=3))

users: st.SearchStrategy[Raw] = st.builds(
    lambda content, extra, name: {"role": "user", "content": content, **name, **extra},
    user_content,
    sometimes(extra_fields),
    sometimes(st.just({"name": "ada"})),
)
systems: st.SearchStrategy[Raw] = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(("system", "developer")),
    st.one_of(texts, st.lists(_text_block, min_size=1, max_size=2)),
)
_reasoning = sometimes(
    st.one_of(
        st.builds(lambda text: {"reasoning_content": text}, texts),
        st.just({"reasoning": "I think", "reasoning_details": [{"type": "reasoning.encrypted", "data": "c2VhbA=="}]}),
    )
)
answers: st.SearchStrategy[Raw] = st.builds(
    lambda said, thought, extra: {"role": "assistant", **said, **thought, **extra},
    st.one_of(
        st.builds(lambda text: {"content": text}, texts),
        st.builds(lambda text: {"content": text, "refusal": None, "annotations": []}, texts),
        st.builds(lambda text: {"content": None, "refusal": text}, texts),
        st.builds(lambda block: {"content": [block, {"type": "refusal", "refusal": "no"}]}, _text_block),
    ),
    _reasoning,
    sometimes(extra_fields),
)


@st.composite
def calls(draw: Draw, call_id: str) -> Raw:
    """One call of an assistant message; one in six is a custom tool's, with free text (JSON here) as its input."""
    name, given, extra = draw(tool_names), draw(arguments), draw(sometimes(extra_fields))
    if draw(st.integers(1, 6)) == 6:
        return {"id": call_id, "type": "custom", "custom": {"name": name, "input": given}, **extra}
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": given}, **extra}


@st.composite
def callers(draw: Draw, ids: Sequence[str]) -> Raw:
    """An assistant message that makes one call per id."""
    content = draw(st.one_of(st.none(), st.just(""), texts))
    made = [draw(calls(call_id)) for call_id in ids]
    return {"role": "assistant", "content": content, **draw(_reasoning), "tool_calls": made, **draw(sometimes(extra_fields))}


@st.composite
def results(draw: Draw, call_id: str) -> Raw:
    """The tool message that answers `call_id`."""
    named = draw(sometimes(st.builds(lambda name: {"name": name}, tool_names)))
    return {"role": "tool", "tool_call_id": call_id, "content": draw(result_content), **named, **draw(sometimes(extra_fields))}


@st.composite
def cycles(draw: Draw, ids: Sequence[str]) -> list[Raw]:
    """An assistant message with calls and one tool message for each, in any order."""
    caller = draw(callers(ids))
    return [caller, *[draw(results(call_id)) for call_id in draw(st.permutations(list(ids)))]]


messages: st.SearchStrategy[Raw] = st.one_of(
    users, systems, answers, callers(("call_1", "call_2")), callers(("call_9",)), results("call_1")
)
"""Any single well-formed message."""
