"""What did a call do? Paths, command, success, background work, and when its result may be cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.calls._background import announced_end
    from sostenuto.calls._facts import Facts, clearing, facts
    from sostenuto.calls._policy import Clear, ToolPolicy, Trait
    from sostenuto.calls._table import DEFAULT

__all__ = ["DEFAULT", "Clear", "Facts", "ToolPolicy", "Trait", "announced_end", "clearing", "facts"]

_HOMES = {
    "Clear": "_policy",
    "DEFAULT": "_table",
    "Facts": "_facts",
    "ToolPolicy": "_policy",
    "Trait": "_policy",
    "announced_end": "_background",
    "clearing": "_facts",
    "facts": "_facts",
}

__getattr__ = door(__name__, _HOMES)
