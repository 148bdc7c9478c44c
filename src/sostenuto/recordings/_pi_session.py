"""The session file of pi and of the programs built on it (JSON lines) as an OpenAI chat history.

Newer files are a tree whose tip the newest entry is; what is not on the way to the tip is left out. Older files are a plain list. A command
the person ran (``bashExecution``) was sent to the model as a user message and is worded as the program words it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sostenuto.recordings._pi_tree import way_to_tip
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, first_model, model_name, token_sum

_META = frozenset({"session", "model_change", "thinking_level_change", "label", "session_info", "custom", "branch_summary", "leaf"})
# How the program words its own summary when it sends it.
_SUMMARY_BEFORE = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
_SUMMARY_AFTER = "\n</summary>"
# How many messages a result is moved over at most; real sessions need one or two, and the bound keeps reading linear.
_REACH = 64
Written = Callable[[Raw], bool]

_PROMPT_TOKENS = ("input", "cacheRead", "cacheWrite")


def _nobody(message: Raw) -> bool:
    return False


def read_session(records: Iterable[Line], *, reader: str, source: str, branch: str = "rewound", written: Written = _nobody) -> Recording:
    """The recording behind the records of one session file.

    Args:
        reader: name of the reader that recognised the file.
        source: the path as it was given.
        branch: how to name what is not on the way to the tip.
        written: whether the program wrote this assistant message itself, so that no model ever saw it.
    """
    entries = list(records)
    on_the_way = way_to_tip([record for _, record in entries])
    reading = _Reading(written)
    for position, (line, record) in enumerate(entries):
        if position in on_the_way or _is_meta(record):
            reading.take(line, record)
        else:
            reading.skip(line, branch, "on a branch that does not lead to the last entry")
    return Recording(
        reader=reader,
        format="openai_chat",
        messages=tuple(reading.messages),
        exchanges=tuple(reading.exchanges),
        system=None,
        tools=None,
        model=first_model(reading.exchanges),
        used=reading.used,
        meta=reading.meta,
        skipped=tuple(reading.skipped),
        source=source,
    )


def _is_meta(record: object) -> bool:
    kind = record.get("type") if isinstance(record, dict) else None
    return isinstance(kind, str) and kind in _META


@dataclass(slots=True)
class _Reading:
    written: Written
    messages: list[Raw] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    used: int = 0
    meta: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    _boundary: int = 0
    _preface: tuple[Raw, ...] = ()
    _starts: list[int] = field(default_factory=list)
    _at: dict[str, int] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)
    _after_results: int = 0

    def skip(self, line: int, kind: str, reason: str) -> None:
        self.skipped.append(Skipped(line=line, kind=kind, reason=reason))

    def take(self, line: int, record: object) -> None:
        self._starts.append(len(self.messages))
        if not isinstance(record, dict):
            self.skip(line, type(record).__name__, "not a JSON object")
            return
        if isinstance(record.get("id"), str):
            self._at.setdefault(record["id"], len(self.messages))
        kind = record.get("type")
        if kind == "message" and isinstance(record.get("message"), dict):
            self._message(line, record["message"])
        elif kind == "custom_message":
            self._spoken(line, kind, _content(record.get("content")))
        elif kind == "compaction":
            self._compaction(record)
        elif isinstance(kind, str) and kind in _META:
            self.meta += 1
        else:
            self.skip(line, kind if isinstance(kind, str) else "untyped", "a type of record this reader does not know")

    def _message(self, line: int, message: Raw) -> None:
        role = message.get("role")
        if role in ("user", "custom", "hookMessage"):
            self._spoken(line, str(role), _content(message.get("content")))
        elif role == "assistant":
            self._reply(line, message)
        elif role == "toolResult":
            self._result(message)
        elif role == "bashExecution" and message.get("excludeFromContext") is True:
            self.skip(line, "bashExecution", "the person kept this command out of the context")
        elif role == "bashExecution":
            self._spoken(line, role, _command_text(message))
        elif role in ("branchSummary", "compactionSummary"):
            self.meta += 1
        else:
            self.skip(line, str(role), "a role this reader does not know")

    def _spoken(self, line: int, kind: str, content: str | list[Raw]) -> None:
        if not content:
            self.skip(line, kind, "a message without content")
            return
        self.used += 1
        self.messages.append({"role": "user", "content": content})

    def _reply(self, line: int, message: Raw) -> None:
        if self.written(message):
            self.skip(line, "synthetic", "written by the program, not by a model")
            return
        reply = _assistant(message)
        if len(reply) == 1 or (not reply.get("content") and len(reply) == 2 and "content" in reply):
            reason = message.get("stopReason")
            self.skip(line, "aborted" if reason == "aborted" else "empty", f"a reply without content (stop reason {reason})")
            return
        self.used += 1
        self.exchanges.append(
            Exchange(
                upto=len(self.messages),
                boundary=self._boundary,
                preface=self._preface,
                reported=token_sum(message.get("usage"), _PROMPT_TOKENS),
                output=token_sum(message.get("usage"), ("output",)),
                model=model_name(message.get("model"), message.get("provider")),
            )
        )
        self.messages.append(reply)
        self._open = {call["id"] for call in reply.get("tool_calls", ())}
        self._after_results = len(self.messages)

    def _result(self, message: Raw) -> None:
        """A result stands directly after the calls of its reply, also where a user message was written in between."""
        self.used += 1
        name = _text(message.get("toolCallId"))
        result = {"role": "tool", "tool_call_id": name, "content": _content(message.get("content"))}
        if name in self._open and len(self.messages) - self._after_results <= _REACH:
            self._open.discard(name)
            self.messages.insert(self._after_results, result)
            self._after_results += 1
        else:
            self.messages.append(result)

    def _compaction(self, record: Raw) -> None:
        """A compaction: what follows was sent behind its summary and the entries it kept."""
        self.meta += 1
        kept, position = record.get("firstKeptEntryId"), record.get("firstKeptEntryIndex")
        self._boundary = len(self.messages)
        if isinstance(kept, str):
            self._boundary = self._at.get(kept, self._boundary)
        elif type(position) is int and 0 <= position < len(self._starts):
            self._boundary = self._starts[position]
        summary = _text(record.get("summary"))
        self._preface = ({"role": "user", "content": f"{_SUMMARY_BEFORE}{summary}{_SUMMARY_AFTER}"},) if summary else ()


def _assistant(message: Raw) -> Raw:
    content = message.get("content")
    found = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    spoken = [_text(block.get("text")) for block in found if block.get("type") == "text"]
    texts: list[Raw] = [{"type": "text", "text": text} for text in spoken if text]
    thoughts = [_text(block.get("thinking")) for block in found if block.get("type") == "thinking"]
    calls = [_call(block) for block in found if block.get("type") == "toolCall"]
    reply: Raw = {"role": "assistant", "content": content if isinstance(content, str) else _joined(texts) or None}
    if any(thoughts):
        reply["reasoning_content"] = "\n".join(thought for thought in thoughts if thought)
    if calls:
        reply["tool_calls"] = calls
    return reply


def _call(block: Raw) -> Raw:
    arguments = block.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps({} if arguments is None else arguments, ensure_ascii=False)
    return {"id": _text(block.get("id")), "type": "function", "function": {"name": _text(block.get("name")), "arguments": text}}


def _content(content: object) -> str | list[Raw]:
    """Blocks as OpenAI content parts; a single text as a string."""
    if isinstance(content, str):
        return content
    parts: list[Raw] = []
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "image":
            url = f"data:{_text(block.get('mimeType')) or 'image/png'};base64,{_text(block.get('data'))}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
        elif block.get("type") == "text":
            parts.append({"type": "text", "text": _text(block.get("text"))})
        else:
            parts.append(block)
    return _joined(parts)


def _joined(parts: list[Raw]) -> str | list[Raw]:
    if not parts:
        return ""
    if len(parts) == 1 and parts[0].get("type") == "text":
        return str(parts[0]["text"])
    return parts


def _command_text(message: Raw) -> str:
    output = _text(message.get("output"))
    text = f"Ran `{_text(message.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    code = message.get("exitCode")
    if message.get("cancelled") is True:
        text += "\n\n(command cancelled)"
    elif type(code) is int and code != 0:
        text += f"\n\nCommand exited with code {code}"
    if message.get("truncated") is True and _text(message.get("fullOutputPath")):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
