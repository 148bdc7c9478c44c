"""aider chat histories."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.errors import UnusableInput
from sostenuto.recordings.opening import Recording, open_recording
from tests.recordings.accounting import problems, records

START = "\n# aider chat started at 2024-08-09 10:05:35\n\n"
HEAD = "> Aider v0.48.2-dev  \n> Models: claude-x with diff edit format, weak model claude-y  \n\n"
TOKENS = "> Tokens: 20,049 sent, 260 received. Cost: $0.06 request, $0.06 session.  \n"


def _read(path: Path, text: str) -> Recording:
    path.write_text(text, encoding="utf-8")
    return open_recording(path)


def _contents(recording: Recording) -> list[tuple[str, object]]:
    return [(message["role"], message["content"]) for message in recording.messages]


def test_requests_and_replies_are_messages(tmp_path: Path) -> None:
    """What was typed is a request, prose is a reply with the usage and model the program printed; its own lines are meta."""
    chat = f"{START}{HEAD}#### add a test  \n#### for edges  \n\nSure.\n\n```py\nassert 1\n```\n\n{TOKENS}> Commit 1234567 test  \n"
    recording = _read(tmp_path / "r", f"{chat}\n#### thanks  \n\nWelcome.\n\n> Tokens: 4.1k sent, 26 received.  \n")
    assert (recording.reader, recording.format, recording.model) == ("aider", "openai_chat", "anthropic:claude-x")
    assert _contents(recording) == [
        ("user", "add a test\nfor edges"),
        ("assistant", "Sure.\n\n```py\nassert 1\n```"),
        ("user", "thanks"),
        ("assistant", "Welcome."),
    ]
    assert [(one.upto, one.reported, one.output) for one in recording.exchanges] == [(1, 20049, 260), (3, None, None)], "4.1k is no count"
    assert (recording.used, recording.meta, recording.skipped) == (4, 3, ())


def test_commands_for_the_program_are_meta_unless_they_carry_a_request(tmp_path: Path) -> None:
    """A command never reached the model; what /ask carries did, once, and so did a command the model answered."""
    chat = (
        f"{START}{HEAD}#### /add a.py  \n> Added a.py to the chat.  \n\n#### <blank>  \n\n#### /ask  why?  \n\n####  why?  \n\nBecause.\n\n"
    )
    recording = _read(tmp_path / "r", f"{chat}#### /ask how?  \n\nSo.\n\n#### /home is broken  \n\nIndeed.\n\n#### /exit  \n")
    assert [content for role, content in _contents(recording) if role == "user"] == ["why?", "how?", "/home is broken"]
    assert len(recording.exchanges) == 3


def test_output_that_was_added_is_a_result(tmp_path: Path) -> None:
    """The output of /run, once the person agreed, is the result of a made call, which is no reply; as it was logged, else as printed."""
    run = (
        f"{START}{HEAD}#### /run make  \n> WARNING: old  \n# printed\nall: failed\n> Add the output to the chat?\n(y/n/instructions) y  \n"
    )
    recording = _read(tmp_path / "r", f"{run}> WARNING: old  \n> all: failed  \n\nIt failed.\n\n{TOKENS}")
    user, made, result, reply = recording.messages
    assert (user["content"], reply["content"]) == ("/run make", "It failed.")
    assert json.loads(made["tool_calls"][0]["function"]["arguments"]) == {"command": "make"}
    assert result == {"role": "tool", "tool_call_id": made["tool_calls"][0]["id"], "content": "WARNING: old\nall: failed"}
    assert [(one.upto, one.reported) for one in recording.exchanges] == [(3, 20049)]
    recording = _read(tmp_path / "r", f"{run}\n#### why?  \n\nIt failed.\n")
    assert recording.messages[2]["content"] == "WARNING: old\n# printed\nall: failed"
    assert [message["role"] for message in recording.messages] == ["user", "assistant", "tool", "user", "assistant"]


def test_an_instruction_goes_with_the_output(tmp_path: Path) -> None:
    """What the person wrote instead of yes follows the result as a request."""
    chat = (
        f"{START}{HEAD}#### !make  \nall: failed\n> Add the output to the chat?\n(y/n/instructions) fix it  \n> all: failed  \n\nFixed.\n"
    )
    recording = _read(tmp_path / "r", chat)
    assert _contents(recording)[2:] == [("tool", "all: failed"), ("user", "fix it"), ("assistant", "Fixed.")]


def test_output_that_was_not_added_never_reached_the_model(tmp_path: Path) -> None:
    """After a no neither the command nor what it printed is in the history."""
    chat = f"{START}{HEAD}#### /run make  \nall: failed\n> Add the output to the chat?\n(y/n/instructions) n  \n\n#### hi  \n\nHello.\n"
    recording = _read(tmp_path / "r", chat)
    assert _contents(recording) == [("user", "hi"), ("assistant", "Hello.")]
    assert (recording.used, recording.meta) == (2, 4)


def test_a_command_the_model_proposed_is_a_call_of_its_reply(tmp_path: Path) -> None:
    """Commands that were run after a reply, with what was added of their output, are calls of that reply."""
    asked = "Add command output to the chat? (Y)es/(N)o/(D)on't ask again [Yes]: "
    said = f"{TOKENS}> make  \n> Run shell command? (Y)es/(N)o [Yes]: y  \n> Running make  \n> failed  \n> {asked}y  \n"
    more = f"> Running ls  \n> a.py  \n> {asked}n  \n> You can use /undo to undo.  \n> Running pwd  \n> /src  \n> {asked}y  \n"
    said += f"> Added 1 line of output to the chat.  \n{more}"
    recording = _read(tmp_path / "r", f"{START}{HEAD}#### build  \n\nTry `make`.\n\n{said}\n#### and now?  \n\nHm.\n")
    reply = recording.messages[1]
    assert reply["content"] == "Try `make`."
    assert [json.loads(call["function"]["arguments"])["command"] for call in reply["tool_calls"]] == ["make", "pwd"]
    assert _contents(recording)[2:] == [("tool", "failed"), ("tool", "/src"), ("user", "and now?"), ("assistant", "Hm.")]
    assert len(recording.exchanges) == 2


def test_what_the_program_sends_back_is_a_request(tmp_path: Path) -> None:
    """The account of a failed edit between two replies is in the history, without what only the person saw."""
    failed = "> # 1 block failed to match!  \n>   \n> x = 1  \n"
    said = f"{TOKENS}> Applied edit to b.py  \n> Add a.py to the chat? (Y)es/(N)o [Yes]: y  \n{failed}"
    recording = _read(tmp_path / "r", f"{START}{HEAD}#### fix  \n\nFirst try.\n\n{said}\nSecond try.\n\n{TOKENS}> Applied edit to a.py  \n")
    assert _contents(recording) == [
        ("user", "fix"),
        ("assistant", "First try."),
        ("user", "# 1 block failed to match!\n\nx = 1"),
        ("assistant", "Second try."),
    ]
    assert [(one.upto, one.reported) for one in recording.exchanges] == [(1, 20049), (3, 20049)]
    assert (recording.used, recording.meta) == (4, 2)


def test_the_longest_chat_is_taken_and_the_others_are_named(tmp_path: Path) -> None:
    """Of several chats the one with the most text is read, the last among equals; the others are skipped by their lines."""
    short, long = f"{START}#### hi  \n\nHello.\n", f"{START}#### hello  \n\nGood day.\n"
    recording = _read(tmp_path / "r", f"a stray line\n{short}{long}{long}")
    assert _contents(recording) == [("user", "hello"), ("assistant", "Good day.")]
    assert [(one.line, one.kind) for one in recording.skipped] == [(1, "chat"), (3, "chat"), (9, "chat")]
    assert "2024-08-09" in recording.skipped[1].reason
    assert records(recording) == 2 + 3


def test_clear_is_a_boundary(tmp_path: Path) -> None:
    """What came before /clear was not sent again."""
    recording = _read(tmp_path / "r", f"{START}#### one  \n\nFirst.\n\n#### /clear  \n\n#### two  \n\nSecond.\n")
    assert [(one.upto, one.boundary) for one in recording.exchanges] == [(1, 0), (3, 2)]


MARKDOWN = "Here:\n\n```md\n#### Heading\n\n> quoted\n\n# aider chat started at noon\n```\n\n#### Not typed\n> nor printed\n\nEnd."


def test_markdown_that_looks_like_the_log_stays_in_the_reply(tmp_path: Path) -> None:
    """Headings and quotations of a reply, in code or not, are told from the program's lines by the two spaces those end with."""
    recording = _read(tmp_path / "r", f"{START}{HEAD}#### write docs  \n\n{MARKDOWN}\n\n{TOKENS}\n#### more  \n\nOk.\n")
    assert _contents(recording) == [("user", "write docs"), ("assistant", MARKDOWN), ("user", "more"), ("assistant", "Ok.")]


