"""Exact counts for OpenAI's encodings through ``tiktoken``, where ``toktok`` is missing and the vocabulary is on the disk already.

``tiktoken`` downloads a vocabulary it does not find; a run must never wait for a network to count. So the file in its cache is looked
at first, and nothing is asked of the library unless that file is there and whole.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

from sostenuto.tokens import CountingWeigher


class _Vocabulary(NamedTuple):
    """The encoding's name, the name of its file in the cache, and that file's SHA-256: all three are the library's own."""

    name: str
    file: str
    sha256: str


_VOCABULARIES: Final[dict[str, _Vocabulary]] = {
    "o200k": _Vocabulary(
        "o200k_base", "fb374d419588a4632f3f557e76b4b70aebbca790", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    ),
    "cl100k": _Vocabulary(
        "cl100k_base", "9b5ad71b2ce5302211f9c61530b329a4922fc6a4", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    ),
}


def tiktoken_encoder(encoding: str, /) -> CountingWeigher | None:
    """The exact weigher of ``o200k`` or ``cl100k``; None for any other name, without the library, or without its vocabulary on the disk."""
    vocabulary = _VOCABULARIES.get(encoding)
    if vocabulary is None or not _is_cached(vocabulary):
        return None
    try:
        tiktoken: Any = importlib.import_module("tiktoken")
        found: Any = tiktoken.get_encoding(vocabulary.name)
    except (ImportError, AttributeError, ValueError, KeyError, OSError):
        return None
    return CountingWeigher(f"exact ({encoding})", lambda: lambda text: len(found.encode_ordinary(text)))


def _is_cached(vocabulary: _Vocabulary) -> bool:
    """Whether the library will find its file: in the folder it would look in, and with the content it would insist on."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "":
        return False
    path = Path(folder) if folder is not None else Path(tempfile.gettempdir(), "data-gym-cache")
    try:
        return hashlib.sha256((path / vocabulary.file).read_bytes()).hexdigest() == vocabulary.sha256
    except OSError:
        return False
