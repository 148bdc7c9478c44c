"""Pixels from headers, and attachments that are never counted as text."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.formats import anthropic, openai_chat
from sostenuto.formats._images import dimensions
from sostenuto.messages import Media, Message, Part, Result, Text
from tests.strategies.texts import png

_GIF = b"GIF89a" + (320).to_bytes(2, "little") + (200).to_bytes(2, "little") + bytes(20)
_APP1 = b"\xff\xe1" + (20_000).to_bytes(2, "big") + bytes(19_998)
_SOF = b"\xff\xc2\x00\x11\x08" + (600).to_bytes(2, "big") + (800).to_bytes(2, "big") + b"\x03"
_JPEG = b"\xff\xd8" + _APP1 + b"\xff\xff\xdb\x00\x04\x00\x00" + _SOF + bytes(40)
_VP8 = b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(10) + (640).to_bytes(2, "little") + (480).to_bytes(2, "little") + bytes(9)
_VP8L = b"RIFF\x00\x00\x00\x00WEBPVP8L" + bytes(4) + b"\x2f" + ((99) | (49 << 14)).to_bytes(4, "little") + bytes(9)
_VP8X = b"RIFF\x00\x00\x00\x00WEBPVP8X" + bytes(8) + (1023).to_bytes(3, "little") + (767).to_bytes(3, "little") + bytes(9)


@pytest.mark.parametrize(
    ("data", "size"),
    [(_GIF, (320, 200)), (_JPEG, (800, 600)), (_VP8, (640, 480)), (_VP8L, (100, 50)), (_VP8X, (1024, 768)), (b"not an image", (0, 0))],
    ids=["gif", "jpeg", "vp8", "vp8l", "vp8x", "none"],
)
def test_width_and_height_are_read_from_the_header(data: bytes, size: tuple[int, int]) -> None:
    """GIF, JPEG behind a 20 KB thumbnail and the three WebP forms give their pixels; anything else gives (0, 0)."""
    encoded = base64.b64encode(data).decode()
    assert dimensions(encoded) == size
    assert dimensions("\n".join(encoded[i : i + 76] for i in range(0, len(encoded), 76))) == size


@given(st.integers(1, 20_000), st.integers(1, 20_000))
def test_a_png_gives_its_pixels(width: int, height: int) -> None:
    """The pixels of a PNG header come back exactly."""
    assert dimensions(png(width, height)) == (width, height)


@given(st.one_of(st.text(max_size=200), st.binary(max_size=200).map(lambda data: base64.b64encode(b"\xff\xd8" + data).decode())))
def test_a_header_of_anything_never_raises(encoded: str) -> None:
    """Text that is no base64 and JPEGs of random bytes give two numbers."""
    width, height = dimensions(encoded)
    assert width >= 0
    assert height >= 0


def _countable(message: Message) -> str:
    return json.dumps([part.text for part in message.parts if hasattr(part, "text")])


def _native(data: str, *, in_result: bool) -> dict[str, Any]:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "shot"}, image]}
    return {"role": "user", "content": [result if in_result else image]}


def _chat(data: str, *, in_result: bool) -> dict[str, Any]:
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    if in_result:
        return {"role": "tool", "tool_call_id": "t", "content": [{"type": "text", "text": "shot"}, image]}
    return {"role": "user", "content": [image]}


def _media(parts: tuple[Part, ...]) -> list[Media]:
    nested = [media for part in parts if isinstance(part, Result) for media in part.media]
    return [*nested, *[part for part in parts if isinstance(part, Media)]]


@pytest.mark.parametrize("in_result", [True, False])
def test_b063_base64_of_a_screenshot_is_no_text(in_result: bool) -> None:
    """B063: 2.5 MB of base64, in a result or beside words, decodes to one `Media` with its pixels and to no text beyond the words."""
    data = png(1280, 800, padding=1_900_000)
    for message in (
        anthropic.CODEC.decode(_native(data, in_result=in_result)),
        openai_chat.CODEC.decode(_chat(data, in_result=in_result)),
    ):
        (media,) = _media(message.parts)
        assert (media.kind, media.width, media.height) == ("image", 1280, 800)
        assert media.size == 1_900_029
        assert len(_countable(message)) < 20


def test_b063_base64_inside_an_unknown_block_is_no_text() -> None:
    """B063: a block nobody knows that carries base64 counts its other fields only."""
    block = {"type": "screen", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 100_000}, "note": "hello"}
    other = {"type": "screen", "url": "data:image/png;base64," + "A" * 100_000}
    for codec in (anthropic.CODEC, openai_chat.CODEC):
        text = _countable(codec.decode({"role": "user", "content": [block, other]}))
        assert "hello" in text
        assert len(text) < 500


def test_b065_a_pasted_image_of_the_newest_message_is_sent_as_it_came() -> None:
    """B065: a user message with an image keeps the very image block when its words change or nothing does."""
    for raw in (_native(png(9, 9), in_result=False), _chat(png(9, 9), in_result=False)):
        raw["content"].append({"type": "text", "text": "what is this?"})
        codec = anthropic.CODEC if raw["content"][0]["type"] == "image" else openai_chat.CODEC
        changed = codec.rewrite(raw, {1: Text("what?")})
        assert changed is not None
        assert changed["content"][0] is raw["content"][0]


def test_b067_every_image_of_a_message_is_seen() -> None:
    """B067: a user message with three images decodes to three `Media`, each with pixels."""
    content = [_native(png(10 * n, 10), in_result=False)["content"][0] for n in (1, 2, 3)]
    chat = [_chat(png(10 * n, 10), in_result=False)["content"][0] for n in (1, 2, 3)]
    for codec, blocks in ((anthropic.CODEC, content), (openai_chat.CODEC, chat)):
        assert [media.width for media in _media(codec.decode({"role": "user", "content": blocks}).parts)] == [10, 20, 30]


@pytest.mark.parametrize("codec", [anthropic.CODEC, openai_chat.CODEC], ids=["anthropic", "openai_chat"])
def test_an_image_of_a_result_can_go_while_its_text_stays(codec: Any) -> None:
    """A result rewritten without its media keeps its text block as the caller's object and loses the image."""
    raw = _native(png(5, 5), in_result=True) if codec is anthropic.CODEC else _chat(png(5, 5), in_result=True)
    (result,) = codec.decode(raw).parts
    after = codec.rewrite(raw, {0: Result(result.call_id, result.text)})
    assert codec.decode(after).parts == (Result("t", "shot"),)
