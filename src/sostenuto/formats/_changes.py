"""The changes asked of one message, checked once for both wires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sostenuto.errors import UnusableInput
from sostenuto.formats._text import well_formed
from sostenuto.messages import Call, Media, Part, Result, Text

Change = Part | None
"""What a part shall read as; None leaves it out."""


def effective(parts: Sequence[Part], changes: Mapping[int, Change], /) -> dict[int, Change]:
    """The changes that change something, their texts well-formed; a blank `Text` counts as leaving the part out (D57).

    Raises `UnusableInput` for a part that does not exist, another class of part, or sealed and unknown parts that would be altered (D29).
    """
    found: dict[int, Change] = {}
    for index, new in changes.items():
        if not 0 <= index < len(parts):
            raise UnusableInput(f"part {index} does not exist in a message of {len(parts)} parts; address one of them")
        old = parts[index]
        if new == old:
            continue
        found[index] = None if new is None else _checked(old, new)
    return found


def _checked(old: Part, new: Part) -> Change:
    if isinstance(new, Text) and isinstance(old, Text | Media):
        return Text(well_formed(new.text)) if new.text.strip() else None
    if isinstance(new, Result) and isinstance(old, Result):
        return replace(new, text=well_formed(new.text))
    if isinstance(new, Call) and isinstance(old, Call):
        return replace(new, arguments=well_formed(new.arguments))
    raise UnusableInput(
        f"a {type(old).__name__} cannot become a {type(new).__name__} of other content; "
        "leave it out with None, or replace text, calls and results by their own kind"
    )
