"""What a run of requests costs at a provider that caches prefixes (decisions D52)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sostenuto.replaying._pieces import dumped, items
from sostenuto.replaying._prices import PRICES


@dataclass(frozen=True, slots=True)
class Bill:
    """Tokens of one request: read from the provider's cache, sent for the first time, and sent before but no longer cached."""

    cached: int = 0
    appended: int = 0
    rebilled: int = 0

    @property
    def sent(self) -> int:
        """All of them."""
        return self.cached + self.appended + self.rebilled


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens of a whole run. `sent` = common prefixes + `rebilled` + `appended`; `breaks` counts rewritten prefixes.

    `bills` are the tokens of each request, by the same count; they sum up to `sent`.
    """

    sent: int = 0
    rebilled: int = 0
    appended: int = 0
    breaks: int = 0
    bills: tuple[Bill, ...] = ()

    @property
    def requests(self) -> tuple[int, ...]:
        """The tokens of each request."""
        return tuple(bill.sent for bill in self.bills)

    @property
    def billed(self) -> float:
        """The run's price in fresh input tokens (D52)."""
        written = self.rebilled + self.appended
        return PRICES.cached * (self.sent - written) + PRICES.written * written


def costs(bodies: Iterable[Mapping[str, object]], *, weigh: Callable[[object], int], nudges: Sequence[int] = ()) -> Costs:
    """Costs of these request bodies, sent one after the other.

    The common prefix is taken over equal native messages. A message after it is re-billed where it was in any earlier
    request, else appended. `weigh` gives the tokens of a native message and is asked once for each different one. `nudges` says
    how many trailing messages of each body lived in that request only: their going is no break.
    """
    scale = _Scale(weigh)
    seen: set[bytes] = set()
    previous: list[bytes] = []
    bills: list[Bill] = []
    breaks = 0
    for index, body in enumerate(bodies):
        current = [scale.digest(message) for message in items(body)]
        prefix = _common(previous, current)
        standing = len(previous) - (nudges[index - 1] if 0 < index <= len(nudges) else 0)
        breaks += prefix < standing
        rebilled = appended = 0
        for digest in current[prefix:]:
            if digest in seen:
                rebilled += scale.tokens[digest]
            else:
                appended += scale.tokens[digest]
                seen.add(digest)
        bills.append(Bill(sum(scale.tokens[digest] for digest in current[:prefix]), appended, rebilled))
        previous = current
    return Costs(
        sent=sum(bill.sent for bill in bills),
        rebilled=sum(bill.rebilled for bill in bills),
        appended=sum(bill.appended for bill in bills),
        breaks=breaks,
        bills=tuple(bills),
    )


def input_cost_ratio(run: Costs, doing_nothing: Costs, *, summarizer: int = 0) -> float:
    """Price of the run against sending the plain history each time; `summarizer` is its input and output in tokens."""
    price = run.billed + PRICES.summarizer * summarizer
    return price / doing_nothing.billed if doing_nothing.billed else 1.0


def unedited(tokens: Sequence[int], *, sent: Sequence[int], plain: Sequence[int]) -> tuple[int, ...]:
    """Tokens of each whole request had nothing been rewritten, comparable with `tokens`, the tokens of the requests as they are.

    `sent` and `plain` are the tokens of the conversation in each, rewritten and not, by one count. What else a request holds
    (tools, the retrieval tools among them, and what was learned to be hidden) is the same in both and so cancels out.
    """
    return tuple(max(0, whole - part + other) for whole, part, other in zip(tokens, sent, plain, strict=True))


class _Scale:
    """Digest and tokens of messages, computed once per object: an untouched message is the same object in every request."""

    def __init__(self, weigh: Callable[[object], int]) -> None:
        self.tokens: dict[bytes, int] = {}
        self._weigh = weigh
        self._by_object: dict[int, tuple[object, bytes]] = {}

    def digest(self, message: object) -> bytes:
        known = self._by_object.get(id(message))
        if known is not None:
            return known[1]
        digest = hashlib.blake2b(dumped(message).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        self._by_object[id(message)] = (message, digest)  # holding the object keeps its id from being used again
        if digest not in self.tokens:
            self.tokens[digest] = self._weigh(message)
        return digest


def _common(previous: list[bytes], current: list[bytes]) -> int:
    for index, (one, other) in enumerate(zip(previous, current, strict=False)):
        if one != other:
            return index
    return min(len(previous), len(current))
