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
    """750 by 100 pixels are 100 tokens; past the cap size makes no difference (A.1)."""
    assert media_tokens(media("image", width=750, height=100)) == 100
    assert media_tokens(media("image", width=8000, height=8000)) == media_tokens(media("image", width=4000, height=4000)) == 3300


def test_sound_costs_by_its_length_alone() -> None:
    """100 seconds cost ten times 10 seconds whatever the size in bytes; film costs more than five times sound (A.1)."""
    assert media_tokens(media("audio", seconds=100.0, size=9)) == 10 * media_tokens(media("audio", seconds=10.0, size=10**7))
    assert media_tokens(media("video", seconds=30.0)) > 5 * media_tokens(media("audio", seconds=30.0))


def test_pages_cost_the_same_each() -> None:
    """A document of ten pages costs ten times one page, and an unprobed one counts as ten (A.1)."""
    assert media_tokens(media("pdf", pages=10)) == 10 * media_tokens(media("pdf", pages=1)) == media_tokens(media("pdf")) == 20_000


@pytest.mark.parametrize("kind", ["image", "pdf", "audio", "video", "file"])
def test_an_unprobed_attachment_costs_over_a_thousand(kind: str) -> None:
    """Every kind without facts costs more than 1,000 tokens, film more than 10,000 (A.1)."""
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
    """B067: three images in a user message cost three times one image, and one letter beside them changes little (A.1)."""
    known, image = ruler(""), media("image")
    assert known.measure(Message("user", (image, image, image))).flat >= 9_900
    assert known.tokens(known.measure(Message("user", (Text("x"), image)))) > 1_000


def test_a_description_names_only_known_facts() -> None:
    """The words for an attachment that is not sent give label and known facts, and leave unknown ones out (A.1)."""
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
    """Whatever the probe said, an attachment costs at least one token and has words (A.1)."""
    assert media_tokens(item) > 0
    assert media_description(item)


@pytest.mark.parametrize(
    ("hint", "width", "height", "detail", "tokens"),
    [
        ("openai:gpt-4o", 1024, 1024, "high", 765),
        ("openai:gpt-4o", 2048, 4096, "", 1105),
        ("openai:gpt-4.1", 4096, 8192, "low", 85),
        ("openai:gpt-4o-mini", 1024, 1024, "", 2_833 + 4 * 5_667),
        ("openai:gpt-5", 1024, 1024, "auto", 70 + 4 * 140),
        ("openai:o3", 512, 512, "", 75 + 150),
        ("openai:gpt-4.1-mini", 1024, 1024, "", 1_659),
        ("openai:gpt-4.1-mini", 4000, 1474, "", 2_489),
        ("openai:o4-mini", 32, 32, "", 2),
        ("openai:gpt-5.2", 1600, 1600, "", 1_844),
        ("openai:gpt-5.4", 1600, 1600, "", 3_000),
        ("anthropic:claude-sonnet-4-5", 1000, 1000, "", 1_334),
        ("anthropic:claude-sonnet-4-5", 8000, 8000, "", 1_600),
        ("anthropic:claude-opus-4-7", 2000, 1500, "", 4_000),
        ("anthropic:claude-opus-4-7", 8000, 8000, "", 4_784),
        ("google:gemini-2.5-pro", 384, 384, "", 258),
        ("google:gemini-2.5-pro", 960, 540, "", 6 * 258),
        ("google:gemini-3-flash", 4000, 4000, "", 1_120),
        ("mistral:pixtral-large-latest", 1024, 1024, "", 4_160),
        ("mistral:mistral-medium-latest", 280, 280, "", 110),
        ("alibaba:qwen3-vl-plus", 280, 280, "", 100),
        ("somebody:something-new", 750, 100, "", 100),
    ],
)
def test_images_cost_what_the_provider_says(hint: str, width: int, height: int, detail: str, tokens: int) -> None:
    """Tiles, patches, areas and crops: each model's image costs what its provider's rule makes of the size and the detail."""
    assert ruler(hint).attachment(media("image", width=width, height=height, detail=detail)) == tokens


HINTS = (
    "openai:gpt-4o",
    "openai:gpt-4.1-nano",
    "openai:gpt-6",
    "anthropic:claude-3-haiku",
    "anthropic:claude-opus-4-7",
    "google:gemini-2.5-pro",
    "google:gemini-3-pro",
    "ollama:gemma3",
    "mistral:pixtral-12b",
    "mistral:mistral-large-latest",
    "alibaba:qwen3-vl-plus",
    "groq:llama-4-scout",
    "",
)


@pytest.mark.parametrize("hint", HINTS)
def test_an_unknown_size_costs_what_a_screen_costs(hint: str) -> None:
    """An image nobody looked at costs at least what one of 1,280 by 720 pixels does."""
    known = ruler(hint)
    assert known.attachment(media("image")) >= known.attachment(media("image", width=1280, height=720))


@given(st.sampled_from(HINTS), st.integers(1, 10**9), st.integers(1, 10**9), st.sampled_from(["", "low", "high", "auto", "original"]))
def test_every_provider_has_a_price_for_every_image(hint: str, width: int, height: int, detail: str) -> None:
    """Whatever its size, an image costs at least one token and at most some 50,000."""
    assert 0 < ruler(hint).attachment(media("image", width=width, height=height, detail=detail)) <= 50_000


def test_low_detail_is_one_price_where_a_provider_has_it() -> None:
    """An image of unknown size in low detail costs the base of the tiles; elsewhere the word changes nothing."""
    assert ruler("openai:gpt-4o").attachment(media("image", detail="low")) == 85
    assert ruler("").attachment(media("image", detail="low")) == 3_300


def test_pages_and_sound_have_their_providers_prices() -> None:
    """A page is 258 tokens for Gemini 2, more for Claude than the origin's 2,000; a second of sound 10 for OpenAI and 32 for Gemini."""
    assert ruler("google:gemini-2.5-pro").attachment(media("pdf", pages=3)) == 774
    assert ruler("anthropic:claude-opus-4-6").attachment(media("pdf", pages=1)) > 2_000
    assert ruler("openai:gpt-4o-audio-preview").attachment(media("audio", seconds=60.0)) == 600
    assert ruler("google:gemini-2.5-pro").attachment(media("audio", seconds=60.0)) == 1_920


def test_an_attachment_of_a_message_has_its_providers_price() -> None:
    """A message and a result count their images by the rule of the ruler's model."""
    known, image = ruler("openai:gpt-4o"), media("image", width=1024, height=1024)
    plain = known.measure(Message("user", (Text("x"),))).flat
    assert known.measure(Message("user", (image,))).flat == plain + 765
    assert known.part(Result("c1", "", media=(image,))).flat == 10 + 765
