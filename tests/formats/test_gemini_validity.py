"""What is wrong with Gemini requests and how they are recognised, compared with an independent judgement."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.formats.detect import detect
from sostenuto.formats.gemini import CODEC
from tests.strategies.gemini import snake
from tests.strategies.histories import histories

Raw = dict[str, Any]


@pytest.fixture(scope="session")
def independent(shared: Path) -> Callable[[Any], list[str]]:
    """The validator that lives outside this project."""
    file = shared / "checks" / "validate.py"
    spec = importlib.util.spec_from_file_location("independent_validate", file) if file.is_file() else None
    if spec is None or spec.loader is None:
        pytest.skip(f"no independent validator: {file} is not a file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[Any], list[str]] = module.gemini
    return found


@given(st.data())
def test_sound_histories_have_no_problems(data: st.DataObject) -> None:
    """A well-formed history is valid and recognised by its structure."""
    history = data.draw(histories(format="gemini"))
    assert CODEC.problems({"contents": history}) == []
    assert detect(history) == "gemini"


@given(data=st.data())
def test_whatever_is_broken_for_others_is_broken_for_us(data: st.DataObject, independent: Callable[[Any], list[str]]) -> None:
    """On sound and broken histories ours finds a problem wherever the independent validator does; sound ones pass both."""
    broken = data.draw(st.booleans())
    history = data.draw(histories(format="gemini", broken=broken, open_end=True))
    theirs = independent(history)
    assert not theirs or CODEC.problems({"contents": history})
    assert broken or not theirs


_ASKED: Raw = {"role": "user", "parts": [{"text": "go"}]}
_ANSWER: Raw = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "ok"}}}]}


def _step(*seals: str, args: Any = None) -> Raw:
    calls = [{"functionCall": {"name": "f", "args": args}, **({"thoughtSignature": seal} if seal else {})} for seal in seals]
    return {"role": "model", "parts": calls}


@pytest.mark.parametrize("spell", [lambda contents: contents, snake])
@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ([], "no contents"),
        ([{"role": "model", "parts": [{"text": "x"}]}], "not the user's"),
        ([{"role": "system", "parts": [{"text": "x"}]}, _ASKED], "unknown role 'system'"),
        ([{"role": "user", "parts": []}], "content 0 is empty"),
        ([{"role": "user"}], "content 0 is empty"),
        ([{"role": "user", "parts": [{}]}], "holds nothing"),
        ([{"role": "user", "parts": [{"thought": True, "text": None}]}], "holds nothing"),
        ([_ASKED, _step(""), _ASKED], "content 2 holds 0 responses, the one before it 1 calls"),
        ([_ASKED, _step("", ""), _ANSWER], "content 2 holds 1 responses, the one before it 2 calls"),
        ([_ASKED, _step("", ""), _ANSWER, _ANSWER], "content 3 holds 1 responses, the one before it 0 calls"),
        ([_ASKED, _ANSWER], "content 1 holds 1 responses, the one before it 0 calls"),
        ([_ASKED, _step("")], "1 calls at the end"),
        ([_ASKED, _step("", args="x"), _ANSWER], "no object"),
        ([_ASKED, {**_step(""), "role": "user"}, _ANSWER], "not the model's"),
        ([_ASKED, _step(""), {**_ANSWER, "role": "model"}], "is the model's and holds a response"),
        ([_ASKED, _step("s"), _ANSWER, _step(""), _ANSWER], "the first call of content 3 has lost"),
    ],
)
def test_problems_are_named(contents: list[Any], words: str, spell: Any) -> None:
    """Each fault of the Gemini row of D57 is found and named with its place, in either spelling."""
    found = CODEC.problems({"contents": [spell(content) for content in contents]})
    assert any(words in problem for problem in found), found


@pytest.mark.parametrize(
    "contents",
    [
        [_ASKED, _step("s", ""), {"role": "user", "parts": _ANSWER["parts"] * 2}],
        [_ASKED, _step(""), _ANSWER, _step(""), _ANSWER],
        [_ASKED, _step("s"), _ANSWER, _step("skip_thought_signature_validator"), {**_ANSWER, "role": "function"}],
        [_ASKED, _step("s"), _ANSWER, _step(""), _ANSWER, _ASKED],
        [_ASKED, {"role": "model", "parts": [{"text": "a"}, {"text": "", "thoughtSignature": "s"}]}, {"parts": [{"text": "b"}]}],
        "go",
        ["go"],
        _ASKED,
    ],
)
def test_what_the_endpoint_takes_has_no_problems(contents: Any) -> None:
    """Only the first of parallel calls is signed, unsigned models and earlier turns need nothing, and bare strings are the user's."""
    assert CODEC.problems({"contents": contents}) == []


def test_raw_signatures_of_the_client_count() -> None:
    """A signature held as bytes is a signature."""
    first, second = snake(_step("s")), snake(_step("s"))
    second["parts"][0]["thought_signature"] = b"\x01"
    contents = [_ASKED, first, snake(_ANSWER), second, snake(_ANSWER)]
    assert CODEC.problems({"contents": contents}) == []


@pytest.mark.parametrize(
    ("contents", "system", "name"),
    [
        ([{"role": "function", "parts": [{"functionResponse": {}}]}], None, "gemini"),
        ([{"role": "model", "parts": []}], None, "gemini"),
        ([_ASKED], "be brief", "gemini"),
        ([{"role": "system", "parts": [{"text": "x"}]}, _ASKED], None, "gemini"),
        ([{"role": "user", "parts": [{"type": "text", "text": "x"}]}], None, None),
        ([{"role": "user", "parts": [{"part_kind": "user-prompt", "content": "x"}]}], None, None),
    ],
)
def test_structure_tells_gemini(contents: list[Any], system: Any, name: str | None) -> None:
    """D58: parts without a type give Gemini away; parts of other clients do not."""
    assert detect(contents, system) == name
