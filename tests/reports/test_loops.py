"""Field reports on loops, triggers and compactions that do not help (B001 to B019, B057, B075 to B087)."""

from __future__ import annotations

import asyncio

from sostenuto import ContextManager
from tests.ladder.made_up import LEFT_OUT, Scripted, Talk, faults, fired, manager, noticed, played, results, rungs, said, sized, summary

NEVER = {"bash": "never"}


def test_b001_a_window_full_of_overhead_is_said_and_not_fought() -> None:
    """With system and tools at 95 % of the window there is at most one attempt to compact, and the overhead is named."""
    system = {"role": "system", "content": sized(18_600)}
    talk = Talk().user("Hi").says("Hello.").user("How are you?").says("Well.").user("Good.")
    context = manager(20_000)
    requests = [context.prepare_sync([system, *talk.messages[:number]]) for number in (1, 3, 5)]
    assert fired(requests, "compact") <= 1
    assert noticed(requests, "system 18,6") == 1


def test_b005_a_newest_result_over_the_tail_budget_is_clipped_not_lost() -> None:
    """A newest result larger than the tail budget stays in the tail with its head and its tail."""
    text = "HEAD " + sized(10_000, "log") + " TAIL"
    request = manager(8_000).prepare_sync(Talk().user("Do the task").grown(4, 200).cycle(text).messages)
    shown = results(request)["c5_0"]
    assert shown.startswith("HEAD")
    assert shown.endswith("TAIL")
    assert LEFT_OUT in shown
    assert request.tokens <= 8_000


def test_b007_a_manual_compaction_is_not_followed_by_an_automatic_one() -> None:
    """After a manual compaction the next message finds a fresh estimate and compacts nothing, even if an old report comes in late."""
    talk = Talk().user("Do the task").grown(10, 720)
    context = manager(10_000, tool_policy=NEVER)
    context.prepare_sync(talk.messages)
    context.compact_sync()
    request = context.prepare_sync(talk.says("Done.").user("Next.").messages)
    assert "compact" not in rungs(request)
    assert request.tokens < 5_000


def test_b009_two_requests_after_a_compaction_compact_once() -> None:
    """The estimate after a compaction is the new one: the requests that follow it compact nothing."""
    talk = Talk().user("Do the task").grown(12, 700).cycle(20).cycle(20)
    assert fired(played(manager(10_000, tool_policy=NEVER), talk), "compact") == 1


def test_b011_condensing_nothing_is_no_compaction() -> None:
    """When there is nothing to condense no summarizer is asked and no compaction is reported."""
    model = Scripted()
    context = manager(10_000, summarizer=model)
    context.prepare_sync(Talk().user("one").says("two").user("three").says("four").user("five").messages)
    assert "compact" not in rungs(context.compact_sync())
    assert model.prompts == []


def test_b013_a_compaction_leaves_at_least_half_free() -> None:
    """Kept tail, requests and checkpoint together land at half of the window or less."""
    requests = played(manager(20_000, tool_policy=NEVER), Talk().user("Do the task").grown(60, 700))
    landed = [event.tokens_after for request in requests for event in request.events if event.rung == "compact"]
    assert len(landed) >= 2
    assert max(landed) <= 10_000


def test_b015_a_kept_part_that_is_too_large_is_clipped() -> None:
    """When the kept part alone is over the target it is clipped until the request is under the compaction line."""
    talk = Talk().user("Do the task").grown(3, 900).cycle(*[2_400] * 3).cycle(300)
    request = manager(10_000, tool_policy=NEVER).prepare_sync(talk.messages)
    assert request.tokens <= 8_500
    assert faults(request) == []


def test_b019_the_ladder_acts_inside_a_long_tool_loop() -> None:
    """One user turn with 40 tool cycles is kept inside the window by rungs that fire in the middle of it."""
    requests = played(manager(20_000), Talk().user("Do the task").grown(40, 700))
    assert sum(map(bool, map(rungs, requests))) >= 2
    assert max(request.tokens for request in requests) <= 19_000


