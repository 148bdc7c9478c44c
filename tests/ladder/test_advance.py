"""The one function of the ladder: frozen values in, the next run and at most one need out (DESIGN 3, algorithms 4)."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.ladder import Keep, Need, Outcome, Run, Settings, Summarize, advance
from tests.ladder.made_up import Talk
from tests.ladder.running import at_start, met


def steps(run: Run, answers: list[Outcome] | None = None) -> tuple[Run, list[Need]]:
    """The run at its end and the needs on the way; `answers` are given in order, then every need is met."""
    asked: list[Need] = []
    run, need = advance(run)
    while need is not None:
        outcome = answers[len(asked)] if answers and len(asked) < len(answers) else met(need)
        asked.append(need)
        assert len(asked) < 200
        run, need = advance(run, outcome)
    return run, asked


@given(
    sizes=st.lists(st.integers(0, 1_500), max_size=25),
    window=st.integers(300, 12_000),
    model=st.booleans(),
    forced=st.one_of(st.none(), st.integers(1, 9_000)),
    bound=st.booleans(),
)
def test_it_always_ends_and_always_fits_or_refuses(sizes: list[int], window: int, model: bool, forced: int | None, bound: bool) -> None:
    """Whatever the sizes, the window and the fill, the run ends with a request within the budget or with a refusal that names figures."""
    talk = Talk("anthropic").user("Do the task")
    for size in sizes:
        talk.cycle(size, thinking="Well." if size % 2 else "")
    run, _ = steps(at_start(talk, window=window, summarizer_window=4_000 if model else None, forced=forced, bound=bound))
    assert run.phase == "done"
    assert (run.total <= window) or run.refused


@given(sizes=st.lists(st.integers(200, 1_500), min_size=8, max_size=20), failures=st.lists(st.booleans(), max_size=6))
def test_no_failure_of_a_need_stops_a_run(sizes: list[int], failures: list[bool]) -> None:
    """Needs that fail are outcomes: the run ends with a request that fits all the same."""
    talk = Talk().user("Do the task")
    for size in sizes:
        talk.cycle(size)
    answers = [Outcome(failed="raised", why="no") if failed else Outcome(value=frozenset()) for failed in failures]
    run, _ = steps(at_start(talk, window=6_000, summarizer_window=4_000), answers)
    assert run.total <= 6_000


def test_a_run_can_be_stopped_and_gone_on_with_at_any_need() -> None:
    """A run is a value: going on from a stored copy after each need gives the same needs and the same view (algorithms 4)."""
    talk = Talk().user("Do the task").grown(30, 700)
    start = at_start(talk, window=12_000, summarizer_window=5_000)
    whole, needs = steps(start)
    assert any(isinstance(need, Keep) for need in needs)
    run, need = advance(start)
    seen: list[str] = []
    while need is not None:
        again, same = advance(run)
        assert same is not None
        assert same.id == need.id
        seen.append(need.id)
        run, need = advance(again, met(same))
    assert seen == [need.id for need in needs]
    assert run.view == whole.view
    assert run.total == whole.total


def test_equal_needs_have_equal_ids() -> None:
    """The id of a need depends on its content alone, so a repeated run does the work once."""
    assert Keep(("m1.0", "m2.0")).id == Keep(("m1.0", "m2.0")).id
    assert Summarize("a", 1, 1.0).id != Summarize("b", 1, 1.0).id


@given(sizes=st.lists(st.integers(0, 1_200), min_size=1, max_size=25))
def test_levels_only_rise(sizes: list[int]) -> None:
    """No later edit of a run lowers the level of a piece that is still in view (D48)."""
    talk = Talk().user("Do the task")
    for size in sizes:
        talk.cycle(size)
    run, need = advance(at_start(talk, window=5_000, settings=Settings(gain=0)))
    levels = dict(run.view.levels)
    while need is not None:
        run, need = advance(run, met(need))
        assert all(run.view.levels.get(place, 9) >= level for place, level in levels.items())
        levels = dict(run.view.levels)


@given(sizes=st.lists(st.integers(0, 1_200), min_size=1, max_size=20), window=st.integers(1_000, 9_000))
def test_an_edit_knows_its_tokens(sizes: list[int], window: int) -> None:
    """Each edit's tokens before and after join up: one edit begins where the one before it ended."""
    talk = Talk().user("Do the task")
    for size in sizes:
        talk.cycle(size)
    run, _ = steps(at_start(talk, window=window))
    for one, other in pairwise(run.edits):
        assert one.tokens_after == other.tokens_before
    assert not run.edits or run.edits[-1].tokens_after == run.total
