"""What fills a kept conversation's window, and what a person does about it: compact, preview, undo, redo."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sostenuto.app import Other, Whose, compacted, context, previewed, undone
from sostenuto.errors import ConversationInUse, UnknownSetting, UnusableInput
from sostenuto.protocols import Heard, Spoken
from tests.app.kept import MODEL, WINDOW, files_of, opened, reviewed


@pytest.fixture
def whose(tmp_path: Path) -> Whose:
    """A kept conversation, in a project without settings."""
    home = tmp_path / "home"
    reviewed(home)
    return Whose(home, "default", "review", tmp_path)


class Writer:
    """A model that writes one summary, or none."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[str] = []
        self.is_closed = False

    @property
    def name(self) -> str:
        """Its name."""
        return MODEL

    @property
    def format(self) -> str:
        """Its wire."""
        return "openai_chat"

    async def window(self) -> int | None:
        """It does not say."""
        return None

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """The summary."""
        self.asked.append(json.dumps(dict(arguments)))
        return Spoken(({"role": "assistant", "content": self.text},), self.text)

    async def aclose(self) -> None:
        """Remember that it was let go of."""
        self.is_closed = True


def test_it_says_what_fills_the_window_and_changes_nothing(whose: Whose) -> None:
    """Window with its source, tokens by component that sum up, ten largest pieces with their tools, every edit; no file is touched."""
    before = files_of(whose.home)
    found = context(whose)
    assert (found.model, found.window.tokens, found.stated, found.published) == (MODEL, WINDOW, True, (128_000, "2024-08-06"))
    assert sum(found.usage.components.values()) == found.usage.tokens == found.window.tokens - found.free
    assert found.buffer == WINDOW - found.lines.compact == 1_600
    assert len(found.largest) == 10
    assert found.largest[0][2].startswith("result of read_file, call c")
    assert [edit.rung for edit in found.edits] == ["clear", "clear", "clear", "clear", "compact", "clear"]
    assert files_of(whose.home) == before


def test_it_says_how_another_model_or_window_would_be(whose: Whose) -> None:
    """With another model its own published window holds, with its date; with another window that one; neither is kept."""
    other = context(whose, Other("anthropic:claude-sonnet-4-5"))
    assert (other.window.source, other.window.tokens, other.stated) == ("catalogue", 200_000, False)
    assert other.window.date
    assert context(whose, Other(window=32_000)).window.tokens == 32_000
    assert context(whose).window.tokens == WINDOW


def test_the_lines_are_those_of_the_persons_settings(whose: Whose, tmp_path: Path) -> None:
    """A compaction line from the settings of the data home moves the buffer; a ceiling that is the window in force is named."""
    settings = {"context": {"compactThresholdRatio": 0.75}, "llm": {"maxContextTokens": WINDOW}}
    (whose.home / "config.json").write_text(json.dumps(settings))
    found = context(whose)
    assert found.lines.compact == 6_000
    assert found.ceiling.endswith("config.json")


def test_a_preview_says_what_would_leave_and_changes_nothing(whose: Whose) -> None:
    """A dry run names the keys with their tokens; before a key only what lies before it; the same keys are there when it is done."""
    before = files_of(whose.home)
    found, losses = previewed(whose)
    assert found.tokens_after < found.tokens_before
    assert [loss.key for loss in losses] == list(found.keys) == ["m0-m80"]
    assert losses[0].tokens > 10_000
    part, _ = previewed(whose, before="m70")
    assert part.keys == ("m0-m70",)
    assert files_of(whose.home) == before
    done = compacted(whose)
    assert [loss.key for rung in done.rungs for loss in rung.losses] == ["m0-m80"]


