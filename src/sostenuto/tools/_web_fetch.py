"""web_fetch: the words of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sostenuto.results import Provenance
from sostenuto.tools._addresses import Resolver, address, assessed_address
from sostenuto.tools._files import SAMPLE, written
from sostenuto.tools._html import page_text
from sostenuto.tools._http import LARGEST, Received, Wanted, received
from sostenuto.tools._tool import Context, Output, Tool

_CHARSET = re.compile(r"""charset\s{0,3}=\s{0,3}["']?([A-Za-z0-9._-]{1,40})""", re.I)
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s{0,3}=\s{0,3}["']?([A-Za-z0-9._-]{1,40})""", re.I)
_HEAD = 2_048


def web_fetch(resolver: Resolver) -> Tool:
    """The tool; `resolver` finds the machines behind a name."""

    def run(arguments: Mapping[str, Any], context: Context, /) -> Output:
        found = received(Wanted(address(arguments["url"])), context=context, resolver=resolver)
        text = page_text(words(found), base=found.url) if _is_page(found) else words(found)
        lead = "" if found.status < 400 else f"The server answered {found.status} {found.reason}.\n"
        more = "" if found.whole else f"\n[the page is longer; the first {LARGEST // 1024 // 1024} MB, or what came in time, were read]"
        return Output(f"{lead}{text}{more}", succeeded=found.status < 400, provenance=Provenance("external", found.url))

    return Tool(
        "web_fetch",
        "Fetch a page over http or https and give its words; links stand as [words](address). Redirections are followed. Addresses of this "
        "machine and of private networks need the person's consent.",
        {
            "type": "object",
            "properties": {"url": {"type": "string", "description": "the whole address, with http:// or https://"}},
            "required": ["url"],
            "additionalProperties": False,
        },
        run,
        risk="low-risk",
        assess=lambda arguments: assessed_address(arguments, risk="low-risk", resolver=resolver),
        repeatable=True,
    )


def _is_page(found: Received) -> bool:
    kind = found.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in ("text/html", "application/xhtml+xml") or (not kind and b"<html" in found.body[:_HEAD].lower())


def words(found: Received) -> str:
    """The text of an answer, read as it says it is written; in words what it is if it is no text."""
    stated = _CHARSET.search(found.headers.get("content-type", "")[:500])
    inside = _META.search(found.body[:_HEAD])
    for name in (stated.group(1) if stated else "", inside.group(1).decode("ascii") if inside else ""):
        try:
            if name:
                return found.body.decode(name, "replace")
        except (LookupError, ValueError):
            continue
    how = written(found.body[:SAMPLE])
    if how is None:
        kind = found.headers.get("content-type", "").partition(";")[0] or "of an unknown kind"
        return f"[{len(found.body):,} bytes that are no text ({kind[:100]})]"
    return found.body[len(how.mark) :].decode(how.encoding, "replace")
