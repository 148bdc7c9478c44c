"""What must hold of a conversation after its runs were killed and it went on to its end."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from sostenuto.engine import amounting
from sostenuto.formats.openai_chat import CODEC
from sostenuto.manager import ContextManager
from sostenuto.stores.files import Files
from sostenuto.stores.results import FileResults
from sostenuto.work import HEADING
from tests.engine.test_machine import recomputed
from tests.surviving.working import DONE, GO_ON, NAME, TASK, Seen, Work, part, todos

Raw = dict[str, Any]


def wrong(life: Work, *, code: int | None) -> list[str]:
    """Everything that does not hold once the newest run has ended; it has to have ended with its answer."""
    if code != 0 or life.out.read_text().strip() != DONE:
        return [f"the run ended with {code}: {life.err.read_text()[-2_000:]}"]
    said = transcript(life)
    looks = (_refused, partial(_pairs, said=said), partial(_acknowledged, said=said), _known_before_it_was_sent, partial(_asked, said=said))
    more = (_papers, _drafts, _parts, partial(_kept, said=said), _journalled, _views, _goes_on, _moved_aside)
    return [line for look in (*looks, *more) for line in look(life)]


def transcript(life: Work) -> list[Raw]:
    """The messages as the records have them."""
    kept = Files(life.home).read(NAME)
    assert kept.notes == ()
    snapshot, _ = amounting(kept)
    assert not snapshot["branches"]
    return [record["raw"] for record in snapshot["transcript"]]


def calls_of(message: Raw) -> list[str]:
    """The ids of its calls."""
    return [call["id"] for call in message.get("tool_calls") or ()]


def _refused(life: Work) -> Iterator[str]:
    for number, seen in enumerate(life.seen):
        if not seen.body["messages"]:
            continue  # its sender died while it sent
        for problem in CODEC.problems({"messages": seen.body["messages"]}):
            yield f"request {number} is not valid: {problem}"


def _pairs(_: Work, *, said: list[Raw]) -> Iterator[str]:
    """Each call once, in the order in which they were made, each answered once and at once."""
    called = [call for message in said for call in calls_of(message)]
    answered = [message["tool_call_id"] for message in said if message["role"] == "tool"]
    if called != answered:
        yield f"calls {called} and answers {answered} differ"
    if called != sorted(set(called), key=lambda call: tuple(map(int, re.findall(r"\d+", call)))):
        yield f"calls are doubled or out of order: {called}"


def _acknowledged(life: Work, *, said: list[Raw]) -> Iterator[str]:
    """What a tool began to do for, and what was sent, is in the transcript; and nothing was begun twice."""
    begun = Counter(event["id"] for event in life.events() if event.get("event") == "tool-start")
    yield from (f"call {call} was begun {times} times" for call, times in begun.items() if times != 1)
    words = {message["tool_call_id"]: message["content"] for message in said if message["role"] == "tool"}
    yield from (f"call {call} was begun and is lost" for call in begun if call not in words)
    replied = {message["content"] for message in said if message["role"] == "assistant"}
    first: dict[str, str] = {}
    for seen in life.seen:
        for message in [] if seen.is_summary else seen.body["messages"]:
            if message["role"] == "tool":
                first.setdefault(message["tool_call_id"], message["content"])
            elif message["role"] == "assistant" and calls_of(message) and message["content"] not in replied:
                yield f"a reply that was sent back is lost: {message['content']!r}"
    for call, text in first.items():
        if call not in words:
            yield f"the result of {call} was sent and is lost"
        elif words[call] != text and not text.startswith(words[call][:60]):  # admission cuts what is too long
            yield f"the result of {call} was sent as {text[:80]!r} and is {words[call][:80]!r}"
    if said[-1].get("content") != DONE:
        yield f"the answer is not the last message: {said[-1]}"


def _known_before_it_was_sent(life: Work) -> Iterator[str]:
    """When a request came in, what it holds was on the disk already."""
    data = (life.history / "transcript.jsonl").read_bytes()
    for number, seen in enumerate(life.seen):
        on_disk = data[: seen.transcript].decode(errors="replace")
        for message in [] if seen.is_summary else seen.body["messages"]:
            if message["role"] == "tool" and on_disk.count(f'"{message["tool_call_id"]}"') < 2:
                yield f"request {number} was sent before the result of {message['tool_call_id']} was written"


def _asked(life: Work, *, said: list[Raw]) -> Iterator[str]:
    """What the person asked is there as often as it was asked, where a request was made of it."""
    asked = [message["content"] for message in said if message["role"] == "user"]
    sent = any(not seen.is_summary for seen in life.seen)
    if len(asked) > life.runs or asked[-1:] != [GO_ON if life.runs > 1 else TASK] or not sent:
        yield f"the person is quoted with {asked}"
    main = next(seen for seen in life.seen if not seen.is_summary)
    if any(message["content"] == TASK for message in main.body["messages"]) and asked.count(TASK) != 1:
        yield f"the task was sent, and the person is quoted with {asked}"


def _papers(life: Work) -> Iterator[str]:
    """Todos and work state are whole, and as new as the newest call that was answered."""
    ended = [
        int(event["id"].split("_")[1]) for event in life.events() if event.get("event") == "tool-end" and event["name"] == "manage_todos"
    ]
    path = life.papers / "todos.json"
    steps = {number: step for step, number in _numbers(life).items()}
    newest = max((steps[number] for number in ended if number in steps), default=-1)
    if newest >= 0:
        held = json.loads(path.read_text())["value"]
        known = [entry["content"] for entry in (held["todos"] if isinstance(held, dict) else held)]
        if len(known) < len(todos(newest)):
            yield f"todos of step {newest} were acknowledged, and there are {len(known)}"
    for path in life.papers.glob("*.json"):
        if json.loads(path.read_text())["schema"] != 1:
            yield f"{path.name} is not whole"


def _numbers(life: Work) -> dict[int, int]:
    """Step -> the number of the request that was answered with it."""
    return {
        int(seen.answered.text.split()[1].rstrip(".")): number
        for number, seen in enumerate(life.seen)
        if seen.answered.text.startswith("Step")
    }


def _drafts(life: Work) -> Iterator[str]:
    """Every line that was acknowledged stands in the draft once; no line stands there twice."""
    path = life.home / "scratchpad" / "default" / "log.md"
    lines = path.read_text().splitlines() if path.exists() else []
    if len(lines) != len(set(lines)):
        yield f"lines of the draft are doubled: {lines}"
    ended = {event["id"] for event in life.events() if event.get("event") == "tool-end" and event["name"] == "manage_scratchpad"}
    for step, number in _numbers(life).items():
        if f"call_{number}_1" in ended and f"step {step}" not in lines:
            yield f"step {step} of the draft was acknowledged and is lost"


def _parts(life: Work) -> Iterator[str]:
    """Every file whose writing was acknowledged is there; every one that is there is whole."""
    for path in (life.folder / "parts").glob("[0-9]*.txt"):
        if path.read_text() != part(int(path.stem)):
            yield f"{path.name} is not whole"
    ended = {event["id"] for event in life.events() if event.get("event") == "tool-end" and event["name"] == "write_file"}
    for step, number in _numbers(life).items():
        if f"call_{number}_0" in ended and not (life.folder / "parts" / f"{step}.txt").exists():
            yield f"part {step} was acknowledged and is lost"


def _kept(life: Work, *, said: list[Raw]) -> Iterator[str]:
    """Every result that was cut and is called kept can be read whole."""
    results = FileResults(life.papers, home=life.home)
    for message in said:
        for key in re.findall(r'retrieve_tool_result\(tool_call_id="(call_\d+_\d+)"', str(message.get("content"))):
            found = results.kept(key)
            if found is None or "[400 more" not in found.text or found.call_id != key:
                yield f"{key} is called kept and is not: {found and found.text[-80:]!r}"


def _journalled(life: Work) -> Iterator[str]:
    """Every checkpoint that ever was in the view is in the journal."""
    known = [str(record["summary"]) for record in Files(life.home).journalled(NAME)]
    snapshot, _ = amounting(Files(life.home).read(NAME))
    for edit in snapshot["edits"]:
        if edit.get("cover") and edit["cover"]["text"] not in known:
            yield f"the checkpoint of edit {edit['number']} is not in the journal"


def _views(life: Work) -> Iterator[str]:
    """Going on, the view is the one that the edits amount to, none of them lost or out of force, and the next request is valid."""
    context = ContextManager(
        "llamacpp:tiny-random", store=Files(life.home), conversation=NAME, window=life.server.window, format="openai_chat"
    )
    try:
        engine = context._driver.started()
        state = engine.state
        view = recomputed(state, CODEC, state.raws[: state.length])
        if engine.emitted(state)[0] != view[0]:
            yield "the view is not the one that the edits amount to"
        yield from (f"edit {edit.number} is not in force" for edit in state.edits if not edit.active and edit.cause != "lost")
        yield from (f"edit {edit.number} is lost" for edit in state.edits if edit.cause == "lost")
        if context.history != transcript(life):
            yield "the history is not the transcript"
    finally:
        context.close()


def _goes_on(life: Work) -> Iterator[str]:
    """Where nothing was edited since the newest request before a death, the next run sends the same messages again, with more behind."""
    main = [seen for seen in life.seen if not seen.is_summary]
    lines = (life.history / "edits.jsonl").read_bytes()
    for before, after in pairwise(main):
        if b'"edit":' in lines[before.edits : after.edits] or b'"active":' in lines[before.edits : after.edits]:
            continue
        old, new = _without_preamble(before), _without_preamble(after)
        while old and str(old[-1].get("content")).startswith("["):
            old.pop()  # nudges live in one request
        if new[: len(old)] != old:
            differs = next(number for number, pair in enumerate(zip([*new, None], [*old, None], strict=False)) if pair[0] != pair[1])
            yield f"without an edit message {differs} is {new[differs : differs + 1]} and was {old[differs]}"


def _without_preamble(seen: Seen) -> list[Raw]:
    return [message for message in seen.body["messages"][1:] if HEADING not in str(message.get("content"))]


def _moved_aside(life: Work) -> Iterator[str]:
    for path in life.home.rglob("*"):
        if ".bad" in path.name or "unreadable" in path.name:
            yield f"{path.name} was left behind"
