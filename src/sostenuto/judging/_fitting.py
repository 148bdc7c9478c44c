"""Budget compliance: which requests are too large, and of which of them nothing smaller could have been made."""

from __future__ import annotations

from collections.abc import Sequence

from sostenuto.judging._session import Run, Session, Weigh, is_system
from sostenuto.replaying import user_texts


def sizes(run: Run, *, weigh: Weigh) -> list[int]:
    """Tokens of each request by the ruler; 0 for one that was not made."""
    return [sum(weigh(message) for message in sent.messages) for sent in run.requests]


def needs(session: Session, *, weigh: Weigh) -> list[int]:
    """Tokens of what no strategy should leave out, for each request.

    These are the system's messages, what was planted, the first and the newest words of a person, and the newest reply with
    what came behind it.
    """
    found: list[int] = []
    always = newest = unit = 0  # tokens of what always stays, of the newest words, and of the newest reply and what follows it
    opened = last_spoke = False
    upto = 0
    for wanted in session.requests:
        for message in session.messages[upto:wanted]:
            tokens, words = weigh(message), user_texts([message])
            is_fixed = is_system(message) or bool(words and not set(words).isdisjoint(session.pins)) or bool(words and not opened)
            opened = opened or bool(words)
            always += tokens if is_fixed else 0
            replied = message.get("role") == "assistant"
            unit = tokens if replied else unit + (0 if is_fixed else tokens)
            last_spoke = bool(words and not is_fixed) or (last_spoke and not replied)
            newest = tokens if words and not is_fixed else newest
        upto = wanted
        found.append(always + unit + (0 if last_spoke else newest))
    return found


def over(tokens: Sequence[int], *, budget: int, needed: Sequence[int]) -> tuple[list[int], list[int]]:
    """Numbers of the requests above `budget`: those that were avoidable, and those whose protected part alone is above it."""
    above = [at for at, size in enumerate(tokens) if size > budget]
    return [at for at in above if needed[at] <= budget], [at for at in above if needed[at] > budget]
