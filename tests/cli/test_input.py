"""Inputs that can be read only once, and names that must have been typed."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sostenuto.cli import main
from sostenuto.cli._input import reading, spool
from sostenuto.errors import UnknownFormat, UnusableInput

SOURCE = Path(__file__).resolve().parents[2] / "src"
RUN = [sys.executable, "-c", "import sys; from sostenuto.cli import main; sys.exit(main())"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}
TALK = json.dumps([{"role": "user", "content": "Fix it " * 50}, {"role": "assistant", "content": "Done."}]).encode()


def run(arguments: list[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    """The program with `data` on standard input."""
    return subprocess.run([*RUN, *arguments], input=data, env=ENVIRONMENT, capture_output=True, check=False)


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("data", [TALK, gzip.compress(TALK)])
def test_a_pipe_is_read_whole(name: str, data: bytes, tmp_path: Path) -> None:
    """Counted and replayed through a pipe, plain or gzipped, a session gives what its file gives."""
    path = tmp_path / "talk"
    path.write_bytes(data)
    for command in (["tokens"], ["replay", "--window", "9000"]):
        piped, filed = run([*command, name, "--json"], data), run([*command, str(path), "--json"], b"")
        assert (piped.returncode, piped.stderr) == (0, b"")
        assert {**json.loads(piped.stdout), "seconds": 0} == {**json.loads(filed.stdout), "seconds": 0}


def test_words_in_a_pipe_are_counted() -> None:
    """Text on standard input is counted to its last letter."""
    found = json.loads(run(["tokens", "/dev/stdin", "--json"], b"hello\n").stdout)
    assert (found["characters"], found["tokens"] > 0) == (6, True)


def test_a_named_pipe_is_read_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A FIFO that is written once is enough for a replay, and the summary calls it by its name."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_bytes(TALK))
    writer.start()
    assert main(["replay", str(fifo), "--window", "9000"]) == 0
    writer.join()
    out, err = capfd.readouterr()
    assert err == ""
    assert "fifo" in out
    assert "sostenuto-" not in out


@pytest.mark.parametrize("data", [b"", b"just words", TALK[:-9], b'[{"role": "user", "content": "x"}]'])
def test_errors_name_what_was_typed(data: bytes) -> None:
    """What is wrong with a pipe is said of standard input, not of a temporary file."""
    done = run(["replay", "-", "--window", "9000"], data)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"sostenuto: standard input")
    assert b"sostenuto-" not in done.stderr


def test_the_temporary_copy_is_gone_afterwards() -> None:
    """Nothing stays behind, whether the reading went well or not; the kind of the error survives."""
    kept: list[Path] = []

    def fail() -> None:
        with reading(Path(os.devnull)) as source:
            kept.append(source.path)
            raise UnknownFormat(f"{source.path}: odd")

    with pytest.raises(UnknownFormat, match=f"^{os.devnull}: odd"):
        fail()
    assert not kept[0].exists()


def test_a_stream_without_an_end_is_cut_where_a_reader_would_stop() -> None:
    """Copying ends behind the longest line or the largest file that is read; a gzip stream has no lines."""
    taken: list[bytes] = []
    spool(io.BytesIO(b"x" * (5 << 20)), taken.append, line=1 << 20)
    assert sum(map(len, taken)) == 2 << 20
    taken.clear()
    spool(io.BytesIO(b"x\n" * (4 << 20)), taken.append, whole=3 << 20)
    assert sum(map(len, taken)) == 4 << 20
    taken.clear()
    zipped = b"\x1f\x8b" + b"x" * (5 << 20)
    spool(io.BytesIO(zipped), taken.append, line=1 << 20)
    assert b"".join(taken) == zipped


def test_what_cannot_be_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed standard input is one clear error."""
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UnusableInput, match="standard input: cannot be read"), reading(Path("-")):
        raise AssertionError


def test_a_piped_session_is_its_own_source(tmp_path: Path) -> None:
    """Kept from a pipe, a replay may be replaced by the same content only."""
    keep = ["replay", "-", "--window", "9000", "--keep", str(tmp_path / "kept"), "--json"]
    assert [run(keep, data).returncode for data in (TALK, TALK, TALK.replace(b"Fix", b"Mend"))] == [0, 0, 2]
