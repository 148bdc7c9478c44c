"""VCR cassettes (YAML or JSON) of a provider's HTTP traffic as the history they add up to, on the wire it was sent on.

Requests that extend each other are one conversation, and the history is the longest one with the reply to its last request. Where the
provider keeps the history (``previous_response_id``, ``conversation``) it is put together from the exchanges before it in the cassette.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sostenuto.recordings._model_calls import ModelCall, model_call
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, TextLine, first_model, plain_exchanges
from sostenuto.recordings._yaml import yaml_documents

READER = "cassette"

_LISTS = ("interactions", "http_interactions")
_BEGINS = re.compile(r"(?:interactions|http_interactions)\s*:")
# What may stand before the list in the first lines of a cassette.
_BEFORE = re.compile(r"\s*(?:#.*|---.*|%YAML.*|(?:version|recorded_with)\s*:.*)?\s*\Z")


def recognises(record: object) -> bool:
    """Whether this value is a cassette."""
    return any(isinstance(one, dict) and isinstance(one.get("request"), dict) for one in _exchanges(record))


def recognises_text(lines: Sequence[str]) -> bool:
    """Whether a text begins as a YAML cassette does."""
    first = next((line for line in lines if not _BEFORE.match(line)), "")
    return _BEGINS.match(first) is not None


def read_text(lines: Iterable[TextLine], *, source: str) -> Recording:
    """The recording behind a YAML cassette."""
    text = "".join(line for _, line in lines)
    return read(enumerate(yaml_documents(text, path=source), start=1), source=source)


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind a cassette; its records are the recorded HTTP exchanges."""
    exchanges = [one for _, record in records for one in _exchanges(record)]
    reasons: dict[int, tuple[str, str]] = {}
    tree = _Tree()
    for line, exchange in enumerate(exchanges, start=1):
        found = model_call(line, exchange) if isinstance(exchange, dict) else (type(exchange).__name__, "not a recorded exchange")
        if isinstance(found, ModelCall):
            tree.add(found)
        else:
            reasons[line] = found
    chain = tree.longest()
    last = chain[-1].call if chain else None
    reasons |= tree.set_aside(chain)
    messages = _messages(chain)
    replies = _replies(messages, chain)
    return Recording(
        reader=READER,
        format=last.form if last else "openai_chat",
        messages=tuple(messages),
        exchanges=replies,
        system=last.system if last else None,
        tools=last.tools if last else None,
        model=first_model(replies),
        used=len(exchanges) - len(reasons),
        meta=0,
        skipped=tuple(Skipped(line, *reasons[line]) for line in sorted(reasons)),
        source=source,
    )


@dataclass(eq=False, slots=True)
class _Node:
    """A call in its conversation.

    Attributes:
        before: the call whose history this one goes on with.
        kept: the provider keeps that history, so this request holds only what came after the reply to it.
        length: messages of the history before the reply.
        digest: stands for these messages, so that whole histories are compared at once.
    """

    call: ModelCall
    before: _Node | None
    kept: bool
    length: int
    digest: bytes


