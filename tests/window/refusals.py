"""What providers answered to requests they refused, as recorded in `refusals.jsonl`, and how the same answer comes in other wrappings.

A line holds the name of the endpoint, the status, the body, and what a right reading of them gives. Figures are those that stand in the
body; an input listed in several pieces is their sum.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from sostenuto.window import Refusal

FIGURES: Final = ("limit", "requested", "input", "output")
_NUMBER: Final = re.compile(r"(?<![\w-])\d{2,}(?![\w-])")
_NOT_A_FIGURE: Final = ("2013", "400")


class Recorded(NamedTuple):
    """One recorded answer, and what a right reading of it gives."""

    name: str
    status: int
    body: Any
    says: Refusal


def recorded() -> list[Recorded]:
    """Every recorded answer, in the order of the file."""
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    return [Recorded(row["name"], row["status"], row["body"], Refusal(**row["says"])) for row in map(json.loads, lines)]


RECORDED: Final = recorded()
OVERFLOWS: Final = [one for one in RECORDED if one.says.is_overflow]
OTHERS: Final = [one for one in RECORDED if not one.says.is_overflow]


def texts(body: Any) -> Iterator[str]:
    """The texts of a body that are sentences."""
    if isinstance(body, str):
        if " " in body:
            yield body
    elif isinstance(body, Mapping | list):
        for inner in body.values() if isinstance(body, Mapping) else body:
            yield from texts(inner)


def mapped(body: Any, change: Callable[[str], str]) -> Any:
    """The body with every sentence changed; codes and names stay."""
    if isinstance(body, str):
        return change(body) if " " in body else body
    if isinstance(body, Mapping):
        return {name: mapped(inner, change) for name, inner in body.items()}
    return [mapped(inner, change) for inner in body] if isinstance(body, list) else body


def aws(body: Any, status: int) -> dict[str, Any]:
    """The same words as a client of that cloud raises them."""
    words = " ".join(texts(body))
    return {"Error": {"Code": "ValidationException", "Message": words}, "ResponseMetadata": {"HTTPStatusCode": status}}


def streamed(body: Any) -> str:
    """The body as the last event of a stream that began well."""
    begun = json.dumps({"choices": [{"delta": {"content": "prompt is too long: 9 tokens"}}]})
    return f"event: message\ndata: {begun}\n\nevent: error\ndata: {json.dumps(body)}\n\ndata: [DONE]\n\n"


def failed(body: Any) -> dict[str, Any]:
    """The body as a response that failed."""
    inner = body["error"] if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping) else {"message": " ".join(texts(body))}
    return {"type": "response.failed", "response": {"status": "failed", "error": inner, "output": [], "instructions": "Be brief."}}


WRAPPINGS: Final[dict[str, Callable[[Any], Any]]] = {
    "as it is": lambda body: body,
    "an error": lambda body: {"error": body},
    "a list": lambda body: [body],
    "JSON": json.dumps,
    "JSON in bytes": lambda body: json.dumps(body).encode(),
    "JSON in JSON": lambda body: {"error": {"message": json.dumps(json.dumps(body) if isinstance(body, str) else body), "code": "x"}},
    "raw": lambda body: {"error": {"message": "Provider returned error", "metadata": {"raw": json.dumps(body), "provider_name": "X"}}},
    "introduced JSON": lambda body: f"litellm.BadRequestError: upstream said {json.dumps(body)}",
    "a stream": streamed,
    "a failed response": failed,
    "lines": lambda body: json.dumps({"choices": [], "done": False}) + "\n" + json.dumps(body) + "\n",
    "words": lambda body: {"message": "\n".join(texts(body))},
    "a printed exception": lambda body: f"Error code: 400 - {body}",
    "small letters": lambda body: mapped(body, str.lower),
    "capital letters": lambda body: mapped(body, str.upper) if "{" not in str(list(texts(body))) else body,
    "grouped numbers": lambda body: mapped(body, lambda text: _grouped(text, ",")),
    "low lines in numbers": lambda body: mapped(body, lambda text: _grouped(text, "_")),
    "a deep place": lambda body: {"a": {"b": {"c": body}}},
}
"""The ways in which one and the same answer arrives."""


def renumbered(one: Recorded, factor: int) -> Recorded:
    """The same answer with every figure multiplied: in the sentences, in fields, and in what it says."""
    says = {name: None if (figure := getattr(one.says, name)) is None else figure * factor for name in FIGURES}

    def changed(value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return _numbered(value, lambda number: str(number * factor))
        if isinstance(value, Mapping):
            return {key: changed(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [changed(inner) for inner in value]
        return value * factor if name in ("n_ctx", "n_prompt_tokens") else value

    return one._replace(body=changed(one.body), says=Refusal(one.says.kind, **says, is_lower_bound=one.says.is_lower_bound))


def _grouped(text: str, separator: str) -> str:
    """Numbers in a sentence with a separator for the thousands; JSON has none."""
    return text if "{" in text else _numbered(text, lambda number: f"{number:,}".replace(",", separator))


def _numbered(text: str, change: Callable[[int], str]) -> str:
    """The text with its figures changed."""
    return _NUMBER.sub(lambda met: met.group() if met.group() in _NOT_A_FIGURE else change(int(met.group())), text)