def test_a_compaction_holds_for_whoever_goes_on(whose: Whose) -> None:
    """After it the context is smaller, the edit is on disk, the next process starts from it, and undo gives back what there was."""
    before = context(whose).usage.tokens
    done = compacted(whose)
    assert done.kept
    assert done.tokens_before == before > done.tokens_after == context(whose).usage.tokens
    assert [rung.rung for rung in done.rungs] == ["compact"]
    manager = opened(whose.home)
    assert manager.usage().tokens == done.tokens_after
    manager.close()
    told, kept = undone(whose, None)
    assert (told.applied, kept) == (True, True)
    assert context(whose).usage.tokens == before
    again, _ = undone(whose, None, redo=True)
    assert again.applied
    assert context(whose).usage.tokens == done.tokens_after


def test_undo_says_why_it_cannot(whose: Whose) -> None:
    """An edit under a newer checkpoint, one that would not fit, and one that is not there are refused in words; nothing changes (D62)."""
    before = context(whose).edits
    under, _ = undone(whose, 4)
    assert not under.applied
    assert "8,000 fit" in under.text
    compacted(whose)
    assert "undo that one (edit 6) first" in undone(whose, 4)[0].text
    assert undone(whose, 999)[0].text == "There is no edit 999: this conversation has edits 0 to 6."
    assert context(whose).edits[:6] == before


def test_a_model_may_write_the_summary(whose: Whose) -> None:
    """The conversation's own model is asked, with the focus in its prompt, and let go of; a reply that is none gives the mechanical one."""
    model = Writer("nothing useful")
    named: list[str] = []

    def made(name: str) -> Writer:
        named.append(name)
        return model

    done = compacted(whose, focus="the vault", by_model=True, models=made)
    assert named == [MODEL]
    assert model.is_closed
    assert "the vault" in model.asked[0]
    assert done.kept
    assert done.rungs[0].reason != "model"


def test_nothing_old_enough_is_said(tmp_path: Path) -> None:
    """A conversation of one exchange is not compacted, and nothing is written for it."""
    home = tmp_path / "home"
    reviewed(home, cycles=1)
    before = (home / "history/default/review/transcript.jsonl").read_bytes()
    done = compacted(Whose(home, "default", "review", tmp_path))
    assert done.rungs == ()
    assert done.kept
    assert (home / "history/default/review/transcript.jsonl").read_bytes() == before


def test_work_state_is_in_the_checkpoint(whose: Whose) -> None:
    """What is known of the work is written into the checkpoint of a compaction by hand (D43)."""
    from sostenuto.app import inspected
    from sostenuto.stores.papers import FilePapers

    papers = FilePapers(whose.home / "work/default/review", home=whose.home)
    assert papers.write("state", {"goal": "find the leak in the valve"})
    compacted(whose)
    assert "find the leak in the valve" in inspected(whose.home, agent="default", conversation="review").checkpoint


def test_a_conversation_in_use_is_looked_at_and_not_changed(whose: Whose) -> None:
    """While somebody writes it, looking works, and compacting and undoing say who has it."""
    manager = opened(whose.home)
    try:
        assert context(whose).messages == 89
        for change in (lambda: compacted(whose), lambda: undone(whose, None)):
            with pytest.raises(ConversationInUse, match="review"):
                change()
    finally:
        manager.close()


def test_one_in_the_archive_is_looked_at_there_and_taken_out_to_be_changed(whose: Whose) -> None:
    """Looking leaves it in the archive; a compaction takes it out."""
    from sostenuto.stores.shelf import Shelf

    assert Shelf(whose.home).archive("default", keep=0) == ["review"]
    assert context(whose).messages == 89
    assert not (whose.home / "history/default/review").exists()
    assert compacted(whose).kept
    assert (whose.home / "history/default/review").is_dir()


def test_an_unknown_name_gives_the_nearest(whose: Whose, tmp_path: Path) -> None:
    """A misspelt conversation names the nearest one; one that another agent has says so; no key before which to stop is refused."""
    with pytest.raises(UnknownSetting, match="did you mean 'review'"):
        context(Whose(whose.home, "default", "revue", tmp_path))
    with pytest.raises(UnknownSetting, match="add --agent default"):
        context(Whose(whose.home, "other", "review", tmp_path))
    with pytest.raises(UnusableInput, match="not a key"):
        previewed(whose, before="here")
