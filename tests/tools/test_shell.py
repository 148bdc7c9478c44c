"""shell: commands, their folder, their end, and the end of everything they started."""

from __future__ import annotations

import asyncio
import os
import select
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sostenuto.messages import Call, Result
from sostenuto.tools import Answer, Handling, Policy, Tool, run_batch, standard_tools
from sostenuto.tools._process import Tape
from sostenuto.tools._shell import KEPT_BYTES, shell
from tests.tools.working import ANYTHING, call, carried, named, numbered

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="this machine has no POSIX shell")


def _run(root: Path, *commands: str, tool: Tool | None = None, handling: Handling | None = None) -> list[Answer]:
    calls = numbered(*[("shell", {"command": command}) for command in commands])
    return list(carried(calls, [tool or shell(root)], handling=handling))


def test_output_and_status(tmp_path: Path) -> None:
    """Output and errors come together; a status other than 0 is a failure and stands in the last line, where it is looked for."""
    from sostenuto.calls import facts

    good, bad, silent, killed = _run(tmp_path, "echo out; echo err >&2", "echo no; exit 3", "true", "kill -9 $$")
    assert (good.text, good.ended) == ("out\nerr", "done")
    assert (bad.text, bad.ended) == ("no\nExit code: 3", "failed")
    assert silent.text == "(no output)"
    assert killed.text == "Exit code: 137"
    assert facts(call("shell", {"command": "x"}), Result("c1", bad.text)).exit_status == 3


def test_the_working_directory_is_kept_and_variables_are_not(tmp_path: Path) -> None:
    """The next command starts where the last one ended, also after a failure; what was exported is gone."""
    (tmp_path / "a b").mkdir()
    answers = _run(tmp_path, "cd 'a b'; export X=1; exit 4", 'pwd; echo "<$X>"', "cd ..; rmdir 'a b'", "pwd")
    assert answers[0].text == "[Working directory: a b]\nExit code: 4"
    assert answers[1].text == f"{tmp_path / 'a b'}\n<>\n[Working directory: a b]"
    assert answers[3].text == str(tmp_path)


def test_a_folder_that_vanished_leads_back_to_the_first(tmp_path: Path) -> None:
    """If the kept folder is gone, the next command starts in the working directory."""
    tool = shell(tmp_path)
    (tmp_path / "gone").mkdir()
    _run(tmp_path, "cd gone && rmdir ../gone", tool=tool)
    assert _run(tmp_path, "pwd", tool=tool)[0].text == str(tmp_path)


def test_the_command_is_the_models_own_whatever_it_holds(tmp_path: Path) -> None:
    """Quotes, dollars, line breaks and a leading dash reach the shell as they are; a NUL is refused; the shell reports bad syntax."""
    quoted, lines, dash, nul, syntax = _run(tmp_path, "echo '$HOME \"x\"' \\;", "echo 1\necho 2", "-x; echo on", "echo a\0b", "echo (")
    assert quoted.text == '$HOME "x" ;'
    assert lines.text == "1\n2"
    assert dash.text.endswith("on")
    assert (nul.ended, "NUL" in nul.text) == ("failed", True)
    assert "yntax error" in syntax.text
    assert "Exit code: " in syntax.text


def test_there_is_no_input_to_wait_for(tmp_path: Path) -> None:
    """A command that reads gets the end of input at once."""
    assert _run(tmp_path, "cat; echo done")[0].text == "done"


def test_bytes_that_are_no_text_are_answered(tmp_path: Path) -> None:
    """Odd bytes become replacement letters."""
    assert _run(tmp_path, r"printf 'a\377b'")[0].text == "a\ufffdb"


def test_long_output_keeps_its_ends_and_can_be_paged(tmp_path: Path) -> None:
    """The model sees head and tail and how to read on; the whole is kept under the id of the call."""
    handling = Handling()
    (answer,) = _run(tmp_path, "seq 1 20000; exit 1", handling=handling)
    assert answer.text.startswith("1\n2\n")
    assert answer.text.endswith("20000\nExit code: 1")
    assert 'retrieve_tool_result(tool_call_id="c0", offset=' in answer.text
    assert len(answer.text) <= 24_000
    assert handling.kept is not None
    kept = handling.kept.kept(answer.key)
    assert kept is not None
    assert kept.text == "\n".join(map(str, range(1, 20_001))) + "\nExit code: 1"


def test_output_without_end_is_bounded_in_memory(tmp_path: Path) -> None:
    """A line of 64 MB without a line end keeps its two ends and says how many bytes it lost (B153)."""
    handling = Handling()
    (answer,) = _run(tmp_path, "head -c 64000000 /dev/zero | tr '\\0' x", handling=handling)
    assert handling.kept is not None
    kept = handling.kept.kept("c0")
    assert kept is not None
    assert len(kept.text) < KEPT_BYTES + 100
    assert f"{64_000_000 - KEPT_BYTES:,} bytes were not kept" in kept.text
    assert len(answer.text) <= 24_000


