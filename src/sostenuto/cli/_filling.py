"""What fills a window, in lines: its source, its components, its largest pieces, and what was done to make room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from sostenuto.cli._grid import BUFFER, COMPONENTS, FREE, OTHER, grid, ordered
from sostenuto.cli._harmless import one_line, visible
from sostenuto.cli._terminal import Style, count, folded, percent

if TYPE_CHECKING:
    from sostenuto.app import Change, Context, Loss, Other, Whose

KEYS_SHOWN: Final = 3
INDENT: Final = " " * 8
_FIXED: Final = frozenset({"system", "tools"})
_FRONT: Final = "Instructions and tools are counted as of the last request; they are no part of what is kept."
_NO_FRONT: Final = "Instructions and tools are no part of a kept conversation; a run has them in addition."


def context_lines(found: Context, whose: Whose, other: Other, shown: Style) -> Iterable[str]:
    """Everything, for a person."""
    yield shown.paint(
        f"{whose.conversation} of {whose.agent}: {one_line(found.model or 'no model known', width=60)}, {found.format}", "bold"
    )
    usage, window, budget = found.usage, found.window.tokens, found.budget
    of = max(1, budget)
    answer = f"{window - budget:,} tokens kept free for it, so a request may take {budget:,}"
    facts = (
        ("window", f"{window:,} tokens, {_because(found, other)}"),
        *((("answer", answer),) if budget < window else ()),
        ("used", f"{usage.tokens:,} tokens, {percent(usage.tokens / of)}, by {count(found.messages, 'message')}"),
        ("free", f"{found.free:,} tokens, {percent(found.free / of)}"),
        (
            "buffer",
            f"{found.buffer:,} tokens above {found.lines.compact:,}, where history is summarised; clearing begins at {found.lines.clear:,}",
        ),
    )
    for name, text in facts:
        yield from folded(text, width=shown.width, first=f"  {name:<8}", rest=" " * 10)
    if shown.colour:
        yield ""
        yield from grid(usage.components, window=budget, line=found.lines.compact, shown=shown)
    yield from _components(found, shown)
    yield from _largest(found, shown)
    yield from _edits(found.edits, shown)
    yield from ("", *folded(_FRONT if _FIXED & usage.components.keys() else _NO_FRONT, width=shown.width))


def context_entry(found: Context) -> dict[str, Any]:
    """The same for a program."""
    window, lines = found.window, found.lines
    return {
        "model": found.model,
        "format": found.format,
        "messages": found.messages,
        "window": {
            "tokens": window.tokens,
            "source": window.source,
            "date": window.date or None,
            "set": found.stated,
            "setting": found.ceiling or None,
            "published": found.published[0] if found.published else None,
            "publishedDate": found.published[1] if found.published else None,
        },
        "tokens": found.usage.tokens,
        "budget": found.budget,
        "ratio": round(found.usage.tokens / max(1, found.budget), 4),
        "free": found.free,
        "buffer": found.buffer,
        "lines": {"clear": lines.clear, "warn": lines.warn, "compact": lines.compact, "trim": lines.trim},
        "components": dict(found.usage.components),
        "largest": [{"key": key, "tokens": tokens, "source": source} for key, tokens, source in found.largest],
        "edits": [
            {
                "number": edit.number,
                "rung": edit.rung,
                "cause": edit.cause,
                "tokensBefore": edit.tokens_before,
                "tokensAfter": edit.tokens_after,
                "active": edit.active,
                "keys": list(edit.keys),
            }
            for edit in found.edits
        ],
    }


def losses_lines(losses: Sequence[Loss], heading: str) -> Iterable[str]:
    """What left, a line a key: who spoke there, and how many tokens the originals have."""
    yield f"{heading} ({count(len(losses), 'key')}):"
    for loss in losses:
        yield f"  {loss.key}  {one_line(loss.source, width=60)}, {count(loss.tokens, 'token')} as it was said"


def keys_told(keys: Sequence[str]) -> str:
    """The first keys, and how many more there are."""
    more = f" and {len(keys) - KEYS_SHOWN:,} more" if len(keys) > KEYS_SHOWN else ""
    return f"{', '.join(keys[:KEYS_SHOWN])}{more}"


def beside(line: str, keys: Sequence[str], cause: str, *, mark: str, shown: Style) -> Iterable[str]:
    """A line about an edit: what it was about, why, and its mark, on lines of their own where there is no room beside it."""
    told, why, signed = keys_told(keys), visible(cause), shown.paint(mark, "yellow")
    both = "  ".join(filter(None, (told, why)))
    if len(line) + len(both) + len(mark) <= shown.width:
        yield f"{line}{both}{signed}".rstrip()
    elif told and len(line) + len(told) + len(mark) <= shown.width:
        yield f"{line}{told}{signed}".rstrip()
        yield from folded(why, width=shown.width, first=INDENT, rest=INDENT)
    else:
        yield f"{line.rstrip()}{signed}"
        yield from folded(both, width=shown.width, first=INDENT, rest=INDENT)


def _because(found: Context, other: Other) -> str:
    """Where the number comes from, with its date (D7)."""
    window = found.window
    published = f"the published limit of {found.model} is {found.published[0]:,}, as of {found.published[1]}" if found.published else ""
    if other.window is not None:
        said = "given with --window"
    elif found.ceiling:
        said = f"the ceiling llm.maxContextTokens in {found.ceiling}"
    elif found.stated:
        said = "set when the conversation was last used"
    elif window.source == "learned":
        return f"the maximum that an error stated{f' on {window.date}' if window.date else ''}"
    elif window.source == "catalogue":
        return f"the published limit of {found.model}{f', as of {window.date}' if window.date else ''}"
    else:
        return "assumed, for nothing is known about this model; name it with --window"
    return f"{said}; {published}" if published else said


def _components(found: Context, shown: Style) -> Iterable[str]:
    if not found.usage.components:
        return
    yield from ("", shown.paint("By component", "bold"))
    of = max(1, found.budget)
    for name, tokens in ordered(found.usage.components):
        letter, colour = COMPONENTS.get(name, OTHER)
        yield f"  {_letter(letter, colour, shown)}{name:<34} {tokens:>11,} {percent(tokens / of):>11}"
    below = max(0, min(found.free, found.lines.compact - found.usage.tokens))
    yield f"  {_letter(*FREE, shown)}{'free below the line':<34} {below:>11,} {percent(below / of):>11}"
    yield f"  {_letter(*BUFFER, shown)}{'free above it':<34} {found.free - below:>11,} {percent((found.free - below) / of):>11}"


def _letter(letter: str, colour: str, shown: Style) -> str:
    """The letter of the grid, where there is one."""
    return f"{shown.paint(letter, colour)}  " if shown.colour else ""


def _largest(found: Context, shown: Style) -> Iterable[str]:
    if not found.largest:
        return
    yield from ("", shown.paint("Largest pieces in view", "bold"))
    wide = max(len(key) for key, _, _ in found.largest)
    for key, tokens, source in found.largest:
        yield f"  {key:<{wide}} {tokens:>10,}  {one_line(source, width=shown.cut(shown.width - wide - 16))}"


def _edits(edits: Sequence[Change], shown: Style) -> Iterable[str]:
    yield from ("", shown.paint("What was done", "bold"))
    if not edits:
        yield "  nothing: everything is sent as it was said"
    for edit in edits:
        line = f"  {edit.number:>3}  {edit.rung:<8} {edit.tokens_before:>9,} -> {edit.tokens_after:<9,}"
        mark = "" if edit.active else " (undone)"
        yield from beside(f"{line} ", edit.keys, edit.cause, mark=mark, shown=shown)
