"""Gemini CLI sessions as a Gemini history: one JSON document with ``messages``, or the JSON lines of newer versions.

In JSON lines a message is written again whenever it changes, ``$rewindTo`` takes back the message it names and all behind it, and ``$set``
changes the description of the session or, with ``messages``, replaces what the model is sent (a compression, a clearing).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sostenuto.recordings._gemini_contents import continues_reply, is_command, model_parts, parts, response_parts
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, first_model, model_name, token_sum

READER = "gemini_cli"

_SPOKEN = frozenset({"user", "gemini"})
# What the program showed to the person.
_META = frozenset({"info", "error", "warning", "about", "help", "stats", "model_stats", "tool_stats", "quit", "compression"})
_MARKS = ("projectHash", "startTime", "lastUpdated")
# What a tool of the provider's own added to the prompt is counted apart from it, and so are thoughts from the text of a reply.
_PROMPT_TOKENS = ("input", "tool")
_REPLY_TOKENS = ("output", "thoughts")


def recognises(record: object) -> bool:
    """Whether this record can only come from a Gemini CLI session."""
    if not isinstance(record, dict):
        return False
    if isinstance(record.get("sessionId"), str) and "type" not in record and any(mark in record for mark in _MARKS):
        return True
    return record.get("type") == "gemini" and isinstance(record.get("id"), str) and "content" in record


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind a session; its records are the messages of a document, or the lines of the file."""
    lines = list(records)
    if len(lines) == 1 and isinstance(lines[0][1], dict) and isinstance(lines[0][1].get("messages"), list):
        lines = list(enumerate(lines[0][1]["messages"], start=1))
    session = _Session()
    for line, record in lines:
        session.take(line, record)
    history = _History()
    for entry, following in zip(session.entries, [*session.entries[1:], None], strict=False):
        history.add(entry, following)
    reasons = session.reasons | history.reasons
    skipped = [Skipped(line, *reasons[line]) for line in sorted(reasons.keys() - history.used)]
    return Recording(
        reader=READER,
        format="gemini",
        messages=tuple(history.contents),
        exchanges=tuple(history.exchanges),
        system=None,
        tools=None,
        model=first_model(history.exchanges),
        used=len(history.used),
        meta=len(lines) - len(history.used) - len(skipped),
        skipped=tuple(skipped),
        source=source,
    )


@dataclass(slots=True)
class _Entry:
    """A message in its newest version. It was sent behind ``preface`` and the entries from position ``boundary`` on."""

    line: int
    record: Raw
    boundary: int
    preface: tuple[Raw, ...]


@dataclass(slots=True)
class _Session:
    """The messages that were said, while the lines are read. ``reasons``: why a line is not used, by its number."""

    entries: list[_Entry] = field(default_factory=list)
    reasons: dict[int, tuple[str, str]] = field(default_factory=dict)
    _boundary: int = 0
    _preface: tuple[Raw, ...] = ()
    _at: dict[str, int] = field(default_factory=dict)

    def take(self, line: int, record: object) -> None:
        if not isinstance(record, dict):
            self.reasons[line] = (type(record).__name__, "not a JSON object")
            return
        kind = record.get("type")
        if _is_spoken(record):
            self._say(line, record)
        elif "$rewindTo" in record:
            at = self._position(record["$rewindTo"])
            self._take_back(0 if at is None else at)
        elif isinstance(kind, str) and kind not in _META:
            self.reasons[line] = (kind, "a type of record this reader does not know")
        elif kind is None and not recognises(record) and "$set" not in record:
            self.reasons[line] = ("untyped", "a record without a type")
        else:
            described = record.get("$set", record)
            if isinstance(described, dict) and isinstance(described.get("messages"), list) and kind is None:
                self._replace(line, [one for one in described["messages"] if _is_spoken(one)])

    def _say(self, line: int, record: Raw) -> None:
        """A message: a new one, or a newer version of one that was said."""
        name = record.get("id")
        at = self._position(name)
        if at is not None:
            self.reasons[self.entries[at].line] = ("replaced", "a later record holds a newer version of this message")
            self.entries[at].line, self.entries[at].record = line, record
            return
        if isinstance(name, str):
            self._at[name] = len(self.entries)
        self.entries.append(_Entry(line, record, min(self._boundary, len(self.entries)), self._preface))

    def _take_back(self, start: int) -> None:
        for entry in self.entries[start:]:
            self.reasons[entry.line] = ("rewound", "taken back later")
            self._at.pop(str(entry.record.get("id")), None)
        del self.entries[start:]
        self._boundary = min(self._boundary, start)

    def _replace(self, line: int, messages: list[Raw]) -> None:
        """What is sent from here on: messages nobody had said before (a summary), then those that are kept, then new ones."""
        known = [at for at, one in enumerate(messages) if self._position(one.get("id")) is not None]
        if known:
            kept = [self._position(messages[at].get("id")) or 0 for at in known]
            self._take_back(max(kept) + 1)
            self._boundary, self._preface = min(kept), _all_contents(messages[: known[0]])
        elif self.entries:
            self._boundary, self._preface = len(self.entries), _all_contents(messages)
            return
        for one in messages[known[-1] + 1 if known else 0 :]:
            self._say(line, one)

    def _position(self, name: object) -> int | None:
        return self._at.get(name) if isinstance(name, str) else None


@dataclass(slots=True)
class _History:
    contents: list[Raw] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    reasons: dict[int, tuple[str, str]] = field(default_factory=dict)
    _starts: list[int] = field(default_factory=list)

    def add(self, entry: _Entry, following: _Entry | None) -> None:
        self._starts.append(len(self.contents))
        record = entry.record
        is_answered = following is not None and following.record.get("type") == "gemini"
        if record["type"] == "user" and is_command(record) and not is_answered:
            self.reasons[entry.line] = ("command", "a command to the program that no model answered")
            return
        said = _contents(record)
        if not said:
            self.reasons[entry.line] = ("empty", f"a message of type {record['type']} without content")
            return
        self.used.add(entry.line)
        if record["type"] == "gemini" and continues_reply(record) and self.contents and self.contents[-1]["role"] == "model":
            self.contents[-1]["parts"] += said.pop(0)["parts"]
        elif record["type"] == "gemini":
            self._reply(entry)
        self.contents += said

    def _reply(self, entry: _Entry) -> None:
        tokens = entry.record.get("tokens")
        at = min(entry.boundary, len(self._starts) - 1)
        self.exchanges.append(
            Exchange(
                upto=len(self.contents),
                boundary=self._starts[at],
                preface=entry.preface,
                reported=token_sum(tokens, _PROMPT_TOKENS),
                output=token_sum(tokens, _REPLY_TOKENS),
                model=model_name(entry.record.get("model"), None),
            )
        )


def _contents(record: Raw) -> list[Raw]:
    """The contents of a message: what the person said, or what the model said and one content with its tools' responses."""
    if record["type"] == "user":
        found = [("user", parts(record.get("content")))]
    else:
        found = [("model", model_parts(record)), ("user", response_parts(record))]
    return [{"role": role, "parts": held} for role, held in found if held]


def _all_contents(records: Iterable[Raw]) -> tuple[Raw, ...]:
    return tuple(content for one in records for content in _contents(one))


def _is_spoken(record: object) -> bool:
    kind = record.get("type") if isinstance(record, dict) else None
    return isinstance(kind, str) and kind in _SPOKEN
