"""Recall in a run, and afterwards from what the run kept (D39)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sostenuto.agent import Stop
from sostenuto.app import Wish, perform, recallable, recalled_from
from sostenuto.stores.index import Index, place_of
from sostenuto.testing import Reply, Script, ScriptedModel


def performed(home: Path, script: Script, prompt: str) -> ScriptedModel:
    """One run of the conversation ``c``."""
    model = ScriptedModel(script, name="scripted:x", window=16_000)
    wish = Wish(prompt, home, home, model=model.name, conversation="c")
    asyncio.run(perform(wish, listener=lambda event: None, stop=Stop(), models=lambda name, /, **_: model))
    return model


def test_a_later_run_finds_what_an_earlier_one_was_told(tmp_path: Path) -> None:
    """The tool searches what earlier runs said, through an index that is left beside the transcript; the command finds it too."""
    performed(tmp_path, ["Understood."], "The key is zeppelin-4711.")
    model = performed(tmp_path, [Reply(calls=[("recall", {"query": "ZEPPELIN"})]), "It is zeppelin-4711."], "Which key?")
    answer = str(model.requests[-1].arguments["messages"][-1])
    assert "m0.0 (user" in answer
    assert "The key is zeppelin-4711." in answer
    path, _ = place_of(tmp_path, agent="default", conversation="c")
    assert path is not None
    index = Index(path)
    assert index.synced()[0] >= 4
    index.close()
    assert not path.with_name(path.name + "-wal").exists()
    hits = recalled_from(recallable(tmp_path, agent="default", conversation="c"), "key zeppelin")
    assert {hit.key for hit in hits} >= {"m0.0"}


def test_a_conversation_without_a_search_has_no_index(tmp_path: Path) -> None:
    """A run that searches nothing pays nothing: no index is made."""
    performed(tmp_path, ["Understood."], "Remember.")
    path, stamp = place_of(tmp_path, agent="default", conversation="c")
    assert stamp
    assert path is not None
    assert not path.exists()
