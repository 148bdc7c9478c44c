"""Sentences of a person that forbid, demand or prefer something: they hold beyond the request they came with (D22)."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 300
"""Characters; a longer sentence is a description, not a rule."""
MOST: Final = 8
"""Of one message: more are a document somebody pasted."""
EDGE: Final = 1_200
"""Characters looked at from each end of a message: what people say themselves stands before or behind what they paste."""

_WORDS: Final = re.compile(
    r"\b(?:never|always|must(?: not|n't)?|do not|don'?t|cannot|can'?t|under no circumstances|prefer(?:s|red)?|make sure|be sure to"
    r"|avoid|from now on|in future|keep in mind|remember (?:that|to)|without (?:asking|permission)|only (?:use|ever|with)|instead of"
    r"|niemals|nie|immer|unbedingt|auf keinen fall|nunca|jam[aá]s|siempre|jamais|toujours|sempre|mai|nooit|altijd"
    r"|никогда|всегда|нельзя|обязательно)\b"
    r"|不要|不得|禁止|必须|永远|务必|总是|始终|请勿|切勿|优先|絶対に|必ず|常に|しないで|절대|반드시|항상|하지 마",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"(?<=[.!?])\s+|[\n。！？]+")


def rules(text: str, /) -> tuple[str, ...]:
    """The sentences of `text`, verbatim and in order, that say what must, must never or should rather be done."""
    looked_at = text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"
    sentences = (sentence.strip() for sentence in _ENDS.split(looked_at))
    found = [sentence for sentence in sentences if 0 < len(sentence) <= LONGEST and not sentence.endswith("?") and _WORDS.search(sentence)]
    return tuple(dict.fromkeys(found))[:MOST]


def is_only_rules(text: str, found: tuple[str, ...], /) -> bool:
    """Whether a message says nothing beside these sentences, so that there is no request in it to answer."""
    rest = text
    for sentence in found:
        rest = rest.replace(sentence, "")
    return bool(found) and not any(letter.isalnum() for letter in rest)
