"""``sostenuto run --park``, ``--approve`` and ``--deny``: a run that waits for a person, and goes on in another process (origin 11.2)."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sostenuto.cli import main
from sostenuto.testing import FakeServer, Reply, Script

MODEL = "llamacpp:tiny-random"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home, and a working directory with a file in it."""
    monkeypatch.setenv("SOSTENUTO_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("hello world\n")
    monkeypatch.chdir(work)
    return tmp_path


class Ran:
    """What a command left."""

    def __init__(self, code: int, out: str, err: str, server: FakeServer) -> None:
        self.code, self.out, self.err = code, out, err
        self.bodies = [each.body for each in server.received if isinstance(each.body, Mapping) and "messages" in each.body]

    @property
    def json(self) -> dict[str, Any]:
        """The one line of JSON."""
        assert self.out.count("\n") == 1
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def results(self) -> list[str]:
        """What the model was told of its calls, in the last request."""
        return [str(message["content"]) for message in self.bodies[-1]["messages"] if message["role"] == "tool"]


@pytest.fixture
def ran(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command with a script, in the conversation c."""

    def command(script: Script, *arguments: str) -> Ran:
        with FakeServer("llamacpp", script, window=16_384) as server:
            monkeypatch.setenv("LLAMACPP_BASE_URL", server.base_url)
            code = main(["run", *arguments, "--model", MODEL, "--conversation", "c"])
            out, err = capfd.readouterr()
            return Ran(code, out, err, server)

    return command


def batch(*commands: str) -> Reply:
    """A reply that reads a file and runs commands."""
    return Reply("I try.", calls=[("read_file", {"path": "a.txt"}), *(("shell", {"command": command}) for command in commands)])


def waiting(ran: Any, *commands: str) -> str:
    """Park a run with these commands; the id of the first of them."""
    found = ran([batch(*commands or ("echo ran >> made",))], "Go.", "--park", "--json")
    assert found.code == 1
    call_id: str = found.json["pending"]["toolCallId"]
    return call_id


def change(folder: Path, **values: Any) -> None:
    """Change the document of what waits."""
    path = folder / "home" / "work" / "default" / "c" / "parked.json"
    held = json.loads(path.read_text())
    path.write_text(json.dumps({**held, "value": {**held["value"], **values}}))


def test_the_envelope_says_what_waits(ran: Any, folder: Path) -> None:
    """The line has the fields of the origin, and with them all arguments and how many more wait; the exit code is 1 (11.2)."""
    found = ran([batch("echo one", "echo two")], "Go.", "--park", "--json")
    told = found.json
    assert found.code == 1
    assert (told["ok"], told["state"], told["morePending"], told["conversation"]) == (False, "input-required", 1, "c")
    pending = told["pending"]
    assert (pending["kind"], pending["toolName"], pending["arguments"], pending["risk"]) == (
        "approval", "shell", {"command": "echo one"}, "high-risk",
    )  # fmt: skip
    assert "shell wants to run (high-risk" in pending["message"]
    assert len(told["runId"]) == 16
    left = datetime.fromisoformat(told["expiresAt"]) - datetime.now(UTC)
    assert timedelta(hours=23, minutes=55) < left <= timedelta(hours=24)
    assert told["costUSD"] == 0
    assert told["tokenUsage"]["totalTokens"] > 0
    document = folder / "home" / "work" / "default" / "c" / "parked.json"
    assert document.stat().st_mode & 0o777 == 0o600


def test_a_person_is_shown_the_call_and_the_command_that_goes_on(ran: Any, folder: Path) -> None:
    """Without --json the model's words are the output, and the very line that is shown goes on when it is typed."""
    found = ran([batch("echo ran >> made")], "Go.", "--park", "--approval-policy", "read-only")
    assert (found.code, found.out) == (1, "I try.\n")
    assert "waiting for approval: shell asks to run (high-risk)" in found.err
    assert "  | echo ran >> made\n" in found.err
    (line,) = [line for line in found.err.splitlines() if "--approve" in line]
    words = shlex.split(line.partition(": ")[2])
    assert words[:2] == ["sostenuto", "run"]
    assert "--approval-policy" in words
    assert ran(["Done."], *words[2:]).out == "Done.\n"
    assert (folder / "work" / "made").read_text() == "ran\n"


def test_an_approved_call_runs_once_and_the_run_goes_on(ran: Any, folder: Path) -> None:
    """The call is carried out, all results stand in their order in the next request, and a second approval finds nothing."""
    call_id = waiting(ran)
    found = ran(["Done."], "--approve", call_id, "--json")
    assert (found.code, found.json["answer"]) == (0, "Done.")
    assert [call["id"] for call in found.json["toolCalls"]] == [call_id]
    assert "hello world" in found.results[0]
    assert "ran after the other calls" in found.results[1]
    assert [message["role"] for message in found.bodies[-1]["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    assert json.loads((folder / "home" / "work" / "default" / "c" / "parked.json").read_text())["value"] is None
    again = ran([], "--approve", call_id, "--json")
    assert again.code == 1
    assert "nothing waits for approval in conversation 'c'" in again.json["error"]
    assert (folder / "work" / "made").read_text() == "ran\n"


def test_a_denied_call_tells_the_reason(ran: Any, folder: Path) -> None:
    """PROMPT is the reason of --deny; the model reads it, and nothing ran."""
    found = ran(["I see."], "--deny", waiting(ran), "not on a Friday")
    assert (found.code, found.out) == (0, "I see.\n")
    assert "They said: not on a Friday" in found.results[1]
    assert not (folder / "work" / "made").exists()


def test_a_new_prompt_closes_what_waits(ran: Any, folder: Path) -> None:
    """Another prompt answers the call as approved by nobody; the others keep their results."""
    waiting(ran)
    found = ran(["Well."], "Leave it.")
    assert "hello world" in found.results[0]
    assert "nobody approved it" in found.results[1]
    assert found.bodies[-1]["messages"][-1]["content"] == "Leave it."
    assert not (folder / "work" / "made").exists()


def test_what_waits_is_decided_one_after_another(ran: Any) -> None:
    """With two calls the first decision ends parked again, with the same run id and without a request."""
    first = ran([batch("echo one", "echo two")], "Go.", "--park", "--json").json
    found = ran([], "--approve", first["pending"]["toolCallId"], "--json")
    second = found.json
    assert (found.code, found.bodies) == (1, [])
    assert (second["runId"], second["morePending"], second["pending"]["arguments"]) == (first["runId"], 0, {"command": "echo two"})
    last = ran(["Done."], "--deny", second["pending"]["toolCallId"])
    assert last.results[1].startswith("one\n")
    assert "the person said no" in last.results[2]


def test_a_run_that_went_on_parks_again(ran: Any) -> None:
    """After an approval the next call above the policy waits as well, without --park."""
    found = ran([batch("echo more")], "--approve", waiting(ran), "--json")
    assert found.code == 1
    assert found.json["pending"]["arguments"] == {"command": "echo more"}


def test_an_expired_call_cannot_be_approved(ran: Any, folder: Path) -> None:
    """After its time one line says so and what is left to do; a denial still goes through."""
    call_id = waiting(ran)
    change(folder, expires="2020-01-01T00:00:00Z")
    found = ran([], "--approve", call_id)
    assert (found.code, found.out) == (1, "")
    assert found.err.splitlines()[-1].endswith("and can no longer be approved; deny it, or go on with another prompt")
    assert ran(["I see."], "--deny", call_id).code == 0
    assert not (folder / "work" / "made").exists()


def test_a_wrong_id_names_the_nearest(ran: Any) -> None:
    """A mistyped id names the one that was meant, and nothing has changed: the call waits still."""
    call_id = waiting(ran)
    found = ran([], "--approve", call_id + "x")
    assert (found.code, found.bodies) == (1, [])
    assert f"did you mean {call_id}?" in found.err
    assert ran(["Done."], "--approve", call_id).code == 0


def test_a_call_is_approved_where_it_is_to_run(ran: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From another working directory an approval is refused with the one that was meant; there it goes through."""
    call_id = waiting(ran)
    monkeypatch.chdir(folder)
    found = ran([], "--approve", call_id)
    assert found.code == 1
    assert f"is to run in {(folder / 'work').resolve()}; approve it there" in found.err
    monkeypatch.chdir(folder / "work")
    assert ran(["Done."], "--approve", call_id).code == 0


def test_nothing_is_made_where_nothing_waits(ran: Any, folder: Path) -> None:
    """Deciding in a conversation that does not exist says so and leaves no conversation behind."""
    found = ran([], "--approve", "call_1", "--json")
    assert found.code == 1
    assert "nothing waits for approval" in found.json["error"]
    assert not (folder / "home" / "history").exists()


def test_without_parking_a_call_is_refused_as_before(ran: Any, folder: Path) -> None:
    """Without --park the model is told what the run allows, and nothing waits."""
    found = ran([batch("echo ran"), "Done."], "Go.", "--json")
    assert found.code == 0
    assert "this run allows only what is low-risk" in found.results[1]
    assert not (folder / "home" / "work" / "default" / "c" / "parked.json").exists()


def test_watchers_hear_of_it(ran: Any) -> None:
    """--events approval tells of the call that waits, and later of its question and its answer."""
    parked = ran([batch("echo ran")], "Go.", "--park", "--events", "approval")
    events = [json.loads(line) for line in parked.err.splitlines()]
    assert [(event["event"], event.get("name")) for event in events if event["event"] != "end"] == [("approval", "shell"), ("parked", None)]
    event, told = (next(event for event in events if event["event"] == kind) for kind in ("approval", "parked"))
    assert (event["state"], told["state"], told["pending"]["toolCallId"]) == ("parked", "input-required", event["id"])
    found = ran(["Done."], "--approve", event["id"], "--events", "approval")
    states = [json.loads(line).get("state") for line in found.err.splitlines() if '"approval"' in line]
    assert states == ["asked", "answered"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["Go.", "--park", "--ephemeral"], "--park needs a conversation that is kept"),
        (["--approve", "x"], "--approve needs --conversation NAME"),
        (["--deny", "x"], "--deny needs --conversation NAME"),
        (["--conversation", "c", "--approve", "x", "--deny", "y"], "give one of them"),
        (["Go.", "--conversation", "c", "--approve", "x"], "--approve goes on without PROMPT"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(capfd: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    """Options that contradict each other give exit code 2 and a line that names them."""
    assert main(["run", *arguments, "--model", MODEL]) == 2
    assert says in capfd.readouterr().err


@pytest.fixture
def address() -> Iterator[str]:
    """A server that never answers: whoever asks it is killed before."""
    with FakeServer("llamacpp", ["Never heard."], window=16_384) as server:
        yield server.base_url


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be killed like this there")
def test_killed_while_the_call_runs_it_is_not_run_again(ran: Any, folder: Path, address: str) -> None:
    """A process that is killed after the approval and before the result leaves an unknown outcome, and the call ran once (14.1, 28)."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    call_id = waiting(ran, f"echo ran >> made; echo now > {pipe}; cat {pipe}")
    command = [sys.executable, "-m", "sostenuto", "run", "--conversation", "c", "--model", MODEL, "--approve", call_id]
    environment = {**os.environ, "LLAMACPP_BASE_URL": address}
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert pipe.read_text() == "now\n"  # the command has begun
    process.send_signal(signal.SIGKILL)
    process.wait()
    with os.fdopen(os.open(pipe, os.O_RDWR), "w") as end:  # for whatever still reads it
        end.write("\n")
    found = ran(["I look."], "--approve", call_id)
    assert (found.code, found.out) == (0, "I look.\n")
    assert "Unknown whether this was done" in found.results[1]
    assert "is not carried out again" in found.err
    assert (folder / "work" / "made").read_text() == "ran\n"
