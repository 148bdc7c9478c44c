"""``sostenuto run`` against a server on loopback that answers by a script (origin 11.2, 11.3, A.11)."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from sostenuto.cli import main
from sostenuto.cli._watching import categories
from sostenuto.testing import FakeServer, Fault, Reply, Script

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
        self.code, self.out, self.err, self.server = code, out, err, server

    @property
    def json(self) -> dict[str, Any]:
        """The one line of JSON."""
        assert self.out.count("\n") == 1
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Those of the last request."""
        return self.sent[-1]["messages"]  # type: ignore[no-any-return]

    @property
    def sent(self) -> list[Mapping[str, Any]]:
        """The bodies of the requests."""
        return [each.body for each in self.server.received if isinstance(each.body, Mapping) and "messages" in each.body]


@pytest.fixture
def ran(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command with a script."""

    def command(script: Script, *arguments: str, model: str | None = MODEL) -> Ran:
        with FakeServer("llamacpp", script, window=16_384) as server:
            monkeypatch.setenv("LLAMACPP_BASE_URL", server.base_url)
            code = main(["run", *arguments, *(["--model", model] if model else [])])
            out, err = capfd.readouterr()
            return Ran(code, out, err, server)

    return command


def read(path: str = "a.txt") -> Reply:
    """A reply that reads a file."""
    return Reply("Reading.", calls=[("read_file", {"path": path})])


def test_the_answer_alone_is_on_standard_output(ran: Any) -> None:
    """Plain output is the trimmed answer and a line end; the tool was carried out in the working directory (A.11)."""
    found = ran([read(), "  It says hello.  \n"], "What is in a.txt?")
    assert (found.code, found.out) == (0, "It says hello.\n")
    assert "hello world" in str(found.messages)


def test_json_is_one_line_with_the_fields_of_the_origin(ran: Any) -> None:
    """The envelope has the answer, cost, tokens and calls; no transcript, no flag, and no zero that looks reported (A.11)."""
    found = ran([read(), "It says hello."], "What is in a.txt?", "--json").json
    assert found["ok"] is True
    assert found["answer"] == "It says hello."
    assert (found["costUSD"], found["costKnown"]) == (0.0, True)
    usage = found["tokenUsage"]
    assert usage["totalTokens"] == usage["promptTokens"] + usage["completionTokens"]
    assert [(call["name"], json.loads(call["arguments"])) for call in found["toolCalls"]] == [("read_file", {"path": "a.txt"})]
    assert not {"messages", "stalled", "iterationLimited", "interrupted"} & found.keys()


def test_an_ephemeral_run_prints_its_transcript_and_keeps_nothing(ran: Any, folder: Path) -> None:
    """With --ephemeral the messages are in the envelope and no conversation is kept (A.11)."""
    found = ran(["Hello."], "Hi.", "--json", "--ephemeral").json
    assert [message["role"] for message in found["messages"]] == ["user", "assistant"]
    assert not (folder / "home" / "history").exists()


def test_a_conversation_goes_on(ran: Any, folder: Path) -> None:
    """A second run with the same name sends what was said before, and the file is its owner's alone (A.11)."""
    ran([read(), "It says hello."], "What is in a.txt?", "--conversation", "c1")
    found = ran(["As I said."], "And now?", "--conversation", "c1")
    assert found.out == "As I said.\n"
    assert [message["role"] for message in found.messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    kept = folder / "home" / "history" / "default" / "c1" / "transcript.jsonl"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_failed_run_keeps_its_work_and_says_so(ran: Any) -> None:
    """A server that refuses in the middle gives exit code 1, one line, an envelope with ok false, and its conversation (A.11)."""
    failed = ran([read(), Fault("refused")], "What is in a.txt?", "--conversation", "c1", "--json")
    assert failed.code == 1
    assert failed.json["ok"] is False
    assert failed.json["costUSD"] == 0
    assert "HTTP 400" in failed.err.splitlines()[-2]
    assert failed.err.splitlines()[-1] == f"sostenuto: kept; go on with: sostenuto run --conversation c1 --model {MODEL} PROMPT"
    found = ran(["It says hello."], "Well?", "--conversation", "c1")
    assert [message["role"] for message in found.messages] == ["system", "user", "assistant", "tool", "user"]


def test_a_limit_is_a_flag_not_an_error(ran: Any) -> None:
    """A run that reached its iterations is ok, says iterationLimited, and exits with 0."""
    found = ran(lambda body: Reply("On.", calls=[("list_files", {"path": "."})]), "Go.", "--max-iterations", "3", "--json")
    assert found.code == 0
    assert (found.json["iterationLimited"], found.json["answer"], found.json["iterations"]) == (True, "On.", 3)
    assert "3 of 3 iterations" in found.err


def test_the_prompt_comes_from_standard_input(ran: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without PROMPT the text of standard input is the task."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Grüße.\n".encode())))
    assert ran(["Hello."]).messages[-1]["content"] == "Grüße.\n"


