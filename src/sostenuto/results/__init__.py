"""How is a big tool result shaped, cut, kept and paged, and how is it marked as somebody else's words?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.results._budget import PAGE_CHARACTERS, PAGE_SHARE, Sizing, budget
    from sostenuto.results._cut import Cut, cut, fitted
    from sostenuto.results._frame import Provenance, defused, enclosed, framed
    from sostenuto.results._page import Found, Page, found, listed, page
    from sostenuto.results._shape import shaped, text_of
    from sostenuto.results._sizes import Size, Sizes, about_tokens

__all__ = [
    "PAGE_CHARACTERS",
    "PAGE_SHARE",
    "Cut",
    "Found",
    "Page",
    "Provenance",
    "Size",
    "Sizes",
    "Sizing",
    "about_tokens",
    "budget",
    "cut",
    "defused",
    "enclosed",
    "fitted",
    "found",
    "framed",
    "listed",
    "page",
    "shaped",
    "text_of",
]

_HOMES = {
    "Cut": "_cut",
    "Found": "_page",
    "PAGE_CHARACTERS": "_budget",
    "PAGE_SHARE": "_budget",
    "Page": "_page",
    "Provenance": "_frame",
    "Size": "_sizes",
    "Sizes": "_sizes",
    "Sizing": "_budget",
    "about_tokens": "_sizes",
    "budget": "_budget",
    "cut": "_cut",
    "defused": "_frame",
    "enclosed": "_frame",
    "fitted": "_cut",
    "found": "_page",
    "framed": "_frame",
    "listed": "_page",
    "page": "_page",
    "shaped": "_shape",
    "text_of": "_shape",
}

__getattr__ = door(__name__, _HOMES)
