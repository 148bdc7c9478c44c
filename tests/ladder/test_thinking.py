"""Models whose signed thinking is bound to its prefix: what a rewrite drops, when it waits, and nudges that stay (D29, D54, D55, R16)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sostenuto import ContextManager, Profile, Request, Settings
from tests.ladder.made_up import LEFT_OUT, PLACEHOLDER, Scripted, Talk, faults, manager, played, results, rungs, said, sized, thoughts

BOUND = Profile(prefix_bound_thinking=True)
RIGID = Profile(prefix_bound_thinking=True, may_flatten=False)


def bound(window: int = 10_000, profile: Profile = BOUND, **wishes: object) -> ContextManager:
    """A manager of an Anthropic conversation with such a model."""
    return manager(window, format="anthropic", profile=profile, **wishes)


def thinking(cycles: int, tokens: int = 700) -> Talk:
    """A tool loop in which every step is thought about."""
    return Talk("anthropic").user("Do the task").grown(cycles, tokens, thinking="Let me think about this step.")


def test_r16_a_clear_drops_whole_runs_at_and_after_the_first_change() -> None:
    """Thinking before the first changed message stays, everything signed after it goes, at a turn boundary (D29, R16)."""
    talk = thinking(9).says("Done.").user("And now the next thing.")
    request = bound().prepare_sync(talk.messages)
    assert rungs(request)[:2] == ["clear", "strip"]
    assert thoughts(request) == ["sig1"]
    assert faults(request) == []


def test_thinking_before_a_result_that_is_cut_on_arrival_stays() -> None:
    """Cutting a new result changes nothing in front of the thinking that led to it (D18, D29)."""
    talk = thinking(2, 300).cycle(6_000, thinking="A large file.")
    request = bound(20_000).prepare_sync(talk.messages)
    assert rungs(request) == ["admit"]
    assert thoughts(request) == ["sig1", "sig2", "sig3"]
    assert LEFT_OUT in said(request)


def test_a_rung_that_nobody_forces_waits_for_a_turn_boundary() -> None:
    """Inside a tool loop neither clear nor compaction happens below the trim line; at the next turn they do (D54)."""
    talk = thinking(12)
    requests = played(bound(), talk)
    inside = [request for request in requests if request.tokens <= 9_400]
    assert len(inside) >= 11
    assert all(set(rungs(request)) <= {"warn", "insert"} for request in inside)
    known = len(talk.messages)
    after = played(bound(), talk.says("Done.").user("Next."), begin=known)[-1]
    assert {"clear", "compact"} & set(rungs(after))


def test_waiting_is_not_taken_for_having_nothing_old() -> None:
    """While compaction waits for the turn boundary nobody is told that nothing is old enough, and nothing is trimmed (D54)."""
    requests = played(bound(), thinking(12))
    assert not any("Nothing is old enough" in notice for request in requests for notice in request.notices)
    assert not any("trim" in rungs(request) for request in requests)


def test_a_forced_rung_flattens_the_newest_cycle() -> None:
    """Over the trim line the open cycle becomes one user message with its calls and verbatim results, and older thinking goes (D54)."""
    talk = thinking(13)
    requests = played(bound(), talk)
    request = next(request for request in requests if "flatten" in rungs(request))
    flat = request.arguments["messages"]
    text = next(m["content"] for m in flat if m["role"] == "user" and isinstance(m["content"], str) and "<call" in m["content"])
    number = requests.index(request)
    assert sized(700, f"result c{number}_0") in text
    assert faults(request, thinking=True) == []
    assert not request.thinking_off
    later = requests[number + 1 :]
    assert all(text in said(other) or "compact" in rungs(other) for other in later)
    assert all(faults(other, thinking=True) == [] for other in later)


def test_thinking_is_switched_off_where_flattening_is_forbidden() -> None:
    """Where the profile forbids flattening, the request says that thinking is off, with a notice, until the tool loop ends (D54)."""
    talk = thinking(13)
    context = bound(profile=RIGID)
    requests = played(context, talk)
    first = next(request for request in requests if request.thinking_off)
    assert "flatten" not in rungs(first)
    assert thoughts(first) == ["sig1"]
    assert any("Thinking is switched off" in notice for notice in first.notices)
    known = len(talk.messages)
    inside = played(context, talk.cycle(100), begin=known)[-1]
    assert inside.thinking_off
    known = len(talk.messages)
    outside = played(context, talk.says("Done.").user("Next."), begin=known)[-1]
    assert not outside.thinking_off


def test_stripped_thinking_stays_stripped_when_the_history_is_handed_over_again() -> None:
    """The recorded edits give the same request for the raw history and for what was returned (D54, invariant 11)."""
    talk = thinking(9).says("Done.").user("Next.")
    context = bound()
    first = context.prepare_sync(talk.messages)
    kept = first.arguments["messages"]
    again = context.prepare_sync([*talk.messages, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "More."}])
    assert again.arguments["messages"][: len(kept)] == kept
    assert thoughts(again) == thoughts(first)


def test_a_model_without_the_flag_keeps_its_thinking() -> None:
    """Without the flag a clear leaves signed thinking byte-equal where it stands (D29)."""
    talk = thinking(9).says("Done.").user("Next.")
    request = manager(10_000, format="anthropic").prepare_sync(talk.messages)
    assert rungs(request)[:1] == ["clear"]
    assert len(thoughts(request)) == 9


# ---------------------------------------------------------------- nudges that stay


def nudges(request: Request) -> list[str]:
    """The nudges in a request, by the word they open with."""
    words = ("[CONTEXT WARNING", "[CONTEXT CRITICAL", "[CONTEXT COMPACTED")
    return [word for m in request.arguments["messages"] if isinstance(m["content"], str) for word in words if m["content"].startswith(word)]


def test_a_nudge_is_stored_once_per_crossing() -> None:
    """On such a model a nudge stays behind the message that was newest; the next crossing adds one behind it (D29, D54)."""
    requests = played(bound(), thinking(12))
    shown = [nudges(request) for request in requests]
    assert shown[-1] == ["[CONTEXT WARNING", "[CONTEXT CRITICAL"]
    first = next(number for number, found in enumerate(shown) if found)
    assert shown[first] == ["[CONTEXT WARNING"]
    assert shown[first + 1] == ["[CONTEXT WARNING"]
    for request in requests[first:]:
        assert len(nudges(request)) == len(set(nudges(request)))


def test_with_stored_nudges_every_request_is_a_prefix_of_the_next() -> None:
    """No line comes and goes: without a rewrite each request's messages are exactly the beginning of the next one's (D29, invariant 4)."""
    requests = [request for request in played(bound(), thinking(12)) if not {"clear", "compact", "flatten"} & set(rungs(request))]
    for one, other in pairwise(requests):
        assert other.arguments["messages"][: len(one.arguments["messages"])] == one.arguments["messages"]


def test_a_stored_nudge_is_no_message_of_the_conversation() -> None:
    """It is counted, but it is no turn and no source: the history has the caller's messages only, and the ledger no request of it (D29)."""
    context = bound()
    talk = thinking(12)
    request = played(context, talk)[-1]
    assert nudges(request)
    assert context.usage().tokens == request.tokens
    assert "[CONTEXT" not in str(context.recall("requests")[0].text)
    assert len(context.snapshot()["transcript"]) == len(talk.messages)


