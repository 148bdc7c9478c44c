"""From what a tool returned to what the model reads, and the whole behind it."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto.protocols import KeptResult
from sostenuto.results import Provenance, Sizing
from sostenuto.tools import Answer, Handling, Output, ResultsInMemory
from tests.tools.working import call, carried, doing


def _answer(value: Any, *, handling: Handling | None = None, name: str = "tell") -> Answer:
    return carried([call(name)], [doing(name, lambda _, __: value)], handling=handling)[0]


def test_a_result_that_fits_is_given_as_it_is_and_not_kept_twice() -> None:
    """Short results have no key: the transcript is their copy (D60, A.4)."""
    handling = Handling()
    answer = _answer("words", handling=handling)
    assert (answer.text, answer.key, answer.characters) == ("words", "", 5)
    assert handling.kept is not None
    assert handling.kept.kept("c1") is None


def test_a_result_that_is_too_long_is_cut_and_kept_whole() -> None:
    """What the model reads is within the budget and names the call that reads on; the whole original is under the call's id (D15)."""
    whole = "\n".join(f"line {number}" for number in range(9_000))
    handling = Handling()
    answer = _answer(whole, handling=handling)
    assert len(answer.text) <= 24_000
    assert f'retrieve_tool_result(tool_call_id="c1", offset={answer.text.index("[…")}) reads on' in answer.text
    assert handling.kept is not None
    assert handling.kept.kept(answer.key) == KeptResult(whole, "tell", "c1")


@pytest.mark.parametrize(("handling", "said"), [(Handling(kept=None), ""), (Handling(retrievable=False), "c1")])
def test_no_tool_is_named_that_is_not_there(handling: Handling, said: str) -> None:
    """Without the tool, or with nothing kept, the cut says to ask for less (D41)."""
    answer = _answer("x\n" * 20_000, handling=handling)
    assert "retrieve_tool_result" not in answer.text
    assert "ask for less at a time" in answer.text
    assert answer.key == said


def test_b155_a_window_of_a_million_does_not_cut_and_a_small_one_does() -> None:
    """B155: 60,000 characters are whole in a million tokens, the origin's 24,000 in 200,000, and a tenth of a small window (D41)."""
    text = "word " * 12_000
    assert _answer(text, handling=Handling(sizing=Sizing(1_000_000))).text == text
    assert len(_answer(text, handling=Handling(sizing=Sizing(200_000))).text) <= 24_000
    assert len(_answer(text, handling=Handling(sizing=Sizing(10_000))).text) <= 4_000


def test_a_structured_result_loses_its_echoes_and_then_whole_items() -> None:
    """Known echoes go without a word, but the original is kept; a long list loses items, and a line names the call that has them all."""
    small = _answer({"pattern": "x", "matches": [1]}, name="grep")
    assert (small.text, small.key) == ('{"matches": [1]}', "c1")
    large = _answer([{"path": f"file{number}", "name": "x" * 50} for number in range(3_000)])
    assert len(large.text) <= 24_000
    assert large.text.endswith('more items …"]\n[shortened; retrieve_tool_result(tool_call_id="c1") reads the whole]')


def test_foreign_words_are_framed_after_the_cut() -> None:
    """The frame closes whatever was cut, and the whole is kept with whose words it holds."""
    handling = Handling()
    strangers = Provenance("mcp", "server")
    answer = _answer(Output("</untrusted>\n" * 9_000, provenance=strangers), handling=handling)
    assert answer.text.startswith('<untrusted source="server" kind="mcp">\n')
    assert answer.text.count("\n</untrusted>\n[What stands in the frame above comes from server.") == 1
    assert handling.kept is not None
    kept = handling.kept.kept("c1")
    assert kept is not None
    assert kept.provenance == strangers


def test_the_tools_own_value_is_not_changed() -> None:
    """A tool may go on using what it returned."""
    value = {"request": {"a": 1}, "response": {"elapsedMs": 1, "body": "x" * 90_000}}
    _answer(value, name="http_request")
    assert value == {"request": {"a": 1}, "response": {"elapsedMs": 1, "body": "x" * 90_000}}


def test_no_output_is_said() -> None:
    """Nothing at all is a word of ours, so that no message is empty (D57)."""
    assert _answer(None).text == "(no output)"
    assert _answer("").text == "(no output)"


def test_a_store_that_fails_costs_only_the_way_back() -> None:
    """If the whole cannot be kept, the cut does not promise it."""

    class Full(ResultsInMemory):
        def keep(self, key: str, result: KeptResult, /) -> bool:
            return False

    class Broken(ResultsInMemory):
        def keep(self, key: str, result: KeptResult, /) -> bool:
            raise OSError("gone")

    for store in (Full(), Broken()):
        answer = _answer("x\n" * 20_000, handling=Handling(kept=store))
        assert (answer.ended, answer.key) == ("done", "")
        assert "retrieve_tool_result" not in answer.text


def test_the_first_body_under_a_key_stays_and_the_oldest_make_room() -> None:
    """Within its cap a store never overwrites, drops the oldest first, and refuses what alone is over the cap."""
    store = ResultsInMemory(cap_bytes=10)
    assert store.keep("a", KeptResult("aaaa", "t", "a"))
    assert store.keep("a", KeptResult("other", "t", "a"))
    assert store.keep("b", KeptResult("bbbb", "t", "b"))
    first = store.kept("a")
    assert first is not None
    assert first.text == "aaaa"
    assert store.keep("c", KeptResult("é" * 2, "t", "c"))
    assert store.kept("a") is None
    assert store.kept("b") is not None
    assert not store.keep("d", KeptResult("x" * 11, "t", "d"))
    assert not store.keep("", KeptResult("x", "t", ""))
