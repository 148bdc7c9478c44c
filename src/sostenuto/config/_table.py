"""Every setting: how it is spelt, what it may be, what it is when nobody says, and where it may stand (origin 13)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from sostenuto.budget import DEFAULT as LINES
from sostenuto.budget import LIMIT_NUMBERS

Place = Literal["global", "project", "agent", "workflow"]
EVERYWHERE: Final[frozenset[Place]] = frozenset(("global", "project", "agent", "workflow"))
FILES: Final[frozenset[Place]] = frozenset(("global", "project", "agent"))
OWN: Final[frozenset[Place]] = frozenset(("global", "agent", "workflow"))
"""Not a project: a folder that was cloned must not widen what may run in it."""
GLOBAL: Final[frozenset[Place]] = frozenset(("global",))
AGENT: Final[frozenset[Place]] = frozenset(("agent",))
POLICIES: Final = ("read-only", "low-risk", "high-risk")
REASONING: Final = ("off", "low", "medium", "high")
AGENT_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""What an agent may be called: its id is a file name."""
EACH: Final = "<id>"
"""Stands in a key for the id of any agent."""
_PER_AGENT: Final = "daemon.agents."
_UNATTENDED: Final = "It will count only unattended runs, which there are none of yet"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: what is expected, in words, and whether a value is of it."""

    expected: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Key:
    """One setting.

    Attributes:
        kind: what it may be; ``null`` is always allowed and means "as if it were not there".
        default: what holds when nobody says; None for nothing.
        meaning: one sentence for a person.
        places: where it may stand.
        later: what it is for once there is something that reads it; "" for a key that does something now.
    """

    kind: Kind
    default: Any
    meaning: str
    places: frozenset[Place] = FILES
    later: str = ""


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


TEXT: Final = Kind("a text that is not empty", lambda value: isinstance(value, str) and bool(value.strip()))
TEXTS: Final = Kind("a list of texts", lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value))
TOKENS: Final = Kind("a whole number of tokens, 1 or more", lambda value: _is_whole(value) and value >= 1)
COUNT: Final = Kind("a whole number, 0 or more", lambda value: _is_whole(value) and value >= 0)
SHARE: Final = Kind("a number between 0 and 1", _is_number)  # what is out of range is said by `budget.thresholds`, and fails nothing
DOLLARS: Final = Kind("a number of dollars above 0", lambda value: _is_number(value) and value > 0)
MILLISECONDS: Final = Kind("a whole number of milliseconds, 1 or more", lambda value: _is_whole(value) and value >= 1)
DAYS: Final = Kind("a whole number of days, 0 or more", lambda value: _is_whole(value) and value >= 0)
FLAG: Final = Kind("true or false", lambda value: isinstance(value, bool))
REASONING_LEVEL: Final = Kind(f"one of {', '.join(REASONING)}", lambda value: isinstance(value, str) and value in REASONING)
BYTES: Final = Kind("a whole number of bytes, 1 or more", lambda value: _is_whole(value) and value >= 1)
SOME: Final = Kind("a whole number, 1 or more", lambda value: _is_whole(value) and value >= 1)
ADDRESS: Final = Kind(
    "an address such as http://127.0.0.1:11434", lambda value: isinstance(value, str) and value.strip().startswith(("http://", "https://"))
)
DURATION: Final = Kind(
    "a time such as 10m, or seconds; -1 for always", lambda value: _is_whole(value) or (isinstance(value, str) and bool(value.strip()))
)
POLICY: Final = Kind(f"one of {', '.join(POLICIES)}", lambda value: value in POLICIES if isinstance(value, str) else False)

KEYS: Final[dict[str, Key]] = {
    "llm.provider": Key(TEXT, None, "Provider of llm.model, where that is an id alone."),
    "llm.model": Key(TEXT, None, "The model that works, as provider:id."),
    "llm.summarizerModel": Key(TEXT, None, "The model that writes summaries, as provider:id; without one the model itself."),
    "llm.numCtx": Key(TOKENS, None, "Window of a local server: sent to Ollama, a figure for llama.cpp, a bound elsewhere."),
    "llm.maxContextTokens": Key(TOKENS, None, "Ceiling below the window; it only lowers."),
    "llm.ollama.base_url": Key(ADDRESS, None, "Where Ollama listens; before OLLAMA_HOST.", frozenset(("global", "agent"))),
    "llm.ollama.keep_alive": Key(DURATION, None, "How long Ollama keeps a model loaded after a request."),
    "context.warnThresholdRatio": Key(SHARE, LINES.warn, "Share of the window from which a person is warned."),
    "context.compactThresholdRatio": Key(SHARE, LINES.compact, "Share of the window from which history is summarised."),
    "maxIterations": Key(COUNT, LIMIT_NUMBERS.iterations, "Requests of one run at most; 0 for no limit.", EVERYWHERE),
    "maxCostUSD": Key(DOLLARS, None, "Dollars of one run at most, everything it hands on included.", EVERYWHERE),
    "maxTokens": Key(TOKENS, None, "Tokens of one run at most, prompt and completion.", EVERYWHERE),
    "maxDurationMs": Key(MILLISECONDS, None, "Milliseconds after which a run is ended, wherever it is.", EVERYWHERE),
    "maxSubagentIterations": Key(COUNT, LIMIT_NUMBERS.subagent_iterations, "Requests of one sub-agent at most; 0 for no limit."),
    "maxSubagentDepth": Key(COUNT, LIMIT_NUMBERS.subagent_depth, "Levels of sub-agents; 0 for none."),
    "maxRetries": Key(COUNT, 10, "How often a request is sent again when an endpoint fails for a moment."),
    "approvalPolicy": Key(POLICY, None, "What runs without asking.", OWN),
    "allowedCommands": Key(TEXTS, [], "Beginnings of shell commands that run without asking.", frozenset(("global", "agent"))),
    "tools": Key(TEXTS, None, "Names of the tools an agent has; without it all of them.", AGENT),
    "persona": Key(TEXT, None, "What the agent is told about itself and how to work.", AGENT),
    "reasoning": Key(REASONING_LEVEL, None, "How long the model thinks before it speaks, where its provider can be told.", AGENT),
    "memoryScopes": Key(TEXTS, None, "Scopes of memory that an agent reads.", AGENT, "There is no memory to read yet"),
    "history.maxConversationsPerAgent": Key(SOME, 100, "Conversations of an agent; the oldest beyond are archived.", GLOBAL),
    "results.maxBytes": Key(BYTES, 256_000_000, "Bytes of kept tool results of one conversation.", GLOBAL),
    "scratchpad.maxFileBytes": Key(BYTES, 5_000_000, "Bytes of one file of an agent's scratchpad.", GLOBAL),
    "scratchpad.maxFiles": Key(SOME, 2_000, "Files of an agent's scratchpad.", GLOBAL),
    "scratchpad.maxBytes": Key(BYTES, 1_000_000_000, "Bytes of an agent's scratchpad.", GLOBAL),
    "daemon.dailyCostUSD": Key(DOLLARS, None, "Dollars of unattended runs in a day.", GLOBAL, _UNATTENDED),
    "daemon.dailyTokens": Key(TOKENS, None, "Tokens of unattended runs in a day.", GLOBAL, _UNATTENDED),
    "daemon.monthlyCostUSD": Key(DOLLARS, None, "Dollars of unattended runs in a month.", GLOBAL, _UNATTENDED),
    "daemon.goals.dailyCostUSD": Key(DOLLARS, None, "Dollars of goals and loops in a day.", GLOBAL, _UNATTENDED),
    "daemon.goals.monthlyCostUSD": Key(DOLLARS, None, "Dollars of goals and loops in a month.", GLOBAL, _UNATTENDED),
    "daemon.agents.<id>.dailyCostUSD": Key(DOLLARS, None, "Dollars of an agent's unattended runs in a day.", GLOBAL, _UNATTENDED),
    "daemon.agents.<id>.dailyTokens": Key(TOKENS, None, "Tokens of an agent's unattended runs in a day.", GLOBAL, _UNATTENDED),
    "daemon.agents.<id>.monthlyCostUSD": Key(DOLLARS, None, "Dollars of an agent's unattended runs in a month.", GLOBAL, _UNATTENDED),
    "telemetry.enabled": Key(FLAG, True, "Whether runs leave figures, never texts, in the data home.", GLOBAL),
    "telemetry.retentionDays": Key(DAYS, 30, "Days after which these figures are removed.", GLOBAL),
}
"""Spelling and nesting of the origin: a dot is one level of JSON objects."""


def entry_of(key: str, /) -> Key | None:
    """What is known of a key, also of one that names an agent; None where there is no such key."""
    return KEYS.get(row_of(key))


def row_of(key: str, /) -> str:
    """The key as the table has it: with `EACH` where it names an agent."""
    if not key.startswith(_PER_AGENT):
        return key
    agent, dot, rest = key.removeprefix(_PER_AGENT).partition(".")
    return f"{_PER_AGENT}{EACH}{dot}{rest}" if AGENT_ID.fullmatch(agent) else key


GROUPS: Final = frozenset(key[:place] for key in KEYS for place, letter in enumerate(key) if letter == ".")
"""The objects that keys stand in."""
