"""ATIF trajectories (Harbor's Agent Trajectory Interchange Format, 1.0 to 1.7) as an OpenAI chat history.

A step is a message with the calls it made and, in its observation, their results. Some agents (terminus-2 is one) write commands into
their text and get the terminal back as user text: there the step becomes one call, of ``terminal`` with the keystrokes as its ``command``
where they can be read, and the observation its result (D56).

Steps copied from an earlier trajectory are the history this one begins with; nothing was asked for them here, so they have no exchange. A
system step that reports a compaction or points to sub-agents is the program's own note; behind a compaction stands a boundary. What a
sub-agent did, and where a continued trajectory goes on, is in other trajectories and skipped by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sostenuto.recordings._chat import call, joined, result, says_nothing, text
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, first_model, model_name, token_sum

READER = "atif"

_SOURCES = ("system", "user", "agent")
_TERMINAL = "terminal"
# A step that was observed without a call and without keystrokes that can be read.
_UNNAMED = "environment"


def recognises(record: object) -> bool:
    """Whether this value is one trajectory."""
    if not isinstance(record, dict) or not isinstance(record.get("steps"), list):
        return False
    if text(record.get("schema_version")).startswith("ATIF"):
        return True
    first = next(iter(record["steps"]), None)
    return isinstance(record.get("agent"), dict) and isinstance(first, dict) and "step_id" in first and first.get("source") in _SOURCES


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind a trajectory; of several the longest is taken, the first among equals.

    Its records are the steps, the other trajectories (those of sub-agents too), and the reference to a continuation.
    """
    found = list(records)
    whole = [value for _, value in found if recognises(value)]
    taken: Raw = max(whole, key=lambda one: len(one["steps"]), default={})
    reading = _Reading(agent=taken["agent"] if isinstance(taken.get("agent"), dict) else {})
    for line, step in enumerate(taken.get("steps", ()), start=1):
        reading.take(line, step)
    for line, value in found:
        if value is not taken:
            reading.skip(line, "trajectory", "another trajectory; a recording is one conversation")
    _name_others(reading, taken)
    tools = reading.agent.get("tool_definitions")
    return Recording(
        reader=READER,
        format="openai_chat",
        messages=tuple(reading.messages),
        exchanges=tuple(reading.exchanges),
        system=None,
        tools=tools if isinstance(tools, list) and tools else None,
        model=first_model(reading.exchanges),
        used=reading.used,
        meta=reading.meta,
        skipped=tuple(reading.skipped),
        source=source,
    )


def _name_others(reading: _Reading, taken: Raw) -> None:
    others = taken.get("subagent_trajectories")
    for line, other in enumerate(others if isinstance(others, list) else [], start=1):
        name = other.get("trajectory_id") or other.get("session_id") if isinstance(other, dict) else None
        reading.skip(line, "subagent", f"the trajectory {text(name)[:80]!r} of a sub-agent")
    after = text(taken.get("continued_trajectory_ref"))
    if after:
        reading.skip(len(taken.get("steps", ())) + 1, "continuation", f"goes on in {after[:200]!r}, which is another file")


