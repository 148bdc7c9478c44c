"""What a person, or a program, sees of a run while it goes on: lines, one live line, or NDJSON (origin 11.3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from sostenuto.cli._harmless import printable, visible
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Stream

if TYPE_CHECKING:
    from sostenuto.agent import Event

CATEGORIES: Final = ("tools", "reasoning", "text", "usage", "approval", "subagent", "all")
_OF_KIND: Final[Mapping[str, str]] = {
    "tool-start": "tools",
    "tool-output": "tools",
    "tool-end": "tools",
    "approval": "approval",
    "reasoning": "reasoning",
    "text": "text",
    "usage": "usage",
    "request": "usage",
    "rung": "usage",
    "iteration": "usage",
}
_ALWAYS: Final = frozenset(("notice", "limit", "stalled", "end", "error"))
"""Told whatever was asked for."""
_WIDEST: Final = 100


def categories(text: str, /) -> frozenset[str]:
    """The categories in a list with commas; spaces and capitals do not matter.

    Raises:
        click.UsageError: there is no such category.
    """
    named = [word.strip().lower() for word in text.split(",") if word.strip()]
    unknown = [word for word in named if word not in CATEGORIES]
    if unknown or not named:
        said = f"no category {unknown[0]!r}" if unknown else "no category is named"
        raise click.UsageError(f"--events: {said}; there are {', '.join(CATEGORIES)}")
    return frozenset(CATEGORIES) if "all" in named else frozenset(named)


class Ndjson:
    """One JSON object a line on standard error, of the categories that were asked for."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted

    def take(self, event: Event) -> None:
        """Print it, if it was asked for."""
        if self._is_wanted(event):
            self.put(event.as_dict())
        if event.kind == "end" and not event.depth and "usage" in self._wanted:
            self.put(_spend(event.detail))

    def notice(self, text: str) -> None:
        """A line for the person, as an object."""
        self.put({"event": "notice", "text": text})

    def put(self, value: Mapping[str, Any]) -> None:
        """Print one object."""
        say(json.dumps(value, ensure_ascii=False))

    def rest(self) -> None:
        """Objects are printed to the end: whoever reads them counts on it."""

    def close(self) -> None:
        """Nothing is left open."""

    def _is_wanted(self, event: Event) -> bool:
        if event.kind in _ALWAYS and not event.depth:
            return True
        if event.depth and "subagent" not in self._wanted:
            return event.kind == "approval" and "approval" in self._wanted  # whoever decides has to hear of every one
        return _OF_KIND.get(event.kind, "usage") in self._wanted or bool(event.depth)


class Lines:
    """Notices as lines; on a terminal one live line below them that says where the run is."""

    def __init__(self, stream: Stream, *, is_live: bool) -> None:
        self._stream = stream
        self._is_live = is_live
        self._drawn = ""
        self._facts: dict[str, str] = {}
        self._waiting: list[str] | None = None  # notices that come while somebody is asked something

    def take(self, event: Event) -> None:
        """Show it, if it is worth a person's eye."""
        if event.kind == "notice":
            self.notice(str(event.detail.get("text", "")))
        elif self._is_live:
            self._note(event)
            if self._waiting is None:
                self._draw()

    def notice(self, text: str) -> None:
        """A line for the person, above the live one."""
        line = f"sostenuto: {printable(' '.join(text.split()))}"  # it may quote a provider, a tool or a file
        if self._waiting is not None:
            self._waiting.append(line)
            return
        self.close()
        say(line)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nothing is drawn inside; notices that come meanwhile are told afterwards."""
        self.close()
        waiting: list[str] = []
        self._waiting = waiting
        try:
            yield
        finally:
            self._waiting = None
            for line in waiting:
                say(line)

    def rest(self) -> None:
        """Take the live line away for good: the run is ending, and what is drawn now would stay if it is killed."""
        self.close()
        self._is_live = False

    def close(self) -> None:
        """Take the live line away."""
        if self._drawn:
            self._write("\r" + " " * len(self._drawn) + "\r")
            self._drawn = ""

    def _note(self, event: Event) -> None:
        detail = event.detail
        name = f"agent {event.depth}: " if event.depth else ""
        match event.kind:
            case "iteration":
                of = f"/{detail['limit']}" if detail.get("limit") else ""
                self._facts["step"] = f"{name}step {detail['number']}{of}"
            case "request":
                self._facts["fill"] = f"context {detail['percent']} %"
                self._facts["now"] = "thinking"
            case "tool-start":
                self._facts["now"] = visible(str(detail["name"]))
            case "usage" if detail.get("cost_known") and detail.get("total_usd"):
                self._facts["cost"] = f"${detail['total_usd']:.2f}"
            case _:
                return

    def _draw(self) -> None:
        text = " · ".join(self._facts[key] for key in ("step", "fill", "cost", "now") if key in self._facts)[:_WIDEST]
        plain = text if _can_show(self._stream, text) else text.replace("·", "-")
        if plain != self._drawn:
            self._write("\r" + plain + " " * max(0, len(self._drawn) - len(plain)))
            self._drawn = plain

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._is_live = False


def _can_show(stream: Stream, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _spend(detail: Mapping[str, Any]) -> dict[str, Any]:
    """What the run cost, for a program that adds up."""
    cost = {"costUSD": detail.get("cost_usd")} if detail.get("cost_known") else {}
    return {"event": "run_spend", **cost, "costIncomplete": not detail.get("cost_known"), "totalTokens": detail.get("total_tokens", 0)}
