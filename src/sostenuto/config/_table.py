"""Every setting: how it is spelt, what it may be, what it is when nobody says, and where it may stand (origin 13)."""

from __future__ import annotations

import math
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
POLICIES: Final = ("read-only", "low-risk", "high-risk")


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
    """

    kind: Kind
    default: Any
    meaning: str
    places: frozenset[Place] = FILES


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
POLICY: Final = Kind(f"one of {', '.join(POLICIES)}", lambda value: value in POLICIES if isinstance(value, str) else False)

KEYS: Final[dict[str, Key]] = {
    "llm.provider": Key(TEXT, None, "Provider of llm.model, where that is an id alone."),
    "llm.model": Key(TEXT, None, "The model that works, as provider:id."),
    "llm.summarizerModel": Key(TEXT, None, "The model that writes summaries, as provider:id; without one the model itself."),
    "llm.numCtx": Key(TOKENS, None, "Window of a local server: sent to Ollama, a figure for llama.cpp, a bound elsewhere."),
    "llm.maxContextTokens": Key(TOKENS, None, "Ceiling below the window; it only lowers."),
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
    "tools": Key(TEXTS, None, "Names of the tools an agent has; without it all of them.", frozenset(("agent",))),
    "persona": Key(TEXT, None, "What the agent is told about itself and how to work.", frozenset(("agent",))),
    "telemetry.enabled": Key(FLAG, True, "Whether runs leave figures, never texts, in the data home.", frozenset(("global",))),
    "telemetry.retentionDays": Key(DAYS, 30, "Days after which these figures are removed.", frozenset(("global",))),
}
"""Spelling and nesting of the origin: a dot is one level of JSON objects."""
