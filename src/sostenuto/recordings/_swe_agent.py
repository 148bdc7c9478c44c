"""SWE-agent trajectories (``.traj``) as an OpenAI chat history.

``history`` is the truth about the messages, because it alone has the system prompt, the task and the observations as they were worded for
the model; ``trajectory`` has the same steps once more, with the full observation where the history holds "Old environment output" in its
place. From the exact messages that newer files keep with each step comes the as-sent history: ``query`` is the request of the step,
``messages`` is what stood after it, and so the request of the next. A file without a history is read from these.

Every command of SWE-agent, its own file commands too, is typed into one shell. Where the model writes it as text and the observation comes
back as user text, the reply becomes a call of ``bash`` with the whole action as its ``command``, and the observation its result (D56). A
demonstration stands before the task and is about another one; it becomes a system message, so that it is not taken for the request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sostenuto.recordings._chat import Numbering, call, joined, result, says_nothing, sent_from, text
from sostenuto.recordings._recording import Exchange, Line, Raw, Recording, Skipped, first_model, model_name, token_sum

READER = "swe_agent"

_ROLES = ("system", "user", "assistant", "tool")
_SHELL = "bash"
_ELIDED = re.compile(r"Old environment output: \(\d+ lines? omitted\)")
# A reply is its thought, its action and the marks around the action; with more than this many characters beside them it is kept whole.
_MARKS = 64
# Names of what stands in for a model when a trajectory is typed or played back.
_NO_MODELS = frozenset({"replay", "human", "human_thought", "instant_empty_submit"})


def recognises(record: object) -> bool:
    """Whether this value is one trajectory file."""
    if not isinstance(record, dict) or not isinstance(record.get("trajectory"), list):
        return False
    return isinstance(record.get("history"), list) or isinstance(record.get("info"), dict)


def read(records: Iterable[Line], *, source: str) -> Recording:
    """The recording behind a trajectory file; its records are the entries of the history and the steps, and other trajectories.

    Of several trajectories the first is taken.
    """
    found = list(records)
    taken: Raw = next((value for _, value in found if recognises(value)), {})
    steps = [step for step in taken.get("trajectory", ()) if isinstance(step, dict)]
    reading = _Reading(steps=steps, model=_model(taken))
    entries = taken.get("history")
    if isinstance(entries, list) and entries:
        _read_history(reading, entries, steps=taken["trajectory"])
    else:
        _read_steps(reading, taken.get("trajectory", []))
    for line, value in found:
        if value is not taken:
            reading.skip(line, "trajectory", "another trajectory; a recording is one conversation")
    exchanges = _with_usage(reading.exchanges, taken.get("info"))
    return Recording(
        reader=READER,
        format="openai_chat",
        messages=tuple(reading.messages),
        exchanges=exchanges,
        system=None,
        tools=None,
        model=first_model(exchanges),
        used=reading.used,
        meta=reading.meta,
        skipped=tuple(reading.skipped),
        source=source,
    )


@dataclass(slots=True)
class _Reading:
    steps: list[Raw]
    model: str | None
    messages: list[Raw] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    used: int = 0
    meta: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def skip(self, line: int, kind: str, reason: str) -> None:
        self.skipped.append(Skipped(line=line, kind=kind, reason=reason))

    def reply(self, message: Raw) -> None:
        self.exchanges.append(
            Exchange(upto=len(self.messages), boundary=0, preface=(), reported=None, output=None, model=self.model),
        )
        self.messages.append(message)


def _read_history(reading: _Reading, entries: list[Any], *, steps: list[Any]) -> None:
    found = list(_main(reading, entries))
    replies = _replies([entry for _, entry in found])
    known = dict(zip((id(entry) for entry in replies), _steps_of(replies, reading.steps), strict=True))
    given: list[Raw | None] = []
    for (line, entry), message in zip(found, _messages([entry for _, entry in found], known=known), strict=True):
        if says_nothing(message) and message["role"] != "tool":
            reading.skip(line, "empty", "a message without content")
        elif message["role"] == "assistant":
            reading.reply(message)
            given.append(known.get(id(entry)))
            reading.used += 1
        else:
            reading.messages.append(message)
            reading.used += 1
    matched = {id(step) for step in known.values() if step is not None}
    for line, step in enumerate(steps, start=1):
        if id(step) in matched:
            reading.meta += 1
        else:
            reading.skip(line, "step", "a step whose reply is not in the history")
    reading.exchanges = list(_as_sent(reading, given))


def _read_steps(reading: _Reading, steps: list[Any]) -> None:
    """Without a history: the last messages that were kept, and what was said since."""
    last = max((at for at, step in enumerate(steps) if _kept(step, "query") or _kept(step, "messages")), default=0)
    entries = (_kept(steps[last], "query") or _kept(steps[last], "messages")) if steps else []
    for step in steps[last:]:
        if isinstance(step, dict) and not (step is steps[last] and _replies(entries) and not _kept(step, "query")):
            said = {name: step.get(name) for name in ("thought", "action")}
            entries.append(said | {"role": "assistant", "content": text(step.get("response"))})
            entries.append({"role": "user", "content": text(step.get("observation"))})
    replies = _replies(entries)
    known = dict(zip((id(entry) for entry in replies), _steps_of(replies, reading.steps), strict=True))
    for message in _messages(entries, known=known):
        if says_nothing(message) and message["role"] != "tool":
            continue
        if message["role"] == "assistant":
            reading.reply(message)
        else:
            reading.messages.append(message)
    for line, step in enumerate(steps, start=1):
        if isinstance(step, dict):
            reading.used += 1
        else:
            reading.skip(line, "step", "not a JSON object")


def _main(reading: _Reading, entries: list[Any]) -> Iterator[tuple[int, Raw]]:
    """The entries of the main agent, which is the one that speaks first; those of others are skipped by name."""
    main = next((entry["agent"] for entry in entries if isinstance(entry, dict) and isinstance(entry.get("agent"), str)), None)
    for line, entry in enumerate(entries, start=1):
        role = entry.get("role") if isinstance(entry, dict) else None
        if not isinstance(role, str) or role not in _ROLES:
            kind = role if isinstance(role, str) else type(entry).__name__
            reading.skip(line, kind, "not a message with a known role")
        elif isinstance(entry.get("agent"), str) and entry["agent"] != main:
            reading.skip(line, "subagent", f"a message of the agent {entry['agent'][:40]!r}")
        else:
            yield line, entry


def _messages(entries: Sequence[Raw], *, known: dict[int, Raw | None]) -> Iterator[Raw]:
    """One message for each entry. `known`: the step of a reply, by the identity of its entry."""
    awaited: str | None = None
    step: Raw | None = None
    for position, entry in enumerate(entries):
        role = entry["role"]
        if entry.get("is_demo") is True:
            yield {"role": "system", "content": _demonstration(entry)}
        elif role == "assistant":
            step = known.get(id(entry))
            follows = entries[position + 1] if position + 1 < len(entries) else {}
            observed = follows.get("role") == "user" and follows.get("is_demo") is not True
            message = _reply(entry, name=f"action_{position}", observed=observed)
            awaited = message["tool_calls"][0]["id"] if observed and message.get("tool_calls") else None
            yield message
        elif role == "tool":
            yield result(_answered(entry), _observation(entry, step))
        elif role == "user" and awaited is not None:
            yield result(awaited, _observation(entry, step))
            awaited = None
        else:
            yield {"role": role, "content": _content(entry.get("content"))}


def _reply(entry: Raw, *, name: str, observed: bool) -> Raw:
    message: Raw = {"role": "assistant", "content": _content(entry.get("content")) or None}
    if isinstance(entry.get("thinking_blocks"), list) and entry["thinking_blocks"]:
        message["thinking_blocks"] = entry["thinking_blocks"]
    calls = [_given_call(one) for one in entry["tool_calls"] if isinstance(one, dict)] if isinstance(entry.get("tool_calls"), list) else []
    action, thought = text(entry.get("action")), text(entry.get("thought"))
    if calls:
        message["tool_calls"] = calls
    elif observed and action.strip():
        message["tool_calls"] = [call(_SHELL, {"command": action}, id=name)]
        if len(thought) + len(action) + _MARKS >= len(text(entry.get("content"))):
            message["content"] = thought or None
    return message


def _given_call(one: Raw) -> Raw:
    function = one["function"] if isinstance(one.get("function"), dict) else {}
    return call(function.get("name"), function.get("arguments"), id=one.get("id"))


def _answered(entry: Raw) -> str:
    """The call an observation answers; the program sends the first of several ids and leaves the others out."""
    names = entry.get("tool_call_ids")
    return text(names[0]) if isinstance(names, list) and names else text(entry.get("tool_call_id"))


def _observation(entry: Raw, step: Raw | None) -> str | list[Raw]:
    """What the model saw, whole again where the history keeps only a count of lines."""
    content = _content(entry.get("content"))
    whole = text(step.get("observation")) if step is not None else ""
    return whole if whole and isinstance(content, str) and _ELIDED.match(content) else content


def _demonstration(entry: Raw) -> str | list[Raw]:
    content = _content(entry.get("content"))
    return content if entry["role"] in ("system", "user") or not isinstance(content, str) else f"{entry['role'].upper()}: {content}"


def _content(content: object) -> str | list[Raw]:
    """Content without cache marks."""
    if isinstance(content, list):
        return joined([{name: part[name] for name in part if name != "cache_control"} for part in content if isinstance(part, dict)])
    return text(content)


def _steps_of(replies: Sequence[Raw], steps: Sequence[Raw]) -> list[Raw | None]:
    """The step of each reply: the same position where there are as many, else the next one with the same text."""
    if len(replies) == len(steps):
        return list(steps)
    waiting: dict[str, list[Raw]] = {}
    for step in reversed(steps):
        waiting.setdefault(text(step.get("response")).strip(), []).append(step)
    found: list[Raw | None] = []
    for entry in replies:
        same = waiting.get(text(entry.get("content")).strip())
        found.append(same.pop() if same else None)
    return found


def _as_sent(reading: _Reading, given: Sequence[Raw | None]) -> Iterator[Exchange]:
    """The exchanges, with what their requests really held where the steps have kept that."""
    number = Numbering()
    held = [number(message) for message in reading.messages]
    before: Raw | None = None
    for count, (exchange, step) in enumerate(zip(reading.exchanges, given, strict=True)):
        earlier = _kept(before, "messages")
        entries = _kept(step, "query") or (earlier if len(_replies(earlier)) == count else [])
        sent = list(_messages(entries, known={}))
        boundary, preface = sent_from(held[: exchange.upto], [number(message) for message in sent]) if sent else (0, 0)
        yield replace(exchange, boundary=boundary, preface=tuple(sent[:preface]))
        before = step


def _kept(step: object, name: str) -> list[Raw]:
    """The messages a step keeps under this name."""
    found = step.get(name) if isinstance(step, dict) else None
    entries = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    return [entry for entry in entries if isinstance(entry.get("role"), str) and entry["role"] in _ROLES]


def _replies(entries: Iterable[Raw]) -> list[Raw]:
    return [entry for entry in entries if entry.get("role") == "assistant" and entry.get("is_demo") is not True]


def _with_usage(exchanges: Sequence[Exchange], info: object) -> tuple[Exchange, ...]:
    """The file counts tokens for the whole run; they belong to a reply only if there was one call."""
    stats = info.get("model_stats") if isinstance(info, dict) else None
    if not isinstance(stats, dict) or stats.get("api_calls") != 1 or len(exchanges) != 1:
        return tuple(exchanges)
    reported, output = token_sum(stats, ("tokens_sent",)), token_sum(stats, ("tokens_received",))
    return (replace(exchanges[0], reported=reported, output=output),)


def _model(taken: Raw) -> str | None:
    """The model of the configuration, which newer files keep as JSON text."""
    holder = taken.get("replay_config")
    if isinstance(holder, str):
        try:
            holder = json.loads(holder)
        except (ValueError, RecursionError):
            return None
    for name in ("agent", "model", "name"):
        holder = holder.get(name) if isinstance(holder, dict) else None
    return None if isinstance(holder, str) and holder in _NO_MODELS else model_name(holder)
