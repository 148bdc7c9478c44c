"""The generated sessions, the pinned environments, and the page."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from benchmarks import canaries, comparison, environments, page, sessions
from sostenuto.app import Contender, Outcome
from sostenuto.formats import openai_chat
from sostenuto.judging import judged, session_of, untouched, weighing
from sostenuto.peers.known import PEERS


@pytest.mark.parametrize("size", sessions.SIZES)
def test_a_session_is_the_same_each_time_and_sendable(size: str) -> None:
    """A seed makes one session only, of the size it says, and a provider would take it."""
    made = sessions.session(size, seed=5)
    assert made == sessions.session(size, seed=5)
    assert made != sessions.session(size, seed=6)
    assert sessions.SIZES[size] <= len(made) <= sessions.SIZES[size] + 8
    assert openai_chat.CODEC.problems({"messages": made}) == []


def test_a_session_is_work() -> None:
    """It holds several requests, parallel calls, a failed test whose error line is repeated, and files read and changed."""
    made = sessions.session("medium", seed=2)
    text = [message["content"] for message in made]
    assert sum(message["role"] == "user" for message in made) > 3
    assert any(len(message.get("tool_calls", ())) > 1 for message in made)
    assert any("Traceback" in one for one in text)
    assert any(one.startswith("The test says") for one in text)
    found = judged(session_of("s", made), untouched(session_of("s", made)), budget=10**9, weigh=weighing(), decode=openai_chat.CODEC.decode)
    assert found.probes == 20


def test_canaries_stand_in_the_history_and_one_of_them_corrects_another() -> None:
    """Every canary is said once, the corrected sentence before its correction."""
    history, planted = canaries.planted("small", seed=3, within=0.8)
    said = "\n".join(str(message["content"]) for message in history)
    assert all(said.count(canary.text) == 1 for canary in planted)
    correction = planted[-1]
    assert 0 <= said.index(correction.stale) < said.index(correction.text)
    assert openai_chat.CODEC.problems({"messages": history}) == []


def test_every_library_has_a_pinned_environment() -> None:
    """Each distribution that is compared is named with a version in peers.txt, and no line names a place to get it from."""
    wanted = [requirement for listed in environments.pinned().values() for requirement in listed]
    assert all("==" in requirement and "/" not in requirement for requirement in wanted)
    assert {peer.distribution for peer in PEERS} - {""} <= {requirement.partition("==")[0] for requirement in wanted}


def test_the_page_is_whole_and_needs_nothing_from_elsewhere() -> None:
    """Every element that is opened is closed, names are escaped, and no address of another place is asked for."""
    made = session_of("a <b> & c", sessions.session("small", seed=1))
    contender = Contender("nothing", "doing <nothing>")
    verdict = judged(made, untouched(made), budget=16_000, weigh=weighing(), decode=openai_chat.CODEC.decode)
    pairs = [(comparison.Task(made, 16_000, contender), Outcome(contender, made.name, "1.0", verdict))]
    pairs.append((comparison.Task(made, 16_000, contender), Outcome(contender, made.name, problem="it <broke>")))
    text = page.page([comparison.markdown(pairs)], made=pairs, canaries=[])
    assert "<nothing>" not in text
    assert "<broke>" not in text
    assert "http" not in text
    Balanced().feed(text)


class Balanced(HTMLParser):
    """Raises where an element is closed that was not the last one opened."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag
