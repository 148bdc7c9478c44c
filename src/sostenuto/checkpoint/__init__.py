"""What does a checkpoint contain? The ledger, its bounded print, the fixed sections, and which summaries are accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.checkpoint._acceptance import Accepted, Refused, accept
    from sostenuto.checkpoint._claims import Claims, claims
    from sostenuto.checkpoint._composition import compose, digest
    from sostenuto.checkpoint._known_work import work_block
    from sostenuto.checkpoint._ledger import EMPTY, Ledger, fold
    from sostenuto.checkpoint._listing import listing
    from sostenuto.checkpoint._numbers import NUMBERS
    from sostenuto.checkpoint._progress import progress
    from sostenuto.checkpoint._prompt import prompt
    from sostenuto.checkpoint._redaction import redacted
    from sostenuto.checkpoint._rendering import Fold, Rendering, render
    from sostenuto.checkpoint._schema import HEADINGS, SECTIONS, Sections, merged, parse
    from sostenuto.checkpoint._transcript import chunks
    from sostenuto.checkpoint._wording import CONTINUATION, compacted_nudge

__all__ = [
    "CONTINUATION",
    "EMPTY",
    "HEADINGS",
    "NUMBERS",
    "SECTIONS",
    "Accepted",
    "Claims",
    "Fold",
    "Ledger",
    "Refused",
    "Rendering",
    "Sections",
    "accept",
    "chunks",
    "claims",
    "compacted_nudge",
    "compose",
    "digest",
    "fold",
    "listing",
    "merged",
    "parse",
    "progress",
    "prompt",
    "redacted",
    "render",
    "work_block",
]

_HOMES = {
    "Accepted": "_acceptance",
    "CONTINUATION": "_wording",
    "Claims": "_claims",
    "EMPTY": "_ledger",
    "Fold": "_rendering",
    "HEADINGS": "_schema",
    "Ledger": "_ledger",
    "NUMBERS": "_numbers",
    "Refused": "_acceptance",
    "Rendering": "_rendering",
    "SECTIONS": "_schema",
    "Sections": "_schema",
    "accept": "_acceptance",
    "chunks": "_transcript",
    "claims": "_claims",
    "compacted_nudge": "_wording",
    "compose": "_composition",
    "digest": "_composition",
    "fold": "_ledger",
    "listing": "_listing",
    "merged": "_schema",
    "parse": "_schema",
    "progress": "_progress",
    "prompt": "_prompt",
    "redacted": "_redaction",
    "render": "_rendering",
    "work_block": "_known_work",
}

__getattr__ = door(__name__, _HOMES)
