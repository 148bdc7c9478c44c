"""Which codecs there are."""

from __future__ import annotations

from collections.abc import Mapping

from sostenuto.formats import anthropic, openai_chat
from sostenuto.protocols import Codec

CODECS: Mapping[str, Codec] = {codec.name: codec for codec in (anthropic.CODEC, openai_chat.CODEC)}
