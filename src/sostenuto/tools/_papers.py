"""The documents of a conversation that nobody keeps."""

from __future__ import annotations

import copy
from threading import Lock
from typing import Any


class PapersInMemory:
    """For one process (see `sostenuto.protocols.Papers`); what is handed over and given back are copies."""

    def __init__(self) -> None:
        self._held: dict[str, Any] = {}
        self._lock = Lock()

    def read(self, name: str, /) -> Any:
        """See `Papers`."""
        with self._lock:
            return copy.deepcopy(self._held.get(name))

    def write(self, name: str, value: Any, /) -> bool:
        """See `Papers`."""
        with self._lock:
            self._held[name] = copy.deepcopy(value)
        return True
