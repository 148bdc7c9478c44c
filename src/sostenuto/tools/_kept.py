"""Whole results that were cut before the model saw them, kept so that it can page through them (D15, origin 4.2)."""

from __future__ import annotations

from threading import Lock

from sostenuto.protocols import KeptResult
from sostenuto.results import KEPT_BYTES


class ResultsInMemory:
    """Kept in this process, within a cap: the oldest bodies make room for newer ones."""

    def __init__(self, *, cap_bytes: int = KEPT_BYTES) -> None:
        self._cap, self._held = cap_bytes, 0
        self._results: dict[str, KeptResult] = {}
        self._lock = Lock()

    def keep(self, key: str, result: KeptResult, /) -> bool:
        """See `KeptResults`. A result larger than the cap is not kept."""
        size = _bytes(result)
        with self._lock:
            if not key or size > self._cap:
                return False
            if key in self._results:
                return True
            self._results[key] = result
            self._held += size
            while self._held > self._cap:
                oldest = next(iter(self._results))
                self._held -= _bytes(self._results.pop(oldest))
            return True

    def kept(self, key: str, /) -> KeptResult | None:
        """See `KeptResults`."""
        with self._lock:
            return self._results.get(key)

    def listed(self) -> tuple[str, ...]:
        """See `KeptResults`."""
        with self._lock:
            return tuple(self._results)


def _bytes(result: KeptResult) -> int:
    return len(result.text.encode("utf-8", "surrogatepass"))
