"""The claims of a ledger as lines: title, items in the order they are poured, and the line that stands for what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sostenuto.checkpoint import _schema as schema
from sostenuto.checkpoint._claims import Claims, State, Touch
from sostenuto.checkpoint._ledger import Asked, Deed
from sostenuto.checkpoint._numbers import NUMBERS, SHARES
from sostenuto.checkpoint._redaction import redacted


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to print: `forms` from longest to shortest, `place` orders the print, `clipped` when even the longest is cut."""

    forms: tuple[str, ...]
    place: int
    clipped: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """Items of one kind. `key` lists all of them (D47); `share` is its part of the budget."""

    name: str
    section: str
    title: str
    items: tuple[Item, ...]
    key: str
    share: float
    quiet: bool = False

    def overflow(self, hidden: int, *, recall_named: bool) -> str:
        """The line for `hidden` items that are not printed."""
        if self.quiet:
            return ""
        return f"+{hidden:,} more {self.name}: recall {self.key}" if recall_named else f"+{hidden:,} more {self.name} not listed"

    def silent(self) -> Claim:
        """This claim without its overflow line, where there is no room for one."""
        return replace(self, quiet=True)


def one_line(text: str, limit: int) -> str:
    """`text` on one line, at most `limit` characters, the cut marked."""
    flat = " ".join(text[: 4 * limit].split())
    return flat if len(flat) <= limit and len(text) <= 4 * limit else flat[: limit - 1] + "…"


def ends(text: str, limit: int, *, tail: int) -> str:
    """`text`, or its first and last characters around a mark, at most `limit` characters."""
    if len(text) <= limit:
        return text
    mark = "\n[…]\n"
    return text[: limit - tail - len(mark)] + mark + text[len(text) - tail :]


def path_claims(content: Claims, *, ranges: bool) -> tuple[Claim, ...]:
    """Modified paths, then those read; newest first, failed attempts last, each exactly as the call gave it."""
    modified = [*_path_lines(content.modified, ranges=False), *_failed_lines(content.attempted, wrote=True)]
    read = [*_path_lines(content.read, ranges=ranges), *_failed_lines(content.attempted, wrote=False)]
    rows = (("modified paths", "Modified:", modified, "files:modified"), ("read paths", "Read or inspected:", read, "files:read"))
    # the share decides nothing but who is first: what modified paths leave flows to the others
    shares = (1.0, 0.0)
    return tuple(
        Claim(name, schema.COVERED, title, tuple(Item((line,), i) for i, line in enumerate(lines)), key, share)
        for (name, title, lines, key), share in zip(rows, shares, strict=True)
        if lines
    )


def _path_lines(touched: dict[str, Touch], *, ranges: bool) -> Iterator[str]:
    for path in reversed(touched):
        yield f"- {path}{_ranges(touched[path]) if ranges else ''}"


def _failed_lines(attempted: dict[str, bool], *, wrote: bool) -> Iterator[str]:
    return (f"- {path} (attempted, failed)" for path in reversed(attempted) if attempted[path] is wrote)


def _ranges(touch: Touch) -> str:
    if touch.whole or not touch.ranges:
        return ""
    newest = list(touch.ranges)[-NUMBERS.ranges :]
    return f" (lines {', '.join(newest)}{', …' if len(touch.ranges) > len(newest) else ''})"


def ledger_claims(content: Claims) -> tuple[Claim, ...]:
    """The other claims, in the order of D53; empty ones are left out."""
    wanted = (
        Claim("rules of the user", schema.CONSTRAINTS, "Said by the user, to hold on to:", _rules(content), "requests", SHARES["rules"]),
        Claim("open requests", schema.GOAL, "Requests of the user still open:", _open(content), "requests", SHARES["open"]),
        Claim("running", schema.IN_PROGRESS, "Still running, do not start again:", _running(content), "running", SHARES["running"]),
        Claim("failed commands", schema.BLOCKED, "Failed when last run:", _failed(content), "commands", SHARES["failed"]),
        Claim("values", schema.CRITICAL, "Exact values in use:", _values(content), "values", SHARES["values"]),
        Claim(
            "closed requests", schema.DONE, "Requests answered or cancelled, do not redo:", _closed(content), "requests", SHARES["answered"]
        ),
        Claim("commands", schema.DONE, "Commands run:", _commands(content), "commands", SHARES["commands"]),
    )
    return tuple(claim for claim in wanted if claim.items)