def test_output_is_heard_while_it_comes(tmp_path: Path) -> None:
    """The first piece is heard before the command ends: the command waits for an answer to it."""
    go = tmp_path / "go"
    heard: list[str] = []

    def listen(_: str, piece: str) -> None:
        heard.append(piece)
        go.touch()

    (answer,) = _run(tmp_path, "echo first; until [ -e go ]; do sleep 0.01; done; echo last", handling=Handling(heard=listen))
    assert answer.text == "first\nlast"
    assert "".join(heard) == "first\nlast\n"


TREE = (
    "exec 9> alive; trap '' TERM; (trap '' TERM; sleep 300 & echo $! > grandchild; wait) & "
    "until [ -s grandchild ]; do sleep 0.01; done; echo up; wait"
)
"""A shell, its child and its grandchild, all of which ignore the polite signal and hold a named pipe open."""


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Callable[[], bool]]:
    """Whether any process of the tree still holds the pipe; a tree that was ended lets go of it within moments."""
    os.mkfifo(tmp_path / "alive")
    pipe = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)

    def held() -> bool:
        readable, _, _ = select.select([pipe], [], [], 20)
        return not readable or os.read(pipe, 1) != b""

    yield held
    os.close(pipe)


def test_on_its_time_the_whole_tree_of_processes_is_ended(tmp_path: Path, alive: Callable[[], bool]) -> None:
    """Children and grandchildren that ignore the polite signal are gone when the answer is there, and what was said is in it."""
    (answer,) = _run(tmp_path, TREE, tool=replace(shell(tmp_path), timeout_s=2.0))
    assert answer.ended == "timed out"
    assert answer.text.startswith("up\n[shell was stopped after 2 seconds")
    assert not alive()


def test_on_the_word_to_stop_the_whole_tree_is_ended(tmp_path: Path, alive: Callable[[], bool]) -> None:
    """An interrupt that comes while the command runs ends the same way."""

    async def go() -> tuple[Answer, ...]:
        loop = asyncio.get_running_loop()
        stop: asyncio.Future[str] = loop.create_future()

        def heard(_: str, piece: str) -> None:
            if "up" in piece:
                stop.set_result("the person interrupted")

        return await run_batch(
            [call("shell", {"command": TREE})], [shell(tmp_path)], policy=ANYTHING, handling=Handling(heard=heard), stop=stop
        )

    (answer,) = asyncio.run(go())
    assert answer.ended == "stopped"
    assert answer.text.startswith("up\n[shell was stopped before it was done: the person interrupted")
    assert not alive()


def test_something_left_in_the_background_does_not_hold_up_the_answer(tmp_path: Path) -> None:
    """The answer comes when the command ends, and says that something still runs."""
    (answer,) = _run(tmp_path, "sleep 300 & echo $! > pid; echo started")
    os.kill(int((tmp_path / "pid").read_text()), 9)
    assert answer.ended == "done"
    assert answer.text.startswith("started\n[Something it started still runs")
    assert answer.seconds < 10


def test_commands_of_a_batch_run_one_after_the_other(tmp_path: Path) -> None:
    """A command sees what the ones before it did, and so does a read that comes after it."""
    calls = [
        *numbered(
            ("write_file", {"path": "a", "content": "1"}), ("shell", {"command": "cat a; printf 2 > a"}), ("shell", {"command": "cat a"})
        ),
        Call("c9", "read_file", '{"path": "a"}'),
    ]
    answers = carried(calls, standard_tools(tmp_path))
    assert [answer.text for answer in answers[1:]] == ["1", "2", "1\t2"]


def test_an_allowed_command_runs_without_being_asked(tmp_path: Path) -> None:
    """A command on the list runs at every level; with something behind it, it does not."""
    policy = Policy("read-only", commands=("echo a",))
    tools = standard_tools(tmp_path)
    calls = numbered(("shell", {"command": "echo a b"}), ("shell", {"command": "echo a; touch x"}), ("shell", {"command": "echo b"}))
    answers = carried(calls, tools, policy=policy)
    assert [answer.ended for answer in answers] == ["done", "refused", "refused"]
    assert not (tmp_path / "x").exists()
    assert named(tools, "shell").timeout_s == 900


def test_a_tape_keeps_its_ends(tmp_path: Path) -> None:
    """However the pieces come, the first and the last half of the bound are kept."""
    for size in (1, 7, 100):
        tape, whole = Tape(40), bytes(range(65, 91)) * 5
        for at in range(0, len(whole), size):
            tape.add(whole[at : at + size])
        text = tape.text()
        assert text.startswith(whole[:20].decode())
        assert text.endswith(whole[-20:].decode())
        assert "90 bytes were not kept" in text
