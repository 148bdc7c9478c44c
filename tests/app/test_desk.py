"""Where a run keeps things, and how much."""

from __future__ import annotations

from pathlib import Path

from sostenuto.app._desk import draft_limits
from sostenuto.config import configured
from sostenuto.results import KEPT_BYTES
from sostenuto.stores.shelf import KEPT_LIVE
from sostenuto.work import DraftLimits


def test_a_program_keeps_as_much_as_the_library_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    """The settings for results, drafts and conversations at hand begin with the numbers that their rooms have."""
    settings = configured(home=tmp_path, project=tmp_path)
    assert draft_limits(settings) == DraftLimits()
    assert settings["results.maxBytes"] == KEPT_BYTES
    assert settings["history.maxConversationsPerAgent"] == KEPT_LIVE
