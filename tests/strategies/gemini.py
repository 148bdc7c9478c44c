"""Gemini contents in both spellings: single ones, the steps a conversation is made of, and how they arrive broken (D20)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.strategies.texts import extra_fields, objects, odd_texts, pictures, sometimes, texts, tool_names

Raw = dict[str, Any]
Draw = Any
History = list[Raw]

_SNAKE = {
    "displayName": "display_name",
    "fileData": "file_data",
    "fileUri": "file_uri",
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "mimeType": "mime_type",
    "thoughtSignature": "thought_signature",
}
_DATA = ("args", "response")


def snake(value: Any) -> Any:
    """The same content as the Python client spells it; arguments and responses stay as they are."""
    if isinstance(value, dict):
        return {_SNAKE.get(name, name): held if name in _DATA else snake(held) for name, held in value.items()}
    return [snake(each) for each in value] if isinstance(value, list) else value


_seal = sometimes(st.sampled_from(("RXFz", "c2ln/+==", "c2ln_-==")).map(lambda seal: {"thoughtSignature": seal}))
_text = st.builds(lambda text: {"text": text}, texts)
_media = st.one_of(
    st.builds(lambda data: {"inlineData": {"mimeType": "image/png", "data": data}}, pictures),
    st.sampled_from(
        (
            {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjQK", "displayName": "plan.pdf"}},
            {"fileData": {"mimeType": "video/mp4", "fileUri": "https://example.org/v.mp4"}},
            {"fileData": {"fileUri": "gs://bucket/notes"}},
        )
    ),
)
_unknown = st.sampled_from(
    (
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}, "thoughtSignature": "RXFz"},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
        {"fromTheFuture": {"payload": [1, {"b": "c"}]}},
    )
)
thoughts = st.builds(lambda text, seal: {"text": text, "thought": True, **seal}, texts, _seal)
_said = st.lists(st.one_of(st.builds(lambda part, seal: {**part, **seal}, _text, _seal), _unknown), min_size=1, max_size=3)


def _spelled(contents: st.SearchStrategy[Raw]) -> st.SearchStrategy[Raw]:
    return st.one_of(contents, contents.map(snake))


users: st.SearchStrategy[Raw] = _spelled(
    st.builds(
        lambda parts, extra: {"role": "user", "parts": parts, **extra},
        st.lists(st.one_of(_text, _text, _media), min_size=1, max_size=4),
        sometimes(extra_fields),
    )
)
answers: st.SearchStrategy[Raw] = _spelled(
    st.builds(
        lambda thought, said, end, extra: {"role": "model", "parts": [*thought, *said, *end], **extra},
        st.lists(thoughts, max_size=1),
        _said,
        st.sampled_from(([], [], [{"text": "", "thoughtSignature": "RW5k"}])),
        sometimes(extra_fields),
    )
)


@st.composite
def callers(draw: Draw, ids: Sequence[str]) -> Raw:
    """A model's content with one call per id ("" for none), the first signed, perhaps after thinking and words."""
    before = draw(st.lists(st.one_of(thoughts, _text), max_size=2))
    calls: list[Raw] = []
    for call_id in ids:
        named = {"id": call_id} if call_id else {}
        calls.append({"functionCall": {**named, "name": draw(tool_names), "args": draw(objects)}})
    calls[0]["thoughtSignature"] = draw(st.sampled_from(("RXFz", "c2ln/+==")))
    return {"role": "model", "parts": [*before, *calls]}


_bodies = st.one_of(
    st.builds(lambda text: {"output": text}, texts),
    st.builds(lambda text: {"error": text}, texts),
    st.builds(lambda text: {"return_value": text}, texts),
    objects,
    st.builds(lambda text, held: {"output": text, "details": held}, texts, objects),
)


