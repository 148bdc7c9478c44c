"""The numbers of this room that no caller sets, each with its reason. What a caller may set is in `Settings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Numbers:
    """Tokens unless the comment says otherwise."""

    placeholder: int = 40  # about what a placeholder costs; only for weighing gain, never for a count
    summary_least: int = 512
    summary_most: int = 8_000  # B083: no model may be asked for more than any current one can write in one answer
    summary_share: float = 0.05  # of the budget
    summary_excess: int = 2  # times what was asked for: a summary longer than that is an echo of its prompt, or a ramble
    deadline_floor_s: float = 60.0  # seconds
    deadline_per_token_s: float = 0.004  # B087: 100,000 tokens get 460 seconds; a fixed limit fails exactly the big sessions
    line: int = 64  # about what one line in place of a result takes, framing included
    call_floor: int = 160  # D50: what a call keeps when its arguments are cut inside their strings, framing included
    cut_frame: int = 16  # framing around the text of a cut piece: its message, its id
    least_piece: int = 8  # nothing is cut to less of its own text
    told: int = 400  # characters: what a cut message keeps of its beginning
    note: int = 48  # the note between head and tail of a cut piece
    note_slack: int = 8  # a note with larger figures in it
    string_least: int = 16  # what a string inside arguments keeps
    string_slack: int = 24  # a string is not worth cutting for less
    cut_tries: int = 4  # times: a second look is nearly always enough; the number only bounds the work
    checkpoint_frame: int = 160  # continuation and framing that come with any checkpoint
    known_share: float = 0.25  # of the tail: what known work state may take in a checkpoint (D43)
    shrinking: tuple[float, ...] = (1.0, 0.5, 0.25, 0.1)  # shares of its bounds that a checkpoint is tried with when space is tight
    prose_least: float = 0.25  # of those shares, the last at which a checkpoint has no room for a model's prose
    read_share: float = 0.02  # of the budget: what a read result of the kept part keeps when it must be cut (D21)
    read_price: float = 0.1  # D52: of a token that was sent before in the same place
    write_price: float = 1.25  # D52: of a token that is sent anew
    poor: int = 2  # compactions in a row that free too little before the breaker opens (D21)
    nudge_frame: int = 4  # origin 1.2: the message that nudges are sent in


NUMBERS: Final = Numbers()
