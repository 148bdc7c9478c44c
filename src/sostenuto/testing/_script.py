"""What a model is to answer: replies, and the ways in which an answer fails, one for each request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sostenuto.messages import Call
from sostenuto.protocols import Finish

FaultKind = Literal[
    "disconnect", "error_in_stream", "loading", "malformed", "overflow", "rate_limited", "refused", "server_fault", "too_large",
    "unauthorised",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply.

    Attributes:
        text: its words.
        reasoning: what it thought before.
        signature: the seal of its thinking, on wires that have one.
        calls: tools it calls: name and arguments, as a mapping or, to say something malformed, as text.
        finish: why it stops; default: for calls, or because it is done. ``"window"`` is told as the wire tells it.
        input, output, cached: tokens to report; default: counted.
    """

    text: str = ""
    reasoning: str = ""
    signature: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any] | str]] = ()
    finish: Finish | None = None
    input: int | None = None
    output: int | None = None
    cached: int | None = None

    @property
    def ends(self) -> Finish:
        """Why it stops."""
        return self.finish or ("calls" if self.calls else "stop")

    def named(self, number: int) -> tuple[Call, ...]:
        """Its calls as those of the request with this number: ids are unique in a script."""
        return tuple(Call(f"call_{number}_{place}", name, _written(given)) for place, (name, given) in enumerate(self.calls))


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that fails.

    Attributes:
        kind: ``"overflow"``: too many tokens, ``"too_large"``: too many bytes (413), ``"rate_limited"`` (429), ``"unauthorised"`` (401),
            ``"refused"``: wrong in itself (400), ``"loading"`` (503), ``"server_fault"`` (500), ``"disconnect"``: the connection breaks
            off in the middle, ``"malformed"``: a piece is no JSON, ``"error_in_stream"``: an error where words should come.
        retry_after_s: what a rate limit says of when to come back.
        begun: the words of the reply that is broken off or damaged.
    """

    kind: FaultKind
    retry_after_s: float | None = None
    begun: str = "The first half of an answer, the second half of it."


Step = Reply | Fault | str
"""A reply, a failure, or the words of a plain reply."""
Script = Sequence[Step] | Callable[[Mapping[str, Any]], Step]
"""What is answered in turn, or a function from the request to what is answered."""


class ScriptEnded(Exception):
    """A request came for which the script has nothing."""


@dataclass(slots=True)
class Prompter:
    """Reads a script: says what comes next."""

    script: Script
    asked: int = field(default=0)

    def next(self, request: Mapping[str, Any]) -> Reply | Fault:
        """What the next request is answered. Raises `ScriptEnded` where a list has come to its end."""
        place, self.asked = self.asked, self.asked + 1
        if callable(self.script):
            step = self.script(request)
        elif place < len(self.script):
            step = self.script[place]
        else:
            raise ScriptEnded(f"the script has {len(self.script)} answers, and request {place + 1} came; give it one more")
        return Reply(step) if isinstance(step, str) else step


def tokens(value: Any, /) -> int:
    """Tokens of a request as the fakes count: one for four characters of its words, four for a message, at least one."""
    return max(1, _letters(value) // 4)


def _letters(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_letters(inner) for inner in value.values()) + 16 * ("role" in value)
    if isinstance(value, list | tuple):
        return sum(map(_letters, value))
    return 0


def _written(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
