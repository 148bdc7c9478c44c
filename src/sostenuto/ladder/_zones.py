"""Which parts of a history a rung may not touch, and which stand before a checkpoint."""

from __future__ import annotations

from bisect import bisect_left

from sostenuto.ladder._history import History
from sostenuto.ladder._run import Run


def first_protected(history: History, *, cycles: int) -> int:
    """Index of the unit that opens the zone of the newest `cycles` tool cycles (origin 4.1); the end when there are none."""
    if not history.cycles:
        return len(history.units)
    cycles = max(1, cycles)  # the newest cycle is unread, whatever the setting (D11)
    return history.cycles[-cycles] if len(history.cycles) >= cycles else history.cycles[0]


def tail_start(run: Run, *, budget: int) -> int:
    """Index of the first unit of the recent tail: whole units, newest first, as far as `budget` tokens go.

    The unread units always belong to it, however large (D11).
    """
    history, number, used = run.history, len(run.history.units), 0
    unread = history.newest()
    while number > run.view.start:
        tokens = run.tokens_of(run.view.unit(history, number - 1))
        if number - 1 < unread and used + tokens > budget:
            break
        used += tokens
        number -= 1
    return number


def unit_at(history: History, ordinal: int) -> int:
    """Index of the first unit that starts at or after `ordinal`."""
    return bisect_left(history.units, ordinal, key=lambda unit: unit.first)


def standing(history: History, *, upto: int) -> tuple[int, ...]:
    """Units before `upto` that stay whole: pins, later system messages, the first user message and, if it is that old, the newest.

    In their original order (issue, D18).
    """
    chosen = {number for number in history.standing if number < upto}
    if history.users:
        chosen.update(number for number in (history.users[0], history.users[-1]) if number < upto)
    return tuple(sorted(chosen))


def leaves_nothing(run: Run, upto: int) -> bool:
    """True where a cover of all units before `upto` would stand for none: there are none in view, or they all stay whole."""
    return set(range(run.view.start, upto)) <= set(standing(run.history, upto=upto))


def in_loop(history: History) -> bool:
    """True inside a tool loop: the newest message hands in results of the newest cycle, so no turn has ended since (D54).

    Words that came in the same message as the results do not end it.
    """
    newest = history.newest()
    if not history.units or history.units[newest].kind != "cycle":
        return False
    last = history.units[newest].last
    return all(unit.first <= last for unit in history.units[newest + 1 :])
