"""What may run: the pure decision over an assessed call and the policy of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.tools._tool import RISKS, Assessed, Risk

_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Policy:
    """What a run may do without asking.

    Attributes:
        level: the highest tier that runs unasked (``--approval-policy``).
        commands: beginnings of shell commands (``git status``) that the person allows at every level.
        attended: whether somebody can be asked; without, what would be asked is refused.
    """

    level: Risk = "low-risk"
    commands: tuple[str, ...] = ()
    attended: bool = False


@dataclass(frozen=True, slots=True)
class Weighed:
    """A call that is ready to run: its tool's name, its checked arguments, and how dangerous it is."""

    tool: str
    arguments: Mapping[str, Any]
    assessed: Assessed


@dataclass(frozen=True, slots=True)
class Allowed:
    """The call may run, with these grants."""

    grants: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Refused:
    """The call may not run; `text` tells the model why, and what it can do instead."""

    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A person has to be asked: `question` is for them, `call` and `risk` for a program that decides."""

    question: str
    call: Weighed
    risk: Risk
