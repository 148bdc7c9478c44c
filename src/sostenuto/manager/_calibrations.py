"""What was learned about models, shared by the conversations of a process and kept between processes (origin 1.3)."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from sostenuto.tokens import Calibration, dump, load

if TYPE_CHECKING:
    from sostenuto.window import Limits


class Calibrations:
    """Hand one object to several managers and the second conversation with a model starts with what the first one learned.

    It is keyed by ``provider:model``; conversations without a model's name neither read nor write it. One object is for one address
    of each provider: what an error said of one proxy does not hold for another (D8).
    """

    def __init__(self) -> None:
        self._known: dict[str, Calibration] = {}
        self._limits: Limits | None = None  # hardly any conversation meets one, so its code is loaded with the first

    def get(self, model: str) -> Calibration | None:
        """What is known of a model."""
        return self._known.get(model)

    def put(self, model: str, calibration: Calibration) -> None:
        """Remember what was learned."""
        if model:
            self._known[model] = calibration

    def limit(self, model: str, *, pinned: int | None) -> int | None:
        """Tokens an error stated for a model at most; None if none did, or if another window has been pinned since (D8)."""
        if self._limits is None:
            return None
        from sostenuto.window import Endpoint, parted

        found = self._limits.of(Endpoint(*parted(model)), pinned=pinned) if model else None
        return found.tokens if found else None

    def put_limit(self, model: str, tokens: int, *, pinned: int | None) -> None:
        """Remember a maximum an error stated while this window was pinned, or none."""
        from sostenuto.window import Endpoint, Limit, Limits, parted

        if model:
            self._limits = (self._limits or Limits()).learning(Endpoint(*parted(model)), Limit(tokens, pinned=pinned or 0))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Calibrations:
        """What `save` wrote. A missing file is an empty start; one that cannot be read is moved aside, never an error."""
        from pathlib import Path  # loading it takes longer than all that most users of this file's room ever do

        found, where = cls(), Path(path)
        try:
            data = json.loads(where.read_text(encoding="utf-8"))
            found._known = load(data)
            if isinstance(data, dict) and data.get("limits"):
                from sostenuto.window import Limits

                found._limits = Limits.load(data["limits"])
        except FileNotFoundError:
            return found
        except (OSError, ValueError, RecursionError):
            with suppress(OSError):
                where.replace(where.with_name(where.name + ".unreadable"))
        return found

    def save(self, path: str | os.PathLike[str]) -> bool:
        """Write it, whole or not at all, readable by the owner only; False if nothing was learned or the file could not be written."""
        data = {**dump(self._known), **({"limits": self._limits.dump()} if self._limits else {})}
        if not data["models"] and not self._limits:
            return False
        import tempfile
        from pathlib import Path

        where = Path(path)
        try:
            where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # a temporary file is created with mode 0600, and stays that way
            handle, name = tempfile.mkstemp(dir=where.parent, prefix=where.name)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(data, file)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, where)
            except OSError:
                with suppress(OSError):
                    os.unlink(name)
                raise
        except OSError:
            return False
        return True
