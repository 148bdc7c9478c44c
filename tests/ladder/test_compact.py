"""The third rung: what is condensed, by whom, and what happens when that fails or does not help (origin 6, A.6, D21-D24, D40, D44)."""

from __future__ import annotations

import pytest

from sostenuto import ContextManager, Request, Settings
from sostenuto.budget import thresholds
from sostenuto.calls import DEFAULT
from sostenuto.checkpoint import CONTINUATION
from sostenuto.ladder import Summarize, advance
from sostenuto.ladder._numbers import NUMBERS
from tests.ladder.made_up import (
    FORMATS,
    PLACEHOLDER,
    Scripted,
    Talk,
    faults,
    fired,
    manager,
    noticed,
    played,
    results,
    rungs,
    said,
    sent,
    sized,
    summary,
)
from tests.ladder.running import at_start, met

NEVER = {"bash": "never"}
"""A policy that keeps the clear rung out of the way."""


KEEPING = Settings(policy=DEFAULT.configured(NEVER))


def compacting(window: int = 10_000, **wishes: object) -> ContextManager:
    """A manager whose only voluntary rung is compaction."""
    return manager(window, tool_policy=NEVER, **wishes)


def full(cycles: int = 12, format: str = "openai_chat") -> Talk:
    """A history that passes the compaction line of 10,000 tokens in its last request."""
    return Talk(format).user("Do the task").grown(cycles, 700)


def applied(requests: list[Request]) -> list[Request]:
    """The requests in which a compaction took place."""
    return [request for request in requests if "compact" in rungs(request)]


@pytest.mark.parametrize("format", FORMATS)
def test_the_old_part_gives_way_to_one_checkpoint_and_one_continuation(format: str) -> None:
    """After a compaction: the task, one checkpoint, one continuation, the recent tail as it was; fewer tokens; a legal list (A.6)."""
    talk = full(format=format)
    request = applied(played(compacting(format=format), talk))[0]
    assert sent(request)[0] is talk.messages[0]
    assert said(request).count("# Checkpoint") == 1
    assert said(request).count(CONTINUATION) == 1
    (event,) = [event for event in request.events if event.rung == "compact"]
    assert event.tokens_after < event.tokens_before
    assert faults(request) == []
    newest = list(results(request).values())[-1]
    assert newest in said(request)


def test_a_second_compaction_leaves_one_checkpoint_and_one_continuation() -> None:
    """However often it compacts there is one checkpoint, one continuation and the task verbatim (A.6)."""
    requests = applied(played(compacting(), full(40)))
    assert len(requests) >= 3
    for request in requests:
        assert said(request).count("# Checkpoint") == 1
        assert said(request).count(CONTINUATION) == 1
        assert said(request).startswith("Do the task")


def test_under_the_line_nothing_is_condensed() -> None:
    """At 80 % nothing changes; above it the rung fires (origin 3.1, A.6)."""
    requests = played(compacting(), full(10))
    assert fired(requests, "compact") == 0
    assert requests[-1].tokens > 7_000


