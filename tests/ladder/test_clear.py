"""The first rung: which results give way, when, and what stands in their place (origin 4.1, A.4, D11-D14, D40)."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto import Settings
from sostenuto.budget import thresholds
from sostenuto.calls import ToolPolicy, Trait
from tests.engine.conversing import CODECS
from tests.ladder.made_up import FORMATS, LEFT_OUT, PLACEHOLDER, RETRIEVE, Talk, fired, manager, played, results, rungs, said, sent, sized


@pytest.mark.parametrize("format", FORMATS)
def test_a_cleared_result_keeps_its_place_its_call_and_its_id(format: str) -> None:
    """Clearing changes the text of old results alone: no message, call or id goes, and the placeholder names the tool (A.4)."""
    talk = Talk(format).user("Do the task").grown(12, 700, name="look_up")
    requests = played(manager(10_000, format=format, settings=Settings(voluntary=1.0)), talk)
    cleared = next(number for number, request in enumerate(requests) if "clear" in rungs(request))
    before, after = requests[cleared - 1], requests[cleared]
    roles = [CODECS[format].decode(raw).role for raw in sent(after)]
    assert roles[: len(sent(before))] == [CODECS[format].decode(raw).role for raw in sent(before)]
    assert list(results(after))[:-1] == list(results(before))
    gone = [text for text in results(after).values() if PLACEHOLDER in text]
    assert gone
    assert all("look_up" in text for text in gone)


def test_the_newest_five_cycles_stay_whole() -> None:
    """The results of the newest five tool cycles are never cleared (origin 4.1, A.4)."""
    talk = Talk().user("Do the task").grown(12, 700)
    requests = played(manager(10_000), talk)
    for request in requests:
        assert all(PLACEHOLDER not in text for text in list(results(request).values())[-5:])


def test_few_cycles_protect_everything() -> None:
    """With fewer than five cycles nothing is cleared, however full it is (A.4)."""
    requests = played(manager(4_000), Talk().user("Do the task").grown(4, 640))
    assert fired(requests, "clear") == 0


def test_nothing_is_cleared_below_half() -> None:
    """Below 50 % of the budget nothing is touched and the caller's own objects are sent (origin 4.1, A.5)."""
    talk = Talk().user("Do the task").grown(8, 600)
    for request in played(manager(10_000), talk):
        assert rungs(request) == []
        assert all(a is b for a, b in zip(request.arguments["messages"], talk.messages, strict=False))


@pytest.mark.parametrize(("tokens", "clears"), [(4_999, 0), (5_000, 1)])
def test_the_clear_line_is_inclusive(tokens: int, clears: int) -> None:
    """The rung fires at exactly half of the budget, not one token below (origin 3.1)."""
    context = manager(10_000, settings=Settings(gain=0))
    talk = Talk().user("Do the task").grown(6, 600)
    short = tokens - context.prepare_sync(talk.messages).tokens
    talk.messages[0]["content"] += "x" * (4 * short)
    request = manager(10_000, settings=Settings(gain=0)).prepare_sync(talk.messages)
    assert rungs(request).count("clear") == clears


def test_small_results_are_not_worth_a_placeholder() -> None:
    """A result below 256 tokens is never cleared (A.4)."""
    talk = Talk().user("Do the task").grown(40, 200)
    for request in played(manager(10_000, settings=Settings(gain=0)), talk):
        assert PLACEHOLDER not in said(request)


def test_a_result_is_cleared_once() -> None:
    """A second pass leaves placeholders as they are: no key is cleared twice before a checkpoint takes it (A.4, D48)."""
    requests = played(manager(30_000), Talk().user("Do the task").grown(40, 700))
    keys = [key for request in requests for event in request.events if event.rung == "clear" for key in event.keys]
    assert keys
    assert len(keys) == len(set(keys))


def test_d11_a_batch_of_unread_results_is_never_cleared() -> None:
    """Eight results that came back together stay whole however many they are: cycles count, not results (D11)."""
    talk = Talk().user("Do the task").cycle(*[500] * 8)
    request = manager(10_000).prepare_sync(talk.messages)
    assert PLACEHOLDER not in said(request)
    assert LEFT_OUT not in said(request)


def test_d11_no_setting_unprotects_the_newest_cycle() -> None:
    """With no protected cycles asked for, the unread one is protected all the same (D11)."""
    talk = Talk().user("Do the task").grown(3, 1_500)
    request = manager(8_000, settings=Settings(protected_cycles=0, gain=0)).prepare_sync(talk.messages)
    kept = list(results(request).values())
    assert PLACEHOLDER in kept[0]
    assert PLACEHOLDER not in kept[-1]


def test_d12_clears_are_few_and_large() -> None:
    """Each voluntary clear frees at least a quarter of the budget, and then everything that qualifies goes at once (D12)."""
    requests = played(manager(20_000), Talk().user("Do the task").grown(60, 500))
    clears = [event for request in requests for event in request.events if event.rung == "clear"]
    assert 1 <= len(clears) <= 5
    assert all(event.tokens_before - event.tokens_after >= 0.2 * 20_000 for event in clears)


def test_d12_a_gain_of_zero_clears_step_by_step() -> None:
    """With a least gain of 0 results are cleared one or two at a time, as they leave the protected zone (D12)."""
    requests = played(manager(10_000, settings=Settings(gain=0)), Talk().user("Do the task").grown(14, 700))
    clears = [event for request in requests for event in request.events if event.rung == "clear"]
    assert len(clears) >= 4
    assert all(len(event.keys) <= 2 for event in clears[1:])


