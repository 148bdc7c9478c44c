"""Everything a run of the program may import, so that a process forked from one that has this file starts at once."""

from __future__ import annotations

import pkgutil
from contextlib import suppress
from importlib import import_module

import sostenuto

ROOMS = (
    "agent",
    "app",
    "budget",
    "calls",
    "catalogues",
    "checkpoint",
    "cli",
    "config",
    "engine",
    "formats",
    "ladder",
    "manager",
    "messages",
)
MORE = ("protocols", "providers", "results", "stores", "tokens", "tools", "window", "work")
import_module("asyncio")
for _found in pkgutil.walk_packages(sostenuto.__path__, "sostenuto."):
    if _found.name.split(".")[1] in (*ROOMS, *MORE):
        with suppress(ImportError):  # it needs a package that is not here
            import_module(_found.name)
