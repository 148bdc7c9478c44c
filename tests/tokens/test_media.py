"""What attachments cost (origin 1.4, A.1)."""

from __future__ import annotations

import base64
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.messages import Media, Message, Result, Text
from sostenuto.tokens import media_description, media_tokens, ruler


def media(kind: Any, **facts: Any) -> Media:
    return Media(kind, "d" * 64, **facts)


def test_an_image_costs_by_its_pixels() -> None:
    """750 by 100 pixels are 100 tokens; past the cap size makes no difference."""
    assert media_tokens(media("image", width=750, height=100)) == 100
    assert media_tokens(media("image", width=8000, height=8000)) == media_tokens(media("image", width=4000, height=4000)) == 3300


def test_sound_costs_by_its_length_alone() -> None:
    """100 seconds cost ten times 10 seconds whatever the size in bytes; film costs more than five times sound."""
    assert media_tokens(media("audio", seconds=100.0, size=9)) == 10 * media_tokens(media("audio", seconds=10.0, size=10**7))
    assert media_tokens(media("video", seconds=30.0)) > 5 * media_tokens(media("audio", seconds=30.0))


def test_pages_cost_the_same_each() -> None:
    """A document of ten pages costs ten times one page, and an unprobed one counts as ten."""
    assert media_tokens(media("pdf", pages=10)) == 10 * media_tokens(media("pdf", pages=1)) == media_tokens(media("pdf")) == 20_000


@pytest.mark.parametrize("kind", ["image", "pdf", "audio", "video", "file"])
def test_an_unprobed_attachment_costs_over_a_thousand(kind: str) -> None:
    """Every kind without facts costs more than 1,000 tokens, film more than 10,000."""
    assert media_tokens(media(kind)) > (10_000 if kind == "video" else 1_000)


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -1.0, 1e300])
def test_a_broken_length_is_still_a_number(seconds: float) -> None:
    """A probe that says nonsense gives a finite cost."""
    assert media_tokens(media("video", seconds=seconds)) > 0


def test_b063_a_screenshot_is_not_its_base64() -> None:
    """B063: an image of 2.5 MB in a tool result costs at most 5,000 tokens."""
    shot = media("image", size=len(base64.b64encode(b"x" * 2_500_000)))
    known = ruler("anthropic:claude-sonnet-5")
    assert known.tokens(known.measure(Message("user", (Result("c1", "", media=(shot,)),)))) <= 5_000


def test_b067_images_of_a_user_message_count() -> None:
    """B067: three images in a user message cost three times one image, and one letter beside them changes little."""
    known, image = ruler(""), media("image")
    assert known.measure(Message("user", (image, image, image))).flat >= 9_900
    assert known.tokens(known.measure(Message("user", (Text("x"), image)))) > 1_000


def test_a_description_names_only_known_facts() -> None:
    """The words for an attachment that is not sent give label and known facts, and leave unknown ones out."""
    words = media_description(media("image", label="shots/a.png", width=640, height=480, size=20_480))
    assert all(fact in words for fact in ("shots/a.png", "640x480", "20 KB", "image"))
    assert "pages" not in words
    assert " s" not in words.removeprefix("[image: shots/a.png")


@given(
    st.builds(
        Media,
        st.sampled_from(["image", "pdf", "audio", "video", "file"]),
        st.text(max_size=5),
        width=st.integers(),
        height=st.integers(),
        pages=st.integers(),
        seconds=st.floats(),
    )
)
def test_media_always_cost_something(item: Media) -> None:
    """Whatever the probe said, an attachment costs at least one token and has words."""
    assert media_tokens(item) > 0
    assert media_description(item)
