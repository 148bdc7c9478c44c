"""Tools out of plain typed functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import pytest

from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.tools import Context, Output, Tool, tool
from tests.tools.working import call, carried


@dataclass
class Point:
    """A place."""

    x: float
    label: str = "none"
    tags: list[str] = field(default_factory=list)


class Options(TypedDict):
    """How to draw."""

    colour: Literal["red", "blue"]
    width: NotRequired[int]


@dataclass
class Node:
    """Something that contains itself."""

    child: Optional[Node]  # noqa: UP045


def draw(points: list[Point], options: Options, name: str = "line", scale: float | None = None, *, closed: bool = False) -> str:
    """Draw a line.

    It goes through all points.

    Args:
        points: where it goes,
            in order.
        name (str): what it is called.

    Returns:
        what was drawn.
    """
    return f"{name}: {[(type(point).__name__, point.x, point.label) for point in points]} {options} {scale} {closed}"


def _said(made: Tool, arguments: Any) -> str:
    return carried([call(made.name, arguments)], [made])[0].text


def test_a_signature_becomes_a_schema() -> None:
    """Types, defaults and descriptions of the function are in the schema, and its docstring tells what it does."""
    made = tool(draw, risk="read-only", timeout_s=5.0, repeatable=True)
    assert made.name == "draw"
    assert made.description == "Draw a line.\n\nIt goes through all points."
    assert (made.risk, made.timeout_s, made.repeatable) == ("read-only", 5.0, True)
    assert made.parameters["required"] == ["points", "options"]
    assert made.parameters["additionalProperties"] is False
    properties = made.parameters["properties"]
    assert properties["points"]["description"] == "where it goes, in order."
    assert properties["points"]["items"]["required"] == ["x"]
    assert properties["options"]["properties"] == {"colour": {"enum": ["red", "blue"]}, "width": {"type": "integer"}}
    assert properties["options"]["required"] == ["colour"]
    assert properties["name"] == {"type": "string", "description": "what it is called.", "default": "line"}
    assert properties["scale"] == {"anyOf": [{"type": "number"}, {"type": "null"}]}
    assert properties["closed"] == {"type": "boolean", "default": False}


def test_arguments_arrive_as_the_types_of_the_function() -> None:
    """Objects become dataclasses, whole numbers become floats where those are asked for, and what was left out has its default."""
    said = _said(tool(draw), {"points": [{"x": 1}, {"x": 2.5, "label": "b"}], "options": {"colour": "red"}, "scale": 2})
    assert said == "line: [('Point', 1.0, 'none'), ('Point', 2.5, 'b')] {'colour': 'red'} 2.0 False"


def test_wrong_arguments_do_not_reach_the_function() -> None:
    """A wrong value deep inside is named with its place."""
    said = _said(tool(draw), {"points": [{"x": "1"}], "options": {"colour": "green"}})
    assert 'points[0].x must be a number, not "1"' in said
    assert 'options.colour must be one of "red", "blue", not "green"' in said


def test_a_decorator_an_async_function_and_the_context() -> None:
    """With or without arguments a decorator makes a tool; a parameter for the context is filled in and hidden from the model."""

    @tool
    def plain(word: Annotated[str, "any word"]) -> str:
        """Say it."""
        return word * 2

    @tool(name="later", description="told", risk="low-risk")
    async def other(context: Context, n: int = 2) -> Output:
        return Output({"id": context.call_id, "n": n}, succeeded=False)

    assert isinstance(plain, Tool)
    assert plain.parameters["properties"] == {"word": {"type": "string", "description": "any word"}}
    assert _said(plain, {"word": "ab"}) == "abab"
    assert (other.name, other.description, other.risk) == ("later", "told", "low-risk")
    assert list(other.parameters["properties"]) == ["n"]
    (answer,) = carried([call("later", {}, id="c7")], [other])
    assert (answer.text, answer.ended) == ('{"id": "c7", "n": 2}', "failed")


def test_a_value_of_a_union_becomes_the_kind_that_fits() -> None:
    """Of several kinds the first that takes the value is made."""

    def either(what: Point | list[int] | str) -> str:
        return repr(what)

    assert _said(tool(either), {"what": {"x": 1}}).startswith("Point(x=1.0")
    assert _said(tool(either), {"what": [1, 2]}) == "[1, 2]"
    assert _said(tool(either), {"what": "a"}) == "'a'"


def _of(kind: Any) -> Callable[..., str]:
    def made(x: Any) -> str:
        return str(x)

    made.__annotations__["x"] = kind
    return made


@pytest.mark.parametrize("kind", [Path, set[int], bytes, object, dict[int, str], tuple[int, int], Callable[[], int], complex])
def test_a_type_without_a_plain_form_is_refused_with_those_that_have(kind: Any) -> None:
    """The error names the tool, the parameter, the type and what is supported."""
    with pytest.raises(UnusableInput, match=r"tool made, parameter x: the type .* has no plain form in JSON; use str, int"):
        tool(_of(kind))


def test_functions_that_cannot_be_called_by_name_are_refused() -> None:
    """Missing annotations, starred and positional parameters, types out of sight and types within themselves each have their error."""

    def bare(x) -> str:  # type: ignore[no-untyped-def]
        return str(x)

    def starred(*x: int) -> str:
        return str(x)

    def positional(x: int, /) -> str:
        return str(x)

    def unseen(x: int) -> str:
        return str(x)

    unseen.__annotations__["x"] = "NoSuchType"
    with pytest.raises(UnusableInput, match="parameter x: it has no annotation; write its type, such as x: str"):
        tool(bare)
    for function in (starred, positional):
        with pytest.raises(UnusableInput, match="it cannot be given by name"):
            tool(function)
    with pytest.raises(UnusableInput, match="an annotation cannot be read"):
        tool(unseen)
    with pytest.raises(UnusableInput, match="Node contains itself"):
        tool(_of(Node))


def test_names_and_risks_that_cannot_be_are_refused() -> None:
    """A lambda needs a name, a name only certain letters, and there are three risks."""
    with pytest.raises(UnknownSetting, match="'<lambda>'"):
        tool(lambda: "x")
    with pytest.raises(UnknownSetting, match="'a b'"):
        tool(draw, name="a b")
    with pytest.raises(UnknownSetting, match="risk='none' is not one of read-only, low-risk, high-risk"):
        tool(draw, risk="none")  # type: ignore[call-overload]
    assert tool(lambda: "x", name="x").description == "x"
