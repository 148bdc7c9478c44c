"""Claude Code session files (JSON lines) as an Anthropic history.

A record is one content block of one message, so a reply with three blocks is three records with one ``message.id``; progress, hooks,
snapshots, side chains (sub-agents) and the program's own summaries stand between them. Text the program added itself (``isMeta``) was sent
to the model and is kept; ``toolUseResult`` was not and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from sostenuto.recordings._branches import Node, rewound
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, first_model, model_name, token_sum
from sostenuto.recordings._turns import Turns, block_ids

READER = "claude_code"

_PROMPT_TOKENS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")

# Records that describe the session and never were messages. Anything not named here is skipped by its type.
_META = frozenset(
    {
        "summary",
        "system",
        "progress",
        "file-history-snapshot",
        "queue-operation",
        "pr-link",
        "custom-title",
        "ai-title",
        "agent-name",
        "agent-color",
        "agent-setting",
        "tag",
        "mode",
        "permission-mode",
        "last-prompt",
        "worktree-state",
        "content-replacement",
        "attribution-snapshot",
    }
)
_MARKS = ("sessionId", "parentUuid", "isSidechain", "uuid")
_INTERRUPTED = "[Request interrupted"


def recognises(record: object) -> bool:
    """Whether this one record can only come from a Claude Code session."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), dict) and any(mark in record for mark in _MARKS)
    if kind == "summary":
        return "leafUuid" in record
    if kind == "file-history-snapshot":
        return "snapshot" in record
    return isinstance(kind, str) and kind in _META and "sessionId" in record


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind the records of one session file."""
    reading = _Reading()
    kept = [entry for entry in (reading.sorted_out(line, value) for line, value in records) if entry is not None]
    dead = _abandoned(kept)
    for position, entry in enumerate(kept):
        if position in dead:
            reading.skip(entry.line, "rewound", "an edited prompt later replaced this branch")
        else:
            reading.take(entry)
    turns = reading.turns
    turns.close()
    return Recording(
        reader=READER,
        format="anthropic",
        messages=tuple(turns.messages),
        exchanges=tuple(turns.exchanges),
        system=None,
        tools=None,
        model=first_model(turns.exchanges),
        used=reading.used,
        meta=reading.meta,
        skipped=tuple(sorted(reading.skipped, key=lambda one: one.line)),
        source=source,
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A record worth a second look: ``role`` is user, assistant, boundary, summary or meta (kept for the tree only)."""

    line: int
    role: str
    node: Node
    content: Any = None
    message_id: str | None = None
    request_id: str | None = None
    usage: Any = None
    model: str | None = None
    kept_from: str | None = None


