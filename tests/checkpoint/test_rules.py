"""Sentences that hold beyond their request: found, carried, printed first, taken back with what is cancelled (D22)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.checkpoint import EMPTY, fold, render
from sostenuto.checkpoint._rules import LONGEST, MOST, is_only_rules, rules
from sostenuto.messages import Folding, Message, Text


@pytest.mark.parametrize(
    "sentence",
    [
        "Never edit anything below vendor/.",
        "Always run the tests first.",
        "You must not print a customer's address.",
        "I prefer tabs.",
        "Make sure the port stays 8080.",
        "Don't touch the vault directory!",
        "From now on write British English.",
        "不要修改 vendor 目录",
        "必ずテストを実行する",
        "Никогда не трогай vendor.",
        "Fasse den Ordner vault niemals an.",
    ],
)
def test_a_rule_is_found_in_any_of_several_languages(sentence: str) -> None:
    """A sentence that forbids, demands or prefers is found word for word, beside others and alone."""
    assert rules(sentence) == (sentence,)
    assert rules(f"Please fix the build. {sentence}\nThe log is in build.log.") == (sentence,)
    assert is_only_rules(sentence, rules(sentence))
    assert not is_only_rules(f"Fix the build. {sentence}", rules(sentence))


@pytest.mark.parametrize("text", ["Fix the build.", "What must I do?", "The neverending story is in a.txt.", "", "x" * 10_000])
def test_other_words_are_no_rule(text: str) -> None:
    """A request, a question, a word inside another and a wall of letters hold none."""
    assert rules(text) == ()


@given(st.text(alphabet="Never must. \n这不要x", max_size=4_000))
def test_rules_are_bounded_and_verbatim(text: str) -> None:
    """At most eight sentences of at most 300 characters, each of them in the text."""
    found = rules(text)
    assert len(found) <= MOST
    assert all(len(one) <= LONGEST and one in text for one in found)


def conversation(*texts: str) -> Folding:
    """A person's words, each answered."""
    folding = Folding()
    for number, text in enumerate(texts):
        folding.add(2 * number, Message("user", (Text(text),)))
        folding.add(2 * number + 1, Message("assistant", (Text("Done."),)))
    return folding


def printed(*texts: str, budget: int) -> str:
    """What code writes under Constraints & Preferences."""
    ledger = fold(EMPTY, conversation(*texts).units)
    made = render(ledger, budget=budget, path_budget=100, count=lambda text: (len(text) + 3) // 4)
    return made.sections.get("Constraints & Preferences", "")


def test_rules_outlive_what_was_answered() -> None:
    """After twenty answered requests a rule of the first one is printed with its key, although the requests themselves fold."""
    said = printed("Audit it. Never touch vault/.", *(f"Look at module {number}, please." * 8 for number in range(20)), budget=300)
    assert "- Never touch vault/. (m0.0)" in said
    assert "Look at module" not in said


def test_a_rule_said_twice_is_printed_once() -> None:
    """The same sentence stands once, under the key where it was said last."""
    said = printed("Never touch vault/.", "Go on.", "Never touch vault/.", budget=400)
    assert said.count("Never touch vault/.") == 1
    assert "(m4.0)" in said


def test_a_cancelled_request_takes_its_rules_along() -> None:
    """What a person takes back is no rule any more."""
    folding = Folding()
    for ordinal, text in enumerate(("Rename everything. Always use camel case.", "Forget that. Fix the build.")):
        folding.add(ordinal, Message("user", (Text(text),)))
    made = render(fold(EMPTY, folding.units), budget=400, path_budget=100, count=len)
    assert "camel case" not in made.sections.get("Constraints & Preferences", "")
