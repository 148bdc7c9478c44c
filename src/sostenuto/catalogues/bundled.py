"""The catalogue that comes with the package: a snapshot of models.dev, made by ``benchmarks/catalogue.py``."""

from __future__ import annotations

import os
import zlib
from functools import lru_cache

from sostenuto.window import Table

_FILE = "models.txt.gz"
_GZIP = 31  # how zlib is told that a gzip header comes first


@lru_cache(maxsize=1)
def bundled() -> Table:
    """The bundled catalogue, read once for a process (a millisecond or two); its `snapshot` says of when it is."""
    with open(os.path.join(os.path.dirname(__file__), _FILE), "rb") as file:
        return Table.load(zlib.decompress(file.read(), _GZIP).decode())
