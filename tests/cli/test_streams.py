"""Standard output and error that are closed, full or gone."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
RUN = shlex.join([sys.executable, "-c", "import sys; from sostenuto.cli import main; sys.exit(main())"])
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A small recorded session."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([{"role": "user", "content": "Fix it"}, {"role": "assistant", "content": "Done."}]))
    return path


def shell(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The program with a shell's redirections."""
    return subprocess.run(f"{RUN} {words}", shell=True, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command",
    ["replay talk.json --window 9000 --json", "replay talk.json --window 9000", "tokens talk.json", "demo", "--help", "--version"],
)
def test_closed_streams_are_no_traceback(command: str, talk: Path) -> None:
    """Without standard output the program fails with one line; without standard error it works; without both it is silent."""
    done = shell(f"{command} >&-", talk.parent)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("sostenuto: standard output is closed")
    assert done.stderr.count("\n") == 1
    quiet = shell(f"{command} 2>&-", talk.parent)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert quiet.stdout
    assert shell(f"{command} >&- 2>&-", talk.parent).returncode == 1


@pytest.mark.parametrize("command", ["tokenz", "tokens none.txt", ""])
def test_errors_nobody_can_hear_still_have_their_code(command: str, talk: Path) -> None:
    """With standard error closed or full the exit code is that of the mistake."""
    expected = shell(command, talk.parent).returncode
    for where in ("2>&-", "2>/dev/full", "<&- >&- 2>&-"):
        assert shell(f"{command} {where}", talk.parent).returncode == expected > 0


def test_a_closed_output_never_ends_in_a_file(talk: Path) -> None:
    """Where standard output is closed, what would be printed does not land in a file that was opened instead."""
    assert shell("replay talk.json --window 9000 --json --requests out.jsonl >&-", talk.parent).returncode == 1
    lines = (talk.parent / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["index"] for line in lines] == [0]


@pytest.mark.parametrize("command", ["replay talk.json --window 9000 --json", "tokens talk.json", "--help"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_named(command: str, talk: Path) -> None:
    """Where the output cannot be written one line says so, and the interpreter adds nothing at its end."""
    done = shell(f"{command} >/dev/full", talk.parent)
    assert done.returncode == 1
    assert done.stderr.startswith("sostenuto: standard output: no space left on device")
    assert done.stderr.count("\n") == 1
