"""What may run: the pure decision over an assessed call and the policy of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.tools._tool import RISKS, Assessed, Risk

_SHOWN = 2_000
_KEYWORDS = frozenset(
    (
        *("!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select"),
        *("then", "time", "until", "while"),
    )
)


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
    """A person has to be asked: `question` is for them, `call` and `risk` for a program that decides. `depth` is 0 where the run itself
    wants to, 1 for one that it handed work on to, and so on."""

    question: str
    call: Weighed
    risk: Risk
    depth: int = 0


def allowed(call: Weighed, policy: Policy) -> Allowed | Refused | Ask:
    """Whether a call may run: at or below the level of the policy, or a shell command that the person allowed beforehand.

    Anything else is asked where somebody can be asked, and refused with a reason where not.
    """
    assessed = call.assessed
    if RISKS.index(assessed.risk) <= RISKS.index(policy.level) or _is_listed(assessed.words, policy.commands):
        return Allowed(assessed.grants)
    because = f", because {assessed.why}" if assessed.why else ""
    if policy.attended:
        question = f"{call.tool} wants to run ({assessed.risk}{because}): {_told(call.arguments)}"
        return Ask(question, call, assessed.risk)
    return Refused(
        f"{call.tool} was not run: this call is {assessed.risk}{because}, and this run allows only what is {policy.level}. "
        "Nothing was changed. Reach the goal in another way if there is one; if not, say what you would have done and why it is needed."
    )


def declined(tool: str, words: str = "") -> str:
    """What the model is told of a call that the person refused; `words` are theirs."""
    told = f"They said: {words}" if words else "Do not try the same again; ask what they want instead."
    return f"{tool} was not run: the person said no. Nothing was changed. {told}"


def _is_listed(words: tuple[str, ...], commands: tuple[str, ...]) -> bool:
    """Whether a simple command begins with the words of one of the allowed commands."""
    return any(listed and words[: len(listed)] == listed for listed in (command_words(command) for command in commands))


def command_words(command: str) -> tuple[str, ...]:
    """The words of a simple shell command, quotes taken away; nothing where it is more than that.

    More is whatever a shell could run a second thing with or send elsewhere: ``; & | < > ( ) $``, a backtick, a backslash, a line break or
    another control character, an assignment before the command, a keyword in its place, and quotes that do not close.
    """
    import shlex

    quote = ""
    for letter in command:
        if letter < " " and letter != "\t":
            return ()
        if quote == "'":
            quote = "" if letter == "'" else quote
        elif letter in "$`\\" or (not quote and letter in ";&|<>()\x7f"):
            return ()
        elif letter in "'\"":
            quote = "" if letter == quote else (quote or letter)
    try:
        words = tuple(shlex.split(command)) if not quote else ()
    except ValueError:
        return ()
    return words if words and "=" not in words[0] and words[0] not in _KEYWORDS else ()


def _told(arguments: Mapping[str, Any]) -> str:
    """The arguments for a person: each on a line of its own, long ones shortened, control characters made visible."""
    return "".join(f"\n  {name}: {_visible(value if isinstance(value, str) else repr(value))}" for name, value in arguments.items())


def _visible(text: str) -> str:
    shown = "".join(letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text[:_SHOWN])
    return shown if len(text) <= _SHOWN else f"{shown}… ({len(text) - _SHOWN:,} more characters)"
