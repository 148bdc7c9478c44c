"""What the OpenAI Responses endpoint refuses (D57): calls and outputs that do not match, reasoning without its item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sostenuto.formats._blocks import fields
from sostenuto.formats._responses_calls import ANSWERS, CALLS, FUNCTION_OUTPUT, answered_id
from sostenuto.formats._responses_items import MESSAGE, REASONING, REFERENCE, kind_of, role_of
from sostenuto.formats._text import word

LONGEST_ID = 64
"""Characters a call id may have; the endpoint refuses a longer one, and an empty one."""

_ROLES = frozenset({"user", "assistant", "system", "developer"})
_ELSEWHERE = ("previous_response_id", "conversation")
"""Arguments that name a history the server holds: outputs may answer calls that stand there."""


@dataclass(slots=True)
class _Check:
    """A walk over the items: calls nothing answered yet (id to type of the answer), every id seen, what was found wrong."""

    is_partial: bool
    due: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    found: list[str] = field(default_factory=list)

    def call(self, call_id: str, answer: str, *, at: int) -> None:
        if not 0 < len(call_id) <= LONGEST_ID:
            self.found.append(f"the call id of item {at} has {len(call_id)} characters; 1 to {LONGEST_ID} are taken")
        if call_id in self.seen:
            self.found.append(f"item {at} uses the call id {call_id!r} again")
        self.seen.add(call_id)
        self.due[call_id] = answer

    def answer(self, call_id: str, kind: str, *, at: int) -> None:
        wanted = self.due.pop(call_id, None)
        if wanted is None:
            if call_id in self.seen or not self.is_partial:
                self.found.append(f"output item {at} answers {call_id!r}, which no open call before it asked")
        elif kind not in (wanted, FUNCTION_OUTPUT if wanted == "local_shell_call_output" else wanted):
            self.found.append(f"output item {at} is a {kind}, but the call {call_id!r} wants a {wanted}")


def problems(arguments: Mapping[str, Any]) -> list[str]:
    """Everything wrong with the ``input`` of a request, one sentence each with the item's index; empty when valid.

    Where the server holds earlier items (``previous_response_id``, ``conversation``, item references), an output may answer one of those.
    """
    given = arguments.get("input")
    held = [fields(raw) for raw in given] if isinstance(given, list | tuple) else []
    is_partial = any(arguments.get(name) for name in _ELSEWHERE) or any(item is not None and kind_of(item) == REFERENCE for item in held)
    check = _Check(is_partial)
    for at, item in enumerate(held):
        if item is None:
            check.found.append(f"item {at} is no object")
            continue
        kind = kind_of(item)
        if kind in CALLS:
            check.call(word(item.get("call_id")), CALLS[kind].answer, at=at)
        elif kind in ANSWERS:
            check.answer(answered_id(item), kind, at=at)
        elif kind == REASONING:
            following = held[at + 1] if at + 1 < len(held) else None
            if following is None or role_of(following) != "assistant":
                check.found.append(f"reasoning item {at} is not followed by its item")
        elif kind == MESSAGE and (not isinstance(item.get("role"), str) or item["role"] not in _ROLES):
            check.found.append(f"item {at} has the unknown role {item.get('role')!r}")
    if check.due:
        check.found.append(f"calls {list(check.due)} have no output")
    return check.found
