"""Run a recorded session through an engine: at each recorded reply, what would have been sent instead?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sostenuto.messages import pinned
from sostenuto.replaying._pieces import INSTRUCTIONS, MESSAGES, pieces
from sostenuto.replaying._row import MENDED, Happening, Row, arrived

History = Literal["full", "as-sent"]


class Reply(Protocol):
    """A recorded reply: where it stands, and what was sent for it at the time."""

    @property
    def upto(self) -> int: ...
    @property
    def boundary(self) -> int: ...
    @property
    def preface(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def reported(self) -> int | None: ...
    @property
    def output(self) -> int | None: ...
    @property
    def model(self) -> str | None: ...


class Recorded(Protocol):
    """A recorded session: its messages in the wire's own shape, and its replies."""

    @property
    def format(self) -> str: ...
    @property
    def messages(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def exchanges(self) -> Sequence[Reply]: ...
    @property
    def system(self) -> Any: ...
    @property
    def tools(self) -> Any: ...


class Event(Protocol):
    """What the engine says it did."""

    @property
    def rung(self) -> str: ...
    @property
    def tokens_before(self) -> int: ...
    @property
    def tokens_after(self) -> int: ...
    @property
    def reason(self) -> str: ...
    @property
    def keys(self) -> Sequence[str]: ...


class Sendable(Protocol):
    """A request the engine made."""

    @property
    def arguments(self) -> Mapping[str, Any]: ...
    @property
    def tokens(self) -> int: ...
    @property
    def window(self) -> int: ...
    @property
    def events(self) -> Sequence[Event]: ...
    @property
    def notices(self) -> Sequence[str]: ...
    @property
    def nudges(self) -> int: ...
    @property
    def mended(self) -> Sequence[str]: ...


class Engine(Protocol):
    """The part of the context manager a replay drives."""

    def prepare_sync(self, messages: list[Any], *, system: Any = None, tools: Any = None, max_output: int | None = None) -> Sendable: ...


@dataclass(frozen=True, slots=True)
class Handed:
    """What the engine is handed for one reply, and the reply it was recorded with."""

    messages: list[Mapping[str, Any]]
    reply: Reply


def histories(recorded: Recorded, *, history: History = "full", pins: Sequence[str] = ()) -> Iterator[Handed]:
    """The history of each recorded reply; one with nothing before it asks for nothing and is left out.

    ``full`` hands over everything up to the reply, ``as-sent`` what was sent at the time: the recording's own summary and
    everything after its last compaction (D56). The texts of `pins` are planted as pinned user messages after the first one.
    """
    planted: list[Mapping[str, Any]] = [pinned(_said(text, recorded.format)) for text in pins]
    place = _place(recorded)
    for reply in recorded.exchanges:
        if history == "full":
            before: list[Mapping[str, Any]] = list(recorded.messages[: reply.upto])
            at = place
        else:
            before = as_sent(recorded, reply).messages
            at = _after_first_user(before)
        if before:
            yield Handed(before[:at] + planted + before[at:] if planted else before, reply)


def rows(
    recorded: Recorded,
    engine: Engine,
    *,
    handed: Iterable[Handed],
    pins: Sequence[str] = (),
    max_output: int | None = None,
    tools: Sequence[Any] = (),
    after: Callable[[Row, Handed], None] = lambda row, handed: None,
) -> Iterator[Row]:
    """One row for each history in `handed`, in order. `tools` are handed over beside the recorded ones.

    `after` is called once a row was taken, to feed its reply back.

    Raises what the engine raises.
    """
    last: list[Mapping[str, Any]] = []
    for index, one in enumerate(handed):
        request = engine.prepare_sync(
            list(one.messages), system=recorded.system or None, tools=[*(recorded.tools or ()), *tools] or None, max_output=max_output
        )
        continues = len(last) <= len(one.messages) and all(a is b for a, b in zip(last, one.messages, strict=False))
        came = one.messages[len(last) :] if continues else one.messages
        row = Row(
            index=index,
            tokens=request.tokens,
            window=request.window,
            format=recorded.format,
            native=body(request.arguments),
            events=(*map(_happening, request.events), *_still_mended(request)),
            arrived=arrived(came, pins=pins, restart=not continues),
            nudges=request.nudges,
            notices=tuple(request.notices),
        )
        yield row
        after(row, one)
        last = one.messages


def _still_mended(request: Sendable) -> Iterator[Happening]:
    """What was mended for an earlier request and reads differently in this one too: a row names all that it does not hold as it was."""
    told = {key for event in request.events for key in event.keys}
    keys = tuple(key for key in request.mended if key not in told)
    if keys:
        yield Happening(MENDED, request.tokens, request.tokens, "still mended from an earlier request", keys)


def body(arguments: Mapping[str, Any]) -> Mapping[str, object]:
    """The part of a request's arguments that holds the conversation: messages, and the system text where it stands apart."""
    return {name: arguments[name] for name in (*INSTRUCTIONS, *MESSAGES) if arguments.get(name)}


def as_sent(recorded: Recorded, reply: Reply) -> Handed:
    """The history of one reply as it was sent at the time: the recording's own summary and everything after it."""
    return Handed([*reply.preface, *recorded.messages[reply.boundary : reply.upto]], reply)


def plain(handed: Iterable[Handed], *, system: Any = None, format: str = "anthropic") -> Iterator[Mapping[str, object]]:
    """The bodies that doing nothing would have sent."""
    for one in handed:
        yield unrewritten(one.messages, system=system, format=format)


def unrewritten(messages: Sequence[Any], *, system: Any, format: str) -> Mapping[str, object]:
    """The body of a request that holds these messages as they are."""
    return body({"system": system, "contents" if format == "gemini" else "messages": messages})


def _said(text: str, format: str) -> dict[str, Any]:
    """A user's message of this text, as every request of the format may hold it."""
    return {"role": "user", "parts": [{"text": text}]} if format == "gemini" else {"role": "user", "content": text}


def _happening(event: Event) -> Happening:
    return Happening(event.rung, event.tokens_before, event.tokens_after, event.reason, tuple(event.keys))


def _place(recorded: Recorded) -> int:
    """Where a planted pin stands in the full history: the same index for every reply, so that it breaks no prefix."""
    at = _after_first_user(recorded.messages)
    shortest = min((reply.upto for reply in recorded.exchanges if reply.upto), default=0)
    return at if at <= shortest else _leading_system(recorded.messages)


def _after_first_user(messages: Sequence[Mapping[str, Any]]) -> int:
    for index, message in enumerate(messages):
        if any(piece.role == "user" and piece.kind == "text" for piece in pieces(message)):
            return index + 1
    return _leading_system(messages)


def _leading_system(messages: Sequence[Mapping[str, Any]]) -> int:
    return next((i for i, m in enumerate(messages) if m.get("role") not in ("system", "developer")), len(messages))
