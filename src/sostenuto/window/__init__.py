"""How many tokens will the model really take? Facts in, one window with its source out (rank 2, pure)."""

from sostenuto.window._catalogue import BUILT_IN, LOCAL_PROVIDERS, Entry, Match, entries, lookup
from sostenuto.window._resolve import FALLBACK, Facts, Source, Window, resolve, start_warning

__all__ = [
    "BUILT_IN",
    "FALLBACK",
    "LOCAL_PROVIDERS",
    "Entry",
    "Facts",
    "Match",
    "Source",
    "Window",
    "entries",
    "lookup",
    "resolve",
    "start_warning",
]
