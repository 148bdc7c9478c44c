"""The fixed sections of a checkpoint (origin 6.5): their names, reading them from text, carrying them from one checkpoint to the next."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sostenuto.checkpoint._numbers import NUMBERS

GOAL = "Goal"
CONSTRAINTS = "Constraints & Preferences"
COVERED = "Covered So Far"
PROGRESS = "Progress"
DONE = "Done"
IN_PROGRESS = "In Progress"
BLOCKED = "Blocked"
DECISIONS = "Key Decisions"
NEXT = "Next Steps"
CRITICAL = "Critical Context"

HEADINGS: tuple[str, ...] = (GOAL, CONSTRAINTS, COVERED, PROGRESS, DECISIONS, NEXT, CRITICAL)
"""The seven headings, in their order; `PROGRESS` holds the three of `SUBHEADINGS`."""
SUBHEADINGS: tuple[str, ...] = (DONE, IN_PROGRESS, BLOCKED)
SECTIONS: tuple[str, ...] = (GOAL, CONSTRAINTS, COVERED, DONE, IN_PROGRESS, BLOCKED, DECISIONS, NEXT, CRITICAL)
"""The sections that hold text."""

NONE = "(none)"
RECORDED = "Recorded from the transcript:"
"""Opens the lines code wrote in a section; what stands before it is the model's."""

Sections = Mapping[str, str]
"""Section name -> its text; a missing name is a section that was not written, ``(none)`` one that was written empty."""

_HEADING = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+|\*\*)([A-Za-z][A-Za-z &]{1,40}?)(?:\*\*)?:?(?:\*\*)?[ \t#]{0,8}$")
_VERBATIM = re.compile(r"- m[0-9.]{1,30} \((?:open|answered|cancelled); ([0-9]{1,9})(?: of [0-9]{1,12})? characters\):$")
_KNOWN = {name.lower().replace("&", "and"): name for name in (*SECTIONS, PROGRESS)}


def heading(line: str) -> str | None:
    """The schema's name for a heading line (any level, bold or not, "and" for "&"), or None."""
    match = _HEADING.match(line) if len(line) < 80 else None
    return _KNOWN.get(match.group(1).strip().lower().replace("&", "and")) if match else None


def parse(text: str, *, recorded: bool = False) -> dict[str, str]:
    """The sections of a checkpoint or a summary; text before the first heading is left out, as is what code wrote unless `recorded`.

    A request that is quoted with its length is stepped over, so a heading inside it is not taken for one.
    """
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    position, skipping = 0, False
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end]
        quote = _VERBATIM.match(line)
        if quote:
            end = min(len(text), end + 1 + int(quote.group(1)))
            line = text[position:end]
        name = None if quote else heading(line)
        if name is not None:
            current, skipping = found.setdefault(name, []), False
        elif current is not None:
            skipping = skipping or (line.strip() == RECORDED and not recorded)
            if not skipping:
                current.append(line)
        position = end + 1
    return {name: "\n".join(lines).strip() or NONE for name, lines in found.items()}


def merged(prior: Sections | None, new: Sections) -> dict[str, str]:
    """`new`, with what it does not mention carried over from `prior` (origin 6.5).

    A section `new` writes as empty is empty, except `COVERED`, whose lines only grow (bounded, oldest first out).
    """
    out = {name: text for name, text in new.items() if name in SECTIONS}
    for name, text in (prior or {}).items():
        if name in SECTIONS and (name not in out):
            out[name] = text
    out[COVERED] = _grown((prior or {}).get(COVERED, NONE), out.get(COVERED, NONE))
    return out


def _grown(before: str, after: str) -> str:
    lines = dict.fromkeys(line for text in (before, after) for line in text.splitlines() if line.strip() and line.strip() != NONE)
    kept: list[str] = []
    left = NUMBERS.covered_prose
    for line in reversed(lines):
        left -= len(line) + 1
        if left < 0 and kept:
            break
        kept.append(line[: NUMBERS.covered_prose])
    return "\n".join(reversed(kept)) or NONE
