"""What a call did (calls/_facts.py)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.calls import Facts, clearing, facts
from sostenuto.messages import Call, Result


def _facts(name: str, arguments: object, text: str | None = None, *, succeeded: bool | None = None) -> Facts:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return facts(Call("c", name, written), None if text is None else Result("c", text, succeeded))


@pytest.mark.parametrize(
    ("name", "arguments", "path", "modifies"),
    [
        ("Read", {"file_path": "/a b/ü.py"}, "/a b/ü.py", False),
        ("read", {"path": "src/a.ts", "offset": 1}, "src/a.ts", False),
        ("Edit", {"file_path": "/x", "old_string": "/y/z"}, "/x", True),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, "n.ipynb", True),
        ("Grep", {"pattern": "x", "path": "/src"}, "/src", False),
        ("create", {"filename": "reproduce.py"}, "reproduce.py", True),
        ("mcp__files__write_file", {"path": "a/b"}, "a/b", True),
        ("functions.write_file", {"path": "a/b"}, "a/b", True),
        ("plugin_thing", {"report_path": "out/r.csv"}, "out/r.csv", False),
        ("str_replace_editor", {"command": "view", "path": "/v"}, "/v", False),
        ("str_replace_editor", {"command": "create", "path": "/v"}, "/v", True),
        ("read_multiple_files", {"paths": ["/v"]}, "/v", False),
        ("apply_patch", "*** Begin Patch\n*** Update File: a/b.py\n@@\n", "a/b.py", True),
        ("shell", {"command": ["apply_patch", "*** Begin Patch\n*** Add File: a/b.py\n"]}, "a/b.py", True),
        ("web_fetch", {"url": "https://example.org/a"}, "https://example.org/a", False),
    ],
)
def test_paths_are_the_strings_of_the_call(name: str, arguments: object, path: str, modifies: bool) -> None:
    """A call's path is found under its tool's argument name and kept exactly, with whether the tool modifies it."""
    did = _facts(name, arguments, "ok")
    assert did.paths == (path,)
    assert did.modifies is modifies


def test_a_move_names_both_paths() -> None:
    """A moving tool modifies its source and its destination."""
    did = _facts("mv", {"source": "a", "destination": "b"})
    assert did.paths == ("a", "b")
    assert did.modifies


@pytest.mark.parametrize("arguments", ["", "nope", "[1]", "[" * 50_000, '{"path": "x"', "null", '{"path": 5}', '{"path": "  "}', "\ud800"])
def test_malformed_arguments_say_nothing(arguments: str) -> None:
    """Arguments that are not a JSON object with string paths give no facts and raise nothing."""
    assert _facts("Read", arguments, "x").paths == ()


def test_text_is_not_taken_for_a_path() -> None:
    """A value of 400 characters, one with a line break and an airport code are no paths."""
    assert _facts("x", {"path": "a" * 400}).paths == ()
    assert _facts("x", {"path": "a/b\n## Goal\nobey"}).paths == ()
    assert _facts("book", {"destination": "JFK", "target": "everyone"}).paths == ()


@pytest.mark.parametrize(
    ("name", "text", "status"),
    [
        ("Bash", "Exit code 2\nboom", 2),
        ("bash", "out\n\n\nCommand exited with code 1", 1),
        ("terminal", "out\n[The command completed with exit code 0.]\n[Current directory: /]", 0),
        ("run_shell_command", "Output: (empty)\nError: (none)\nExit Code: 3\nSignal: 0", 3),
        ("shell", '{"output": "x", "metadata": {"exit_code": 7}}', 7),
        ("bash", "the docs say exit code 9 means trouble", None),
        ("Read", "Exit code 2", None),
    ],
)
def test_exit_status_is_read_from_the_known_forms(name: str, text: str, status: int | None) -> None:
    """A command's exit status is read from the forms that agents print, and never from other tools or from prose."""
    did = _facts(name, {"command": "make", "file_path": "/a"}, text)
    assert did.exit_status == status
    assert did.succeeded is not bool(status)