@pytest.mark.parametrize("given", [b"", b"  \n", b"\xff"])
def test_an_unusable_standard_input_is_wrong_usage(ran: Any, monkeypatch: pytest.MonkeyPatch, given: bytes) -> None:
    """Nothing, blanks, or bytes that are no text give exit code 2 and one line."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    found = ran([])
    assert (found.code, found.out) == (2, "")
    assert "standard input" in found.err


def test_a_closed_standard_input_is_wrong_usage(ran: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no standard input the prompt is asked for by name."""
    monkeypatch.setattr(sys, "stdin", None)
    assert "PROMPT is missing" in ran([]).err


def test_a_workflow_is_a_pinned_task_with_its_limits(ran: Any, folder: Path) -> None:
    """The body of the workflow is the task byte for byte, and its limit holds unless a flag says otherwise."""
    path = folder / "work" / "workflows" / "triage" / "WORKFLOW.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"---\nmaxIterations: 2\n---\n# Sort\r\n\nAll of them.\n")

    def endless(body: Mapping[str, Any]) -> Reply:
        return Reply(calls=[("list_files", {"path": "."})])

    found = ran(endless, "--workflow", "triage", "--json")
    assert found.messages[1]["content"] == "# Sort\r\n\nAll of them.\n"
    assert found.json["iterations"] == 2
    assert ran(endless, "--workflow", "triage", "--json", "--max-iterations", "4").json["iterations"] == 4


def test_an_agent_brings_its_model_and_its_limits(ran: Any) -> None:
    """With --agent the model, the persona and the tools of the agent hold."""
    assert main(["agent", "create", "reader", "--model", MODEL, "--set", "persona=You only read.", "--set", 'tools=["read_file"]']) == 0
    found = ran(["Fine."], "Go.", "--agent", "reader", "--json", model=None)
    assert found.json["model"] == MODEL
    assert found.messages[0]["content"].startswith("You only read.")
    offered = {tool["function"]["name"] for tool in found.sent[-1]["tools"]}
    assert offered == {"read_file", "recall", "retrieve_tool_result", "spawn_subagent"}


def test_events_are_lines_of_json_on_standard_error(ran: Any) -> None:
    """Every line of standard error is an object, of the categories that were asked for, the spending among them (A.11)."""
    found = ran([read(), "It says hello."], "What is in a.txt?", "--events", " Tools, USAGE")
    kinds = [json.loads(line)["event"] for line in found.err.splitlines()]
    assert {"tool-start", "tool-end", "usage", "run_spend", "end"} <= set(kinds)
    assert "text" not in kinds
    assert found.out == "It says hello.\n"


def test_errors_are_always_among_the_events(ran: Any) -> None:
    """A failed run has an error event whatever was asked for (A.11)."""
    found = ran([Fault("refused")], "Go.", "--events", "text")
    assert any('"event": "error"' in line for line in found.err.splitlines())


