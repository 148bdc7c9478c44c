"""Pair integrity: calls without results, results without calls, results out of their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sostenuto.judging._session import Run, Session
from sostenuto.messages import Call, Message, Result

Decode = Callable[[Any], Message]


def broken(session: Session, run: Run, *, decode: Decode) -> list[int]:
    """The requests, by number, in which calls and results do not belong together.

    A call wants its result directly behind it and a result its call directly before; results of parallel calls keep the order
    in which they arrived. An id that is used again later pairs within its own unit only.
    """
    known: dict[int, tuple[Any, Message]] = {}

    def decoded(raw: Any) -> Message:
        found = known.get(id(raw))
        if found is None:
            found = known[id(raw)] = (raw, decode(raw))
        return found[1]

    order = _arrival([decoded(raw) for raw in session.messages])
    return [at for at, sent in enumerate(run.requests) if unpaired([decoded(raw) for raw in sent.messages], order=order)]


def unpaired(messages: Sequence[Message], *, order: Mapping[str, int]) -> bool:
    """Whether any call or result of these messages stands without its counterpart, or out of `order` (call id -> rank)."""
    waiting: Counter[str] = Counter()
    last = -1
    for message in messages:
        results = [part for part in message.parts if isinstance(part, Result)]
        if not results and waiting.total():
            return True
        for result in results:
            rank = order.get(result.call_id, last)
            if not waiting[result.call_id] or rank < last:
                return True
            waiting[result.call_id] -= 1
            last = rank
        calls = [part.id for part in message.parts if isinstance(part, Call)]
        if calls:
            waiting, last = Counter(calls), -1
    return bool(waiting.total())


def _arrival(messages: Sequence[Message]) -> dict[str, int]:
    """The rank of each result by its call id; an id that was used twice has none."""
    ids = [part.call_id for message in messages for part in message.parts if isinstance(part, Result)]
    often = Counter(ids)
    return {call_id: rank for rank, call_id in enumerate(ids) if often[call_id] == 1}