def test_d12_a_cold_cache_waives_the_gain() -> None:
    """When the provider's cache has expired a rewrite costs nothing extra, so the minimum is waived (D12, D31)."""
    talk = Talk().user("Do the task").grown(8, 700)
    assert rungs(manager(10_000).prepare_sync(talk.messages)) == []
    assert rungs(manager(10_000).prepare_sync(talk.messages, idle_s=7_200)) == ["clear"]


def test_d12_a_clear_that_saves_a_compaction_waives_the_gain() -> None:
    """Above the compaction line a clear of less than the minimum runs if it alone lands below 60 % (D12)."""
    talk = Talk().user(sized(2_000, "long request")).grown(2, 1_200).grown(5, 700)
    request = manager(10_000).prepare_sync(talk.messages)
    assert rungs(request) == ["clear"]


def test_d13_answers_of_sub_agents_go_last() -> None:
    """Answers of sub-agents are cleared only if the rest does not bring usage under the line (D13)."""
    talk = Talk().user("Do the task").cycle(700, name="task").grown(5, 700).grown(5, 300)
    request = manager(10_000, settings=Settings(gain=0)).prepare_sync(talk.messages)
    kept = list(results(request).values())
    assert rungs(request) == ["clear"]
    assert PLACEHOLDER not in kept[0]
    assert PLACEHOLDER in kept[1]


def test_d13_retrieved_pages_may_be_cleared_again() -> None:
    """What `recall` gave back counts as re-derivable and is cleared like any other old result (D13, origin 4.4)."""
    talk = Talk().user("Do the task").cycle(900, name="recall").grown(9, 700)
    request = manager(10_000, settings=Settings(gain=0)).prepare_sync(talk.messages)
    assert PLACEHOLDER in next(iter(results(request).values()))


def test_d14_the_event_names_calls_as_well_as_keys() -> None:
    """Whatever caches reads learns from the event which call ids no longer have their text in view (D14)."""
    talk = Talk().user("Do the task").grown(12, 700)
    event = next(event for request in played(manager(10_000), talk) for event in request.events if event.rung == "clear")
    assert len(event.detail["call_ids"]) == len(event.keys)
    assert event.detail["call_ids"][0] == "c1_0"


def test_d40_with_an_early_warn_line_the_clear_line_is_ten_points_under_it() -> None:
    """A warn line below 60 % moves the clear line to ten points under it, so clearing still comes first (D40, origin 14.2.7)."""
    settings = Settings(thresholds=thresholds(window=10_000, warn=0.40, compact=0.45), gain=0)
    requests = played(manager(10_000, settings=settings), Talk().user("Do the task").grown(8, 450))
    first = next(request for request in requests if request.events)
    assert rungs(first) == ["clear"]
    assert 0.28 * 10_000 <= first.events[0].tokens_before < 0.40 * 10_000


def test_d41_a_placeholder_names_a_tool_only_if_it_was_handed_over() -> None:
    """Without the tool the placeholder says to run the tool again; with it, it names the tool and the key (D41)."""
    talk = Talk().user("Do the task").grown(12, 700)
    bare = played(manager(10_000), talk)[-1]
    named = played(manager(10_000), talk, tools=RETRIEVE)[-1]
    without = next(text for text in results(bare).values() if PLACEHOLDER in text)
    with_tool = next(text for text in results(named).values() if PLACEHOLDER in text)
    assert "recall" not in without
    assert "un the tool again" in without
    assert 'recall(key="m2.0")' in with_tool


def test_a_cleared_original_is_read_back_whole() -> None:
    """The key of a cleared result returns the original text (invariant 5)."""
    talk = Talk().user("Do the task").grown(12, 700)
    context = manager(10_000)
    event = next(event for request in played(context, talk) for event in request.events if event.rung == "clear")
    assert [context.recall(key)[0].text for key in event.keys] == [sized(700, f"result c{n + 1}_0") for n in range(len(event.keys))]


def test_d52_a_clear_that_nothing_forces_waits_until_the_session_can_bear_it() -> None:
    """Early in a session a clear costs too much beside what was sent, and waits; a cold cache, or nothing sent yet, lifts that."""
    talk = Talk().user("Do the task").grown(9, 700, name="look_up")
    assert "clear" not in {rung for request in played(manager(10_000), talk) for rung in rungs(request)}
    assert "clear" in rungs(manager(10_000).prepare_sync(talk.messages))
    waiting = manager(10_000)
    played(waiting, talk)
    assert "clear" in rungs(waiting.prepare_sync(talk.cycle(20, name="look_up").messages, idle_s=3_600))


class Counted(dict[str, Trait]):
    """A table of tools that counts how often one is looked up."""

    looks = 0

    def get(self, name: str, default: Any = None) -> Any:
        """The row, counted."""
        self.looks += 1
        return super().get(name, default)


def test_a_clear_that_is_too_dear_is_not_weighed_from_the_beginning_again() -> None:
    """While a clear would be worth it but may not cost what it would, a request looks only at what left the protected zone since."""
    table = Counted({"bash": Trait()})
    context = manager(100_000, settings=Settings(voluntary=0.0, gain_floor=1, gain=0.01, policy=ToolPolicy(table)))
    talk = Talk().user("Do the task")
    looks: list[int] = []
    for _ in range(90):
        talk.grown(1, 700)
        before = table.looks
        request = context.prepare_sync(talk.messages)
        assert rungs(request) == []
        looks.append(table.looks - before)
    assert request.tokens > 60_000
    assert max(looks[:60]) == 0
    assert max(looks) >= 60  # the first look is at everything
    assert sorted(looks)[-3] <= 4
