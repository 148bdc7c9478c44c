"""What is judged: a recorded session as every strategy is handed it, and the requests a strategy made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sostenuto.messages import pinned
from sostenuto.replaying import Row, arrived

Raw = Mapping[str, Any]
"""One native message."""
Weigh = Callable[[Any], int]
"""The tokens of one native message."""


@dataclass(frozen=True, slots=True)
class Session:
    """A recorded session.

    Attributes:
        name: how people call it.
        messages: the whole history, the system's message first where there is one, planted prohibitions included.
        requests: for each recorded reply, how many messages were there before it.
        pins: texts that were planted and must never leave.
    """

    name: str
    messages: tuple[Raw, ...]
    requests: tuple[int, ...]
    pins: tuple[str, ...] = ()

    @property
    def lead(self) -> int:
        """How many leading messages are the system's."""
        return next((at for at, message in enumerate(self.messages) if not is_system(message)), len(self.messages))


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as a strategy made it. `seconds` of CPU; `failure` is what it raised instead, and then there are no messages.

    `nudges` counts the trailing messages that live in this request only.
    """

    messages: tuple[Raw, ...] = ()
    seconds: float = 0.0
    nudges: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A session through a strategy, one `Sent` for each of its requests.

    Attributes:
        original: what the strategy gives back for the message at an index of the history, None if it gives nothing back;
            None where it has no way of asking.
        search: whole texts the strategy finds for words; None as above.
        summaries: how often the summarizer was asked; `summarizer` is its input and output in tokens.
    """

    requests: tuple[Sent, ...]
    original: Callable[[int], str | None] | None = None
    search: Callable[[str], Sequence[str]] | None = None
    summaries: int = 0
    summarizer: int = 0


def session_of(name: str, messages: Sequence[Raw], *, pins: Sequence[str] = ()) -> Session:
    """The session of a history in OpenAI chat: a request before each assistant message that has something before it.

    The texts of `pins` are planted as user messages behind the first one, or behind the system's where a reply comes first.
    """
    lead = next((at for at, message in enumerate(messages) if not is_system(message)), len(messages))
    place = lead + 1 if lead < len(messages) and messages[lead].get("role") == "user" else lead
    planted = [pinned({"role": "user", "content": text}) for text in pins]
    whole = (*messages[:place], *planted, *messages[place:])
    replies = tuple(at for at, message in enumerate(whole) if at > lead and message.get("role") == "assistant")
    return Session(name, whole, replies, tuple(pins))


def is_system(message: Raw) -> bool:
    """Whether this is the system's message."""
    return message.get("role") in ("system", "developer")


def rows(session: Session, run: Run, *, credited: Sequence[bool]) -> Iterator[Row]:
    """The run as rows of a replay. A request that is not credited shows nothing: what does not fit or was not made helps nobody."""
    before = 0
    for index, (upto, sent) in enumerate(zip(session.requests, run.requests, strict=True)):
        came = session.messages[before:upto]
        shown = list(sent.messages) if credited[index] else []
        yield Row(index, 0, 0, "openai_chat", {"messages": shown}, arrived=arrived(came, pins=session.pins), nudges=sent.nudges)
        before = upto
