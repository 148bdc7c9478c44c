"""Going in circles: told once, then ended (origin 7.4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from sostenuto.budget import STALL, call_key, is_stalled, stall_nudge
from sostenuto.messages import Call


class Circles:
    """The newest calls of a run.

    `nudge` is what the model is told: from the first time on, in every request until a whole window of further calls was seen. It is
    never written into the history, where it would pass for words of a person (D40).
    """

    def __init__(self) -> None:
        self.nudge = ""
        self._warned = False
        self._keys: deque[str] = deque(maxlen=STALL.window)
        self._excused: set[str] = set()

    def closed_by(self, calls: Iterable[Call]) -> bool:
        """Take in the calls of a batch that is complete; True where the run has to end, because it was told before."""
        self._keys.extend(call_key(call.name, call.arguments) for call in calls)
        if not is_stalled(tuple(self._keys)):
            if len(self._keys) == STALL.window:
                self.nudge = ""
            return False
        if self._warned:
            return True
        self._warned, self.nudge = True, stall_nudge(tuple(self._keys))
        self._keys.clear()
        return False

    def excuse(self, calls: Iterable[Call]) -> None:
        """The results of these calls left the model's sight: what was called until then counts no longer, once for each of them.

        Reading again what was cleared or summarised is no circle (B017); only once, because a run whose results leave as fast as it
        reads them would otherwise never be told.
        """
        gone = {call_key(call.name, call.arguments) for call in calls} - self._excused
        self._excused |= gone
        self._keys = deque((key for key in self._keys if key not in gone), maxlen=STALL.window)
