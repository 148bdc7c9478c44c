"""How many tokens is that? Families, weighted characters, media, the ruler, and what reports teach (rank 2, pure)."""

from sostenuto.tokens._calibration import Calibration, ToolSet, dump, fresh, load
from sostenuto.tokens._families import Family, FamilyName, Group, family
from sostenuto.tokens._learn import Alarm, learn
from sostenuto.tokens._measure import UNIT, Measure
from sostenuto.tokens._media import MediaPrices, media_description, media_tokens
from sostenuto.tokens._prices import media_prices
from sostenuto.tokens._reported import Reported, usage_of
from sostenuto.tokens._ruler import Ruler, ruler
from sostenuto.tokens._weigher import CountingWeigher, RememberingWeigher, Weigher, WeightedCharacters, remembering

__all__ = [
    "UNIT",
    "Alarm",
    "Calibration",
    "CountingWeigher",
    "Family",
    "FamilyName",
    "Group",
    "Measure",
    "MediaPrices",
    "RememberingWeigher",
    "Reported",
    "Ruler",
    "ToolSet",
    "Weigher",
    "WeightedCharacters",
    "dump",
    "family",
    "fresh",
    "learn",
    "load",
    "media_description",
    "media_prices",
    "media_tokens",
    "remembering",
    "ruler",
    "usage_of",
]
