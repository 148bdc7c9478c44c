"""What no strategy should leave out."""

from __future__ import annotations

from sostenuto.judging import needs, weighing
from tests.judging.sessions import session


def test_the_protected_part_is_what_no_strategy_should_leave_out() -> None:
    """It grows by nothing but the newest words and the newest reply with its results."""
    made, weigh = session(), weighing()
    needed = needs(made, weigh=weigh)
    fixed = sum(weigh(message) for message in made.messages[:3])
    assert needed[0] == fixed
    assert needed[1] == fixed + sum(weigh(message) for message in made.messages[3:6])
    newest = next(message for message in made.messages if message["content"] == "Next: part 6, please.")
    assert needed[-1] == fixed + weigh(newest) + sum(weigh(message) for message in made.messages[-4:-1])
