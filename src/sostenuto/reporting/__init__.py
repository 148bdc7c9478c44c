"""How is a finished run told to people? One sentence, the marks of the rungs, and a page of HTML that needs nothing but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.reporting._page import page
    from sostenuto.reporting._rungs import MARKS, OTHER, Mark
    from sostenuto.reporting._story import Story
    from sostenuto.reporting._verdict import verdict
    from sostenuto.reporting._words import count, percent

__all__ = ["MARKS", "OTHER", "Mark", "Story", "count", "page", "percent", "verdict"]

_HOMES = {
    "MARKS": "_rungs",
    "Mark": "_rungs",
    "OTHER": "_rungs",
    "Story": "_story",
    "count": "_words",
    "page": "_page",
    "percent": "_words",
    "verdict": "_verdict",
}

__getattr__ = door(__name__, _HOMES)
