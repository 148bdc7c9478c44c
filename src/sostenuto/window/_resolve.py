"""How many tokens the model will really take, and who says so (origin 2.1, D6 to D8)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from sostenuto.window._entry import Match
from sostenuto.window._providers import is_local

Source = Literal["pinned", "server", "learned", "catalogue", "fallback"]

FALLBACK: Final = 128_000
"""Tokens assumed for a model nobody knows. It never caps anything (origin 2.1)."""
_SERVES_THE_SMALLER: Final = ("vllm", "hosted_vllm", "sglang")
_LOWEST_OUTPUT: Final = 1_024
_OUTPUT_SHARE: Final = 8  # an output request is never lowered below an eighth of the window (D6)
_SMALL_SHARE: Final = 2  # a request for more than half of the window means that the window is small for it


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about a model's window, in tokens. Absent, zero, negative and non-finite numbers are all absent.

    Attributes:
        provider, model: who serves what.
        stated: the user's own statement of the window; it holds for every provider and no catalogue changes it (B037).
        pinned: the window a local server was asked to load (its ``num_ctx``); ignored for hosted models (a leaked setting).
        server: what the running server reports.
        learned: the maximum an overflow error named (D8).
        served: what a server that cuts silently really took (D3); an upper bound, never a reason to go higher.
        match: the catalogue's entry, from `lookup`.
        ceiling: the caller's own limit; it only lowers.
        near: listed names that look like this one, from `nearest`, for the note of a model nobody knows.
        dates: source -> date of that fact, for those that have one.
    """

    provider: str = ""
    model: str = ""
    stated: float | None = None
    pinned: float | None = None
    server: float | None = None
    learned: float | None = None
    served: float | None = None
    match: Match | None = None
    ceiling: float | None = None
    near: tuple[str, ...] = ()
    dates: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """The provider serves a window of its own choice."""
        return is_local(self.provider)