def test_without_the_spaces_code_fences_decide(tmp_path: Path) -> None:
    """In a file an editor has trimmed, what stands in a closed fence is the reply's."""
    fenced = MARKDOWN.partition("\n\n#### Not")[0]
    recording = _read(
        tmp_path / "r", f"{START}> Aider\n\n#### write docs\n\n{fenced}\n\n> Tokens: 9 sent, 1 received.\n\n#### more\n\nOk.\n"
    )
    assert _contents(recording) == [("user", "write docs"), ("assistant", fenced), ("user", "more"), ("assistant", "Ok.")]
    assert recording.exchanges[0].reported == 9


@pytest.mark.parametrize("mark", ["", "  "])
def test_a_fence_that_is_never_closed_swallows_nothing(tmp_path: Path, mark: str) -> None:
    """A reply cut off inside code ends where the program speaks again."""
    chat = f"{START}#### one{mark}\n\nSo:\n```py\nx = 1\n\n> Tokens: 9 sent, 1 received.{mark}\n\n#### two{mark}\n\n```py\ny\n```\n"
    assert [role for role, _ in _contents(_read(tmp_path / "r", chat))] == ["user", "assistant", "user", "assistant"]


def test_a_file_of_many_chats_and_fences_is_read_in_one_pass(tmp_path: Path) -> None:
    """Two thousand chats, and a reply of fifty thousand openings of code, are read without looking at a line again and again."""
    fences = "".join(f"{'`' * (3 + at % 40)}py\n" for at in range(50_000))
    recording = _read(tmp_path / "r", f"{START}#### hi  \n\nHello.\n" * 2_000 + f"{START}#### code  \n\n{fences}\n{TOKENS}")
    assert len(recording.skipped) == 2_000
    assert len(recording.exchanges) == 1