def request_forms(asked: Asked, state: State) -> tuple[str, ...]:
    """A request whole (or head and tail beyond 2,000 characters), shortened, and as one line."""
    line = f'- {asked.key} ({state}): "{one_line(asked.text, NUMBERS.line)}"'
    if len(asked.text) <= NUMBERS.line and "\n" not in asked.text:
        return (f'- {asked.key} ({state}): "{asked.text}"',)
    bodies = [ends(asked.text, NUMBERS.request_whole, tail=NUMBERS.request_tail)]
    if len(asked.text) > NUMBERS.request_short:
        bodies.append(ends(asked.text, NUMBERS.request_short, tail=NUMBERS.request_short // 3))
    return (*(_measured(asked, state, body=body) for body in bodies), line)


def _measured(asked: Asked, state: State, *, body: str) -> str:
    # the length lets a reader step over the words, whatever they contain
    of = "" if body == asked.text else f" of {len(asked.text)}"
    return f"- {asked.key} ({state}; {len(body)}{of} characters):\n{body}"


def _requests(asked: Iterable[Asked], state: State) -> Iterator[Item]:
    for one in asked:
        yield Item(request_forms(one, state), one.ordinal, clipped=len(one.text) > NUMBERS.request_whole)


def _rules(content: Claims) -> tuple[Item, ...]:
    lines = [f"- {redacted(sentence)} ({asked.key})" for sentence, asked in content.rules.items()]
    # the oldest were said when the work was set out; the newest may correct them
    order = [*range(len(lines) - 1, len(lines) // 2 - 1, -1), *range(len(lines) // 2)]
    return tuple(Item((lines[place],), place) for place in order)


def _open(content: Claims) -> tuple[Item, ...]:
    asked = content.asked("open")
    found = list(_requests([one for one in asked if not one.is_rule or one is asked[-1]], "open"))
    # the newest first, then the task, then the others from new to old
    return tuple([*found[-1:], *found[:1], *found[-2:0:-1]] if len(found) > 1 else found)


def _closed(content: Claims) -> tuple[Item, ...]:
    cancelled = list(_requests(content.asked("cancelled"), "cancelled"))
    answered = list(_requests([one for one in content.asked("answered") if not one.is_rule], "answered"))
    return (*reversed(cancelled), *reversed(answered))


def _running(content: Claims) -> tuple[Item, ...]:
    return tuple(
        Item((f"- {one_line(name, NUMBERS.name)}: started by {_what(deed)} ({deed.key})",), -i)
        for i, (name, deed) in enumerate(reversed(content.running.items()))
    )


def _failed(content: Claims) -> tuple[Item, ...]:
    lines = (f"- {_what(deed)}{_exit(deed)}{_error(deed)} ({deed.key})" for deed in reversed(content.failed.values()))
    return tuple(Item((line,), -i) for i, line in enumerate(lines))


def _commands(content: Claims) -> tuple[Item, ...]:
    lines = (f"- {_what(deed)}{_exit(deed)} ({deed.key})" for deed in reversed(content.commands.values()))
    return tuple(Item((line,), -i) for i, line in enumerate(lines))


def _values(content: Claims) -> tuple[Item, ...]:
    lines = (f"- {one_line(redacted(value), NUMBERS.value)} ({key})" for value, key in reversed(content.values.items()))
    return tuple(Item((line,), -i) for i, line in enumerate(lines))


def _what(deed: Deed) -> str:
    command = deed.facts.command
    return f"`{one_line(redacted(command), NUMBERS.command)}`" if command else one_line(deed.name, NUMBERS.name)


def _exit(deed: Deed) -> str:
    return "" if deed.facts.exit_status is None else f" exit {deed.facts.exit_status}"


def _error(deed: Deed) -> str:
    return f": {one_line(redacted(deed.error), NUMBERS.error)}" if deed.error else ""
