"""The bounded print of the ledger (checkpoint/_rendering.py, _items.py)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.checkpoint import EMPTY, claims, fold, listing, render
from tests.checkpoint.history import HISTORIES, Turn, call, count, say, units, user

_KEYS = {"requests", "commands", "values", "files:read", "files:modified", "running"}


@given(HISTORIES, st.integers(-5, 300), st.integers(-5, 120), st.booleans())
def test_law_1_the_print_is_within_its_budgets(turns: list[Turn], budget: int, path_budget: int, recall: bool) -> None:
    """Paths take at most their budget and everything else at most its own, by a counter that does not add up."""
    sections = dict(render(fold(EMPTY, units(*turns)), budget=budget, path_budget=path_budget, count=count, recall_named=recall).sections)
    covered = sections.pop("Covered So Far", "")
    assert count(covered) <= max(0, path_budget)
    assert count("\n".join(sections.values())) <= max(0, budget)


@given(HISTORIES, st.integers(80, 300), st.integers(40, 120))
def test_law_2_what_is_not_printed_is_under_a_printed_key(turns: list[Turn], budget: int, path_budget: int) -> None:
    """Every fold names a key that lists it; where items are hidden that key is printed."""
    ledger = fold(EMPTY, units(*turns))
    done = render(ledger, budget=budget, path_budget=path_budget, count=count)
    text = "\n".join(done.sections.values())
    for fold_ in done.folds:
        assert fold_.key in _KEYS
        assert listing(ledger, fold_.key) not in (None, "(none)")
    for path in (*claims(ledger).modified, *claims(ledger).read, *claims(ledger).attempted):
        assert path in text or "recall files:" in text
    for asked, _ in claims(ledger).requests:
        assert asked.key in text or "recall requests" in text


@given(HISTORIES, st.integers(0, 300))
def test_law_3_the_print_is_a_function_of_the_ledger(turns: list[Turn], budget: int) -> None:
    """Two equal ledgers print the same."""
    one, two = (render(fold(EMPTY, units(*turns)), budget=budget, path_budget=50, count=count) for _ in range(2))
    assert one == two


def test_modified_paths_come_before_read_ones_newest_first() -> None:
    """With room for few paths the modified ones and then the newest reads are printed, and a line counts the rest."""
    turns = [call("Read", {"path": f"/r/{n}"}) for n in range(40)] + [call("Edit", {"path": "/m/1"})]
    done = render(fold(EMPTY, units(*turns)), budget=50, path_budget=40, count=count)
    lines = done.sections["Covered So Far"].splitlines()
    assert lines[:4] == ["Modified:", "- /m/1", "Read or inspected:", "- /r/39"]
    assert lines[-1].endswith("recall files:read")


def test_line_ranges_are_printed_where_there_is_room() -> None:
    """A partial read names its lines; when the ranges do not fit the paths stand alone."""
    ledger = fold(EMPTY, units(call("Read", {"path": "/a", "offset": 3, "limit": 2}), call("Read", {"path": "/b"})))
    assert "- /a (lines 3-4)" in render(ledger, budget=0, path_budget=50, count=count).sections["Covered So Far"]


def test_a_request_is_verbatim_up_to_2000_characters() -> None:
    """B131: early requirements survive word for word; a longer request keeps head and tail with its key and is reported."""
    short, long = "Rules:\n## Goal\n" + "x" * 1900, "h" * 3000 + "the ask"
    done = render(fold(EMPTY, units(user(short), user(long))), budget=9000, path_budget=0, count=count)
    goal = done.sections["Goal"]
    assert short in goal
    assert "m1.0 (open; 2000 of 3007 characters)" in goal
    assert "the ask" in goal
    assert [(f.claim, f.count) for f in done.folds] == [("open requests", 1)]


def test_open_requests_outlast_commands() -> None:
    """In a small budget commands, values and answered requests fold before the open request does (D22)."""
    turns = [user("old"), say("done")] + [call("Bash", {"command": f"run {n}"}) for n in range(50)] + [user("the open task of today")]
    done = render(fold(EMPTY, units(*turns)), budget=60, path_budget=0, count=count)
    assert "the open task of today" in done.sections["Goal"]
    assert any(f.claim == "commands" and f.count >= 45 for f in done.folds)


def test_no_key_is_printed_without_the_recall_tool() -> None:
    """D41: without the tool the overflow lines carry counts only."""
    turns = [call("Read", {"path": f"/r/{n}"}) for n in range(40)]
    text = render(fold(EMPTY, units(*turns)), budget=50, path_budget=40, count=count, recall_named=False).sections["Covered So Far"]
    assert "recall" not in text
    assert "not listed" in text


def test_secrets_in_commands_are_redacted_and_requests_are_not() -> None:
    """D59: what is copied is redacted, a request stands word for word."""
    secret = "sk-abcdefghijklmnop1234"
    text = "\n".join(
        render(
            fold(EMPTY, units(user(f"use {secret}"), call("Bash", {"command": f"curl -H {secret}"}))),
            budget=900,
            path_budget=0,
            count=count,
        ).sections.values()
    )
    assert f"use {secret}" in text
    assert f"-H {secret}" not in text
