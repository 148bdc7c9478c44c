"""The drafts of an agent whose runs nobody keeps, within the same limits as those that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from sostenuto.errors import UnusableInput
from sostenuto.work import DraftLimits, clash, draft_path, missing, too_large


class DraftsInMemory:
    """For one process (see `sostenuto.protocols.Drafts`).

    Args:
        limits: how much there may be.
    """

    def __init__(self, limits: DraftLimits | None = None) -> None:
        self._limits = limits if limits is not None else DraftLimits()
        self._texts: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._lock = Lock()

    def listed(self) -> Sequence[tuple[str, int]]:
        """See `Drafts`."""
        with self._lock:
            return sorted(self._sizes.items())

    def read(self, path: str, /) -> str:
        """See `Drafts`."""
        with self._lock:
            return self._texts[self._known(path)]

    def write(self, path: str, text: str, /, *, append: bool = False) -> int:
        """See `Drafts`."""
        path = draft_path(path)
        if why := too_large(self._limits, path=path, size=len(text), files=1, total=len(text)):  # a huge text is not even encoded
            raise UnusableInput(why)
        with self._lock:
            before = self._sizes.get(path, 0)
            size = (before if append else 0) + len(text.encode("utf-8", "surrogatepass"))
            files, total = len(self._sizes.keys() | {path}), self._total - before + size
            if why := clash(path, self._sizes) or too_large(self._limits, path=path, size=size, files=files, total=total):
                raise UnusableInput(why)
            self._texts[path] = self._texts.get(path, "") + text if append else text
            self._sizes[path], self._total = size, total
            return size

    def delete(self, path: str, /) -> None:
        """See `Drafts`."""
        with self._lock:
            path = self._known(path)
            del self._texts[path]
            self._total -= self._sizes.pop(path)

    def _known(self, path: str) -> str:
        """The path, if there is a draft under it."""
        path = draft_path(path)
        if path not in self._texts:
            raise UnusableInput(missing(path, self._texts))
        return path
