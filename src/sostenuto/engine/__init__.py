"""Who performs the needs, and holds the state? The machinery of `ContextManager`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.engine._controls import Preview, Switched, Undone, Usage, reasoning, redone, undone, usage
    from sostenuto.engine._crossing import Loss, crossed, losses, repaired
    from sostenuto.engine._engine import Engine
    from sostenuto.engine._levels import Level, levels
    from sostenuto.engine._overflow import evidence, fitting, lowered_output, overflow, refusal, stopped_at_edge
    from sostenuto.engine._performing import drive, drive_async, stored, summarized, summarized_async
    from sostenuto.engine._plan import Asked, Draft, Plan
    from sostenuto.engine._profile import Profile, profile_of
    from sostenuto.engine._recall import LISTINGS, Hit, names_key, read
    from sostenuto.engine._records import Recorded, amounting, recorded, sensible
    from sostenuto.engine._searching import search, synchronize
    from sostenuto.engine._snapshot import dumped
    from sostenuto.engine._state import Request, State
    from sostenuto.engine._switching import continued, switched
    from sostenuto.engine._telling import remaining
    from sostenuto.engine._tools import NOTHING_HOLDS, answered, definitions, taken, tools
    from sostenuto.engine._translating import Translation, defined, instruction_text, translated

__all__ = [
    "LISTINGS",
    "NOTHING_HOLDS",
    "Asked",
    "Draft",
    "Engine",
    "Hit",
    "Level",
    "Loss",
    "Plan",
    "Preview",
    "Profile",
    "Recorded",
    "Request",
    "State",
    "Switched",
    "Translation",
    "Undone",
    "Usage",
    "amounting",
    "answered",
    "continued",
    "crossed",
    "defined",
    "definitions",
    "drive",
    "drive_async",
    "dumped",
    "evidence",
    "fitting",
    "instruction_text",
    "levels",
    "losses",
    "lowered_output",
    "names_key",
    "overflow",
    "profile_of",
    "read",
    "reasoning",
    "recorded",
    "redone",
    "refusal",
    "remaining",
    "repaired",
    "search",
    "sensible",
    "stopped_at_edge",
    "stored",
    "summarized",
    "summarized_async",
    "switched",
    "synchronize",
    "taken",
    "tools",
    "translated",
    "undone",
    "usage",
]

_HOMES = {
    "Asked": "_plan",
    "Draft": "_plan",
    "Engine": "_engine",
    "Hit": "_recall",
    "LISTINGS": "_recall",
    "NOTHING_HOLDS": "_tools",
    "Level": "_levels",
    "Loss": "_crossing",
    "Plan": "_plan",
    "Preview": "_controls",
    "Profile": "_profile",
    "Recorded": "_records",
    "Request": "_state",
    "State": "_state",
    "Switched": "_controls",
    "Translation": "_translating",
    "Undone": "_controls",
    "Usage": "_controls",
    "amounting": "_records",
    "answered": "_tools",
    "continued": "_switching",
    "crossed": "_crossing",
    "defined": "_translating",
    "definitions": "_tools",
    "drive": "_performing",
    "drive_async": "_performing",
    "dumped": "_snapshot",
    "evidence": "_overflow",
    "fitting": "_overflow",
    "instruction_text": "_translating",
    "levels": "_levels",
    "losses": "_crossing",
    "lowered_output": "_overflow",
    "names_key": "_recall",
    "overflow": "_overflow",
    "profile_of": "_profile",
    "read": "_recall",
    "reasoning": "_controls",
    "recorded": "_records",
    "redone": "_controls",
    "refusal": "_overflow",
    "remaining": "_telling",
    "repaired": "_crossing",
    "search": "_searching",
    "sensible": "_records",
    "stopped_at_edge": "_overflow",
    "stored": "_performing",
    "summarized": "_performing",
    "summarized_async": "_performing",
    "switched": "_switching",
    "synchronize": "_searching",
    "taken": "_tools",
    "tools": "_tools",
    "translated": "_translating",
    "undone": "_controls",
    "usage": "_controls",
}

__getattr__ = door(__name__, _HOMES)