def test_stored_nudges_go_with_the_next_cover_and_no_summarizer_sees_them() -> None:
    """A compaction takes stored nudges away; the summarizer's prompt does not hold them (D29)."""
    model = Scripted()
    context = bound(summarizer=model, tool_policy={"bash": "never"})
    talk = thinking(12)
    assert nudges(played(context, talk)[-1])
    known = len(talk.messages)
    request = played(context, talk.says("Done.").user("Next."), begin=known)[-1]
    assert "compact" in rungs(request)
    assert nudges(request) == ["[CONTEXT COMPACTED"]
    assert model.prompts
    assert all("[CONTEXT" not in prompt for prompt in model.prompts)


def test_no_nudge_is_stored_between_a_call_and_its_result() -> None:
    """While a call waits for its result there is no place for a nudge: it is stored once the batch is complete (D54, D57)."""
    talk = thinking(9)
    context = bound(10_000)
    played(context, talk)
    ids = talk.calls("bash", "bash", thinking="Two at once.")
    talk.result(ids[0], sized(700, "first"))
    half = context.prepare_sync(talk.messages)
    assert nudges(half) == []
    talk.result(ids[1], sized(20, "second"))
    whole = context.prepare_sync(talk.messages)
    assert nudges(whole) == ["[CONTEXT WARNING"]
    assert faults(whole) == []


def test_nudges_are_never_stored_without_the_flag() -> None:
    """On other models a nudge lives in one request only (D29)."""
    context = manager(10_000, format="anthropic", tool_policy={"bash": "never"})
    played(context, thinking(10))
    assert all(edit["kind"] != "insert" for edit in context.snapshot()["edits"])


def test_what_is_kept_by_the_caller_gives_the_same_request() -> None:
    """A caller who hands back what it got, stored nudges included, gets the same next request as one who hands over the raw history."""
    talk = thinking(11)
    raw, kept = bound(), bound()
    held: list[dict[str, object]] = []
    seen = 0
    for number, message in enumerate(talk.messages):
        if message["role"] == "assistant":
            one = raw.prepare_sync(talk.messages[:number])
            two = kept.prepare_sync([*held, *talk.messages[seen:number]])
            assert two.arguments["messages"] == one.arguments["messages"]
            held, seen = list(two.arguments["messages"]), number
    assert nudges(one)


@pytest.mark.parametrize("profile", [BOUND, RIGID])
def test_a_refusal_inside_a_tool_loop_gives_a_legal_request(profile: Profile) -> None:
    """Recovery forces the rungs in an open tool loop too, and the request is legal with thinking on, or says it is off (D54)."""
    context = bound(profile=profile)
    talk = thinking(6)
    before = played(context, talk)[-1]
    request = context.recover({"error": {"code": "context_length_exceeded", "message": "too long"}})
    assert request.tokens < before.tokens
    assert request.thinking_off or faults(request, thinking=True) == []


def test_a_cleared_result_after_a_turn_boundary_names_no_thinking() -> None:
    """The settings of the rung itself are as on any model: the placeholder is the same (D29)."""
    talk = thinking(9).says("Done.").user("Next.")
    request = bound(settings=Settings(gain=0)).prepare_sync(talk.messages)
    assert PLACEHOLDER in next(iter(results(request).values()))
