"""What is shown of a call before it runs: all that matters of it, and nothing that acts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.cli._harmless import visible
from sostenuto.cli._question import BAR, HEAD, TAIL, always, is_long, parts, short, title, whole
from sostenuto.tools import Ask, Assessed, Risk, Weighed


def asked(tool: str, arguments: dict[str, Any], *, risk: Risk = "high-risk", words: tuple[str, ...] = (), why: str = "") -> Ask:
    """A question about a call."""
    return Ask("", Weighed(tool, arguments, Assessed(risk, why, words=words)), risk)


def shown(ask: Ask, *, before: str | None = None, width: int = 80) -> list[str]:
    """The lines that are shown at once."""
    return [line for part in parts(ask, before=before, width=width) for line in short(part)]


@given(st.text(max_size=300))
def test_nothing_that_a_model_wrote_acts_on_a_terminal(text: str) -> None:
    """Whatever the command is, every line is printable, and each line of it stands behind the bar."""
    lines = shown(asked("shell", {"command": text}))
    assert all(line.isprintable() for line in lines)
    assert all(line.startswith(BAR) for line in lines[1:])


@given(st.integers(1, 400))
def test_the_end_of_a_long_command_is_always_shown(count: int) -> None:
    """Head and tail stand there, and what is left out is counted to the line."""
    ask = asked("shell", {"command": "\n".join(f"line {number}" for number in range(count))})
    lines = shown(ask)
    assert lines[-1] == f"{BAR}line {count - 1}"
    if is_long(parts(ask, before=None, width=80)):
        assert len(lines) == HEAD + TAIL + 2
        assert f"{count - HEAD - TAIL:,} lines are not shown" in lines[HEAD + 1]
    assert len(whole(parts(ask, before=None, width=80))) == count + 1


def test_a_long_line_is_folded_and_its_end_shown() -> None:
    """Blanks that would push the end of a command off the screen do not."""
    lines = shown(asked("shell", {"command": "echo hello" + " " * 5_000 + "; rm -rf everything"}))
    assert "; rm -rf everything" in "".join(line.removeprefix(BAR) for line in lines)
    assert len(lines) == HEAD + TAIL + 2
    assert all(len(line) < 80 for line in lines)


def test_an_edit_is_a_difference() -> None:
    """Of a replaced piece the lines that go and come are shown, behind its path; lines that look like a header are shown too."""
    lines = shown(asked("edit_file", {"path": "a.py", "old_text": "one\n-- two\nthree", "new_text": "one\nTWO\nthree"}))
    assert lines[:2] == ["  path", f"{BAR}a.py"]
    assert f"{BAR}--- two" in lines
    assert f"{BAR}+TWO" in lines


def test_several_edits_are_several_differences() -> None:
    """Each has its number, and that one replaces every place is said."""
    edits = [{"old_text": "a", "new_text": "b"}, {"old_text": "c", "new_text": "d", "replace_all": True}]
    lines = shown(asked("multi_edit", {"path": "a.py", "edits": edits}))
    assert f"{BAR}for 1 of 2 changes" in lines
    assert {f"{BAR}-a", f"{BAR}+b", f"{BAR}-c", f"{BAR}+d"} <= set(lines)
    assert "  change 2, as a difference (3 lines)" in lines


def test_a_large_edit_is_shown_without_comparing() -> None:
    """Texts of thousands of lines are shown as all that goes and all that comes."""
    before, after = "x\n" * 5_000, "y\n" * 5_000
    found = whole(parts(asked("write_file", {"path": "a", "content": after}), before=before, width=80))
    assert found.count(f"{BAR}-x") == found.count(f"{BAR}+y") == 5_000


def test_other_arguments_are_shown_as_json() -> None:
    """Numbers and lists stand there as the model gave them, each under its name."""
    assert shown(asked("http_request", {"url": "http://127.0.0.1", "headers": {"a": "b"}, "tries": 3})) == [
        "  url",
        f"{BAR}http://127.0.0.1",
        "  headers",
        f'{BAR}{{"a": "b"}}',
        "  tries",
        f"{BAR}3",
    ]


def test_always_is_the_beginning_of_a_simple_command() -> None:
    """Two words of a simple command, the whole text of any other, and the tool with its risk elsewhere."""
    simple = always(asked("shell", {"command": "git status -s"}, words=("git", "status", "-s")))
    assert simple == always(asked("shell", {"command": "git status"}, words=("git", "status")))
    assert simple != always(asked("shell", {"command": "git push"}, words=("git", "push")))
    assert always(asked("shell", {"command": "git status; ls"})) != always(asked("shell", {"command": "git status; rm"}))
    assert always(asked("write_file", {"path": "a"})) == always(asked("write_file", {"path": "b"}))
    assert always(asked("write_file", {"path": "a"})) != always(asked("write_file", {"path": "a"}, risk="low-risk"))


def test_the_title_says_which_tool_and_why() -> None:
    """A reason with control characters is shown with them written out."""
    assert title(asked("shell", {}, why="it leads\x1b[2J outside")) == "shell asks to run (high-risk: it leads\\x1b[2J outside)"
    assert title(replace(asked("shell", {}), depth=1)) == "shell asks to run for a sub-agent (high-risk)"
    assert visible("ü\u202e\n") == "ü\\u202e\\n"
