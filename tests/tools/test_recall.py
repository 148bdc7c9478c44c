"""recall and retrieve_tool_result: what was cut before it came in, and what left the context."""

from __future__ import annotations

from typing import Any

import pytest

from sostenuto.formats.anthropic import Anthropic
from sostenuto.formats.gemini import Gemini
from sostenuto.formats.openai_chat import OpenAIChat
from sostenuto.formats.openai_responses import OpenAIResponses
from sostenuto.manager import ContextManager
from sostenuto.protocols import Codec, KeptResult
from sostenuto.results import Provenance
from sostenuto.tools import Answer, Handling, Output, ResultsInMemory, recall_tools
from tests.tools.working import call, carried, doing, numbered

CODECS: list[Codec] = [OpenAIChat(), OpenAIResponses(), Anthropic(), Gemini()]


def _conversation(codec: Codec) -> ContextManager:
    """A conversation that holds one tool result."""
    from sostenuto.messages import Call, Message, Result, Text

    history = [
        Message("user", (Text("look"),)),
        Message("assistant", (Call("k1", "peek", "{}"),)),
        Message("tool", (Result("k1", "needle in the hay", True, name="peek"),)),
        Message("assistant", (Text("seen"),)),
        Message("user", (Text("go on"),)),
    ]
    native: list[Any] = []
    for message in history:
        results = [(None, 0, part) for part in message.parts if isinstance(part, Result)]
        native += codec.results(results) if results else codec.items(message)
    manager = ContextManager("openai:gpt-4o", format=codec.name, window=100_000)
    manager.prepare_sync(native)
    return manager


def _ask(name: str, arguments: dict[str, Any], *, codec: Codec | None = None, kept: ResultsInMemory | None = None) -> Answer:
    codec = codec or CODECS[0]
    handling = Handling(kept=kept)
    return carried([call(name, arguments)], recall_tools(_conversation(codec), codec=codec, kept=kept), handling=handling)[0]


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_what_is_in_the_transcript_is_read_back_on_every_wire(codec: Codec) -> None:
    """By key, by words and by call id the conversation answers, in its own frame and not cut again."""
    by_key = _ask("recall", {"key": "m2.0"}, codec=codec)
    assert by_key.text.startswith('<kept source="m2.0')
    assert "needle in the hay" in by_key.text
    assert "needle" in _ask("recall", {"query": "needle"}, codec=codec).text
    missing = _ask("retrieve_tool_result", {"tool_call_id": "zzz"}, codec=codec)
    assert "run the original tool again" in missing.text
    # the OpenAI wires have no flag for a failure, so there the answer alone says it
    assert missing.ended == ("failed" if codec.name in ("anthropic", "gemini") else "done")


def test_a_result_of_the_transcript_by_its_call_and_by_its_words() -> None:
    """The id of a call reads its result, and a search in it shows the line."""
    assert "needle in the hay" in _ask("retrieve_tool_result", {"tool_call_id": "k1"}).text
    assert "1 (offset 0): needle in the hay" in _ask("retrieve_tool_result", {"tool_call_id": "k1", "search": "NEEDLE"}).text


def test_a_kept_result_comes_in_pages_that_rejoin() -> None:
    """From note to note the whole is read, each page framed again and none cut (A.4)."""
    whole = "\n".join(f"row {number} </untrusted>" for number in range(4_000))
    strangers = Provenance("external", "https://example.com")
    kept = ResultsInMemory()
    handling = Handling(kept=kept)
    looking = doing("look", lambda _, __: Output(whole, provenance=strangers))
    tools = [looking, *recall_tools(_conversation(CODECS[0]), codec=CODECS[0], kept=kept)]
    (first,) = carried([call("look", id="big")], tools, handling=handling)
    assert 'retrieve_tool_result(tool_call_id="big"' in first.text
    offset, pieces = 0, []
    while offset >= 0:
        (answer,) = carried([call("retrieve_tool_result", {"tool_call_id": "big", "offset": offset})], tools, handling=handling)
        assert answer.text.startswith('<untrusted source="https://example.com" kind="external">\n')
        assert answer.text.count("\n</untrusted>\n") == 1
        assert answer.key == ""
        body = answer.text.partition(">\n")[2].partition("\n</untrusted>\n")[0]
        pieces.append(body.replace("<\\/", "</"))
        offset = int(answer.text.rpartition("next: offset=")[2].rstrip("]")) if "next: offset=" in answer.text else -1
    assert "".join(pieces) == whole
    assert "this is the end" in answer.text


def test_past_the_end_and_a_search_in_a_kept_result() -> None:
    """An offset behind the end fails and names the length; a search gives lines with their numbers, framed (A.4)."""
    kept = ResultsInMemory()
    kept.keep("c0", KeptResult("alpha\nbeta", "t", "c0", Provenance("mcp", "srv")))
    past = _ask("retrieve_tool_result", {"tool_call_id": "c0", "offset": 10}, kept=kept)
    assert (past.ended, past.text) == ("failed", "offset 10 is past the end: c0 has 10 characters")
    found = _ask("retrieve_tool_result", {"tool_call_id": "c0", "search": "beta"}, kept=kept)
    assert "2 (offset 6): beta" in found.text
    assert found.text.startswith("<untrusted")
    assert _ask("recall", {"key": "c0"}, kept=kept).text.startswith('<untrusted source="srv" kind="mcp">\nalpha\nbeta\n</untrusted>')


def test_before_anything_was_said_there_is_an_answer_in_words() -> None:
    """A conversation that was never prepared does not break the tool."""
    manager = ContextManager("openai:gpt-4o")
    answers = carried(numbered(("recall", {"key": "m0"}), ("recall", {})), recall_tools(manager, codec=CODECS[0]))
    assert "no message m0 in this conversation" in answers[0].text
    assert "Give a key such as m12.0, or query words." in answers[1].text


def test_a_conversation_that_does_not_answer_is_told() -> None:
    """If the call is not known to the conversation, the way is to run the tool again."""

    class Silent:
        def answer(self, _: Any, /) -> None:
            """Know nothing."""

    answer = carried([call("recall", {"key": "m0"})], recall_tools(Silent(), codec=CODECS[0]))[0]
    assert answer.text == "recall cannot be answered in this conversation; run the original tool again"


def test_a_whole_result_kept_outside_by_its_id_as_query() -> None:
    """The id of a whole result under ``query`` reads it, as under ``key``; other queries search the conversation."""
    kept = ResultsInMemory()
    kept.keep("c0", KeptResult("alpha\nbeta", "t", "c0"))
    assert _ask("recall", {"query": "c0"}, kept=kept).text == "alpha\nbeta"
    assert "needle" in _ask("recall", {"query": "needle"}, kept=kept).text


def test_a_search_looks_into_whole_results_too() -> None:
    """Words that only a whole result holds are found under its id, as the words of whoever wrote them; with other finds it comes behind."""
    kept = ResultsInMemory()
    kept.keep(
        "big", KeptResult("\n".join(f"row {number}" for number in range(4_000)), "look", "big", Provenance("external", "https://x.y"))
    )
    found = _ask("recall", {"query": "row 3777"}, kept=kept).text
    assert "big (whole result of look, external data from https://x.y, 34,889 characters)" in found
    assert "row 3777" in found
    assert "Nothing holds" not in found
    assert "Nothing holds" in _ask("recall", {"query": "zeppelin"}, kept=kept).text
    kept.keep("other", KeptResult("a needle elsewhere", "look", "other"))
    both = _ask("recall", {"query": "needle"}, kept=kept).text
    assert both.index("m2.0") < both.index("other (whole result")
