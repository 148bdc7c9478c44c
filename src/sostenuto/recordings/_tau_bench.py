"""tau-bench results as an OpenAI chat history: one simulation, or an array of them of which the first that has messages is taken."""

from __future__ import annotations

from collections.abc import Iterable

from sostenuto.recordings._recording import Line, Recording, Skipped, plain_exchanges

READER = "tau_bench"

_ROLES = ("system", "developer", "user", "assistant", "tool")
_MARKS = ("task_id", "reward", "trial")


def recognises(record: object) -> bool:
    """Whether this value is the result of one simulation."""
    if not isinstance(record, dict):
        return False
    if isinstance(record.get("traj"), list):
        return True
    return isinstance(record.get("messages"), list) and sum(mark in record for mark in _MARKS) > 1


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind a results file; its records are the messages of the simulation taken, and the other simulations."""
    taken: list[Line] | None = None
    skipped: list[Skipped] = []
    for line, value in records:
        found = _messages(value)
        if taken is None and found:
            taken = list(enumerate(found, start=1))
        else:
            reason = "another simulation; a recording is one conversation" if found else "no simulation with messages"
            skipped.append(Skipped(line=line, kind="simulation", reason=reason))
    messages = []
    for line, value in taken or []:
        if isinstance(value, dict) and value.get("role") in _ROLES:
            messages.append(value)
        else:
            skipped.append(Skipped(line=line, kind="message", reason="not a message with a known role"))
    return Recording(
        reader=READER,
        format="openai_chat",
        messages=tuple(messages),
        exchanges=plain_exchanges(messages),
        system=None,
        tools=None,
        model=None,
        used=len(messages),
        meta=0,
        skipped=tuple(skipped),
        source=source,
    )


def _messages(value: object) -> list[object]:
    if not isinstance(value, dict):
        return []
    found = value.get("traj", value.get("messages"))
    return found if isinstance(found, list) else []
