"""The ruler: what a message, a part or a text costs for one model, and where to cut a text (origin 1.2, D2)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache

from sostenuto.messages import Call, Media, Message, Opaque, Part, Result, Text, Thinking
from sostenuto.tokens._calibration import Calibration, fresh
from sostenuto.tokens._clip import clipped
from sostenuto.tokens._families import family
from sostenuto.tokens._measure import Measure
from sostenuto.tokens._media import ANY_PROVIDER, MediaPrices, media_tokens
from sostenuto.tokens._prices import media_prices
from sostenuto.tokens._weigher import Weigher, WeightedCharacters, forgetful, remembering
from sostenuto.tokens._weights import TABLE


@dataclass(frozen=True, slots=True)
class Framing:
    """Tokens that are no text of the message (origin 1.2)."""

    message: int = 4
    further_part: int = 4  # a second part of a message is framed like a message of its own on several wires
    result_id: int = 10
    thinking: int = 10  # the block around a reasoning summary, which some wires send as JSON
    seal: int = 600  # bytes of a sealed payload that are its key and envelope; the rest are 4 bytes to a token
    sealed_bytes: int = 4


FRAMING = Framing()
_WORDED = (Text, Opaque)
"""Parts that are nothing but their text."""
_WRITTEN = json.JSONEncoder(ensure_ascii=False).encode
"""One for all calls: making an encoder takes longer than most of what it writes."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """Counts for one model. Counting never raises, and takes linear time on any string (D4).

    Attributes:
        weigher: what turns text into weight; the caller wraps it once with `remembering` to keep counts.
        calibration: what was learned from reports; replace it (`dataclasses.replace`) to use newer knowledge.
        prices: what the provider counts for attachments.
    """

    weigher: Weigher = field(default_factory=lambda: WeightedCharacters("o200k"))
    calibration: Calibration = field(default_factory=fresh)
    prices: MediaPrices = ANY_PROVIDER

    def measure(self, message: Message, /) -> Measure:
        """Weight and flat tokens of a message: 4, and its parts (each after the first 4 more). The sum over messages is theirs."""
        total = Measure(0, FRAMING.message + FRAMING.further_part * max(0, len(message.parts) - 1))
        for part in message.parts:
            total = total + self.part(part)
        return total

    def part(self, part: Part, /) -> Measure:
        """Weight and flat tokens of one part, without the framing of its message.

        A call counts as compact JSON, a result 10 more for its id, thinking by its readable text or else by how
        much is sealed in it (D5), media by their dimensions. A piece of an unknown type counts as its printed form.
        """
        return Measure(*self.figures(part))

    def figures(self, part: Part, /) -> tuple[int, int]:
        """The same as plain numbers, for sums over long histories."""
        if isinstance(part, _WORDED):
            return self._weight(part.text), 0
        if isinstance(part, Result):
            return self._weight(part.text), FRAMING.result_id + (sum(map(self.attachment, part.media)) if part.media else 0)
        if isinstance(part, Call):
            return self.weigher(_call_text(part)), 0
        if isinstance(part, Thinking):
            return self._weight(part.text), FRAMING.thinking + (0 if part.text else sealed_tokens(_as_text(part.sealed)))
        rest: object = part  # a piece of a type of tomorrow is data too
        return (0, self.attachment(rest)) if isinstance(rest, Media) else (self._weight(rest), 0)

    @property
    def mark(self) -> str:
        """By what this ruler weighs: figures under the same mark are the same. "" for a weigher of somebody else's, which may change."""
        inner = forgetful(self.weigher)
        return _mark(inner.name, self.prices) if type(inner).__module__.startswith("sostenuto.") else ""

    def attachment(self, media: Media, /) -> int:
        """Tokens of an attachment as it is sent, by the provider's prices."""
        return media_tokens(media, self.prices)

    def text(self, text: str, /) -> int:
        """Tokens of a plain text, rounded up, without any framing or offset."""
        return self.calibration.tokens(Measure(self._weight(text), 0))

    def tokens(self, measure: Measure, /) -> int:
        """Tokens of a sum of messages, without the offset."""
        return self.calibration.tokens(measure)

    def total(self, measure: Measure, /) -> int:
        """Tokens of a request: its messages and the learned offset."""
        return self.calibration.total(measure)

    def clip(self, text: str, /, *, head: int, tail: int) -> tuple[str, str]:
        """The first and the last piece of a text, of at most so many tokens each; they never overlap.

        Cuts lie between characters, at a line end where one is near, never inside a surrogate pair. A text that is no
        longer than both together comes back whole as the first piece.
        """
        weigher, known = forgetful(self.weigher), self.calibration
        return clipped(_as_text(text), lambda piece: known.tokens(Measure(weigher(piece), 0)), head=head, tail=tail)

    def _weight(self, text: object) -> int:
        return self.weigher(text if type(text) is str else _as_text(text))


@lru_cache(maxsize=64)
def _mark(name: str, prices: MediaPrices) -> str:
    return hashlib.blake2b(repr((name, prices, FRAMING, TABLE)).encode(), digest_size=4).hexdigest()


def sealed_tokens(payload: str, /) -> int:
    """Tokens of reasoning that is sent again encrypted: the provider counts what is inside, not the base64 around it (D5).

    From what was billed for recorded payloads: 1,036 characters for 40 tokens, 4,772 for about 720.
    """
    return max(0, len(payload) * 3 // 4 - FRAMING.seal) // FRAMING.sealed_bytes


def ruler(hint: str, /, *, weigher: Weigher | None = None, calibration: Calibration | None = None) -> Ruler:
    """A ruler with a memory for the model of a ``provider:model`` hint.

    Args:
        hint: tells the family; an unknown one counts with the cautious defaults.
        weigher: an exact counter of the model's encoding, where one is installed.
        calibration: what was learned before; one that belongs to another kind of weigher is not used.
    """
    found = family(hint)
    chosen = weigher if weigher is not None else WeightedCharacters(found.group)
    known = calibration if calibration is not None and calibration.exact == chosen.exact else fresh(seed=found.seed, exact=chosen.exact)
    return Ruler(weigher=remembering(chosen), calibration=known, prices=media_prices(hint))


def _call_text(call: Call) -> str:
    """Compact JSON of a call, its arguments as the JSON they are: neither object nor text is escaped a second time."""
    arguments = _as_text(call.arguments)
    return f'{{"id":{_quoted(call.id)},"type":"function","function":{{"name":{_quoted(call.name)},"arguments":{arguments or "{}"}}}}}'


def _quoted(text: str) -> str:
    return _WRITTEN(_as_text(text))


def _as_text(value: object) -> str:
    """Odd content is data: None weighs nothing, everything else what it prints as."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return str(value)
    except Exception:  # an object that cannot even be printed is not worth failing a run
        return ""
