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
    whole = [weigh(message) for message in session.messages]
    spoken = [bool(user_texts([message])) for message in session.messages]
    always = {at for at, message in enumerate(session.messages) if is_system(message)}
    always |= {at for at, message in enumerate(session.messages) if session.pins and set(user_texts([message])) & set(session.pins)}
    first = next((at for at, said in enumerate(spoken) if said), None)
    found: list[int] = []
    for upto in session.requests:
        newest = next((at for at in reversed(range(upto)) if spoken[at]), None)
        kept = {at for at in always if at < upto} | {at for at in (first, newest) if at is not None and at < upto}
        kept |= set(range(_newest_reply(session, upto), upto))
        found.append(sum(whole[at] for at in kept))
    return found


def over(tokens: Sequence[int], *, budget: int, needed: Sequence[int]) -> tuple[list[int], list[int]]:
    """Numbers of the requests above `budget`: those that were avoidable, and those whose protected part alone is above it."""
    above = [at for at, size in enumerate(tokens) if size > budget]
    return [at for at in above if needed[at] <= budget], [at for at in above if needed[at] > budget]


def _newest_reply(session: Session, upto: int) -> int:
    return next((at for at in reversed(range(upto)) if session.messages[at].get("role") == "assistant"), upto)
