"""How is a big tool result shaped, cut, kept and paged, and how is it marked as somebody else's words?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.results._budget import KEPT_BYTES, PAGE_CHARACTERS, PAGE_SHARE, Sizing, budget, widened
    from sostenuto.results._cut import Cut, cut, fitted
    from sostenuto.results._frame import Kind, Provenance, defused, enclosed, framed, inherited
    from sostenuto.results._page import Found, Page, found, listed, page
    from sostenuto.results._scan import LITERALS, MOST_RANKED, rarity, scanned
    from sostenuto.results._shape import shaped, text_of
    from sostenuto.results._sizes import Size, Sizes, about_tokens
    from sostenuto.results._words import Wanted, Word, excerpt, folded, holds, spaced, wanted

__all__ = [
    "KEPT_BYTES",
    "LITERALS",
    "MOST_RANKED",
    "PAGE_CHARACTERS",
    "PAGE_SHARE",
    "Cut",
    "Found",
    "Kind",
    "Page",
    "Provenance",
    "Size",
    "Sizes",
    "Sizing",
    "Wanted",
    "Word",
    "about_tokens",
    "budget",
    "cut",
    "defused",
    "enclosed",
    "excerpt",
    "fitted",
    "folded",
    "found",
    "framed",
    "holds",
    "inherited",
    "listed",
    "page",
    "rarity",
    "scanned",
    "shaped",
    "spaced",
    "text_of",
    "wanted",
    "widened",
]

_HOMES = {
    "Cut": "_cut",
    "Found": "_page",
    "Kind": "_frame",
    "KEPT_BYTES": "_budget",
    "LITERALS": "_scan",
    "MOST_RANKED": "_scan",
    "PAGE_CHARACTERS": "_budget",
    "PAGE_SHARE": "_budget",
    "Page": "_page",
    "Provenance": "_frame",
    "Size": "_sizes",
    "Sizes": "_sizes",
    "Sizing": "_budget",
    "Wanted": "_words",
    "Word": "_words",
    "about_tokens": "_sizes",
    "budget": "_budget",
    "cut": "_cut",
    "defused": "_frame",
    "enclosed": "_frame",
    "excerpt": "_words",
    "fitted": "_cut",
    "folded": "_words",
    "found": "_page",
    "framed": "_frame",
    "holds": "_words",
    "inherited": "_frame",
    "listed": "_page",
    "page": "_page",
    "rarity": "_scan",
    "scanned": "_scan",
    "shaped": "_shape",
    "spaced": "_words",
    "text_of": "_shape",
    "wanted": "_words",
    "widened": "_budget",
}

__getattr__ = door(__name__, _HOMES)
