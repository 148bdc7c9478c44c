"""Every call of a history has an answer: the missing ones are written (origin 7.5, A.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from sostenuto.messages import Call, Result
from sostenuto.protocols import Codec, Raw

UNFINISHED = "No result: {why}. Nothing is known about what the call did; look before calling again."


def codec_of(format: str) -> Codec:
    """The codec of a wire; only that one is loaded."""
    found: Codec = import_module(f"sostenuto.formats.{format}").CODEC
    return found


def missing_answer(call: Call, *, why: str) -> Result:
    """The answer to a call that was never finished."""
    return Result(call.id, UNFINISHED.format(why=why), succeeded=False, name=call.name)


def answering(pieces: Sequence[tuple[Call, Result]], spoken: Sequence[Raw], *, codec: Codec) -> list[Raw]:
    """The native messages with these results. `spoken` is the turn with the calls: on some wires its items say how they are answered."""
    items = _items(spoken, codec=codec)
    return codec.results([(items.get(call.id), 0, result) for call, result in pieces])


def _items(spoken: Sequence[Raw], *, codec: Codec) -> dict[str, Raw]:
    if not codec.itemised:
        return {}
    return {part.id: raw for raw in spoken for part in codec.decode(raw).parts if isinstance(part, Call)}


Answering = Callable[[Sequence[Call]], Sequence[Result] | None]
"""Knows the answers to the open calls of a turn, in their order; None where it does not."""


def last_open(messages: Sequence[Raw], *, codec: Codec) -> tuple[Call, ...]:
    """The open calls of the last turn that has any."""
    found: list[Sequence[Call]] = [()]
    closed(list(messages), codec=codec, known=found.append)
    return tuple(found[-1])


def closed(
    messages: list[Raw], *, codec: Codec, why: str = "the run ended before it was there", known: Answering | None = None
) -> list[Raw]:
    """The history with an answer for every call, each right behind the answers that its turn has; the same list where none was open.

    Args:
        why: what is said of a call whose answer nobody knows.
        known: asked for the answers first.
    """
    out: list[Raw] = []
    turn: list[Raw] = []  # the assistant's turn that is being looked at, and the answers to it
    open_calls: dict[int, Call] = {}
    changed = False

    def flush() -> None:
        nonlocal changed
        if open_calls:
            calls = tuple(open_calls.values())
            results = (known(calls) if known is not None else None) or [missing_answer(call, why=why) for call in calls]
            turn.extend(answering(list(zip(calls, results, strict=True)), turn, codec=codec))
            changed = True
        out.extend(turn)
        turn.clear()
        open_calls.clear()

    number = 0
    for raw in messages:
        message = codec.decode(raw)
        results = [part for part in message.parts if isinstance(part, Result)]
        if not results and not (codec.itemised and message.role == "assistant"):
            flush()  # where a turn is many items, it goes on until somebody else speaks
        for part in message.parts:
            if isinstance(part, Call):
                number += 1
                open_calls[number] = part
            elif isinstance(part, Result):
                at = next((key for key, call in open_calls.items() if _answers(part, call)), None)
                open_calls.pop(at, None) if at is not None else None
        turn.append(raw)
    flush()
    return out if changed else messages


def _answers(result: Result, call: Call) -> bool:
    return result.call_id == call.id if result.call_id or call.id else result.name in ("", call.name)
