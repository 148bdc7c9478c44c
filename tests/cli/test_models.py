"""``sostenuto models``: windows and prices, where they come from, and the explicit refresh."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from sostenuto.catalogues.bundled import bundled
from sostenuto.cli import main
from sostenuto.manager import ContextManager
from tests.catalogues.api import API, ENCODED, serving

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home of the test's own."""
    path = tmp_path / "home"
    monkeypatch.setenv("SOSTENUTO_HOME", str(path))
    return path


@pytest.fixture
def api(tmp_path: Path) -> Path:
    """A models.dev file that is newer than the bundled catalogue."""
    path = tmp_path / "api.json"
    path.write_bytes(ENCODED)
    return path


def printed(arguments: list[str], capfd: pytest.CaptureFixture[str], *, code: int = 0) -> tuple[str, str]:
    """Standard output and error of the command."""
    assert main(["models", *arguments]) == code
    return capfd.readouterr()


def parsed(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> Any:
    """What --json prints, which is one line."""
    out, _ = printed([*arguments, "--json"], capfd)
    assert out.count("\n") == 1
    return json.loads(out)


def test_a_model_is_told_in_plain_words(capfd: pytest.CaptureFixture[str]) -> None:
    """Window and why, context, output, prices with cache and tier, source and date of a model are printed."""
    out, err = printed(["openai:gpt-5.5"], capfd)
    words = " ".join(out.split())
    assert out.startswith("openai:gpt-5.5\n")
    for told in (
        "window 922,000 tokens of input: the separate limit on input of openai:gpt-5.5 (openai lists this id)",
        "context 1,050,000 tokens, of which 922,000 may be input",
        "output 128,000 tokens at most",
        "price $5.00 input, $30.00 output, $0.50 cache read, per million tokens",
        "over 272,000 $10.00 input, $45.00 output, $1.00 cache read",
        f"source models.dev, snapshot of {bundled().snapshot} that comes with the package",
        "The same model elsewhere",
    ):
        assert told in words
    assert err == ""


def test_the_window_is_the_one_a_manager_uses(capfd: pytest.CaptureFixture[str]) -> None:
    """What is shown as the window is what a context manager of that model has, with its source."""
    for model in (
        "openai:gpt-5",
        "claude-opus-4-5",
        "newhost:gpt-5",
        "ollama:qwen3:8b",
        "bedrock:us.anthropic.claude-opus-4-5-20251101-v1:0",
    ):
        shown = parsed([model], capfd)["window"]
        window = ContextManager(model=model).window
        assert (shown["tokens"], shown["source"], shown["total"]) == (window.tokens, window.source, window.total)


def test_a_name_that_is_only_alike_says_what_it_goes_by(capfd: pytest.CaptureFixture[str]) -> None:
    """A host that does not list a model, a dated name and a local server are told as what they are."""
    words = " ".join(printed(["newhost:gpt-5"], capfd)[0].split())
    assert words.startswith("newhost:gpt-5 (going by ")
    assert "not listed there; the smallest window of the hosts that list this model" in words
    assert printed(["claude-3.5-sonnet"], capfd)[0].startswith("claude-3.5-sonnet (going by anthropic:claude-3-5-sonnet")
    assert "beware no window is pinned for ollama:qwen3:8b" in " ".join(printed(["ollama:qwen3:8b"], capfd)[0].split())


def test_words_list_what_holds_them(capfd: pytest.CaptureFixture[str]) -> None:
    """Words of a name list makers' own models first, up to the limit, and say how many more there are."""
    found = parsed(["claude", "sonnet", "--limit", "4"], capfd)
    assert found["window"] is None
    assert [one["provider"] for one in found["models"]] == ["anthropic"] * 4
    assert found["more"] > 50
    out, _ = printed(["claude", "sonnet", "--limit", "4"], capfd)
    assert f"and {found['more']:,} more" in out


def test_a_provider_narrows_by_any_of_its_names(capfd: pytest.CaptureFixture[str]) -> None:
    """--provider takes what people call it, alone or with words."""
    assert {one["provider"] for one in parsed(["--provider", "gemini", "--limit", "500"], capfd)["models"]} == {"google"}
    found = parsed(["haiku", "--provider", "bedrock", "--limit", "50"], capfd)
    assert {one["provider"] for one in found["models"]} == {"amazon-bedrock"}
    found = parsed(["kimi", "--provider", "fireworks"], capfd)
    assert {one["provider"] for one in found["models"]} == {"fireworks-ai"}
    assert parsed(["gpt-5", "--provider", "azure"], capfd)["models"][0]["provider"] == "azure"


def test_without_a_query_the_newest_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    """No query lists models of their makers with the newest facts first, and names the catalogue."""
    found = parsed(["--limit", "300"], capfd)
    dates = [one["date"] for one in found["models"]]
    assert dates == sorted(dates, reverse=True)
    assert found["catalogues"] == [{"name": "bundled", "snapshot": bundled().snapshot, "models": len(bundled()), "source": "models.dev"}]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["openai:gpt4o"], 1, "did you mean openai:gpt-4o"),
        (["gtp-5"], 1, "did you mean openai:gpt-5"),
        (["zzz-unheard-of"], 1, "no model 'zzz-unheard-of' in the catalogue"),
        (["--provider", "gemni"], 1, "did you mean gemini"),
        (["gpt", "--provider", "nope"], 1, "no provider 'nope' in the catalogue\n"),
        (["gpt", "--provider", "opnai"], 1, "no provider 'opnai' in the catalogue; did you mean openai?"),
        (["ollama:llama3"], 1, "did you mean ollama:llama3-3-70b"),
        (["zzz", "--provider", "openai"], 1, "no model 'zzz'"),
        ([" "], 2, "the query is empty"),
        (["gpt-5", "--limit", "0"], 2, "--limit"),
        (["gpt-5", "--refresh", "x"], 2, "--refresh"),
        (["--refresh", " "], 2, "the name is empty"),
        (["--refresh", "{folder}/none.json"], 1, "no such file"),
        (["--refresh", "{folder}"], 1, "cannot be read"),
        (["--refresh", "ftp://127.0.0.1/x"], 1, "only http:// and https://"),
        (["--refresh", "http://127.0.0.1:1/x"], 1, "cannot be fetched"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str], code: int, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    """An unknown name has its nearest ones, a wrong option or source its remedy, on one line of standard error; nothing is kept."""
    out, err = printed([word.format(folder=tmp_path) for word in arguments], capfd, code=code)
    assert out == ""
    assert err.count("\n") == 1
    assert says in err
    assert not home.exists()


