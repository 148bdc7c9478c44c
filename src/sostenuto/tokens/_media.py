"""What images, pages, sound and film cost, in tokens (origin 1.4). The bytes themselves are never counted as text (D5, B063)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sostenuto.messages import Media


@dataclass(frozen=True, slots=True)
class MediaCosts:
    """The origin's prices, leaning to more: an image that was not looked at costs what a large one costs."""

    pixels_per_token: int = 750
    image: int = 3300
    page: int = 2000
    unprobed_pages: int = 10
    audio_per_second: int = 32
    video_per_second: int = 290  # 258 for the frame and 32 for the sound
    unprobed_seconds: int = 60
    file: int = 2000  # a kind the origin has no price for: one page
    longest_s: float = 360_000.0  # 100 hours: a longer figure is a broken probe


COSTS = MediaCosts()


def media_tokens(media: Media, /) -> int:
    """Tokens of one attachment as it is sent, from its probed facts; unknown facts take the cautious figure. Never raises."""
    if media.kind == "image":
        return _image(media)
    if media.kind == "pdf":
        return COSTS.page * (media.pages if media.pages > 0 else COSTS.unprobed_pages)
    if media.kind == "audio":
        return math.ceil(COSTS.audio_per_second * _seconds(media))
    if media.kind == "video":
        return math.ceil(COSTS.video_per_second * _seconds(media))
    return COSTS.file


def media_description(media: Media, /) -> str:
    """The words that stand for an attachment that is no longer sent: label, dimensions, seconds, pages, size; only known facts."""
    facts = [media.label or media.digest[:12]]
    if media.width > 0 and media.height > 0:
        facts.append(f"{media.width}x{media.height}")
    if _is_length(media.seconds):
        facts.append(f"{media.seconds:g} s")
    if media.pages > 0:
        facts.append(f"{media.pages} pages")
    if media.size > 0:
        facts.append(f"{max(1, media.size // 1024)} KB")
    return f"[{media.kind}: {', '.join(fact for fact in facts if fact)}]"


def _image(media: Media) -> int:
    if media.width <= 0 or media.height <= 0:
        return COSTS.image
    return min(-(-media.width * media.height // COSTS.pixels_per_token), COSTS.image)


def _seconds(media: Media) -> float:
    return min(media.seconds, COSTS.longest_s) if _is_length(media.seconds) else COSTS.unprobed_seconds


def _is_length(seconds: float) -> bool:
    return math.isfinite(seconds) and seconds > 0