@dataclass(slots=True)
class _Reading:
    agent: Raw
    messages: list[Raw] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    used: int = 0
    meta: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    _boundary: int = 0
    _preface: tuple[Raw, ...] = ()

    def skip(self, line: int, kind: str, reason: str) -> None:
        self.skipped.append(Skipped(line=line, kind=kind, reason=reason))

    def take(self, line: int, step: object) -> None:
        if not isinstance(step, dict):
            self.skip(line, type(step).__name__, "not a JSON object")
            return
        origin = step.get("source")
        if origin == "agent":
            self._reply(line, step)
        elif origin == "system" and _is_note(step):
            self._note(step)
        elif origin in ("system", "user"):
            self._spoken(line, step)
        else:
            self.skip(line, text(origin)[:60] or "sourceless", "a source of steps this reader does not know")

    def _note(self, step: Raw) -> None:
        self.meta += 1
        if _compacts(step):
            self._boundary = len(self.messages)
            first = next((at for at, message in enumerate(self.messages) if message["role"] != "system"), len(self.messages))
            self._preface = tuple(self.messages[:first])

    def _spoken(self, line: int, step: Raw) -> None:
        message = {"role": step["source"], "content": _content(step.get("message"))}
        observed = [one for one in _results(step) if _content(one.get("content"))]
        if says_nothing(message) and not observed:
            self.skip(line, "empty", "a step without content")
            return
        self.used += 1
        if not says_nothing(message):
            self.messages.append(message)
        if observed:
            self._answer({"role": "assistant", "content": None}, observed, made=_UNNAMED, line=line)

    def _reply(self, line: int, step: Raw) -> None:
        message: Raw = {"role": "assistant", "content": _content(step.get("message")) or None}
        if text(step.get("reasoning_content")):
            message["reasoning_content"] = step["reasoning_content"]
        calls = step.get("tool_calls")
        if isinstance(calls, list) and (given := [_call(one) for one in calls if isinstance(one, dict)]):
            message["tool_calls"] = given
        results = _results(step)
        if says_nothing(message) and not results:
            self.skip(line, "empty", "a reply without content")
            return
        self.used += 1
        if step.get("is_copied_context") is not True and step.get("llm_call_count") != 0:
            self.exchanges.append(self._exchange(step))
        if results:
            self._answer(message, results, made=_TERMINAL, line=line)
        else:
            self.messages.append(message)

    def _answer(self, message: Raw, results: list[Raw], *, made: str, line: int) -> None:
        """A message and what was observed after it, which needs a call to answer."""
        if not message.get("tool_calls"):
            keys = _keystrokes(text(message.get("content")))
            name, arguments = (made, {"command": keys}) if keys is not None else (_UNNAMED, {})
            message = message | {"tool_calls": [call(name, arguments, id=f"step_{line}")]}
        self.messages.append(message)
        names = [one["id"] for one in message["tool_calls"]]
        self.messages.extend(_answers(results, names))

    def _exchange(self, step: Raw) -> Exchange:
        # The counts of a step of several calls are sums, and no request was as long as that.
        metrics = step.get("metrics") if step.get("llm_call_count", 1) in (1, None) else None
        return Exchange(
            upto=len(self.messages),
            boundary=self._boundary,
            preface=self._preface,
            # Cached tokens are counted into ``prompt_tokens``.
            reported=token_sum(metrics, ("prompt_tokens",)),
            output=token_sum(metrics, ("completion_tokens",)),
            model=model_name(step.get("model_name")) or model_name(self.agent.get("model_name")),
        )


def _answers(results: list[Raw], names: list[str]) -> Iterator[Raw]:
    """One result for each call that was answered, in the order of the calls; what names none answers the next open one, or the last."""
    held: dict[str, list[Raw]] = {}
    loose: list[Raw] = []
    known = set(names)
    for one in results:
        name = one.get("source_call_id")
        if isinstance(name, str) and name in known:
            held.setdefault(name, []).append(one)
        else:
            loose.append(one)
    unanswered = [name for name in names if name not in held]
    for position, one in enumerate(loose):
        held.setdefault(unanswered[position] if position < len(unanswered) - 1 else (unanswered or names)[-1], []).append(one)
    for name in dict.fromkeys(names):
        if name in held:
            yield result(name, _together([_content(one.get("content")) for one in held[name]]))


def _together(contents: list[str | list[Raw]]) -> str | list[Raw]:
    if all(isinstance(content, str) for content in contents):
        return "\n".join(str(content) for content in contents)
    parts: list[Raw] = []
    for content in contents:
        parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return parts


def _call(one: Raw) -> Raw:
    return call(one.get("function_name"), one.get("arguments"), id=one.get("tool_call_id"))


def _results(step: Raw) -> list[Raw]:
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    return [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []


def _is_note(step: Raw) -> bool:
    return _compacts(step) or any("subagent_trajectory_ref" in one for one in _results(step))


def _compacts(step: Raw) -> bool:
    extra = step.get("extra")
    managed = extra.get("context_management") if isinstance(extra, dict) else None
    return isinstance(managed, dict) and managed.get("type") == "compaction"


def _keystrokes(message: str) -> str | None:
    """What a reply types, from the two ways of writing it: JSON with ``commands``, or ``<keystrokes>`` elements."""
    start, end = message.find("{"), message.rfind("}")
    try:
        value: Any = json.loads(message[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        value = None
    commands = value.get("commands") if isinstance(value, dict) else None
    if isinstance(commands, list):
        return "".join(text(one.get("keystrokes")) for one in commands if isinstance(one, dict))
    pieces = [piece.partition(">")[2].partition("</keystrokes>") for piece in message.split("<keystrokes")[1:]]
    return "".join(typed for typed, closed, _ in pieces if closed) if pieces else None


def _content(content: object) -> str | list[Raw]:
    """A message or a result: text, or parts of text and images that lie beside the file or on the network."""
    if isinstance(content, str):
        return content
    parts: list[Raw] = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict):
            parts.append(_part(part))
    return joined(parts)


def _part(part: Raw) -> Raw:
    if part.get("type") == "text":
        return {"type": "text", "text": text(part.get("text"))}
    origin = part.get("source")
    if part.get("type") == "image" and isinstance(origin, dict):
        return {"type": "image_url", "image_url": {"url": text(origin.get("path")) or text(origin.get("url"))}}
    return part