def test_b057_a_compaction_never_makes_a_request_larger() -> None:
    """What was kept and what was summarised are counted once: every rewrite leaves fewer tokens than it found."""
    requests = played(manager(10_000), Talk().user("Do the task").grown(60, 500))
    events = [event for request in requests for event in request.events if event.rung in ("clear", "compact", "trim", "clip")]
    assert events
    assert all(event.tokens_after < event.tokens_before for event in events)


def test_b079_a_conversation_stays_sendable_when_the_summarizer_cannot_run() -> None:
    """With a summarizer that always overflows every request is under the window."""
    model = Scripted(RuntimeError("prompt is too long"))
    requests = played(manager(8_000, summarizer=model, tool_policy=NEVER), Talk().user("Do the task").grown(40, 600))
    assert all(request.tokens <= 8_000 for request in requests)
    assert fired(requests, "compact") >= 2


def test_b083_a_summary_asks_for_no_more_than_any_model_may_write() -> None:
    """However large the window and the output of the main model, the summarizer is told a limit of at most 8,000 tokens."""
    from sostenuto.ladder import Summarize, advance
    from tests.ladder.running import at_start, met

    run, need = advance(at_start(Talk().user("Do the task").grown(10, 100), window=1_000_000, summarizer_window=65_000, forced=900))
    while need is not None and not isinstance(need, Summarize):
        run, need = advance(run, met(need))
    assert isinstance(need, Summarize)
    assert need.limit <= 8_000


def test_b085_a_large_output_request_is_lowered_before_history_is_cut() -> None:
    """The output that may be asked for is at most what is left, and lowering it comes before any rewrite."""
    request = manager(20_000).prepare_sync(Talk().user(sized(9_000)).messages, max_output=16_000)
    assert rungs(request) == []
    assert request.max_output is not None
    assert request.tokens + request.max_output <= 20_000


def test_b087_a_summarizer_that_hangs_is_left_behind_and_told() -> None:
    """On expiry of the deadline the mechanical checkpoint is applied, the person is told, and the model is not asked again."""
    asked: list[str] = []

    async def hanging(prompt: str) -> str:
        asked.append(prompt)
        await asyncio.Event().wait()
        return summary()

    async def talk_on() -> list[str]:
        talk = Talk().user("Do the task").grown(40, 700)
        context = ContextManager(window=10_000, counter="family", summarizer=hanging, deadline_s=0.01, tool_policy=NEVER)
        notices: list[str] = []
        for number in range(1, len(talk.messages) + 1, 2):
            notices += (await context.prepare(talk.messages[:number])).notices
        return notices

    notices = asyncio.run(talk_on())
    assert len(asked) == 1
    assert sum("hung" in notice for notice in notices) == 1


def test_b093_and_b095_an_empty_or_broken_summary_puts_no_old_reply_in_its_place() -> None:
    """An empty answer or an error in the middle is a typed failure; neither an old reply nor the error text becomes the summary."""
    for answer in ("", ConnectionResetError("stream broke")):
        talk = Talk().user("Do the task").grown(11, 700).says("OLD REPLY").user("Go on.").cycle(700).cycle(700)
        requests = played(manager(10_000, summarizer=Scripted(answer), tool_policy=NEVER), talk)
        outcomes = [event.detail.get("outcome") for request in requests for event in request.events if event.rung == "summary"]
        assert outcomes
        assert set(outcomes) <= {"refused", "raised"}
        assert "stream broke" not in said(requests[-1])
        assert "OLD REPLY" not in said(requests[-1]).split("# Checkpoint")[-1].split("[CONTINUE")[0]


def test_b097_tool_markup_is_no_summary() -> None:
    """An answer in tool markup is refused."""
    context = manager(10_000, summarizer=Scripted("<tool_call>read</tool_call>"), tool_policy=NEVER)
    requests = played(context, Talk().user("Go").grown(12, 700))
    assert fired(requests, "summary") == 1
    assert "<tool_call>" not in said(requests[-1])
