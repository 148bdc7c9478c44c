"""What the engine is handed for each recorded reply, and what becomes of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sostenuto.replaying import Handed, Row, histories, plain, rows


@dataclass(frozen=True)
class Reply:
    """A recorded reply."""

    upto: int
    boundary: int = 0
    preface: tuple[Mapping[str, Any], ...] = ()
    reported: int | None = None
    output: int | None = None
    model: str | None = None


@dataclass(frozen=True)
class Session:
    """A recorded session."""

    messages: tuple[Mapping[str, Any], ...]
    exchanges: tuple[Reply, ...]
    format: str = "openai_chat"
    system: Any = None
    tools: Any = None


@dataclass(frozen=True)
class Request:
    """What the stand-in engine answers."""

    arguments: Mapping[str, Any]
    tokens: int = 1
    window: int = 10
    events: tuple[Any, ...] = ()
    notices: tuple[str, ...] = ()
    nudges: int = 0
    mended: tuple[str, ...] = ()


@dataclass
class PassingEngine:
    """Sends what it is handed, with a nudge behind it."""

    handed: list[list[Any]] = field(default_factory=list)
    nudge: bool = False

    def prepare_sync(self, messages: list[Any], *, system: Any = None, tools: Any = None, max_output: int | None = None) -> Request:
        """The same messages."""
        self.handed.append(messages)
        extra = [{"role": "user", "content": "[nudge]"}] if self.nudge else []
        body = {"messages": messages + extra, **({"system": system} if system else {}), "model": "x"}
        return Request(body, nudges=len(extra))


def said(role: str, text: str) -> Mapping[str, Any]:
    """A message."""
    return {"role": role, "content": text}


TALK = (said("system", "be brief"), said("user", "task"), said("assistant", "one"), said("user", "more"), said("assistant", "two"))
SESSION = Session(TALK, (Reply(upto=2), Reply(upto=4)))


def run(session: Session, **options: Any) -> list[Row]:
    """The rows of a session under the passing engine."""
    engine = options.pop("engine", PassingEngine())
    pins = options.get("pins", ())
    return list(rows(session, engine, handed=histories(session, **options), pins=pins))


def test_each_reply_gets_the_history_before_it() -> None:
    """Full history: everything up to the recorded reply, which itself arrives with the next one."""
    assert [row.native["messages"] for row in run(SESSION)] == [list(TALK[:2]), list(TALK[:4])]
    assert [row.arrived.users for row in run(SESSION)] == [("task",), ("more",)]


def test_a_pin_stands_after_the_first_user_message_in_every_request() -> None:
    """The planted message keeps its index, so that planting breaks no prefix, and counts as a pin, not as a request."""
    found = run(SESSION, pins=("RULE",))
    assert [row.native["messages"][2] for row in found] == [said("user", "RULE")] * 2  # type: ignore[index]
    assert found[0].arrived.pins == ("RULE",)
    assert found[0].arrived.users == ("task",)
    assert found[1].arrived.pins == ()


def test_a_pin_finds_its_place_where_the_assistant_speaks_first() -> None:
    """Where a reply precedes every user message the pin stands behind the system message from the start."""
    session = Session((said("system", "s"), said("assistant", "hi"), said("user", "task")), (Reply(upto=1), Reply(upto=3)))
    assert [row.native["messages"][1]["content"] for row in run(session, pins=("RULE",))] == ["RULE", "RULE"]  # type: ignore[index]


def test_as_sent_starts_from_the_recorded_summary() -> None:
    """As-sent: the recorded preface and what follows the boundary; earlier texts are no longer asked for."""
    session = Session(TALK, (Reply(upto=2), Reply(upto=4, boundary=3, preface=(said("user", "summary"),))))
    found = run(session, history="as-sent")
    assert found[1].native["messages"] == [said("user", "summary"), TALK[3]]
    assert found[1].arrived.restart
    assert found[1].arrived.users == ("summary", "more")


def test_a_reply_to_nothing_makes_no_request() -> None:
    """A recorded reply with no message before it is left out."""
    assert len(run(Session(TALK[2:], (Reply(upto=0), Reply(upto=2))))) == 1


def test_only_the_conversation_is_in_the_body() -> None:
    """The body holds messages and a separate system text, no model and no tools."""
    session = Session(TALK[1:], (Reply(upto=1),), system="s", tools=[{"name": "t"}])
    assert set(run(session)[0].native) == {"messages", "system"}


def test_trailing_nudges_are_counted() -> None:
    """A row holds how many messages at the end of its request live in it only, as the engine says."""
    assert [row.nudges for row in run(SESSION, engine=PassingEngine(nudge=True))] == [1, 1]
    assert [row.nudges for row in run(SESSION)] == [0, 0]


def test_the_engine_gets_a_list_of_its_own() -> None:
    """An engine that changes the list it was handed does not change the history."""

    @dataclass
    class Greedy(PassingEngine):
        def prepare_sync(self, messages: list[Any], **rest: Any) -> Request:
            request = super().prepare_sync(list(messages), **rest)
            messages.clear()
            return request

    assert len(run(SESSION, engine=Greedy())[1].native["messages"]) == 4  # type: ignore[arg-type]


def test_a_reply_is_fed_back_after_its_request() -> None:
    """The hook is called once for every row, with the row and the history it was made from."""
    seen: list[tuple[Row, Handed]] = []
    list(rows(SESSION, PassingEngine(), handed=histories(SESSION), after=lambda row, one: seen.append((row, one))))
    assert [(row.index, one.reply.upto) for row, one in seen] == [(0, 2), (1, 4)]


def test_doing_nothing_sends_the_plain_histories() -> None:
    """The comparison sends each history as it is, the system text included."""
    assert list(plain(histories(SESSION), system="s")) == [
        {"system": "s", "messages": list(TALK[:2])},
        {"system": "s", "messages": list(TALK[:4])},
    ]
