"""Which codecs there are."""

from __future__ import annotations

from collections.abc import Mapping

from sostenuto.formats import anthropic, gemini, openai_chat, openai_responses
from sostenuto.protocols import Codec

CODECS: Mapping[str, Codec] = {codec.name: codec for codec in (anthropic.CODEC, gemini.CODEC, openai_chat.CODEC, openai_responses.CODEC)}
