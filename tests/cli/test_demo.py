"""The demo shows what it promises, and fails where it does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sostenuto.cli import _demo, main
from sostenuto.cli._audit import Tools, script
from sostenuto.cli._rehearsal import Rehearsal
from sostenuto.replaying import Happening, Row
from sostenuto.reporting import MARKS


def test_the_demo_shows_every_rung(capfd: pytest.CaptureFixture[str]) -> None:
    """It succeeds, its lines fit, and each rung, both kinds of summary, the recovery and the retrieval are on the page."""
    assert main(["demo"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 80
    for rung in _demo.EXPECTED:
        assert re.search(rf"request +\d+  {re.escape(MARKS[rung].meaning)} ", out)
    assert "…" not in out
    assert "cycle" not in out
    assert not re.search(r"([\d,]+) -> +\1 tokens", out)
    assert "Originals read back by key: 1" in out
    lines = out.splitlines()
    steps = [index for index, line in enumerate(lines) if re.match(r"  request .* tokens$", line)]
    assert len(steps) > 10
    for index in steps:
        assert re.match(r" {6}[A-Z0-9]", lines[index + 1])
    assert all(line == line.rstrip() for line in lines)


def test_the_demo_is_deterministic(capfd: pytest.CaptureFixture[str]) -> None:
    """Two runs print the same, but for the time they took."""
    pages = []
    for _ in range(2):
        assert main(["demo"]) == 0
        pages.append(re.sub(r"It\s+took\s+[\d.]+\s+s", "", capfd.readouterr().out))
    assert pages[0] == pages[1]


def test_a_promise_that_is_not_kept_fails(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """In a window where no rung fires the demo ends with exit code 1 and one line that names what was missing."""
    monkeypatch.setattr(_demo, "WINDOW", 2_000_000)
    assert main(["demo"]) == 1
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    for words in (_demo.EXPECTED["clear"], _demo.EXPECTED["trim"], "refused summary"):
        assert words in err


def test_a_request_over_the_window_is_missed() -> None:
    """One request above its window is enough to fail."""

    def never(summarizer: object) -> object:
        raise AssertionError

    rehearsed = Rehearsal(never, Tools(Path()), lambda message: 0, 1, rows=[Row(0, 11, 10, "openai_chat", {})])  # type: ignore[arg-type]
    assert "1 request inside the window" in _demo.missed(rehearsed)


def test_tools_answer_whatever_they_are_asked(tmp_path: Path) -> None:
    """Unknown tools and files are answered in words, never with an exception, and nothing outside the folder is read."""
    (tmp_path / "a.py").write_text("import os\n")
    tools = Tools(tmp_path)
    assert tools.run("read_file", {"path": "a.py"}) == "   1  import os"
    assert tools.run("read_file", {"path": "../secret"}) == "no file '../secret'"
    assert tools.run("grep", {"pattern": "import"}) == "a.py:1: import os"
    assert tools.run("dance", {}) == "no tool 'dance'"


def test_the_script_has_its_length() -> None:
    """The script has one step for each cycle and is the same each time."""
    steps = list(script(["a.py", "b.py"], cycles=40, largest=["a.py"]))
    assert len(steps) == 40
    assert steps == list(script(["a.py", "b.py"], cycles=40, largest=["a.py"]))


@pytest.mark.parametrize(
    ("happening", "says"),
    [
        (Happening("clear", 9, 5, "", ("m1.0",)), "1 old result gives way to one line;"),
        (Happening("clear", 9, 5, "", ("m1.0", "m3.0")), "2 old results give way to one line each;"),
        (Happening("summary", 9, 9, "refused: a refusal"), "answered that it cannot help."),
        (Happening("summary", 9, 9, "failed: boom"), "stay as they are: boom."),
        (Happening("compact", 9, 5, "mechanical after refused"), "made by rule"),
        (Happening("compact", 9, 5, "model checkpoint"), "A summary takes the place"),
        (Happening("odd", 9, 5, "for a reason"), "for a reason"),
    ],
)
def test_each_step_is_one_sentence(happening: Happening, says: str) -> None:
    """What the engine did is told in words a newcomer knows, with the right number."""
    assert says in _demo._explained(happening)
