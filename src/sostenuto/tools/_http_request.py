"""http_request: one request as it is, and the answer with its status and headers."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from sostenuto.errors import ToolFailed
from sostenuto.results import Provenance
from sostenuto.tools._addresses import Resolver, address, assessed_address
from sostenuto.tools._http import Received, Wanted, received
from sostenuto.tools._tool import Assessed, Context, Output, Risk, Tool
from sostenuto.tools._web_fetch import words

_READING = ("GET", "HEAD", "OPTIONS")
_METHODS = (*_READING, "POST", "PUT", "PATCH", "DELETE")
_SHOWN = ("content-type", "content-length", "location", "retry-after", "etag", "last-modified", "link", "www-authenticate")


def http_request(resolver: Resolver) -> Tool:
    """The tool; `resolver` finds the machines behind a name."""

    def assess(arguments: Mapping[str, Any]) -> Awaitable[Assessed]:
        risk: Risk = "low-risk" if arguments.get("method", "GET") in _READING and "body" not in arguments else "high-risk"
        return assessed_address(arguments, risk=risk, resolver=resolver)

    def run(arguments: Mapping[str, Any], context: Context, /) -> Output:
        headers, body = arguments.get("headers", {}), arguments.get("body")
        for name, value in headers.items():
            if not name.isascii() or any(letter in "\r\n\0" for letter in name + value):
                raise ToolFailed(f"the header {name[:60]!a} cannot be sent: names are plain letters, and neither part holds a line break")
            if not value.isprintable() or any(letter > "\xff" for letter in value):
                raise ToolFailed(f"the value of the header {name[:60]!a} holds letters that headers cannot; encode it")
        wanted = Wanted(address(arguments["url"]), arguments.get("method", "GET"), headers, None if body is None else body.encode("utf-8"))
        found = received(wanted, context=context, resolver=resolver)
        return Output(_told(found), succeeded=found.status < 400, provenance=Provenance("external", found.url))

    return Tool(
        "http_request",
        "Send one request over http or https and give the status, the main headers and the body as it came (for pages, web_fetch gives the "
        "words). Requests that change something, and addresses of this machine or of private networks, need the person's consent.",
        {
            "type": "object",
            "properties": {
                "url": {"type": "string", "description": "the whole address, with http:// or https://"},
                "method": {"enum": list(_METHODS), "default": "GET"},
                "headers": {"type": "object", "additionalProperties": {"type": "string"}},
                "body": {"type": "string", "description": "sent as UTF-8; say what it is with a Content-Type header"},
            },
            "required": ["url"],
            "additionalProperties": False,
        },
        run,
        risk="low-risk",
        assess=assess,
    )


def _told(found: Received) -> str:
    lines = [f"HTTP {found.status} {found.reason}".rstrip()]
    lines += [f"{name}: {found.headers[name]}" for name in _SHOWN if name in found.headers]
    text = words(found) if found.body else ""
    more = "" if found.whole else "\n[the body is longer; this is what was read of it]"
    return "\n".join(lines) + (f"\n\n{text}" if text else "") + more
