"""What images, pages, sound and film cost, in tokens (origin 1.4). The bytes themselves are never counted as text (D5, B063)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Protocol

from sostenuto.messages import Media

_LONGEST_SIDE: Final = 100_000
"""Pixels: a larger figure is a broken probe."""
_LONGEST_S: Final = 360_000.0
"""100 hours: a longer figure is a broken probe."""


class ImageRule(Protocol):
    """How a provider prices a picture: by its pixels, and where they are not known at a cautious figure."""

    @property
    def unprobed(self) -> int: ...
    def tokens(self, width: int, height: int, *, detail: str) -> int: ...


@dataclass(frozen=True, slots=True)
class ByArea:
    """A token for so many pixels, after scaling down to a longest side, up to a most."""

    pixels_per_token: int = 750
    most: int = 3300
    longest_side: int = _LONGEST_SIDE

    @property
    def unprobed(self) -> int:
        """What a large image costs."""
        return self.most

    def tokens(self, width: int, height: int, *, detail: str) -> int:
        """Tokens of an image of so many pixels."""
        width, height = _fitted(width, height, longest_side=self.longest_side)
        return min(-(-width * height // self.pixels_per_token), self.most)


@dataclass(frozen=True, slots=True)
class ByTiles:
    """A base and so much for each tile of 512 pixels, after scaling into 2,048 and then the shorter side to 768; low detail is the base."""

    base: int
    tile: int

    @property
    def unprobed(self) -> int:
        """What a screen costs: two by three tiles."""
        return self.base + 6 * self.tile

    def tokens(self, width: int, height: int, *, detail: str) -> int:
        """Tokens of an image of so many pixels."""
        if detail == "low":
            return self.base
        width, height = _fitted(width, height, longest_side=2_048)
        shorter = min(width, height)
        if shorter > 768:
            width, height = -(-width * 768 // shorter), -(-height * 768 // shorter)
        return self.base + self.tile * -(-width // 512) * -(-height // 512)


@dataclass(frozen=True, slots=True)
class ByPatches:
    """A token for each square patch, times a factor (in hundredths), up to so many patches; some put one more behind each row."""

    side: int
    most: int
    hundredths: int = 100
    longest_side: int = _LONGEST_SIDE
    row_ends: bool = False

    @property
    def unprobed(self) -> int:
        """What as many patches as there can be cost."""
        return -(-self.most * self.hundredths // 100)

    def tokens(self, width: int, height: int, *, detail: str) -> int:
        """Tokens of an image of so many pixels."""
        width, height = _fitted(width, height, longest_side=self.longest_side)
        columns, rows = -(-width // self.side), -(-height // self.side)
        return -(-min(columns * rows + (rows if self.row_ends else 0), self.most) * self.hundredths // 100)


@dataclass(frozen=True, slots=True)
class ByCrops:
    """The same for each crop: one for a small image, else crops whose side is two thirds of the shorter side, from 256 to 768 pixels."""

    crop: int = 258
    small: int = 384
    longest_side: int = 3_072

    @property
    def unprobed(self) -> int:
        """What a screen costs: two by three crops."""
        return 6 * self.crop

    def tokens(self, width: int, height: int, *, detail: str) -> int:
        """Tokens of an image of so many pixels."""
        width, height = _fitted(width, height, longest_side=self.longest_side)
        if max(width, height) <= self.small:
            return self.crop
        side = min(max(min(width, height) * 2 // 3, 256), 768)
        return self.crop * -(-width // side) * -(-height // side)


@dataclass(frozen=True, slots=True)
class Flat:
    """The same for every image."""

    unprobed: int

    def tokens(self, width: int, height: int, *, detail: str) -> int:
        """Tokens of an image of so many pixels."""
        return self.unprobed


@dataclass(frozen=True, slots=True)
class MediaPrices:
    """What one provider counts for attachments; the defaults are the origin's, leaning to more.

    Attributes:
        image: the rule for pictures.
        page: tokens of a page of a document, its text and its picture.
        audio_per_second, video_per_second: tokens; a frame of film and its sound.
        file: a kind there is no price for: one page.
        unprobed_pages, unprobed_seconds: what stands for a length nobody looked at.
    """

    image: ImageRule = ByArea()
    page: int = 2_000
    audio_per_second: int = 32
    video_per_second: int = 290  # 258 for the frame and 32 for the sound
    file: int = 2_000
    unprobed_pages: int = 10
    unprobed_seconds: int = 60


ANY_PROVIDER: Final = MediaPrices()


def media_tokens(media: Media, /, prices: MediaPrices = ANY_PROVIDER) -> int:
    """Tokens of one attachment as it is sent, from its probed facts; unknown facts take the cautious figure. Never raises."""
    if media.kind == "image":
        return _image(media, prices.image)
    if media.kind == "pdf":
        return prices.page * (media.pages if media.pages > 0 else prices.unprobed_pages)
    if media.kind == "audio":
        return math.ceil(prices.audio_per_second * _seconds(media, prices))
    if media.kind == "video":
        return math.ceil(prices.video_per_second * _seconds(media, prices))
    return prices.file


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


def _image(media: Media, rule: ImageRule) -> int:
    if media.width <= 0 or media.height <= 0:
        # low detail is one price whatever the size, where a provider has it
        return (
            min(rule.unprobed, rule.tokens(_LONGEST_SIDE, _LONGEST_SIDE, detail=media.detail)) if media.detail == "low" else rule.unprobed
        )
    return rule.tokens(min(media.width, _LONGEST_SIDE), min(media.height, _LONGEST_SIDE), detail=media.detail)


def _fitted(width: int, height: int, *, longest_side: int) -> tuple[int, int]:
    """The size after scaling down, never up, until no side is longer; no side is less than a pixel."""
    longer = max(width, height)
    if longer <= longest_side:
        return width, height
    return -(-width * longest_side // longer), -(-height * longest_side // longer)


def _seconds(media: Media, prices: MediaPrices) -> float:
    return min(media.seconds, _LONGEST_S) if _is_length(media.seconds) else prices.unprobed_seconds


def _is_length(seconds: float) -> bool:
    return math.isfinite(seconds) and seconds > 0