@st.composite
def answered(draw: Draw, calls: Sequence[Raw]) -> Raw:
    """The user's content that answers these calls in their order, perhaps with queued words behind."""
    parts: list[Raw] = []
    for call in calls:
        beside = draw(sometimes(st.lists(_media, min_size=1, max_size=2).map(lambda media: {"parts": media})))
        named = {name: call[name] for name in ("id", "name") if name in call}
        parts.append({"functionResponse": {**named, "response": draw(_bodies), **beside}})
    words = draw(st.one_of(st.just([]), st.just([]), st.lists(_text, min_size=1, max_size=1)))
    role = draw(st.sampled_from(("user", "user", "user", "function")))
    return {"role": role, "parts": [*parts, *words], **draw(sometimes(extra_fields))}


@st.composite
def cycles(draw: Draw, ids: Sequence[str]) -> History:
    """A model's content with calls and the content that answers them all."""
    caller = draw(callers(ids))
    calls = [part["functionCall"] for part in caller["parts"] if "functionCall" in part]
    pair = [caller, draw(answered(calls))]
    return [snake(content) for content in pair] if draw(st.booleans()) else pair


messages: st.SearchStrategy[Raw] = st.one_of(
    users, answers, cycles(("c1", "c2")).flatmap(st.sampled_from), cycles(("", "")).flatmap(st.sampled_from)
)
"""Any single well-formed content."""


def _lose(draw: Draw, history: History) -> None:
    del history[_at(draw, history)]


def _repeat(draw: Draw, history: History) -> None:
    at = _at(draw, history)
    history.insert(at + 1, copy.deepcopy(history[at]))


def _swap(draw: Draw, history: History) -> None:
    at = _at(draw, history)
    history[at - 1], history[at] = history[at], history[at - 1]


def _interrupt(draw: Draw, history: History) -> None:
    history.insert(_at(draw, history), {"role": draw(st.sampled_from(("user", "model"))), "parts": [{"text": "wait"}]})


def _empty(draw: Draw, history: History) -> None:
    history[_at(draw, history)]["parts"] = draw(st.sampled_from(([], None, [{"text": ""}], [{}])))


def _orphan(draw: Draw, history: History) -> None:
    response = {"functionResponse": {"name": "nobody", "response": {"output": "found"}}}
    history.insert(_at(draw, history), {"role": "user", "parts": [response]})


def _reword(draw: Draw, history: History) -> None:
    history[_at(draw, history)]["parts"] = [{"text": draw(odd_texts)}]


def _strip(draw: Draw, history: History) -> None:
    lists = [content["parts"] for content in history if content["parts"]]
    if lists:
        parts = draw(st.sampled_from(lists))
        del parts[draw(st.integers(0, len(parts) - 1))]


def _garble(draw: Draw, history: History) -> None:
    calls = [part for content in history for part in content["parts"] or () if "functionCall" in part or "function_call" in part]
    if calls:
        part = draw(st.sampled_from(calls))
        name = "functionCall" if "functionCall" in part else "function_call"
        part[name] = {**part[name], "args": draw(st.sampled_from((None, "text", [1])))}


def _split(draw: Draw, history: History) -> None:
    """The responses to parallel calls in contents of their own, as some clients hand them over (D57)."""
    names = ("functionResponse", "function_response")
    several = [n for n, content in enumerate(history) if sum(any(name in part for name in names) for part in content["parts"] or ()) > 1]
    if several:
        at = draw(st.sampled_from(several))
        parts = history[at]["parts"]
        cut = draw(st.integers(1, len(parts) - 1))
        history[at : at + 1] = [{**history[at], "parts": parts[:cut]}, {**history[at], "parts": parts[cut:]}]


def _at(draw: Draw, history: History) -> int:
    return int(draw(st.integers(0, max(0, len(history) - 1))))


_BREAKS: tuple[Callable[[Draw, History], None], ...] = (
    _lose,
    _repeat,
    _swap,
    _interrupt,
    _empty,
    _orphan,
    _reword,
    _strip,
    _garble,
    _split,
)


@st.composite
def broken(draw: Draw, strategy: st.SearchStrategy[History]) -> History:
    """A history of `strategy` with one to four things wrong; it may come out sound."""
    history: History = copy.deepcopy(draw(strategy))
    for _ in range(draw(st.integers(1, 4))):
        if history:
            draw(st.sampled_from(_BREAKS))(draw, history)
    return history
