"""Putting an Anthropic history together from records that hold one content block each, in whatever order they were written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sostenuto.recordings._recording import Exchange, Raw

MISSING = "(What was said here is not in the recording.)"
"""Stands between two replies where the file has nothing: no request ends with a reply (D57), so something was sent between them."""


def blocks(content: object) -> list[Any]:
    """Content as a list of blocks; plain text becomes one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content) if isinstance(content, list) else []


def block_ids(content: object, *, kind: str, name: str) -> list[str]:
    """The identifiers under ``name`` of all blocks of one kind."""
    found = content if isinstance(content, list) else []
    ids = [block.get(name) for block in found if isinstance(block, dict) and block.get("type") == kind]
    return [one for one in ids if isinstance(one, str)]


@dataclass(slots=True)
class _Open:
    """The newest assistant message, to which more of its own blocks and its results may still come."""

    index: int
    message_id: str | None
    request_id: str | None
    body: list[Any]
    calls: set[str]
    answer: Raw | None = None
    results: list[Any] = field(default_factory=list)
    remarks: list[Any] = field(default_factory=list)
    prompted: bool = False

    def continues(self, message_id: str | None, request_id: str | None) -> bool:
        """One reply is one message id; a prompt in between needs the request's id as well, because some proxies repeat message ids."""
        if message_id is None or message_id != self.message_id:
            return False
        if request_id is not None and self.request_id is not None:
            return request_id == self.request_id
        return not self.prompted


@dataclass(slots=True)
class Turns:
    """The history while it is being read."""

    messages: list[Raw] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    boundary: int = 0
    preface: tuple[Raw, ...] = ()
    _open: _Open | None = None

    def add_reply(self, content: object, *, message_id: str | None, request_id: str | None) -> bool:
        """Add one record of an assistant reply; true when it starts a new message."""
        calls = block_ids(content, kind="tool_use", name="id")
        if self._open is not None and self._open.continues(message_id, request_id):
            self._open.body.extend(block for block in blocks(content) if not _repeats(block, self._open.calls))
            self.messages[self._open.index]["content"] = self._open.body
            self._open.calls.update(calls)
            return False
        self.close()
        if self.messages and self.messages[-1]["role"] == "assistant":
            self.messages.append({"role": "user", "content": MISSING})
        self._open = _Open(len(self.messages), message_id=message_id, request_id=request_id, body=blocks(content), calls=set(calls))
        self.messages.append({"role": "assistant", "content": content})
        return True

    def add_user(self, content: object, *, prompt: bool) -> None:
        """Add one user record: results to the message that answers their calls, everything else at the end."""
        answered = block_ids(content, kind="tool_result", name="tool_use_id")
        if answered and self._open is not None and self._open.calls.issuperset(answered):
            self._add_results(self._open, blocks(content))
            return
        if self._open is not None:
            self._open.prompted = self._open.prompted or prompt
        self.messages.append({"role": "user", "content": content})

    def set_boundary(self, index: int | None = None) -> None:
        """What follows was sent without what stands before; ``index`` where kept messages begin, else here."""
        self.boundary = len(self.messages) if index is None else index
        self.preface = ()
        self.close()

    def close(self) -> None:
        """Nothing more belongs to the newest reply: put its results before the other blocks of the records they came in."""
        if self._open is not None and self._open.answer is not None:
            self._open.answer["content"] = [*self._open.results, *self._open.remarks]
        self._open = None

    def _add_results(self, reply: _Open, content: list[Any]) -> None:
        """All results of one reply form one user message directly after it, other blocks of the same records behind them."""
        if reply.answer is None:
            reply.answer = {"role": "user", "content": []}
            self.messages.insert(reply.index + 1, reply.answer)
        for block in content:
            is_result = isinstance(block, dict) and block.get("type") == "tool_result"
            (reply.results if is_result else reply.remarks).append(block)


def _repeats(block: object, calls: set[str]) -> bool:
    return any(name in calls for name in block_ids([block], kind="tool_use", name="id"))
