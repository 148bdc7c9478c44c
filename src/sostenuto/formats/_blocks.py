"""Content blocks as dictionaries, the cache markers on them, and blocks nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sostenuto.formats._text import MARKER, compact, word
from sostenuto.messages import Media, Opaque, Part, Text

_UNMARKED = ("thinking", "redacted_thinking")
"""Blocks that may not carry a cache marker."""


def fields(value: Any) -> dict[str, Any] | None:
    """A message or block as a dictionary: itself, or the dump of a client library's model object; None for anything else."""
    if isinstance(value, dict):
        return value
    if value is None:  # the most usual of all others
        return None
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    if not callable(dump):
        return None
    try:
        found = dump(exclude_unset=True)
    except Exception:  # someone else's object: whatever it does, it is only data to us
        return None
    return found if isinstance(found, dict) else None


def opaque(value: Any, *, kind: str = "unknown") -> Opaque:
    """A block we do not act on, counted as its JSON without attachment bytes."""
    block = fields(value)
    if block is None:
        return Opaque(kind, value if isinstance(value, str) else compact(value))
    return Opaque(word(block.get("type")) or kind, compact(block))


def words(value: Any) -> str | None:
    """The text of a text block (or of a bare string in a list of blocks); None for any other block."""
    if isinstance(value, str):
        return value
    block = fields(value)
    if block is None or block.get("type") not in ("text", "input_text", "output_text"):
        return None
    text = block.get("text")
    return text if isinstance(text, str) else None


def instruction_texts(system: Any) -> list[str]:
    """The texts of an instruction: a string, blocks, or whole messages with a content."""
    if not system:
        return []
    if isinstance(system, list | tuple):
        return [text for each in system for text in instruction_texts(each)]
    text = words(system)
    if text is not None:
        return [text]
    block = fields(system)
    return instruction_texts(block["content"]) if block and "content" in block else [opaque(system).text]


def content_part(value: Any, attachment: Callable[[dict[str, Any]], Media | None]) -> Part:
    """What a content block of OpenAI's wires is: words, a refusal, an attachment as this wire writes it, or a block nobody knows."""
    text = words(value)
    if text is not None:
        return Text(text)
    block = fields(value)
    if block is None:
        return opaque(value)
    refusal = block.get("refusal")
    if block.get("type") == "refusal" and isinstance(refusal, str):
        return Text(refusal)
    return attachment(block) or opaque(block)


def schema_texts(tools: Any) -> list[str]:
    """One text per tool schema, for counting. A deferred tool is not in the prompt until it is found, so it counts nothing (B073)."""
    each = tools if isinstance(tools, list | tuple) else [tools] if tools else []
    shown = ((tool, tool if isinstance(tool, str) else fields(tool)) for tool in each)
    return [held if isinstance(held, str) else compact(held or tool) for tool, held in shown if not is_deferred(held)]


def is_deferred(tool: Any) -> bool:
    """Whether a tool's definition is sent but kept out of the prompt."""
    return isinstance(tool, dict) and tool.get("defer_loading") is True


def bears_marker(block: Any) -> bool:
    """Whether a cache marker may stand on `block`: a dictionary, no thinking, no blank text."""
    if not isinstance(block, dict) or block.get("type") in _UNMARKED:
        return False
    text = words(block)
    return text is None or bool(text.strip())


def settled(pairs: Iterable[tuple[Any, Any]], *, carry: bool = True) -> list[Any]:
    """The blocks that stay, from (block as it was, block as it shall be or None) in order.

    The cache marker of a block that goes moves to the nearest earlier block that stays and may carry one; it is lost where there is none,
    and never moves without `carry` (the block lives on elsewhere, marker included).
    """
    stay: list[Any] = []
    bearer = -1
    for before, after in pairs:
        if after is not None:
            stay.append(after)
            if bears_marker(after):
                bearer = len(stay) - 1
            continue
        marker = before.get(MARKER) if carry and isinstance(before, dict) else None
        if marker is not None and bearer >= 0 and MARKER not in stay[bearer]:
            stay[bearer] = {**stay[bearer], MARKER: marker}
    return stay
