"""Known work in the ladder: it stands in the checkpoint after every rewrite, once (D43), and the journal's record (origin 8.1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sostenuto.ladder import Journal, Keep, Outcome, Summarize, advance
from sostenuto.work import Todo, WorkState, known
from tests.ladder.made_up import FORMATS, Scripted, Talk, faults, manager, played, rungs, said, summary
from tests.ladder.running import at_start, met
from tests.ladder.test_compact import KEEPING, compacting

STATE = WorkState(goal="port the parser to the new grammar", next_step="run the corpus", decisions=("keep the old tokens",))
TODOS = (Todo("subagent-7 rewrites lexer.py", "in_progress"), Todo("measure the corpus"), Todo("read the grammar", "completed"))
ONCE = ("port the parser to the new grammar", "subagent-7 rewrites lexer.py", "measure the corpus", "run the corpus", "keep the old tokens")


def work() -> str:
    """What is known."""
    return known(STATE, TODOS)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("by_model", [False, True])
def test_b117_open_todos_are_in_the_request_after_a_compaction(format: str, by_model: bool) -> None:
    """B117: after a rewrite, by a model or without one, todos come from where they are kept, whatever the roles of the new history."""
    context = compacting(10_000, format=format, work=work, **({"summarizer": Scripted()} if by_model else {}))
    requests = [request for request in played(context, Talk(format).user("Do the task").grown(30, 700)) if "compact" in rungs(request)]
    assert len(requests) >= 2
    for request in requests:
        assert faults(request) == []
        assert [said(request).count(words) for words in ONCE] == [1] * len(ONCE)
        assert "read the grammar" not in said(request)


def test_b115_work_under_way_is_put_back_after_a_compaction() -> None:
    """B115: what work state names as running stands in the request after a compaction, though no message of the tail names it."""
    request = next(r for r in played(compacting(10_000, work=work), Talk().user("Do the task").grown(14, 700)) if "compact" in rungs(r))
    assert "> [>] subagent-7 rewrites lexer.py" in said(request)


@settings(max_examples=50, deadline=None)
@given(
    cycles=st.lists(st.integers(300, 1_500), min_size=8, max_size=60),
    window=st.sampled_from([6_000, 10_000, 40_000]),
    by_model=st.booleans(),
    rungs_off=st.booleans(),
)
def test_after_any_number_of_compactions_work_state_stands_once(cycles: list[int], window: int, by_model: bool, rungs_off: bool) -> None:
    """With work state set, objective and open todos stand in every request behind a rewrite, exactly once."""
    wishes: dict[str, Any] = {"tool_policy": {"bash": "never"}} if rungs_off else {}
    context = manager(window, work=work, **wishes, **({"summarizer": Scripted(summary("so far so good"))} if by_model else {}))
    talk, rewritten = Talk().user("Do the task"), False
    for tokens in cycles:
        talk.cycle(tokens)
        request = context.prepare_sync(talk.messages)
        rewritten = rewritten or "compact" in rungs(request)
        if rewritten:
            assert [said(request).count(words) for words in ONCE[:3]] == [1, 1, 1]


def test_twenty_compactions_in_a_row() -> None:
    """After each of twenty compactions asked for by hand the objective and the open todos stand once."""
    context, talk = compacting(20_000, work=work), Talk().user("Do the task").grown(10, 700)
    context.prepare_sync(talk.messages)
    done = 0
    for _ in range(20):
        request = context.compact_sync()
        done += "compact" in rungs(request)
        assert [said(request).count(words) for words in ONCE] == [1] * len(ONCE)
        context.prepare_sync(talk.grown(4, 700).messages)
    assert done == 20


def test_the_summarizer_is_told_what_is_durable() -> None:
    """The prompt holds known work as data (origin 6.4), and without any there is no word of it."""
    model = Scripted()
    played(compacting(10_000, summarizer=model, work=work), Talk().user("Do the task").grown(14, 700))
    assert "<known_work>\nObjective: port the parser" in model.prompts[0]
    played(compacting(10_000, summarizer=model), Talk().user("Do the task").grown(14, 700))
    assert "known_work" not in model.prompts[-1]


def test_known_work_takes_at_most_a_quarter_of_the_tail() -> None:
    """A hundred pages of state leave the checkpoint its room: the first lines stay, the others are counted."""
    context = compacting(10_000, work=lambda: "Objective: ship it\n" + "another line of state\n" * 20_000)
    request = next(r for r in played(context, Talk().user("Do the task").grown(14, 700)) if "compact" in rungs(r))
    block = [line for line in said(request).splitlines() if line.startswith("> ")]
    assert block[0] == "> Objective: ship it"
    assert "more lines)" in block[-1]
    assert sum(len(line) + 1 for line in block) // 4 <= 2_500 // 4


def test_a_record_of_the_journal_holds_the_figures_and_no_secret() -> None:
    """Tokens and messages before and after, the summary, and whether a model wrote it; a secret in it is taken out (origin 8.1, D59)."""
    secret = "ghp_" + "a1B2" * 9
    talk = Talk().user(f"Always use {secret} here").grown(14, 700)
    found: list[Journal] = []
    for window in (None, 50_000):
        run = at_start(talk, window=10_000, settings=KEEPING, summarizer_window=window)
        run, need = advance(run)
        while need is not None:
            found += [need] if isinstance(need, Journal) else []
            assert isinstance(need, Keep | Summarize | Journal)
            run, need = advance(run, met(need) if not isinstance(need, Journal) else Outcome(value=True))
        record = found[-1].record
        assert record["tokensBefore"] == run.edits[-1].tokens_before > record["tokensAfter"] == run.edits[-1].tokens_after
        assert record["messagesBefore"] == len(talk.messages) > record["messagesAfter"] > 3
        assert secret not in record["summary"]
        assert "Always use [redacted] here" in record["summary"]
    assert [need.record["mechanical"] for need in found] == [True, False]
