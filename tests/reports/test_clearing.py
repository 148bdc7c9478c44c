"""Field reports on clearing and the prompt cache (B137 to B151)."""

from __future__ import annotations

from sostenuto import ContextManager
from tests.ladder.made_up import PLACEHOLDER, Talk, fired, manager, played, results, rungs, said, sized


def test_b137_a_large_window_clears_nothing_at_nine_percent() -> None:
    """Three results of 30,000 tokens in a window of a million are left alone."""
    assert rungs(manager(1_000_000).prepare_sync(Talk().user("Go").grown(3, 30_000).messages)) == []


def test_b139_clearing_follows_pressure_not_counts() -> None:
    """Many small results at a tenth of the window are never cleared, however many cycles pass."""
    requests = played(manager(100_000), Talk().user("Go").grown(30, 300))
    assert fired(requests, "clear") == 0


def test_b141_a_cleared_result_may_be_fetched_again() -> None:
    """The event names the cleared call, and the result of repeating it is sent whole."""
    named: list[str] = []
    context = ContextManager(
        window=10_000, counter="o200k", on_event=lambda event: named.extend(event.detail.get("call_ids", ())), format="openai_chat"
    )
    talk = Talk().user("Go").grown(20, 1_000, arguments={"command": "make test"})
    played(context, talk)
    assert "c1_0" in named
    known = len(talk.messages)
    again = played(context, talk.cycle(1_000, arguments={"command": "make test"}), begin=known)[-1]
    assert results(again)["c21_0"] == sized(1_000, "result c21_0")


def test_b145_the_file_being_edited_is_still_there() -> None:
    """A file that was read is in view when it is edited a few steps later."""
    talk = Talk().user("Go").grown(6, 700).cycle("CONTENT OF A\n" * 200, name="read_file", arguments={"path": "a.py"})
    talk.cycle(30, name="edit_file", arguments={"path": "b.py"}).cycle(30, name="edit_file", arguments={"path": "a.py"})
    assert "CONTENT OF A" in said(played(manager(10_000), talk)[-1])


def test_b147_bytes_that_were_sent_once_stay_as_they_are() -> None:
    """A call that was sent while it was open and later completed leaves every earlier message as it was."""
    talk = Talk().user("Go").grown(3, 100)
    (call_id,) = talk.calls("bash")
    context = manager(10_000)
    before = context.prepare_sync(talk.messages).arguments["messages"]
    after = context.prepare_sync(talk.result(call_id, "ok").messages).arguments["messages"]
    assert after[: len(talk.messages) - 1] == before[: len(talk.messages) - 1]


def test_b149_twenty_turns_around_the_line_clear_once_or_twice() -> None:
    """Around 55 % of the window there are at most two clear events in twenty turns."""
    talk = Talk().user("Go").grown(14, 700)
    context = manager(20_000)
    played(context, talk)
    known = len(talk.messages)
    assert fired(played(context, talk.grown(20, 120), begin=known), "clear") <= 2


def test_b151_a_cold_resume_clears_at_once() -> None:
    """After two idle hours the cache is gone, so stale results are cleared with the first request."""
    now = [0.0]
    context = manager(10_000, clock=lambda: now[0])
    talk = Talk().user("Go").grown(8, 700)
    warm = played(context, talk)[-1]
    assert PLACEHOLDER not in said(warm)
    context.record({"prompt_tokens": warm.tokens, "completion_tokens": 10})
    now[0] = 7_200.0
    cold = context.prepare_sync(talk.says("Done.").user("Are you there?").messages)
    assert "clear" in rungs(cold)
    assert PLACEHOLDER in said(cold)
