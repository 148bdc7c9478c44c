"""What the engine's property tests share: a cheap exact weigher, growing histories, and a witness that watches every request."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hypothesis import settings

from sostenuto.formats import anthropic, gemini, openai_chat, openai_responses
from sostenuto.manager import ContextManager
from sostenuto.messages import Call, Message, Opaque, Part, Result, Text, Thinking
from sostenuto.protocols import Codec, Raw

CODECS: dict[str, Codec] = {
    "anthropic": anthropic.CODEC,
    "gemini": gemini.CODEC,
    "openai_chat": openai_chat.CODEC,
    "openai_responses": openai_responses.CODEC,
}
FORMATS = tuple(CODECS)
TEXT_OF_OURS = ("[Result of", "tokens of this", "left out", "No result was recorded")


class Quarters:
    """An exact weigher that is cheap: a token is four characters."""

    name = "quarters"
    exact = True

    def __call__(self, text: str, /) -> int:
        return (len(text) + 3) // 4


def manager(window: int, **wishes: Any) -> ContextManager:
    """A manager that counts in quarters."""
    return ContextManager(window=window, counter=Quarters(), **wishes)


def boundaries(history: Sequence[Raw], *, format: str) -> list[int]:
    """Lengths at which a request would be made: every call is answered and the last message is not the assistant's."""
    codec, open_ids, out = CODECS[format], [], []
    for number, raw in enumerate(history):
        message = codec.decode(raw)
        open_ids += [part.id or part.name for part in message.parts if isinstance(part, Call)]
        for part in message.parts:
            if isinstance(part, Result) and (part.call_id or part.name) in open_ids:
                open_ids.remove(part.call_id or part.name)
        if not open_ids and message.role in ("user", "tool"):
            out.append(number + 1)
    return out


@lru_cache(maxsize=1)
def independent() -> Any:
    """The validator that was written apart from ours, or None where it is not at hand."""
    folder = os.environ.get("SOSTENUTO_SHARED") or Path(__file__).resolve().parents[2].parent / "shared"
    path = Path(folder) / "checks" / "validate.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("independent_validator", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def faults(arguments: dict[str, Any], *, format: str, handed: Sequence[Raw]) -> list[str]:
    """What is wrong with a request by both validators; an assistant at the end is the caller's own affair (D57)."""
    found = list(CODECS[format].problems(arguments))
    validator = independent()
    if validator is not None:
        found += [f"independent: {text}" for text in validator.check(arguments, format)]
    if any(call.get("type") == "custom" for raw in handed for call in raw.get("tool_calls") or ()):
        # the other validator does not know custom tools, whose input is any text
        found = [text for text in found if text.partition(": ")[2].partition(": ")[2] != "arguments are not JSON"]
    for call_id in held_by_server(handed, format=format):
        # whoever holds the call of it can say what is right; alone the output is refused
        found = [text for text in found if f"answers {call_id!r}, which no" not in text and f"output {call_id} without call" not in text]
    ends_so = bool(handed) and CODECS[format].decode(handed[-1]).role == "assistant"
    return [text for text in found if not (ends_so and "last message" in text)]


def held_by_server(handed: Sequence[Raw], *, format: str) -> set[str]:
    """Ids of outputs whose calls were never handed over: in front of every turn of the assistant, or behind a mere reference."""
    codec, found, called = CODECS[format], set[str](), set[str]()
    may_be = codec.itemised
    for message in map(codec.decode, handed if may_be else ()):
        called.update(part.id for part in message.parts if isinstance(part, Call))
        if message.role == "assistant":
            may_be = any(isinstance(part, Opaque) and part.kind == "item_reference" for part in message.parts)
        found.update(part.call_id for part in message.parts if may_be and isinstance(part, Result) and part.call_id not in called)
    return found


def parts_of(messages: Sequence[Raw], *, format: str) -> Iterator[Part]:
    """All parts of native messages, results without the id they answer (ids are mended)."""
    for raw in messages:
        yield from (anonymous(part) for part in CODECS[format].decode(raw).parts)


def anonymous(part: Part) -> Part:
    """A part without its call id."""
    if isinstance(part, Result):
        return Result("", part.text, None, part.media, "")
    if isinstance(part, Call):
        return Call("", part.name, part.arguments)
    return part


def words(message: Message) -> list[str]:
    """The texts of a message that are not blank."""
    return [part.text for part in message.parts if isinstance(part, Text) and part.text.strip()]


def without_thinking(parts: Sequence[Part]) -> list[Part]:
    """The parts that are not reasoning."""
    return [part for part in parts if not isinstance(part, Thinking)]


def fewer(*, of_ten: int) -> settings:
    """Settings for a costly property: so many of ten of the usual examples."""
    return settings(max_examples=max(1, settings().max_examples * of_ten // 10))


def results_in(messages: Sequence[Raw], *, format: str) -> list[str]:
    """The texts of all results in native messages, in order."""
    return [part.text for raw in messages for part in CODECS[format].decode(raw).parts if isinstance(part, Result)]