def test_the_tail_is_a_fifth_of_the_budget_between_its_bounds() -> None:
    """What stays whole is at most the tail budget, in whole units, the newest always (origin 6.2, D61)."""
    request = applied(played(compacting(), full()))[0]
    kept = sum(len(text) // 4 for text in results(request).values())
    assert kept <= 2_500
    assert len(results(request)) == 3


def test_a_model_summary_is_asked_for_once_and_carried_forward() -> None:
    """The second prompt holds the sections of the first summary; neither shows a checkpoint as raw history (A.6)."""
    model = Scripted(summary("the parser is half done"))
    requests = applied(played(compacting(summarizer=model), full(40)))
    assert len(model.prompts) == len(requests)
    assert "the parser is half done" not in model.prompts[0]
    assert "the parser is half done" in model.prompts[1]
    assert all(CONTINUATION not in prompt for prompt in model.prompts)
    assert all("the parser is half done" in said(request) for request in requests)


def test_a_plain_reply_in_second_place_is_history() -> None:
    """What the assistant said second is no earlier summary: the summarizer reads it like everything else (A.6)."""
    model = Scripted(summary("the parser is half done"))
    requests = played(compacting(summarizer=model), Talk().user("Go").says("The answer to all of it is in the cellar.").grown(40, 500))
    assert fired(requests, "compact") >= 1
    assert "in the cellar" in model.prompts[0]


def test_a_long_middle_is_read_in_chunks_of_the_summarizers_window() -> None:
    """Every prompt stays within the summarizer's window, and a later chunk is told what the earlier ones gave (A.6, D24)."""
    model = Scripted(summary("so far so good"))
    played(compacting(20_000, summarizer=model, summarizer_window=6_000), full(24))
    assert len(model.prompts) >= 3
    assert all(len(prompt) // 4 <= 6_000 for prompt in model.prompts)
    assert "so far so good" in model.prompts[1]


@pytest.mark.parametrize(
    "answer",
    ["", "   \n", summary()[:120], "I'm sorry, I cannot help with that.", '{"tool_calls": []}', "Rate limit reached. Try again later."],
    ids=["empty", "blank", "cut", "refusal", "call", "notice"],
)
def test_d21_an_unsound_summary_is_refused_and_told_with_the_reason(answer: str) -> None:
    """A summary that is empty, cut off, a refusal, a call or a notice never stands in the context; a mechanical one does (D21, D23)."""
    requests = played(compacting(summarizer=Scripted(answer)), full())
    (request,) = applied(requests)
    assert [event.detail["outcome"] for event in request.events] == ["refused", "applied"]
    assert "mechanical" in request.events[1].reason
    assert noticed([request], "The summary could not be used (refused: ") == 1
    if answer.strip():
        assert answer.strip() not in said(request)


def test_d21_a_summarizer_that_raises_fails_no_request() -> None:
    """An error of the summarizer is told with its text, and never enters the context (D21, origin 6.6)."""
    requests = played(compacting(summarizer=Scripted(ConnectionError("line is down"))), full())
    (request,) = applied(requests)
    assert noticed([request], "line is down") == 1
    assert "line is down" not in said(request)


def test_d21_a_summary_larger_than_what_it_replaces_is_refused() -> None:
    """A summary that would make the request larger is refused, and the request shrinks all the same (D21)."""
    request = applied(played(compacting(summarizer=Scripted(summary(sized(3_000)))), full()))[0]
    assert request.events[0].detail["outcome"] == "refused"
    assert request.tokens < request.events[0].tokens_before


def test_d23_a_failing_summarizer_is_told_once_until_one_succeeds() -> None:
    """The reason is told at the first failure only, and again after a success in between (D23)."""
    model = Scripted("")
    context, talk = compacting(summarizer=model), full(40)
    requests = played(context, talk)
    assert len(applied(requests)) >= 3
    assert noticed(requests, "could not be used") == 1
    model.answer, known = summary(), len(talk.messages)
    assert noticed(played(context, talk.grown(10, 700), begin=known), "could not be used") == 0
    model.answer, known = "", len(talk.messages)
    assert noticed(played(context, talk.grown(10, 700), begin=known), "could not be used") == 1


def test_d21_the_tail_is_shortened_until_the_request_is_under_the_line() -> None:
    """When the checkpoint and a large tail are still over the compaction line, old units of the tail give way too (D21)."""
    settings = Settings(tail_share=0.62)
    request = applied(played(compacting(settings=settings), full(24)))[0]
    assert request.tokens <= 8_000 + 400


def test_d21_read_results_of_the_kept_part_are_clipped_with_keys() -> None:
    """What is still over the line after that is clipped where it was read, never dropped (D21)."""
    talk = Talk().user(sized(4_000, "long task")).cycle(1_900).cycle(300, 300)
    talk.cycle(2_400, name="bash")
    context = compacting(9_500, settings=Settings(result_limit=5_000))
    request = played(context, talk)[-1]
    assert request.tokens <= 0.95 * 9_500
    assert faults(request) == []


def irreducible() -> Talk:
    """A history of which a compaction can free next to nothing: one huge request, then many small cycles."""
    return Talk().user(sized(7_700, "huge request")).grown(30, 40)


def test_d21_what_cannot_shrink_is_not_rewritten_again_and_again() -> None:
    """Where neither compaction nor a trim to its line frees a tenth, rewrites stay rare and the request still fits (D21, origin 14.2.5)."""
    requests = played(compacting(), irreducible())
    assert sum(fired(requests, rung) for rung in ("compact", "summary", "trim")) <= 4
    assert noticed(requests, "Nothing is old enough") + noticed(requests, "Summarising frees little") == 1
    assert all(request.tokens <= 10_000 for request in requests)


def test_d21_two_poor_compactions_open_the_breaker_once() -> None:
    """After two compactions that free less than a tenth none is tried until the history has grown; what fills it is named once (D21)."""
    pinned = sized(7_600, "pinned rules")
    talk = Talk().user("Do the task").user(pinned).grown(60, 120)
    requests = played(compacting(pin=[pinned]), talk)
    attempts = fired(requests, "compact") + fired(requests, "summary")
    assert 2 <= attempts <= len(requests) / 4
    assert noticed(requests, "Summarising frees little: pinned messages 7,6") == 1


def test_d21_the_breaker_spares_the_model_too() -> None:
    """The summarizer is not called request after request when compaction cannot help (D21, origin 14.2.5)."""
    model = Scripted()
    played(compacting(summarizer=model), irreducible())
    assert len(model.prompts) <= 3


def test_d21_the_breaker_is_kept_with_the_conversation() -> None:
    """A snapshot restores the breaker: the restored conversation does not try again at once (D21)."""
    context, talk = compacting(), irreducible()
    played(context, talk)
    restored = ContextManager.restore(context.snapshot(), counter="family", tool_policy=NEVER)
    assert restored.snapshot()["meta"]["memory"]["poor"] == context.snapshot()["meta"]["memory"]["poor"]
    assert restored.snapshot()["meta"]["memory"]["held"] == context.snapshot()["meta"]["memory"]["held"]


def test_d23_nothing_old_enough_is_told_once_and_not_asked_for() -> None:
    """With nothing old enough there is no call of the summarizer; the person hears it once (origin 6.6, D23, A.6)."""
    model = Scripted()
    talk = Talk().user(sized(7_000, "huge request")).cycle(1_200)
    context = compacting(summarizer=model)
    requests = played(context, talk)
    requests.append(context.prepare_sync(talk.messages, max_output=10))
    assert model.prompts == []
    assert noticed(requests, "Nothing is old enough") == 1


def test_b087_a_manual_compaction_with_nothing_to_do_says_so() -> None:
    """A person who asks for a compaction always hears what came of it (B087, D21, A.6)."""
    context = compacting()
    context.prepare_sync(Talk().user("Do the task").cycle(100).messages)
    request = context.compact_sync()
    assert noticed([request], "nothing was changed") == 1


def test_a_manual_compaction_does_what_it_is_asked_below_the_line() -> None:
    """A person may compact at any fill, with a focus that reaches the summarizer (origin 6.1, D28)."""
    model = Scripted()
    context = compacting(summarizer=model)
    context.prepare_sync(full(6).messages)
    request = context.compact_sync(focus="keep the port numbers")
    assert rungs(request) == ["compact"]
    assert "keep the port numbers" in model.prompts[0]


def test_d28_a_compaction_before_a_point_leaves_the_rest_alone() -> None:
    """With `before` everything from that message on is sent as it was (D28, B187)."""
    talk = full(6)
    context = compacting()
    context.prepare_sync(talk.messages)
    request = context.compact_sync(before="m5")
    assert request.arguments["messages"][-9:-1] == talk.messages[5:]
    assert all(a is b for a, b in zip(request.arguments["messages"][-9:-1], talk.messages[5:], strict=True))


def test_d40_the_warn_notice_speaks_again_after_a_compaction_that_helped() -> None:
    """The person is warned once until a compaction took usage below the line, then again (D40, origin 14.2.8)."""
    requests = played(compacting(), full(40))
    warns = fired(requests, "warn")
    compactions = len(applied(requests))
    assert compactions >= 3
    assert compactions <= warns <= compactions + 1


def test_d44_the_request_after_a_compaction_says_so_instead_of_warning() -> None:
    """[CONTEXT COMPACTED] and the progress note stand in that one request, no context warning beside them, no word of stopping (D44)."""
    requests = played(
        manager(10_000, tool_policy={"read_file": "never"}),
        Talk().user("Do the task").grown(14, 700, name="read_file", arguments={"path": "src/a.py"}),
    )
    (request,) = applied(requests)
    last = request.arguments["messages"][-1]["content"]
    assert "[CONTEXT COMPACTED" in last
    assert "src/a.py" in last
    assert "[CONTEXT WARNING" not in last
    after = requests[requests.index(request) + 1]
    assert "[CONTEXT COMPACTED" not in said(after)


def test_d45_the_notice_gives_figures_and_the_way_back() -> None:
    """A compaction is told with the percent, the tokens before and after, and the key of the originals (origin 6.7, D45)."""
    (request,) = applied(played(compacting(), full()))
    (event,) = [event for event in request.events if event.rung == "compact"]
    (notice,) = [notice for notice in request.notices if "summarised" in notice and "tokens are left" in notice]
    for figure in (f"{event.tokens_before:,}", f"{event.tokens_after:,}", event.keys[0], "10,000"):
        assert figure in notice


def test_the_deadline_grows_with_the_input() -> None:
    """A summarizer that reads more has more seconds (B087)."""
    seconds: list[float] = []
    for cycles in (12, 60):
        run, need = advance(at_start(full(cycles), window=500 * cycles, summarizer_window=100_000, settings=KEEPING))
        while need is not None and not isinstance(need, Summarize):
            run, need = advance(run, met(need))
        assert isinstance(need, Summarize)
        seconds.append(need.deadline_s)
        assert need.limit <= NUMBERS.summary_most
    assert 60 < seconds[0] < seconds[1]


def test_a_tighter_compaction_line_is_followed() -> None:
    """With the line at 20 % the rung fires there (B027)."""
    settings = Settings(thresholds=thresholds(window=20_000, compact=0.2))
    requests = played(compacting(20_000, settings=settings), full(8))
    assert requests[requests.index(applied(requests)[0])].events[0].tokens_before < 0.25 * 20_000


def test_a_compaction_says_what_its_checkpoint_has_no_room_for() -> None:
    """Every claim that is not printed in full is counted in the event (D22)."""
    talk = Talk().user("Do the task")
    for number in range(60):
        talk.cycle(200, name="Read", arguments={"file_path": f"/a/long/path/to/some/module/of/the/program/file_{number}.py"})
    events = [event for request in played(manager(6_000, tool_policy={"Read": "never"}), talk) for event in request.events]
    folded = [event.detail["folded"] for event in events if event.rung == "compact"]
    assert folded
    assert any(losses.get("read paths", 0) > 0 for losses in folded)


def test_a_middle_without_words_needs_no_summarizer() -> None:
    """Where only reasoning would be summarised the model is not asked, and the mechanical checkpoint stands (B089)."""
    asked: list[str] = []

    def summarize(prompt: str) -> str:
        asked.append(prompt)
        return ""

    context = manager(2_000, format="anthropic", summarizer=summarize)
    thought = {"type": "thinking", "thinking": "word " * 900, "signature": "s"}
    opaque = {"type": "redacted_thinking", "data": "x" * 3_000}
    messages: list[dict[str, object]] = [{"role": "user", "content": "Go"}, {"role": "assistant", "content": [thought, opaque]}]
    messages += [{"role": "user", "content": "On"}, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "And?"}]
    request = context.prepare_sync(messages)
    assert request.tokens <= 2_000
    assert not any("word word" in prompt for prompt in asked)


@pytest.mark.parametrize("length", [2_400, 5_000])
def test_d21_a_summary_much_longer_than_asked_for_is_refused(length: int) -> None:
    """A summary several times as long as was asked for gives way to the mechanical checkpoint, with the reason in event and notice."""
    long = summary("and then it went on " * (length // 35))
    requests = played(compacting(summarizer=Scripted(long)), full())
    plain = played(compacting(), full())
    assert [request.arguments for request in requests] == [request.arguments for request in plain]
    (event,) = [event for event in applied(requests)[0].events if event.rung == "summary"]
    assert "too long" in event.reason
    assert any("too long" in notice for notice in applied(requests)[0].notices)
    assert fired(requests, "trim") == fired(plain, "trim")


def test_the_summarizer_reads_what_was_cleared() -> None:
    """Results that a rung cleared from the view stand in the transcript in their own words, in no more calls than the view needs."""
    model = Scripted(summary())
    talk = Talk("openai_chat").user("Do the task").grown(14, 700)
    context = manager(10_000, summarizer=model)
    requests = played(context, talk)
    request = requests[-1] if applied(requests) else context.compact_sync()
    assert fired(requests, "clear")
    assert model.prompts
    assert PLACEHOLDER not in model.prompts[0]
    assert "lorem ipsum" in model.prompts[0]
    assert len(model.prompts) == len(applied([*requests, request]))
