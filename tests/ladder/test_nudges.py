"""Lines for the model in one request, and the line for the person (origin 7.2, A.7, D40, D44, D55)."""

from __future__ import annotations

import pytest

from sostenuto import Profile, Settings
from sostenuto.budget import thresholds
from tests.ladder.made_up import FORMATS, Talk, fired, manager, noticed, played, rungs, said, sent, sized

NEVER = {"bash": "never"}


def at(share: float, window: int = 10_000, **wishes: object) -> str:
    """The last message of a request that is so full."""
    talk = Talk().user(sized(int(share * window) - 60, "long")).says("Yes.").user("Go on.")
    return str(manager(window, **wishes).prepare_sync(talk.messages).arguments["messages"][-1]["content"])


@pytest.mark.parametrize(("share", "tag"), [(0.60, "Go on."), (0.75, "[CONTEXT WARNING: 7"), (0.93, "[CONTEXT CRITICAL: 9")])
def test_the_nudge_follows_the_fill(share: float, tag: str) -> None:
    """No nudge at 60 %, a warning with percent and budget from 70 %, a critical one from 90 % (A.7)."""
    last = at(share)
    assert last.startswith(tag)
    assert ("10,000" in last) == (share >= 0.7)


def test_the_warning_names_the_configured_compaction_line() -> None:
    """The nudge gives the percent at which older messages are summarised, as configured (A.7)."""
    settings = Settings(thresholds=thresholds(window=10_000, warn=0.5, compact=0.9))
    assert "at 90 % older messages are summarised" in at(0.6, settings=settings)


@pytest.mark.parametrize("format", FORMATS)
def test_a_nudge_lives_in_one_request(format: str) -> None:
    """A nudge is the last message of its request and is in no later one; without it each request is a prefix of the next (A.7, D30)."""
    requests = played(manager(10_000, format=format, tool_policy=NEVER), Talk(format).user("Do the task").grown(10, 720))
    warned = [request for request in requests if "[CONTEXT WARNING" in said(request)]
    assert warned
    for one in warned:
        later = requests[requests.index(one) + 1 :]
        bare = sent(one)[:-1]
        assert said(one).count("[CONTEXT WARNING") == 1
        if later and "compact" not in rungs(later[0]):
            assert sent(later[0])[: len(bare)] == bare


def test_a_nudge_never_makes_a_request_too_long() -> None:
    """In a tiny window the nudge is left out rather than going over the window (D18)."""
    for window in (450, 600, 800):
        request = manager(window).prepare_sync(Talk().user("Do the task").grown(10, 60).messages)
        assert request.tokens <= window


def test_d55_where_roles_alternate_the_nudge_joins_the_last_message() -> None:
    """For a model that demands alternating roles the nudge is appended to the last message (D55)."""
    talk = Talk().user(sized(7_400, "long")).says("Yes.").user("Go on.")
    request = manager(10_000, profile=Profile(alternating_roles=True)).prepare_sync(talk.messages)
    assert [m["role"] for m in request.arguments["messages"]] == ["user", "assistant", "user"]
    assert "Go on." in str(request.arguments["messages"][-1]["content"])
    assert "[CONTEXT WARNING" in str(request.arguments["messages"][-1]["content"])
    assert talk.messages[-1]["content"] == "Go on."


def test_d55_a_nudge_that_is_handed_back_is_recognised() -> None:
    """A caller who keeps the request with its nudge gets the same next request as one who does not (D55)."""
    talk = Talk().user("Do the task").grown(10, 720)
    one, other = manager(10_000, tool_policy=NEVER), manager(10_000, tool_policy=NEVER)
    first = one.prepare_sync(talk.messages)
    other.prepare_sync(talk.messages)
    assert "[CONTEXT WARNING" in said(first)
    more = Talk().says("Done.").user("Next.").messages
    kept = one.prepare_sync([*first.arguments["messages"], *more])
    raw = other.prepare_sync([*talk.messages, *more])
    assert kept.arguments == raw.arguments


def test_d40_the_person_is_warned_once() -> None:
    """The warn notice is shown once with percent and tokens, not with every request (3.3, A.11)."""
    requests = played(manager(10_000), Talk().user(sized(7_100, "long")).grown(8, 60))
    assert fired(requests, "warn") == 1
    assert noticed(requests, "of 10,000 tokens); older messages are summarised at 80 %") == 1


def test_d63_asking_again_moves_no_once_flag() -> None:
    """The same question gives the very same request, with the same notices (D63)."""
    talk = Talk().user(sized(7_400, "long"))
    context = manager(10_000)
    assert context.prepare_sync(talk.messages) is context.prepare_sync(talk.messages)


def test_d40_nudges_and_continuations_open_no_turn() -> None:
    """Only what a person or the caller wrote counts as a request: nudges, continuation and stored nudges do not (D40, origin 14.2.19)."""
    context = manager(10_000, tool_policy=NEVER)
    played(context, Talk().user("Do the task").grown(30, 700))
    text = context.recall("requests")[0].text
    assert "Do the task" in text
    assert "CONTINUE" not in text
    assert "[CONTEXT" not in text