@pytest.mark.parametrize("columns", ["60", "80", "100"])
@pytest.mark.parametrize(
    "query", [[], ["openai:gpt-5.5"], ["ollama:qwen3:8b"], ["claude", "--limit", "300"], ["gpt-5.6", "--limit", "300"]]
)
def test_lines_fit_the_terminal(query: list[str], columns: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """No line is wider than the terminal, except an id that is wider itself."""
    monkeypatch.setenv("COLUMNS", columns)
    out, _ = printed(query, capfd)
    assert [line for line in out.splitlines() if len(line) > int(columns) and " " in line] == []


def test_a_file_is_kept_and_what_changed_is_said(api: Path, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A refresh says how many models it kept, left out, and how the makers' own differ from what was there."""
    words = " ".join(printed(["--refresh", str(api)], capfd)[0].split())
    assert words.startswith("3 models of 2 providers, as of 2026-11-25, kept in")
    assert "skipped 2 models" in words
    assert "the file holds 3 models and is used beside the bundled ones" in words
    assert "1 new, 1 changed" in words
    assert "gone" not in words
    assert "changed openai:gpt-5: window 272,000 -> 250,000, price $1.25 input" in words
    assert "new openai:gpt-99" in words
    assert (home / "cache" / "models.json").is_file()
    again = parsed(["--refresh", str(api)], capfd)
    assert (again["added"], again["removed"], again["changed"], again["before"]["name"]) == ([], [], [], "refreshed")


def test_an_address_is_fetched_only_when_it_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    """--refresh with an address keeps what a server gives (A.2)."""
    with serving({"/api.json": (200, {}, ENCODED)}) as address:
        found = parsed(["--refresh", f"{address}/api.json"], capfd)
        assert (found["models"], found["source"]) == (3, f"{address}/api.json")


def test_a_failed_refresh_leaves_what_is_there(api: Path, home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A source without a model in it changes nothing (A.2)."""
    printed(["--refresh", str(api)], capfd)
    before = (home / "cache" / "models.json").read_bytes()
    (tmp_path / "empty.json").write_text("{}")
    assert "no model" in printed(["--refresh", str(tmp_path / "empty.json")], capfd, code=1)[1]
    assert (home / "cache" / "models.json").read_bytes() == before


def test_a_newer_catalogue_is_gone_by_and_the_difference_is_said(api: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A refreshed catalogue comes first here and its window is shown; a manager goes on using the bundled one, and that is said."""
    printed(["--refresh", str(api)], capfd)
    found = parsed(["openai:gpt-5"], capfd)
    assert [one["name"] for one in found["catalogues"]] == ["refreshed", "bundled"]
    assert (found["window"]["tokens"], found["window"]["bundled"], found["refreshed"]["takes"]) == (250_000, 272_000, 250_000)
    assert ContextManager(model="openai:gpt-5").window.tokens == 272_000
    words = " ".join(printed(["openai:gpt-5"], capfd)[0].split())
    assert "window 250,000 tokens of input" in words
    assert "replay and the library use 272,000 tokens (by the catalogue of the package) until you hand yours over" in words
    assert "--window 250000" in words


def test_a_model_only_the_refreshed_one_has_is_found(api: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A model that the package does not know yet is told from the refreshed catalogue, with what is used without it."""
    printed(["--refresh", str(api)], capfd)
    found = parsed(["openai:gpt-99"], capfd)
    assert (found["models"][0]["catalogue"], found["refreshed"]["takes"]) == ("refreshed", 2_000_000)
    assert found["window"]["tokens"] == ContextManager(model="openai:gpt-99", catalogue=api).window.tokens == 2_000_000
    assert found["window"]["bundled"] == ContextManager(model="openai:gpt-99").window.tokens
    assert "over 500,000 $2.00 input" in " ".join(printed(["openai:gpt-99"], capfd)[0].split())


def test_an_older_catalogue_stays_behind(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A refresh that is older than the bundled catalogue says so and does not come before it."""
    old = {"openai": {"models": {"gpt-5": {**API["openai"]["models"]["gpt-5"], "last_updated": "2026-01-01"}}}}
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert "it comes first" in printed(["--refresh", str(tmp_path / "old.json")], capfd)[0]
    out, err = printed(["openai:gpt-5"], capfd)
    assert "not newer" in err
    assert "refreshed" not in out


def test_a_damaged_own_catalogue_is_told_and_passed_over(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A kept file that cannot be read is a remark, not a failure."""
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "models.json").write_text("{")
    out, err = printed(["openai:gpt-5"], capfd)
    assert out.startswith("openai:gpt-5\n")
    assert "the refreshed catalogue is not used" in err


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Control characters of a catalogue and of a source's name are not printed."""
    models = {"gpt-\x1b[2J": {"limit": {"context": 9_000}}, "gpt-100": {"limit": {"context": 9_000}, "last_updated": "\x1b[2J"}}
    path = tmp_path / "a\x1b[2Jpi.json"
    path.write_text(json.dumps({"openai": {"models": models}}))
    printed(["--refresh", str(path)], capfd)
    out, err = printed(["openai:gpt-100"], capfd)
    assert "\x1b" not in out + err


def test_the_documentation_shows_what_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Every command of docs/windows.md that is shown with its output prints exactly that."""
    text = (ROOT / "docs" / "windows.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\n\$ sostenuto ([^\n]*)\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 4
    for words, shown in blocks:
        main(shlex.split(words))
        out, err = capfd.readouterr()
        assert out + err == shown, words


@pytest.mark.parametrize("query", [["ollama:qwen3:8b"], ["qwen3:8b", "--provider", "ollama"]])
def test_a_local_server_has_no_price_and_decides_its_window(query: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """For a server of one's own no host's price is shown, and the window is called the published maximum."""
    words = " ".join(printed([*query, "--limit", "1"], capfd)[0].split())
    assert "price none: a local server bills nothing" in words
    assert "that is the published maximum, and your server decides how much of it it loads" in words
    assert "$" not in words.partition("The same model elsewhere")[0]
    assert parsed(query, capfd)["window"]["local"] is True


def test_a_catalogue_of_one_model_does_not_hide_the_others(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """After a refresh with one model that model is known, suggestions still come from both catalogues, and nothing counts as gone."""
    models = {"acme-1": {"limit": {"context": 50_000}, "last_updated": "2026-11-20"}}
    (tmp_path / "one.json").write_text(json.dumps({"acme": {"models": models}}))
    assert parsed(["--refresh", str(tmp_path / "one.json")], capfd)["removed"] == []
    words = " ".join(printed(["acme-1"], capfd)[0].split())
    assert "window 50,000 tokens of input: the published context of acme:acme-1" in words
    assert "replay and the library use 128,000 tokens (assumed, for nothing is known about this name there)" in words
    assert "did you mean openai:gpt-4o" in printed(["openai:gpt4o"], capfd, code=1)[1]
