"""Whole conversations from one wire to another: legal there, and nothing said, called or answered is lost or moved."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.engine import translated
from sostenuto.messages import Call, Opaque, Result, Text
from sostenuto.protocols import Raw
from tests.engine.conversing import CODECS, FORMATS, faults
from tests.strategies.histories import histories

Draw = Any
PAIRS = [(one, other) for one in FORMATS for other in FORMATS if one != other]


@st.composite
def cases(draw: Draw, *, broken: bool) -> tuple[str, str, list[Raw]]:
    """Two formats and a history in the first."""
    one, other = draw(st.sampled_from(PAIRS))
    return one, other, draw(histories(format=one, broken=broken, open_end=broken))


def said(messages: Sequence[Raw], *, format: str) -> Iterator[tuple[str, ...]]:
    """Who said, called or answered what, in order; ids and where messages begin left out, and instructions apart."""
    codec = CODECS[format]
    lead = codec.split_system(messages)
    for raw in messages[lead:]:
        message = codec.decode(raw)
        for part in message.parts:
            if isinstance(part, Text | Opaque) and part.text.strip():
                yield "assistant" if message.role == "assistant" else "user", clean(part.text)
            elif isinstance(part, Call):
                yield "call", part.name, canonical(part.arguments, free=part.free)
            elif isinstance(part, Result):
                named = {f"[{media.label or media.kind}]" for media in part.media}
                yield "result", "\n".join(line for line in clean(part.text).split("\n") if line not in named and not is_name(line))


def is_name(line: str) -> bool:
    """Whether a line is what stands for an attachment that a wire could not carry."""
    return line.startswith("[") and line.endswith("]")


def batches(pieces: Iterable[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    """The pieces, the results of one batch of calls in no order: they were put in the order of their calls."""
    return [sorted(batch) if answers else list(batch) for answers, batch in groupby(pieces, key=lambda it: it[0] == "result")]


def clean(text: str) -> str:
    """A text as every wire can carry it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def canonical(arguments: str, *, free: bool) -> str:
    """Arguments as the value they are; a free text as the object that wires without free texts put it in."""
    try:
        value = {"input": arguments} if free else json.loads(arguments or "{}")
    except ValueError:
        value = {"unparsed_arguments": arguments}
    return json.dumps(value, sort_keys=True)


def crossed(messages: list[Raw], one: str, other: str) -> list[Raw]:
    """The messages in the other wire."""
    found: list[Raw] = translated(messages, source=CODECS[one], target=CODECS[other]).body[CODECS[other].field]
    return found


@given(cases(broken=False))
def test_every_wire_can_be_written_in_every_other(case: tuple[str, str, list[Raw]]) -> None:
    """A sound history in any wire is legal in any other."""
    one, other, history = case
    made = translated(history, source=CODECS[one], target=CODECS[other])
    assert faults(made.body, format=other, handed=made.body[CODECS[other].field]) == []


@given(cases(broken=True))
def test_broken_histories_become_legal(case: tuple[str, str, list[Raw]]) -> None:
    """A history with faults is legal in another wire too, and what was mended is named."""
    one, other, history = case
    made = translated(history, source=CODECS[one], target=CODECS[other])
    out = made.body[CODECS[other].field]
    assert not out or faults(made.body, format=other, handed=out) == []


@given(cases(broken=False))
def test_there_and_back(case: tuple[str, str, list[Raw]]) -> None:
    """From one wire to another and back everything said, called and answered is there, in its order."""
    one, other, history = case
    back = crossed(crossed(history, one, other), other, one)
    # an attachment that the other wire cannot carry came along as its name
    assert batches(it for it in said(back, format=one) if not is_name(it[-1])) == batches(said(history, format=one))


@pytest.mark.parametrize("name", FORMATS)
def test_tools_come_along(name: str) -> None:
    """A tool's name, description and schema are those of the other wire's definition; one that only a server knows is named."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    source = CODECS[name]
    tools = [*source.tool_definitions([("read", "Read a file.", schema)]), {"type": "web_search"}]
    for other in (wire for wire in FORMATS if wire != name):
        made = translated([], source=source, target=CODECS[other], tools=tools)
        assert made.body["tools"] == CODECS[other].tool_definitions([("read", "Read a file.", schema)])
        assert [loss.key for loss in made.losses] == ["tools"]
