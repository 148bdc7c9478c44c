"""What each provider counts for attachments, by the model's name: its documented rules, and where bills say more than they do, the bills.

Read from the providers' pages in November 2026. A provider without an entry has the origin's cautious prices.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sostenuto.tokens._families import family
from sostenuto.tokens._media import ANY_PROVIDER, ByArea, ByCrops, ByPatches, ByTiles, Flat, ImageRule, MediaPrices

_OPENAI: Final[tuple[tuple[str, ImageRule], ...]] = (  # how a model's name begins -> its rule; first match wins
    ("gpt-4o-mini", ByTiles(2_833, 5_667)),
    ("gpt-4.1-mini", ByPatches(32, 1_536, 162)),
    ("gpt-4.1-nano", ByPatches(32, 1_536, 246)),
    ("gpt-5-mini", ByPatches(32, 1_536, 162)),
    ("gpt-5-nano", ByPatches(32, 1_536, 246)),
    ("gpt-5.1", ByTiles(70, 140)),
    ("gpt-5.2", ByPatches(32, 1_536, 120)),
    ("gpt-5.3", ByPatches(32, 1_536, 120)),
    ("gpt-5.", ByPatches(32, 2_500, 120)),
    ("gpt-5", ByTiles(70, 140)),
    ("o4-mini", ByPatches(32, 1_536, 172)),
    ("codex-mini", ByPatches(32, 1_536, 172)),
    ("computer-use", ByTiles(65, 129)),
    ("o1", ByTiles(75, 150)),
    ("o3", ByTiles(75, 150)),
    ("gpt-4", ByTiles(85, 170)),
    ("chatgpt-4o", ByTiles(85, 170)),
    ("", ByPatches(32, 2_500, 120)),
)
_ANTHROPIC_PAGE: Final = 3_600  # about 2,000 tokens of text and the picture of the page
_ANTHROPIC: Final = MediaPrices(image=ByArea(most=1_600, longest_side=1_568), page=_ANTHROPIC_PAGE)
_ANTHROPIC_FINE: Final = MediaPrices(image=ByArea(most=4_784, longest_side=2_576), page=_ANTHROPIC_PAGE)
"""From Opus 4.7 on: images in a higher resolution."""
_GEMINI: Final = MediaPrices(image=ByCrops(), page=258)
_GEMINI_3: Final = MediaPrices(image=Flat(1_120), page=560, video_per_second=102)
"""The default resolution of each kind: 1,120 for an image, 560 for a page, 70 for a frame and 32 for its sound."""
_GEMMA: Final = MediaPrices(image=Flat(256))
_MISTRAL: Final = MediaPrices(image=ByPatches(28, 3_080, longest_side=1_540, row_ends=True))
_PIXTRAL: Final = MediaPrices(image=ByPatches(16, 4_160, longest_side=1_024, row_ends=True))
_QWEN: Final = MediaPrices(image=ByPatches(28, 16_384))


@lru_cache(maxsize=256)
def media_prices(hint: str, /) -> MediaPrices:
    """The prices of a ``provider:model`` hint; an unknown one has the origin's. Never raises."""
    found = family(hint)
    bare = hint.strip().lower().rpartition(":")[2].rpartition("/")[2]
    if found.name in ("o200k", "cl100k"):
        rule = next(rule for start, rule in _OPENAI if bare.startswith(start))
        return MediaPrices(image=rule, audio_per_second=10)
    if found.name == "anthropic":
        return _ANTHROPIC_FINE if found.group == "claude-4.7" else _ANTHROPIC
    if found.name == "gemini":
        return _gemini(hint.lower(), bare)
    if found.name == "mistral":
        return _PIXTRAL if "pixtral" in bare else _MISTRAL
    return _QWEN if found.group == "qwen" else ANY_PROVIDER


def _gemini(whole: str, bare: str) -> MediaPrices:
    if "gemma" in whole:
        return _GEMMA
    return _GEMINI if bare.startswith(("gemini-1", "gemini-2")) else _GEMINI_3
