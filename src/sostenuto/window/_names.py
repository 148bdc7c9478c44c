"""What tells the names of models apart, and which are the same (D7)."""

from __future__ import annotations

import re
from typing import Final

from sostenuto.window._providers import is_tag

_MAKERS: Final[tuple[tuple[str, str], ...]] = (
    ("claude", "anthropic"),
    ("chatgpt", "openai"),
    ("codex", "openai"),
    ("gpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "google"),
    ("gemma", "google"),
    ("grok", "xai"),
    ("deepseek", "deepseek"),
    ("kimi", "moonshotai"),
    ("moonshot", "moonshotai"),
    ("glm", "zai"),
    ("qwen", "alibaba"),
    ("qwq", "alibaba"),
    ("mistral", "mistral"),
    ("ministral", "mistral"),
    ("magistral", "mistral"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("pixtral", "mistral"),
    ("minimax", "minimax"),
    ("command", "cohere"),
    ("nova", "amazon-bedrock"),
    ("sonar", "perplexity"),
)
"""How a model's name begins, and who makes it."""

_DATED = re.compile(r"(?:[-@:](?:latest|preview|default|\d{8}|\d{4}-\d{2}-\d{2}|\d{4})|\[1m\])$")
_POINT = re.compile(r"(?<=\d)p(?=\d)")  # how one host writes 2.5
_BREAKS = re.compile(r"[-_./:@ ]+")
_REGION = re.compile(r"^(?:us-gov|us|eu|apac|jp|au|ca|sa|me|af|in|global)\.(?=[a-z0-9-]+\.)")
_BEDROCK = re.compile(
    r"(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|writer|zai)"
    r"\.(?=[a-z])"
)
_BEDROCK_VERSION = re.compile(r"(?:-v?\d+)?:\d+(?::\d+k)?$|-v\d+$")
_LONGEST = 400


def maker(model: str, /) -> str:
    """Who makes a model of this name ("" if that cannot be told)."""
    name = " ".join(words(model))
    return next((who for beginning, who in _MAKERS if name.startswith(beginning)), "")


def meant(model: str, /) -> str:
    """Whose listing a name without a provider means: its maker's, and for the ids of Bedrock that one's ("" if it cannot be told)."""
    in_bedrock = _BEDROCK.match(_REGION.sub("", model.strip().lower()[:_LONGEST], count=1))
    return "amazon-bedrock" if in_bedrock else maker(model)


def spellings(model: str, /) -> tuple[str, ...]:
    """The ids a name may be listed under exactly: as typed, behind its last slash, without the region of a Bedrock profile."""
    name = model.strip().lower()[:_LONGEST]
    short = name.rsplit("/", 1)[-1]
    found = [name, short, _REGION.sub("", short, count=1)]
    found += [_BEDROCK_VERSION.sub("", found[2])] if _BEDROCK.match(found[2]) else []
    return tuple(dict.fromkeys(spelling for spelling in found if spelling))


def words(model: str, /, *, tagged: bool = True) -> list[str]:
    """The parts of a name that tell models apart: no vendor, region, date or ``latest``, and ``4.5`` is ``4-5``.

    `tagged`: with the words of a tag behind a colon (``:free``, ``:8b``).
    """
    name = model.strip().lower()[:_LONGEST].rsplit("/", 1)[-1].lstrip("~")
    name = _REGION.sub("", name, count=1)
    if _BEDROCK.match(name):
        name = _BEDROCK_VERSION.sub("", _BEDROCK.sub("", name, count=1))
    bare, _, tag = name.partition(":")
    if not tagged and is_tag(tag):
        name = bare
    # a date may stand before a "latest" or a mark of the window
    name = _POINT.sub("-", _DATED.sub("", _DATED.sub("", name)))
    return [word for word in _BREAKS.split(name) if word]