def test_categories_are_read_with_tolerance() -> None:
    """Spaces and capitals do not matter, all means all, and an unknown one is refused with the list (A.11)."""
    assert categories(" Tools ,usage,") == {"tools", "usage"}
    assert "reasoning" in categories("ALL")
    for wrong in ("", ",", "tools,nothing"):
        with pytest.raises(click.UsageError, match="there are tools"):
            categories(wrong)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["Go.", "--model", "llamacp:x"], 2, "did you mean 'llamacpp'"),
        (["Go.", "--model", "nothing"], 2, "names no provider"),
        (["Go."], 2, "no model is named"),
        (["  ", "--model", MODEL], 2, "PROMPT is empty"),
        (["Go.", "--model", "openai:gpt-5"], 1, "OPENAI_API_KEY"),
        (["Go.", "--agent", "nobody"], 2, "sostenuto agent create nobody"),
        (["--workflow", "nothing"], 2, "there is no workflow"),
        (["Go.", "--model", MODEL, "--conversation", "../x"], 2, "conversation '../x'"),
        (["Go.", "--model", MODEL, "--conversation", "x", "--ephemeral"], 2, "give one of them"),
        (["Go.", "--model", MODEL, "--max-duration", "soon"], 2, "write 90s, 10m or 1h"),
        (["Go.", "--model", MODEL, "--events", "everything"], 2, "there are tools"),
        (["Go.", "--model", MODEL, "--max-iterations", "-1"], 2, "--max-iterations"),
        (["Go.", "--model", MODEL, "--approval-policy", "anything"], 2, "--approval-policy"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_said_in_one_line(
    arguments: list[str], code: int, said: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each fault gives its exit code and one line that names it, before anything has run (A.11)."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["run", *arguments]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert len([line for line in err.splitlines() if line.startswith("sostenuto: ")]) == 1


def test_an_unreachable_server_is_a_failed_run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens at the address: exit code 1, an envelope with ok false, and a line that names the address."""
    monkeypatch.setenv("LLAMACPP_BASE_URL", "http://127.0.0.1:9/v1")
    assert main(["config", "set", "maxRetries", "0"]) == 0
    capfd.readouterr()
    assert main(["run", "Go.", "--model", MODEL, "--json"]) == 1
    out, err = capfd.readouterr()
    assert json.loads(out)["ok"] is False
    assert "127.0.0.1:9" in err


def test_a_configuration_with_a_typing_mistake_stops_the_run(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """An unknown key in a project's file gives exit code 1 with the file and the nearest real key."""
    path = folder / "work" / ".sostenuto" / "config.json"
    path.parent.mkdir()
    path.write_text('{"maxIteration": 5}')
    assert main(["run", "Go.", "--model", MODEL]) == 1
    assert "did you mean 'maxIterations'?" in capfd.readouterr().err


def test_settings_come_from_the_file_that_is_named(ran: Any, folder: Path) -> None:
    """With --config the model and the limits of that file hold, and not those of the data home."""
    assert main(["config", "set", "maxIterations", "1"]) == 0
    (folder / "other.json").write_text(json.dumps({"llm": {"model": MODEL}, "maxIterations": 2}))
    endless = Reply("On.", calls=[("list_files", {"path": "."})])
    found = ran([endless] * 3, "Go.", "--json", "--config", str(folder / "other.json"), model=None)
    assert (found.json["model"], found.json["iterations"]) == (MODEL, 2)
    assert main(["run", "Go.", "--config", str(folder / "missing.json")]) == 1


def test_refusals_are_among_the_events(ran: Any) -> None:
    """Where nobody can be asked, a call above the policy is an approval event with its reason, and told to the model in words."""
    found = ran([Reply(calls=[("shell", {"command": "ls"})]), "Done."], "Go.", "--events", "approval")
    events = [json.loads(line) for line in found.err.splitlines()]
    (event,) = [one for one in events if one["event"] == "approval"]
    assert (event["state"], event["name"], event["allowed"]) == ("refused", "shell", False)
    assert event["text"] in str(found.messages)
    assert "tool-end" not in {one["event"] for one in events}


def test_a_damaged_conversation_is_not_written_over(ran: Any, folder: Path) -> None:
    """A transcript of a newer version stops the run, and stays as it is."""
    path = folder / "home" / "history" / "default" / "c1" / "transcript.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"schema": 99, "kind": "transcript"}\n')
    found = ran(["Never."], "Go.", "--conversation", "c1")
    assert found.code == 1
    assert str(path) in found.err
    assert path.read_text() == '{"schema": 99, "kind": "transcript"}\n'


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are POSIX")
def test_ctrl_c_keeps_what_was_done(ran: Any) -> None:
    """An interrupt in the middle of the second reply gives exit code 130, and the conversation holds the first step (A.11)."""
    number = iter(range(10))

    def script(body: Mapping[str, Any]) -> Reply | str:
        if next(number) == 1:
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(0.2)
            return "Too late."
        return read()

    found = ran(script, "What is in a.txt?", "--conversation", "c1", "--json")
    assert found.code == 130
    assert (found.json["ok"], found.json["state"], found.json["interrupted"]) == (False, "interrupted", True)
    again = ran(["Here."], "Well?", "--conversation", "c1")
    assert [message["role"] for message in again.messages][:4] == ["system", "user", "assistant", "tool"]


def test_figures_are_written_and_no_words(ran: Any, folder: Path) -> None:
    """The metrics of a run hold a line for each request, rung and tool with its cost, and nothing that was said."""
    ran([read(), "It says hello."], "What is in a.txt?")
    (path,) = (folder / "home" / "telemetry").glob("*.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert {"request", "usage", "tool-end", "end"} <= {line["event"] for line in lines}
    assert all("cost_usd" in line for line in lines if line["event"] == "usage")
    assert "hello" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_figures_can_be_switched_off(ran: Any, folder: Path) -> None:
    """With telemetry.enabled false a run leaves no figures."""
    assert main(["config", "set", "telemetry.enabled", "false"]) == 0
    ran(["Hello."], "Hi.")
    assert not (folder / "home" / "telemetry").exists()


def test_the_command_that_goes_on_names_agent_model_and_settings(ran: Any, folder: Path) -> None:
    """After an error the command that is told has --agent, --model and --config of this run, and finds the same conversation."""
    assert main(["agent", "create", "reviewer"]) == 0
    (folder / "other.json").write_text("{}")
    given = ("--conversation", "k11", "--agent", "reviewer", "--config", str(folder / "other.json"))
    failed = ran([Fault("refused")], "Go.", *given)
    told = failed.err.splitlines()[-1].partition("go on with: ")[2]
    assert told == f"sostenuto run --conversation k11 --agent reviewer --model {MODEL} --config {folder / 'other.json'} PROMPT"
    again = ran(["Here."], *told.split()[2:-1], "Well?", model=None)
    assert [message["content"] for message in again.messages if message["role"] == "user"] == ["Go.", "Well?"]


def test_a_workflow_that_names_the_agent_is_gone_on_with_under_it(ran: Any, folder: Path) -> None:
    """The command that goes on names the agent that the run had, also where a workflow chose it."""
    assert main(["agent", "create", "reviewer"]) == 0
    (folder / "w.md").write_text("---\nname: w\nagent: reviewer\n---\nGo.\n")
    failed = ran([Fault("refused")], "--workflow", str(folder / "w.md"), "--conversation", "k12")
    assert "--conversation k12 --agent reviewer" in failed.err.splitlines()[-1]


def test_a_name_that_another_agent_has_is_said_before_a_conversation_begins(ran: Any) -> None:
    """Without --agent a conversation of another agent is not gone on with, and that it is there is told; with it nothing is."""
    assert main(["agent", "create", "reviewer"]) == 0
    ran(["One."], "Go.", "--conversation", "k11", "--agent", "reviewer")
    found = ran(["Two."], "Go.", "--conversation", "k11")
    assert "agent 'reviewer' has one of that name: to go on with it, add --agent reviewer" in found.err
    assert "add --agent" not in ran(["Three."], "Go.", "--conversation", "k11").err
    assert "add --agent" not in ran(["Four."], "Go.", "--conversation", "k11", "--agent", "reviewer").err


def test_a_server_of_one_model_says_who_answers(ran: Any) -> None:
    """llama.cpp answers whatever it is asked for: under another name one notice says with which model, under its own none."""
    notice = "this server serves one model, whatever it is asked for: tiny-random answers"
    assert ran(["Hi."], "Go.", model="llamacpp:anything").err.count(notice) == 1
    assert notice not in ran(["Hi."], "Go.").err
    assert notice not in ran(["Hi."], "Go.", model="llamacpp").err


def test_a_small_window_gets_few_tools_and_is_told_so(ran: Any) -> None:
    """Below 8,000 tokens a run without the setting has few tools and no warning about them; the setting of an agent holds as it is."""
    assert main(["config", "set", "llm.maxContextTokens", "4k"]) == 0
    found = ran(["Hi."], "Go.")
    names = [tool["function"]["name"] for tool in found.sent[-1]["tools"]]
    assert names[:6] == ["read_file", "write_file", "edit_file", "list_files", "grep", "shell"]
    assert not {"web_fetch", "spawn_subagent"} & set(names)
    assert "left out: multi_edit" in found.err
    assert '--set \'tools=["read_file", "shell"]\'' in found.err
    assert "compaction cannot help" not in found.err
    assert main(["agent", "create", "small", "--set", 'tools=["web_fetch"]']) == 0
    found = ran(["Hi."], "Go.", "--agent", "small")
    assert found.sent[-1]["tools"][0]["function"]["name"] == "web_fetch"
    assert "left out" not in found.err


def test_an_answer_in_pieces_is_said_to_be_one(ran: Any) -> None:
    """The pieces of an answer that ran into the output limit stand one behind the other, and a notice says so."""
    found = ran([Reply("It says hel", finish="length"), "lo."], "Go.")
    assert found.out == "It says hello.\n"
    assert "it came in 2 pieces" in found.err
