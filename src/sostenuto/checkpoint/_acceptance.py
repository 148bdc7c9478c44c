"""Whether a summarizer's answer may replace history (D21, origin 6.6). Shape only, the same answer for the same text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sostenuto.checkpoint import _schema as schema
from sostenuto.checkpoint._numbers import NUMBERS
from sostenuto.checkpoint._redaction import redacted


@dataclass(frozen=True, slots=True)
class Accepted:
    """A sound summary: its text without secrets and reasoning, and its sections."""

    text: str
    sections: schema.Sections


@dataclass(frozen=True, slots=True)
class Refused:
    """A summary that may not be used. `why` is a phrase for the notice ("summary refused: …")."""

    why: str


_CUT = frozenset(("length", "max_tokens", "max_output_tokens", "incomplete", "model_context_window_exceeded"))
_TOOL_END = frozenset(("tool_calls", "tool_use", "function_call", "malformed_function_call"))
_BLOCKED = frozenset(("content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content"))
_MARKUP = re.compile(
    r"^[ \t]{0,8}(?:```[a-z]{0,10}[ \t]{0,8})?(?:</?(?:tool_call|tool_calls|function_calls?|function|invoke|tool_use)\b"
    r"|<\w{1,12}:(?:invoke|function)|\[TOOL_CALLS?\]|<\|[a-z_]{0,20}(?:tool|channel|python_tag)[a-z_]{0,20})",
    re.M | re.I,
)
_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:no|')t|cannot|won't|will not|must decline)|as an AI\b"
    r"|unable to (?:help|comply|assist)|can(?:no|')t (?:help|assist|comply))",
    re.I,
)
_NOTICE = re.compile(
    r"\b(?:rate.?limit(?:ed|s)?|too many requests|quota|usage limit|limit (?:reached|exceeded)|overloaded|api error|internal server error"
    r"|service unavailable|bad gateway|gateway time-?out|connection (?:error|reset|refused)|timed? ?out|context (?:length|window)"
    r"|prompt is too long|invalid api key|authentication|summari[sz]ation failed|failed to (?:generate|summari[sz]e)"
    r"|(?:error|status|code)[ :=]{1,3}[45]\d\d)\b",
    re.I,
)
_ORDER = re.compile(
    r"^[ \t>*\-\d.)#]{0,12}(?:important[:!]? |please |now |you must |system: |assistant: ){0,3}"
    r"(?:ignore|disregard|forget|override|bypass)(?: (?:all|any|the|your|my|of|these|every)){0,3}"
    r"(?: (?:previous|prior|above|earlier|existing|system|developer|safety|standing)){1,2}"
    r" (?:instructions?|rules?|prompts?|messages?|guidelines)",
    re.M | re.I,
)
_THINK = re.compile(r"\A\s*<(think|thinking|reasoning)>", re.I)


def accept(
    text: object,
    *,
    replaced_tokens: int,
    count: Callable[[str], int],
    finish_reason: str | None = None,
    sent_tokens: int | None = None,
    reported_tokens: int | None = None,
) -> Accepted | Refused:
    """`Accepted` when `text` is a whole checkpoint of the schema and smaller than what it replaces, else `Refused` with the reason.

    Args:
        text: what the summarizer returned; anything but a string is refused.
        replaced_tokens: tokens of what the summary would replace, by `count`.
        finish_reason: the provider's word for why the answer ended.
        sent_tokens: estimated input of the summarizer's call; with `reported_tokens` it shows that the input was really seen (B089).
        reported_tokens: input tokens the provider reported for it.
    """
    if not isinstance(text, str):
        return Refused(f"not text but {type(text).__name__}")
    ended = _ended(finish_reason)
    if ended:
        return Refused(ended)
    if sent_tokens and reported_tokens is not None and 0 < reported_tokens < NUMBERS.reported_share * sent_tokens:
        return Refused(f"the summarizer saw {reported_tokens:,} of about {sent_tokens:,} tokens")
    words = _without_reasoning(text)
    if words is None:
        return Refused("cut off inside its reasoning")
    if not words.strip():
        return Refused("empty")
    clean = redacted(words.strip())
    sections = schema.parse(clean)
    return next((Refused(why) for why in _faults(clean, sections, replaced_tokens=replaced_tokens, count=count)), Accepted(clean, sections))


def _ended(finish_reason: str | None) -> str | None:
    reason = (finish_reason or "").lower()
    if reason in _CUT:
        return f"cut off (finish reason {reason})"
    if reason in _TOOL_END:
        return "a tool call instead of a summary"
    return f"a refusal (finish reason {reason})" if reason in _BLOCKED else None


def _without_reasoning(text: str) -> str | None:
    """`text` after a leading block of reasoning; None when that block never ends."""
    opened = _THINK.match(text)
    if opened is None:
        return text
    closing = f"</{opened.group(1).lower()}>"
    end = text.lower().find(closing, opened.end())
    return None if end < 0 else text[end + len(closing) :]


def _faults(text: str, sections: schema.Sections, *, replaced_tokens: int, count: Callable[[str], int]) -> Iterator[str]:
    found = [name for name in schema.HEADINGS if name in sections or (name == schema.PROGRESS and set(schema.SUBHEADINGS) & set(sections))]
    if _is_call(text) or _MARKUP.search(text):
        yield "a tool call instead of a summary"
    if not found and len(text) <= NUMBERS.notice and _NOTICE.search(text):
        yield "an error notice instead of a summary"
    if not found and len(text) <= NUMBERS.refusal and _REFUSAL.search(text):
        yield "a refusal"
    if found and schema.CRITICAL not in found and schema.HEADINGS.index(found[-1]) < len(schema.HEADINGS) - 1:
        yield f"cut off: its last section is {found[-1]!r}, {schema.CRITICAL!r} is missing"
    if len(found) < NUMBERS.headings:
        yield f"only {len(found)} of the {len(schema.HEADINGS)} required headings"
    if text.count("```") % 2:
        yield "cut off inside a code block"
    if all(body == schema.NONE for body in sections.values()):
        yield "empty: every section says (none)"
    if _ORDER.search(text):
        yield "it tells the model to ignore its rules"
    size = count(text)
    if size >= replaced_tokens:
        yield f"not smaller than what it replaces ({size:,} of {replaced_tokens:,} tokens)"


def _is_call(text: str) -> bool:
    """Whether the whole text is the JSON of a call."""
    body = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if not body.startswith(("{", "[")):
        return False
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        return False
    first = read[0] if isinstance(read, list) and read else read
    return isinstance(first, dict) and bool({"arguments", "parameters", "input", "tool_calls", "function_call", "function"} & set(first))
