"""Every number of this room, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Numbers:
    """Characters unless the comment says otherwise."""

    text: int = 2_000  # the goal, the next step: a paragraph, not a document
    item: int = 500  # one constraint, decision, file or question
    items: int = 50  # entries of a list: what nobody reads any more is no state
    files: int = 200  # entries of the list of files, which are short
    todos: int = 100  # entries
    todo: int = 1_000  # the words of a todo, and what it was checked by
    moment: int = 40  # a time as it is shown; a record may come from anybody's file
    preamble: int = 2_000  # tokens (origin 8.3)
    claims_share: float = 0.4  # of the preamble, what work state and todos may take where there are records too
    records: int = 50  # records a preamble shows at most
    record: int = 40_000  # of a record's summary, what is looked at: more never fits a preamble
    draft_depth: int = 4  # folders and name of a draft (origin 9.1)
    draft_segment: int = 128  # of one of them (origin 9.1)
    draft_segment_bytes: int = 240  # file systems take 255, and a file that is being replaced is called a little longer for a moment


NUMBERS: Final = Numbers()
