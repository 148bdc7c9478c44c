"""Sostenuto keeps a long agent run inside its model's context window without losing the task, the evidence or the cached prompt.

Start with `ContextManager`: ``prepare`` before a call, ``record`` after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.budget import Thresholds
    from sostenuto.calls import ToolPolicy, Trait
    from sostenuto.engine import Hit, Preview, Profile, Request, Switched, Undone, Usage
    from sostenuto.errors import (
        ConcurrentPrepare,
        ContextOverflow,
        FixedPartTooLarge,
        SostenutoError,
        UnknownFormat,
        UnknownKey,
        UnknownSetting,
        UnusableInput,
    )
    from sostenuto.ladder import Event, Settings
    from sostenuto.manager import Calibrations, ContextManager, fit
    from sostenuto.messages import Pinned, pinned

_HOMES = {
    "Calibrations": "manager",
    "ConcurrentPrepare": "errors",
    "ContextManager": "manager",
    "ContextOverflow": "errors",
    "Event": "ladder",
    "FixedPartTooLarge": "errors",
    "Hit": "engine",
    "Pinned": "messages",
    "Preview": "engine",
    "Profile": "engine",
    "Request": "engine",
    "Settings": "ladder",
    "SostenutoError": "errors",
    "Switched": "engine",
    "Thresholds": "budget",
    "ToolPolicy": "calls",
    "Trait": "calls",
    "Undone": "engine",
    "UnknownFormat": "errors",
    "UnknownKey": "errors",
    "UnknownSetting": "errors",
    "UnusableInput": "errors",
    "Usage": "engine",
    "fit": "manager",
    "pinned": "messages",
}

__all__ = [
    "Calibrations",
    "ConcurrentPrepare",
    "ContextManager",
    "ContextOverflow",
    "Event",
    "FixedPartTooLarge",
    "Hit",
    "Pinned",
    "Preview",
    "Profile",
    "Request",
    "Settings",
    "SostenutoError",
    "Switched",
    "Thresholds",
    "ToolPolicy",
    "Trait",
    "Undone",
    "UnknownFormat",
    "UnknownKey",
    "UnknownSetting",
    "UnusableInput",
    "Usage",
    "fit",
    "pinned",
]


_opened = door(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    """Load a name when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        return version("sostenuto")
    return _opened(name)


def __dir__() -> list[str]:
    return sorted(__all__)
