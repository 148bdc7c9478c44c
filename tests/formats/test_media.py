"""What the wires say about an attachment beyond its bytes."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto.formats import openai_chat, openai_responses
from sostenuto.messages import Media
from sostenuto.tokens import ruler

URL = "https://example.org/a.png"
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.mark.parametrize("url", [URL, PIXEL])
@pytest.mark.parametrize(("detail", "tokens"), [("low", 85), ("high", None), (None, None)])
def test_the_detail_of_an_image_is_read_and_priced(url: str, detail: str | None, tokens: int | None) -> None:
    """Both OpenAI wires say how closely an image is looked at; low detail costs the base price whatever the size."""
    said: dict[str, Any] = {"detail": detail} if detail else {}
    chat = openai_chat.CODEC.decode({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url, **said}}]})
    items = openai_responses.CODEC.decode({"role": "user", "content": [{"type": "input_image", "image_url": url, **said}]})
    for message in (chat, items):
        (image,) = message.parts
        assert isinstance(image, Media)
        assert image.detail == (detail or "")
        cost = ruler("openai:gpt-4o").attachment(image)
        assert cost == tokens if tokens else cost >= 255


def test_an_uploaded_image_has_a_detail_too() -> None:
    """An image named by a file id is priced by its detail."""
    message = openai_responses.CODEC.decode({"role": "user", "content": [{"type": "input_image", "file_id": "file-1", "detail": "low"}]})
    (image,) = message.parts
    assert isinstance(image, Media)
    assert image.detail == "low"