@dataclass(slots=True)
class _Tree:
    nodes: list[_Node] = field(default_factory=list)
    _by_history: dict[bytes, _Node] = field(default_factory=dict)
    _by_response: dict[str, _Node] = field(default_factory=dict)
    _by_conversation: dict[str, _Node] = field(default_factory=dict)

    def add(self, call: ModelCall) -> None:
        """Put a call behind the newest one whose history its own begins with."""
        base = self._base(call)
        if base is not None:
            start = _digests(base.digest, base.call.reply)[-1]
            length = base.length + len(base.call.reply) + len(call.sent)
            node = _Node(call, base, True, length, _digests(start, call.sent)[-1])
        else:
            digests = _digests(call.form.encode(), call.sent)
            known = (self._by_history.get(one) for one in reversed(digests[1:]))
            before = next((one for one in known if one is not None), None)
            while before is not None and before.digest == digests[-1] and before.before is not None:
                before = before.before  # the same request again: the two are neighbours, not one behind the other
            if before is not None and before.digest == digests[-1]:
                before = None
            node = _Node(call, before, False, len(call.sent), digests[-1])
        self.nodes.append(node)
        if node.length:
            self._by_history[node.digest] = node
        if call.response_id is not None:
            self._by_response[call.response_id] = node
        if call.conversation is not None:
            self._by_conversation[call.conversation] = node

    def longest(self) -> list[_Node]:
        """The calls of the longest conversation in order; of equals the newest."""
        at = max(self.nodes, key=lambda node: (node.length + len(node.call.reply), node.call.line), default=None)
        chain = []
        while at is not None:
            chain.append(at)
            at = at.before
        return chain[::-1]

    def set_aside(self, chain: Sequence[_Node]) -> dict[int, tuple[str, str]]:
        """Name and reason of each call that is not in the chain, or whose beginning is not in the cassette."""
        inside = {node.call.line for node in chain}
        form = chain[-1].call.form if chain else ""
        reasons = {}
        for node in self.nodes:
            call = node.call
            if call.line not in inside and call.form != form:
                reasons[call.line] = (call.form, "a call on another wire than the longest conversation")
            elif call.line not in inside:
                reasons[call.line] = ("conversation", "another conversation or another reply to the same request; the longest is read")
            elif call.previous is not None and not node.kept:
                reasons[call.line] = ("server_history", "goes on with a response that is not in the cassette; only what was sent is read")
        return reasons

    def _base(self, call: ModelCall) -> _Node | None:
        if call.previous is not None:
            return self._by_response.get(call.previous)
        return self._by_conversation.get(call.conversation) if call.conversation is not None else None


def _messages(chain: Sequence[_Node]) -> list[Raw]:
    """The history before the last reply, and that reply."""
    if not chain:
        return []
    pieces = [chain[-1].call.reply, chain[-1].call.sent]
    at = chain[-1]
    while at.kept and at.before is not None:
        at = at.before
        pieces += [at.call.reply, at.call.sent]
    return [message for piece in reversed(pieces) for message in piece]


def _replies(messages: Sequence[Raw], chain: Sequence[_Node]) -> tuple[Exchange, ...]:
    """An exchange for every reply in the history: those whose call is in the cassette with its usage and model."""
    if not chain:
        return ()
    found = {one.upto: one for one in plain_exchanges(messages, form=chain[-1].call.form)}
    for node in chain:
        call = node.call
        found[node.length] = Exchange(node.length, 0, (), reported=call.reported, output=call.output, model=call.model)
    # The provider drops what stands before its own compaction.
    starts = [at for at, message in enumerate(messages) if message.get("type") == "compaction"]
    ordered = [found[upto] for upto in sorted(found)]
    return tuple(replace(one, boundary=starts[at - 1]) if (at := bisect_left(starts, one.upto)) else one for one in ordered)


def _digests(start: bytes, messages: Sequence[Raw]) -> list[bytes]:
    """The digest after each message, ``start`` first."""
    found = [start]
    for message in messages:
        found.append(hashlib.blake2b(found[-1] + _written(message), digest_size=16).digest())
    return found


def _written(message: Raw) -> bytes:
    """A message as bytes that are equal where it says the same: cache markers move, and one text may stand alone or as a block."""
    content = message.get("content")
    if isinstance(content, str):
        message = message | {"content": [{"type": "text", "text": content}]}
    elif isinstance(content, list):
        message = message | {"content": [_unmarked(block) for block in content]}
    try:
        return json.dumps(message, sort_keys=True, default=repr).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError):
        return repr(id(message)).encode()


def _unmarked(block: object) -> object:
    return {name: block[name] for name in block if name != "cache_control"} if isinstance(block, dict) else block


def _exchanges(record: object) -> list[Any]:
    held = next((record[name] for name in _LISTS if name in record), None) if isinstance(record, dict) else None
    return held if isinstance(held, list) else []
