"""What is special about a model beside its window: facts, not behaviour."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """Traits of a model and its endpoint.

    Attributes:
        prefix_bound_thinking: a signed thinking block is refused once anything before it changed (D29).
        may_flatten: an open tool loop may be handed over as one user message (D54).
        alternating_roles: user and assistant must take turns, so a nudge joins the last message (D55).
        cache_lifetime_s: seconds after which the provider has forgotten a prompt prefix (D31).
    """

    prefix_bound_thinking: bool = False
    may_flatten: bool = True
    alternating_roles: bool = False
    cache_lifetime_s: float = 300.0


_BOUND = ("fable-5-1", "fable-5.1", "fable-5-2", "fable-5.2", "mythos-5-2", "mythos-5.2", "claude-5-5", "claude-5.5")
"""Models that bind thinking to its prefix (environment.md 12, item 1)."""


def profile_of(model: str) -> Profile:
    """The profile of a ``provider:model`` hint."""
    name = model.lower()
    return Profile(prefix_bound_thinking=any(mark in name for mark in _BOUND) or ("claude" in name and name.endswith(("-5-5", "-5.5"))))
