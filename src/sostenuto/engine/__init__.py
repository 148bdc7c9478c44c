"""Who performs the needs, and holds the state? The machinery of `ContextManager`."""

from sostenuto.engine._controls import Preview, Switched, Undone, Usage, redone, undone, usage
from sostenuto.engine._engine import Engine
from sostenuto.engine._overflow import Overflow, overflow, stopped_at_edge
from sostenuto.engine._performing import drive, drive_async, stored, summarized, summarized_async
from sostenuto.engine._plan import Asked, Draft, Plan
from sostenuto.engine._profile import Profile, profile_of
from sostenuto.engine._recall import Hit, names_call, read, search
from sostenuto.engine._snapshot import dumped
from sostenuto.engine._state import Request, State
from sostenuto.engine._tools import answered, taken, tools

__all__ = [
    "Asked",
    "Draft",
    "Engine",
    "Hit",
    "Overflow",
    "Plan",
    "Preview",
    "Profile",
    "Request",
    "State",
    "Switched",
    "Undone",
    "Usage",
    "answered",
    "drive",
    "drive_async",
    "dumped",
    "names_call",
    "overflow",
    "profile_of",
    "read",
    "redone",
    "search",
    "stopped_at_edge",
    "stored",
    "summarized",
    "summarized_async",
    "taken",
    "tools",
    "undone",
    "usage",
]