@pytest.mark.parametrize(
    ("text", "flag", "succeeded"),
    [
        ("error: a file about errors, Traceback, failed", None, True),
        ("all fine", False, False),
        ('{"error": "no such file"}', True, True),
        ('{"error": "no such file"}', None, False),
        ('{"error": null, "rows": 3}', None, True),
        ('{"error": "x", "rows": [1]}', None, True),
        ('{"is_error": true, "text": "x"}', None, False),
        ('{"success": false, "data": {}}', None, False),
        ("<tool_use_error>not found</tool_use_error>", None, False),
        ("{" * 100_000, None, True),
    ],
)
def test_success_comes_from_flag_then_structure(text: str, flag: bool | None, succeeded: bool) -> None:
    """The flag of the result decides; without one only structure can say that a call failed, never wording (D40)."""
    assert _facts("Read", {"file_path": "/a"}, text, succeeded=flag).succeeded is succeeded


def test_a_missing_result_counts_as_done() -> None:
    """A call that nothing answered counts as a success (origin 7.1)."""
    assert _facts("Read", {"file_path": "/a"}).succeeded


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"offset": 10, "limit": 5}, "10-14"),
        ({"limit": 5}, "1-5"),
        ({"offset": 10}, "10-"),
        ({"view_range": [3, -1]}, "3-"),
        ({"start_line": 2, "end_line": 4}, "2-4"),
        ({}, None),
    ],
)
def test_line_range_of_a_read(arguments: dict[str, object], lines: str | None) -> None:
    """The lines of a read are known where the call names them."""
    assert _facts("read_file", {"path": "/a", **arguments}, "x").line_range == lines


@pytest.mark.parametrize(
    ("name", "arguments", "text", "running"),
    [
        ("Bash", {"command": "x", "run_in_background": True}, "Command running in background with ID: bash_1", "bash_1"),
        ("exec_command", {"cmd": "x"}, "Process running with session ID 55", "55"),
        ("sessions_spawn", {"task": "a"}, '{"status": "accepted", "runId": "r1"}', "r1"),
        ("Task", {"prompt": "x"}, "Async agent launched successfully.\nagentId: a7f (internal)", "a7f"),
        ("Task", {"prompt": "x"}, "The answer.\nagentId: a7f (for resuming)", None),
        ("Bash", {"command": "x"}, "done", None),
    ],
)
def test_running_work_is_named(name: str, arguments: object, text: str, running: str | None) -> None:
    """B115: a call that leaves work running says which, and one that came back does not."""
    assert _facts(name, arguments, text).running == running


def test_finished_work_is_named() -> None:
    """B115: the call that shows background work as ended says which."""
    assert _facts("TaskOutput", {"task_id": "t1"}, "<status>completed</status>").finished == "t1"
    assert _facts("KillShell", {"shell_id": "s1"}, "ok").finished == "s1"
    assert _facts("TaskOutput", {"task_id": "t1"}, "<status>running</status>").finished is None


@pytest.mark.parametrize(
    ("name", "arguments", "when"),
    [
        ("Read", "{}", "rederivable"),
        ("recall", "{}", "rederivable"),
        ("Task", "{}", "last"),
        ("view_memory", "{}", "last"),
        ("Skill", "{}", "never"),
        ("Bash", "{}", "normal"),
        ("str_replace_editor", '{"command": "view", "path": "/a"}', "rederivable"),
        ("str_replace_editor", '{"command": "create", "path": "/a"}', "normal"),
    ],
)
def test_when_a_result_is_cleared(name: str, arguments: str, when: str) -> None:
    """Reads can be had again, sub-agents' answers go last, loaded rules never go (D13, B143)."""
    assert clearing(Call("1", name, arguments)) == when


@given(st.text(max_size=30), st.text(max_size=200), st.none() | st.text(max_size=200))
def test_facts_never_raise(name: str, arguments: str, text: str | None) -> None:
    """Whatever a call and its result hold, facts are given."""
    assert isinstance(_facts(name, arguments, text), Facts)


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x), max_leaves=8)
)
def test_any_json_gives_only_strings(value: object) -> None:
    """Paths and commands are strings whatever JSON stands under their names."""
    arguments = dict.fromkeys(("path", "paths", "file_path", "command", "view_range", "offset", "limit", "input"), value)
    for name in ("Bash", "Read", "mv", "x"):
        did = _facts(name, arguments, json.dumps({"status": value, "exit_code": value, "metadata": value, "id": value}))
        assert all(isinstance(path, str) for path in did.paths)
        assert did.command is None or isinstance(did.command, str)
