"""A killed run that goes on in another wire and is killed again there: nothing is lost or left behind, nor kept that should not be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sostenuto.engine import amounting
from sostenuto.formats.anthropic import CODEC
from sostenuto.stores.files import Files
from sostenuto.testing import FakeServer, Reply
from sostenuto.work import HEADING
from tests.engine import wires
from tests.engine.conversing import manager
from tests.surviving.dying import ended, started
from tests.surviving.tearing import forgotten
from tests.surviving.test_torn import talked
from tests.surviving.working import DONE, GO_ON, NAME, SUMMARY, TASK, Work, work

MODEL = "anthropic:claude-sonnet-4-5"


def script(body: Mapping[str, Any]) -> Reply:
    """A few files are written, then all is done."""
    if not body.get("tools"):
        return Reply(SUMMARY)
    written = json.dumps(body).count('"tool_result"')
    return Reply("More.", calls=[("write_file", {"path": f"more/{written}.txt", "content": "z" * 900})]) if written < 9 else Reply(DONE)


def goes_on(life: Work, server: FakeServer, **more: Any) -> int | None:
    """A run with the other model."""
    told = life.told(GO_ON, **more)
    arguments = [MODEL if argument.startswith("llamacpp:") else argument for argument in told.arguments]
    surroundings = {**told.surroundings, "ANTHROPIC_BASE_URL": server.address, "ANTHROPIC_API_KEY": "key"}
    return ended(started(replace(told, arguments=arguments, surroundings=surroundings)))


@pytest.mark.parametrize("dies_at", [29, 68, 107])
def test_a_run_is_killed_in_two_wires(dies_at: int) -> None:
    """Every call that was begun in either wire is in the transcript, which never forks, and the preamble of a resume is not kept in it."""
    with work(steps=8) as life, FakeServer("anthropic", script, model="claude-sonnet-4-5", window=6_000, key="key") as server:
        assert life.run(TASK, dies_at=200) == -9
        assert goes_on(life, server, dies_at=dies_at) == -9
        assert goes_on(life, server) == 0
        assert life.out.read_text().strip() == DONE
        for body in server.asked:
            assert CODEC.problems({key: body[key] for key in ("messages", "system") if key in body}) == []
        kept = Files(life.home).read(NAME)
        assert kept.notes == ()
        snapshot, _ = amounting(kept)
        assert snapshot["branches"] == []
        said = json.dumps(snapshot["transcript"])
        assert HEADING not in said
        begun = {event["id"] for event in life.events() if event.get("event") == "tool-start"}
        assert len(begun) > 8
        assert [call for call in begun if f'"{call}"' not in said] == []


def test_a_preface_is_no_part_of_the_history(tmp_path: Path) -> None:
    """In a conversation of two wires too, `history` is what was said, whatever stands in front of the requests of this process."""
    context, _ = talked(Files(tmp_path), format="openai_chat", model="openai:gpt-5")
    forgotten(context)
    wishes: dict[str, Any] = {"model": MODEL, "format": "anthropic", "store": Files(tmp_path), "conversation": "life"}
    for number in range(3):
        context = manager(2_000, **wishes)
        before = context.history
        context.preface(f"{HEADING}\nNothing.")
        assert context.history == before
        request = context.prepare_sync([*before, wires.user(f"Go on {number}.", format="anthropic")])
        assert json.dumps(request.arguments).count(HEADING) == 1
        assert not any(event.rung == "fork" for event in request.events)
        forgotten(context)