@dataclass(slots=True)
class _Reading:
    turns: Turns = field(default_factory=Turns)
    used: int = 0
    meta: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)
    _at: dict[str, int] = field(default_factory=dict)
    _bounded: bool = False

    def skip(self, line: int, kind: str, reason: str) -> None:
        self.skipped.append(Skipped(line=line, kind=kind, reason=reason))

    def sorted_out(self, line: int, record: object) -> _Entry | None:
        """The entry of a record, or ``None`` when the record is named and done with."""
        if not isinstance(record, dict):
            self.skip(line, type(record).__name__, "not a JSON object")
            return None
        name = _text(record.get("uuid"))
        if name is not None and name in self._names:
            self.skip(line, "duplicate", "a record with this uuid stands earlier in the file")
            return None
        if name is not None:
            self._names.add(name)
        kind = record.get("type")
        if record.get("isSidechain") is True and kind in ("user", "assistant"):
            self.skip(line, "sidechain", "a sub-agent's own conversation")
            return None
        if kind in ("user", "assistant"):
            return self._spoken(line, record, role=str(kind))
        if kind == "attachment":
            return self._attachment(line, record)
        if isinstance(kind, str) and kind in _META:
            is_boundary = record.get("subtype") == "compact_boundary"
            node = replace(_node(record), spoken=is_boundary)
            return _Entry(line=line, role="boundary" if is_boundary else "meta", node=node, kept_from=_kept_from(record))
        self.skip(line, kind if isinstance(kind, str) else "untyped", "a type of record this reader does not know")
        return None

    def _spoken(self, line: int, record: Raw, *, role: str) -> _Entry | None:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(content, (str, list)):
            self.skip(line, "malformed", f"a record of type {role} without a message")
            return None
        if role == "assistant" and (message.get("model") == "<synthetic>" or record.get("isApiErrorMessage") is True):
            self.skip(line, "synthetic", "written by the program, not by a model")
            return None
        content = _without_blanks(content)
        if not content:
            self.skip(line, "blank", f"a record of type {role} with no content the wire format takes")
            return None
        if record.get("isCompactSummary") is True:
            return _Entry(line=line, role="summary", node=replace(_node(record), spoken=True), content=content)
        if record.get("isVisibleInTranscriptOnly") is True:
            return _Entry(line=line, role="meta", node=_node(record))
        return _Entry(
            line=line,
            role=role,
            node=replace(_node(record), prompt=role == "user" and _is_prompt(record, content), spoken=True),
            content=content,
            message_id=_text(message.get("id")),
            request_id=_text(record.get("requestId")),
            usage=message.get("usage"),
            model=model_name(message.get("model")),
        )

    def _attachment(self, line: int, record: Raw) -> _Entry | None:
        """A prompt typed while the model worked is recorded as an attachment; other attachments are the program's reminders."""
        attached = record.get("attachment")
        kind = attached.get("type") if isinstance(attached, dict) else None
        prompt = attached.get("prompt") if isinstance(attached, dict) and kind == "queued_command" else None
        if isinstance(prompt, (str, list)) and prompt:
            return _Entry(line=line, role="user", node=replace(_node(record), spoken=True), content=prompt)
        self.skip(line, f"attachment:{kind}", "a reminder whose wording as sent is not recorded")
        return None

    def take(self, entry: _Entry) -> None:
        turns = self.turns
        if entry.role in ("meta", "boundary", "summary"):
            self.meta += 1
            if entry.role == "boundary":
                turns.set_boundary(self._at.get(entry.kept_from) if entry.kept_from else None)
                self._bounded = True
            elif entry.role == "summary":
                if not self._bounded:
                    turns.set_boundary()
                self._bounded = False
                turns.preface = ({"role": "user", "content": entry.content},)
            return
        self.used += 1
        if entry.role == "user":
            turns.add_user(entry.content, prompt=entry.node.prompt)
        elif turns.add_reply(entry.content, message_id=entry.message_id, request_id=entry.request_id):
            turns.exchanges.append(_exchange(entry, upto=len(turns.messages) - 1, turns=turns))
        else:
            latest = turns.exchanges[-1]
            turns.exchanges[-1] = _exchange(entry, upto=latest.upto, turns=turns)
        if entry.node.name is not None:
            self._at[entry.node.name] = len(turns.messages) - 1


def _exchange(entry: _Entry, *, upto: int, turns: Turns) -> Exchange:
    return Exchange(
        upto=upto,
        boundary=turns.boundary,
        preface=turns.preface,
        reported=token_sum(entry.usage, _PROMPT_TOKENS),
        output=token_sum(entry.usage, ("output_tokens",)),
        model=entry.model,
    )


def _abandoned(entries: list[_Entry]) -> frozenset[int]:
    """Entries on rewound branches, unless a call that stays would lose its result with them."""
    dead = rewound([entry.node for entry in entries])
    if not dead:
        return dead
    calls = {one for at, entry in enumerate(entries) if at not in dead for one in block_ids(entry.content, kind="tool_use", name="id")}
    lost = (one for at in dead for one in block_ids(entries[at].content, kind="tool_result", name="tool_use_id"))
    return frozenset() if any(one in calls for one in lost) else dead


def _node(record: Raw) -> Node:
    parent = _text(record.get("parentUuid")) or _text(record.get("logicalParentUuid"))
    return Node(name=_text(record.get("uuid")), parent=parent, prompt=False, spoken=False)


def _is_prompt(record: Raw, content: str | list[Any]) -> bool:
    if record.get("isMeta") is True or block_ids(content, kind="tool_result", name="tool_use_id"):
        return False
    first = content if isinstance(content, str) else content[0].get("text") if isinstance(content[0], dict) else None
    return not (isinstance(first, str) and first.startswith(_INTERRUPTED))


def _without_blanks(content: str | list[Any]) -> str | list[Any]:
    """Models reply with blank text blocks but refuse to be sent them (D57); the program leaves them out as well."""
    if isinstance(content, str):
        return content if content.strip() else ""
    return [block for block in content if not _is_blank(block)]


def _is_blank(block: object) -> bool:
    if not isinstance(block, dict) or block.get("type") != "text":
        return False
    text = block.get("text")
    return not (isinstance(text, str) and text.strip())


def _kept_from(record: Raw) -> str | None:
    """The first message a compaction kept as it was, where the boundary record says so."""
    metadata = record.get("compactMetadata")
    segment = metadata.get("preservedSegment") if isinstance(metadata, dict) else None
    return _text(segment.get("headUuid")) if isinstance(segment, dict) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
