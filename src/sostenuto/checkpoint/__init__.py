"""What does a checkpoint contain? The ledger, its bounded print, the fixed sections, and which summaries are accepted."""

from sostenuto.checkpoint._acceptance import Accepted, Refused, accept
from sostenuto.checkpoint._claims import Claims, State, Touch, claims
from sostenuto.checkpoint._ledger import EMPTY, Asked, Deed, Ledger, fold
from sostenuto.checkpoint._mechanical import Checkpoint, compose, digest, frame_tokens, listing, mechanical
from sostenuto.checkpoint._numbers import NUMBERS
from sostenuto.checkpoint._progress import progress
from sostenuto.checkpoint._prompt import prompt
from sostenuto.checkpoint._redaction import redacted
from sostenuto.checkpoint._rendering import Fold, Rendering, render
from sostenuto.checkpoint._schema import HEADINGS, SECTIONS, Sections, merged, parse
from sostenuto.checkpoint._transcript import chunks, clipped
from sostenuto.checkpoint._wording import CONTINUATION, compacted_nudge, is_ours

__all__ = [
    "CONTINUATION",
    "EMPTY",
    "HEADINGS",
    "NUMBERS",
    "SECTIONS",
    "Accepted",
    "Asked",
    "Checkpoint",
    "Claims",
    "Deed",
    "Fold",
    "Ledger",
    "Refused",
    "Rendering",
    "Sections",
    "State",
    "Touch",
    "accept",
    "chunks",
    "claims",
    "clipped",
    "compacted_nudge",
    "compose",
    "digest",
    "fold",
    "frame_tokens",
    "is_ours",
    "listing",
    "mechanical",
    "merged",
    "parse",
    "progress",
    "prompt",
    "redacted",
    "render",
]