def test_zipped_files_and_files_without_a_chat(tmp_path: Path) -> None:
    """A zipped history is read; one without a request is refused with a remedy."""
    path = tmp_path / "x.json"
    path.write_bytes(gzip.compress(f"{START}#### hi\n\nHello.\n".encode()))
    assert open_recording(path, format="aider").used == 2
    with pytest.raises(UnusableInput, match="aider chat history but holds no message; "):
        _read(tmp_path / "r", f"{START}{HEAD}stray\n")


def test_the_shared_chat_is_valid_and_accounted_for(shared: Path) -> None:
    """The shared chat has one added output of 26,508 characters, two replies with usage, and nothing is skipped."""
    recording = open_recording(shared / "transcripts" / "aider" / "chat-248.md")
    assert [message["role"] for message in recording.messages] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert [one.reported for one in recording.exchanges] == [20049, 18939]
    assert recording.model == "anthropic:claude-3-5-sonnet-20240620"
    assert (recording.used, recording.meta, recording.skipped) == (5, 11, ())
    assert problems(shared, recording) == []


LINES = st.sampled_from(
    (
        *("", "#### hi  ", "#### hi", "> ok  ", "> ok", "text", "```", "```py", "~~~", "#### /run ls  ", "#### /clear  ", "> Running ls  "),
        *(
            "> Add the output to the chat?",
            "(y/n/instructions) y  ",
            "(y/n/instructions) do  ",
            "> Add command output to the chat? [Yes]: y  ",
        ),
        *(TOKENS.strip(), START.strip(), "> Main model: m with x  ", "#### <blank>  ", "    code", "\x00", "\u2028", "####", ">"),
    )
)


@given(st.lists(LINES, max_size=30))
def test_any_lines_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    """Whatever stands behind the start of a chat is read, with every history built of calls and their results, or holds no message."""
    path = tmp_path_factory.mktemp("odd") / "x"
    try:
        recording = _read(path, START + "\n".join(lines))
    except UnusableInput:
        return
    assert all(recording.messages[one.upto]["role"] == "assistant" for one in recording.exchanges)
    assert min(recording.used, recording.meta) >= 0
    calls = [call["id"] for message in recording.messages for call in message.get("tool_calls", ())]
    assert calls == [message["tool_call_id"] for message in recording.messages if message["role"] == "tool"]
    assert len(set(calls)) == len(calls)