@dataclass(frozen=True, slots=True)
class Window:
    """The window to work with.

    Attributes:
        tokens: input tokens at most, after every cap.
        source, date: where the number comes from, and of when it is ("" if not known). A ceiling keeps both.
        total: tokens of input and output together, for providers that reject their sum.
        output_limit: output tokens at most (0 unknown).
        maximum: what the catalogue publishes for the model (0 unknown).
        capped: the caller's ceiling lowered `tokens`.
        notes: lines for the person.
    """

    tokens: int
    source: Source
    date: str = ""
    total: int = 0
    output_limit: int = 0
    maximum: int = 0
    capped: bool = False
    notes: tuple[str, ...] = ()

    def reserve(self, requested: int | None, /) -> int:
        """Tokens to keep free for the answer: what is requested, lowered where the window is small for it (D6)."""
        if requested is None or requested <= 0:
            return 0
        wanted = min(requested, self.output_limit or requested)
        return wanted if wanted * _SMALL_SHARE <= self.total else self.lowest_reserve(wanted)

    def lowest_reserve(self, requested: int | None, /) -> int:
        """How far an output request may be lowered before history is cut: not below 1,024 tokens or an eighth of the window (D6)."""
        if requested is None or requested <= 0:
            return 0
        return min(requested, max(_LOWEST_OUTPUT, self.total // _OUTPUT_SHARE), max(0, self.total))

    def budget(self, requested: int | None = None, /) -> int:
        """Input tokens at most when so many output tokens are requested; W of the origin. Input + output never pass `total`."""
        return max(0, min(self.tokens, self.total - self.reserve(requested)))


def resolve(facts: Facts, /) -> Window:
    """The window and its source. Never raises; an unknown model is a visible note (B039)."""
    maximum = facts.match.entry.takes if facts.match else None
    tokens, source = _runtime(facts, maximum=maximum)
    bound = _number(facts.served)
    if bound is not None and bound < tokens:
        tokens, source = bound, "learned"
    ceiling = _number(facts.ceiling)
    capped = ceiling is not None and ceiling < tokens
    total = tokens
    if source == "catalogue" and facts.match:
        total = max(tokens, facts.match.entry.context)
    return Window(
        tokens=ceiling if capped and ceiling is not None else tokens,
        source=source,
        date=_date(facts, source),
        total=total,
        output_limit=facts.match.entry.output if facts.match else 0,
        maximum=maximum or 0,
        capped=capped,
        notes=_notes(facts, tokens=tokens, source=source, maximum=maximum),
    )


def start_warning(facts: Facts, window: Window, /) -> str | None:
    """What to tell a person whose local server pins nothing: the number assumed, why, and how to pin one (origin 2.2). Else None."""
    if not facts.is_local or window.source not in ("catalogue", "fallback"):
        return None
    if window.capped:
        assumed = f"your ceiling of {window.tokens:,} tokens"
    elif window.source == "catalogue":
        assumed = f"the model's maximum of {window.tokens:,} tokens"
    else:
        assumed = f"{window.tokens:,} tokens, which is only an estimate"
    return (
        f"no window is pinned for {facts.provider}:{facts.model}; assuming {assumed}. The server may load fewer and drop the "
        "oldest messages without an error: set the window to the number it really loads (llm.numCtx for a run, window= in the library)"
    )


def _runtime(facts: Facts, *, maximum: int | None) -> tuple[int, Source]:
    stated, learned = _number(facts.stated), _number(facts.learned)
    if stated is not None:
        return (learned, "learned") if learned is not None and learned < stated else (stated, "pinned")
    tokens, source = _local(facts, maximum=maximum) if facts.is_local else _hosted(facts)
    if tokens is not None and source is not None:
        return (learned, "learned") if learned is not None and learned < tokens else (tokens, source)
    if learned is not None:
        return learned, "learned"
    return (maximum, "catalogue") if maximum is not None else (FALLBACK, "fallback")


def _hosted(facts: Facts) -> tuple[int | None, Source | None]:
    server = _number(facts.server)
    return (server, "server") if server is not None else (None, None)


def _local(facts: Facts, *, maximum: int | None) -> tuple[int | None, Source | None]:
    pinned, server = _number(facts.pinned), _number(facts.server)
    if pinned is None:
        return (server, "server") if server is not None else (None, None)
    if facts.provider.strip().lower() in _SERVES_THE_SMALLER and server is not None:
        return min(pinned, server), "pinned"  # the pin never changes such a server
    is_confirmed = server is not None and server >= pinned
    if maximum is not None and not is_confirmed:
        pinned = min(pinned, maximum)
    return pinned, "pinned"


def _notes(facts: Facts, *, tokens: int, source: Source, maximum: int | None) -> tuple[str, ...]:
    name = f"{facts.provider}:{facts.model}".strip(":") or "this model"
    notes = []
    if source == "fallback":
        meant = f". Did you mean {' or '.join(facts.near)}? Else state the window" if facts.near else ". State the window if it is another"
        meant = "" if facts.is_local else meant  # nobody's list knows what such a server loads; `start_warning` says what to do
        notes.append(f"the window of {name} is not known; {FALLBACK:,} tokens are assumed{meant}")
    if source == "catalogue" and facts.match and not facts.match.is_exact:
        alike = f"{facts.match.entry.provider}:{facts.match.entry.model}"
        notes.append(f"{name} is not in the catalogue; {tokens:,} tokens are taken from {alike}, the smallest that is alike")
    stated = _number(facts.stated)
    if stated is not None and source == "pinned" and maximum is not None and stated > maximum:
        notes.append(f"the stated window of {stated:,} tokens is above the {maximum:,} the catalogue has for {name}")
    if source == "learned":
        notes.append(f"{name} took {tokens:,} tokens at most, as the provider itself showed")
    return tuple(notes)


def _date(facts: Facts, source: Source) -> str:
    if source == "catalogue" and facts.match:
        return facts.match.entry.date
    return str(facts.dates.get(source, ""))


def _number(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 1:
        return None
    return int(value)
