"""Codex CLI rollouts (JSON lines) as a history of Responses items.

A line is an envelope of ``type`` and ``payload``; in older files the items stand bare behind a header. Token counts come as events behind
the reply they belong to and are repeated when only the rate limits changed. A ``compacted`` record replaces what is sent from there on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, first_model, is_reply, model_name, token_sum

READER = "codex"

_FORM = "openai_responses"
_ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
# Envelopes that describe the run; those of events and of the session change how the reading goes on.
_META = frozenset({"turn_context", "world_state", "inter_agent_communication_metadata", "security_risk_score"})
# Items the program keeps for itself.
_OWN_ITEMS = frozenset({"ghost_snapshot", "other"})
# Items that older files hold without an envelope.
_BARE = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "web_search_call",
        "ghost_snapshot",
    }
)
# What the program says in the name of the person; a prompt starts otherwise.
_CONTEXT = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "<user_shell_command>", "<skill>", "# AGENTS.md instructions")
# Older files have the instructions of the person in their header, and again in one of the first messages.
_LOOKED_AT = 5
# Compactions of older versions kept the newest prompts, up to 20,000 tokens of about four characters.
_PROMPTS_KEPT = 80_000
# Counted beside the text of each, so that at most 200 are kept and reading stays linear.
_PROMPT_AROUND = 400


def recognises(record: object) -> bool:
    """Whether this record can only come from a Codex rollout."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if isinstance(kind, str):
        return kind in _ENVELOPES and isinstance(record.get("payload"), dict)
    return record.get("record_type") == "state" or _is_header(record)


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind the records of one rollout."""
    reading = _Reading()
    for line, record in records:
        reading.take(line, record)
    reasons = reading.reasons
    return Recording(
        reader=READER,
        format=_FORM,
        messages=tuple(item for _, item in reading.items),
        exchanges=tuple(reading.exchanges),
        system=reading.system(),
        tools=None,
        model=first_model(reading.exchanges),
        used=len(reading.items),
        meta=reading.meta,
        skipped=tuple(Skipped(line, *reasons[line]) for line in sorted(reasons)),
        source=source,
    )


@dataclass(slots=True)
class _Reading:
    """``items`` carry the line they came from; ``reasons`` say why a line is not among them."""

    items: list[tuple[int, Raw]] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    reasons: dict[int, tuple[str, str]] = field(default_factory=dict)
    meta: int = 0
    _instructions: str | None = None
    _provider: str | None = None
    _model: str | None = None
    _boundary: int = 0
    _preface: tuple[Raw, ...] = ()
    _is_complete: bool = True
    _spent: int | None = None
    _prompts: list[int] = field(default_factory=list)

    def take(self, line: int, record: object) -> None:
        if not isinstance(record, dict):
            self.reasons[line] = (type(record).__name__, "not a JSON object")
            return
        kind, payload = record.get("type"), record.get("payload")
        if not isinstance(kind, str):
            self._untyped(line, record)
        elif kind == "response_item" or kind in _BARE:
            self._item(line, payload if kind == "response_item" else record)
        elif kind not in _ENVELOPES | _META:
            self.reasons[line] = (kind, "a type of record this reader does not know")
        elif not isinstance(payload, dict):
            self.reasons[line] = ("malformed", f"a record of type {kind} without a payload")
        else:
            self.meta += 1
            self._described(kind, payload)

    def system(self) -> str | None:
        """The instructions of the session, unless they were sent as a message as well."""
        first = [text for _, item in self.items[:_LOOKED_AT] for text in _texts(item)]
        return None if any(self._instructions in text for text in first if self._instructions) else self._instructions

    def _untyped(self, line: int, record: Raw) -> None:
        if _is_header(record):
            self.meta += 1
            self._session(record)
        elif "record_type" in record:
            self.meta += 1
        else:
            self.reasons[line] = ("untyped", "a record without a type")

    def _item(self, line: int, item: object) -> None:
        kind = item.get("type") if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(kind, str):
            self.reasons[line] = ("malformed", "an item without a type")
        elif kind in _OWN_ITEMS:
            self.meta += 1
        else:
            if is_reply(item, _FORM) and (self._is_complete or not is_reply(self.items[-1][1], _FORM)):
                self._begin_reply()
            if _is_prompt(item):
                self._prompts.append(len(self.items))
            self.items.append((line, item))

    def _begin_reply(self) -> None:
        model = model_name(self._model, self._provider)
        at = Exchange(len(self.items), self._boundary, self._preface, reported=None, output=None, model=model)
        self.exchanges.append(at)
        self._is_complete = False

    def _described(self, kind: str, payload: Raw) -> None:
        if kind == "session_meta":
            self._session(payload)
        elif kind == "turn_context":
            self._model = _text(payload.get("model")) or self._model
        elif kind == "compacted":
            self._compacted(payload)
        elif payload.get("type") == "token_count":
            self._counted(payload.get("info"))
        elif payload.get("type") == "thread_rolled_back":
            self._roll_back(payload.get("num_turns"))

    def _session(self, described: Raw) -> None:
        """The first description counts; a session that was forked repeats those of its ancestors."""
        base = described.get("base_instructions")
        found = _text(base.get("text")) if isinstance(base, dict) else _text(described.get("instructions"))
        self._instructions = self._instructions or found
        self._provider = self._provider or _text(described.get("model_provider"))

    def _counted(self, info: object) -> None:
        """Usage belongs to the newest reply; the same total again, or a second count, is not its own."""
        if not isinstance(info, dict) or info.get("last_token_usage") is None:
            return
        spent = token_sum(info.get("total_token_usage"), ("input_tokens", "output_tokens"))
        if spent is not None and spent == self._spent:
            return
        self._spent = spent
        if not self.exchanges or self._is_complete:
            return
        usage = info["last_token_usage"]
        reported, output = token_sum(usage, ("input_tokens",)), token_sum(usage, ("output_tokens",))
        self.exchanges[-1] = replace(self.exchanges[-1], reported=reported, output=output)
        self._is_complete = True

    def _compacted(self, payload: Raw) -> None:
        history = payload.get("replacement_history")
        if isinstance(history, list):
            self._preface = tuple(item for item in history if isinstance(item, dict))
        else:
            summary = _text(payload.get("message"))
            self._preface = (*self._newest_prompts(), *([_said(summary)] if summary else []))
        self._boundary = len(self.items)
        self._is_complete = True

    def _newest_prompts(self) -> list[Raw]:
        kept: list[Raw] = []
        left = _PROMPTS_KEPT
        for at in reversed(self._prompts):
            item = self.items[at][1]
            left -= _PROMPT_AROUND + sum(len(text) for text in _texts(item))
            if left < 0:
                break
            kept.append(item)
        return kept[::-1]

    def _roll_back(self, turns: object) -> None:
        """The person took back their newest turns: each is a prompt and what came of it."""
        if type(turns) is not int or turns < 1 or not self._prompts:
            return
        start = self._prompts[-min(turns, len(self._prompts))]
        self.reasons |= {line: ("rewound", "in a turn that was rolled back") for line, _ in self.items[start:]}
        del self.items[start:], self._prompts[-turns:]
        while self.exchanges and self.exchanges[-1].upto >= start:
            self.exchanges.pop()
        self._boundary = min(self._boundary, start)
        self._is_complete = True


def _is_header(record: Raw) -> bool:
    """The first line of an older file."""
    return "type" not in record and "instructions" in record and all(isinstance(record.get(name), str) for name in ("id", "timestamp"))


def _is_prompt(item: Raw) -> bool:
    if item.get("type") != "message" or item.get("role") != "user":
        return False
    texts = _texts(item)
    return not (texts and texts[0].lstrip().startswith(_CONTEXT))


def _texts(item: Raw) -> list[str]:
    content = item.get("content")
    found = [block.get("text") for block in content if isinstance(block, dict)] if isinstance(content, list) else [content]
    return [text for text in found if isinstance(text, str)]


def _said(text: str) -> Raw:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
