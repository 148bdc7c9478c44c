"""One row of a replay: the request that would have been sent, what the engine did for it, and what had newly arrived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sostenuto.replaying._pieces import file_paths, user_texts

MENDED = "mended"
"""The event of a row that only says what was mended before; it is no rung and is not counted as one."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """What the history brought since the row before; the figures ask whether it is still in view.

    `restart` is true where the history handed over does not continue the one before (as-sent, after a recorded compaction):
    what arrived earlier is then no longer asked for.
    """

    users: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    restart: bool = False


@dataclass(frozen=True, slots=True)
class Happening:
    """One event of the engine, as it is written to ``--requests``. Tokens by the counter in force."""

    rung: str
    tokens_before: int
    tokens_after: int
    reason: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One request. `native` is its body, `tokens` and `window` are the engine's own numbers.

    `nudges` counts the trailing messages that stand behind the newest message of the history: they live in this request only.
    """

    index: int
    tokens: int
    window: int
    format: str
    native: Mapping[str, object]
    events: tuple[Happening, ...] = ()
    arrived: Arrived = Arrived()
    nudges: int = 0
    notices: tuple[str, ...] = ()


def arrived(messages: Sequence[object], *, pins: Iterable[str] = (), restart: bool = False) -> Arrived:
    """What these newly handed messages bring. `pins` are the texts that are pinned; they do not count as user requests."""
    pinned = tuple(pins)
    read, modified = file_paths(messages)
    said = user_texts(messages)
    return Arrived(
        users=tuple(text for text in said if text not in pinned),
        read=tuple(read),
        modified=tuple(modified),
        pins=tuple(text for text in said if text in pinned),
        restart=restart,
    )


def record(row: Row) -> dict[str, object]:
    """The row as one JSON object of ``--requests``; notices are for the person and stay out."""
    return {
        "index": row.index,
        "tokens": row.tokens,
        "window": row.window,
        "format": row.format,
        "native": row.native,
        "events": [
            {
                "rung": event.rung,
                "tokens_before": event.tokens_before,
                "tokens_after": event.tokens_after,
                "reason": event.reason,
                "keys": list(event.keys),
            }
            for event in row.events
        ],
        "arrived": {
            "users": list(row.arrived.users),
            "read": list(row.arrived.read),
            "modified": list(row.arrived.modified),
            "pins": list(row.arrived.pins),
            "restart": row.arrived.restart,
        },
        "nudges": row.nudges,
    }


def row(entry: Mapping[str, object]) -> Row:
    """The row back from its JSON object, for recomputing every figure from the file alone.

    Raises KeyError or TypeError where the object was not written by `record`.
    """
    fields: dict[str, object] = dict(entry)
    came = fields["arrived"]
    events = fields["events"]
    native = fields["native"]
    if not isinstance(came, Mapping) or not isinstance(events, list) or not isinstance(native, Mapping):
        raise TypeError("not a row of a replay")
    return Row(
        index=_number(fields["index"]),
        tokens=_number(fields["tokens"]),
        window=_number(fields["window"]),
        format=str(fields["format"]),
        native=native,
        events=tuple(Happening(e["rung"], e["tokens_before"], e["tokens_after"], e["reason"], tuple(e["keys"])) for e in events),
        arrived=Arrived(tuple(came["users"]), tuple(came["read"]), tuple(came["modified"]), tuple(came["pins"]), bool(came["restart"])),
        nudges=_number(fields["nudges"]),
    )


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a number, got {value!r}")
    return value
