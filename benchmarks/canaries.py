"""Canaries through our engine: how many can be seen at a tenth, a fifth and a third of the text, and after many compactions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from benchmarks import sessions
from sostenuto import ContextManager, UnknownKey
from sostenuto.app import contenders, installed_peers, outcome
from sostenuto.encoders.openai import openai_encoder
from sostenuto.formats import openai_chat
from sostenuto.judging import KINDS, SCRIPTED, Canary, CanaryKind, Run, Sent, Session, Sighting, judged, session_of, sighted, weighing

Raw = dict[str, Any]

SHARES: Final = (10, 20, 30)
"""Percent of the session's characters that the request may have."""
ROUNDS: Final = (1, 2, 5, 20)
WINDOW: Final = 16_000
"""Tokens of the window in which the rounds are counted."""
SUMMARIZERS: Final = ("mechanical", "null", "extractive", "hostile")
BARS: Final = {10: 0.40, 20: 0.85, 30: 1.0}
_PER_KIND: Final = 5
_WHAT: Final[dict[CanaryKind, str]] = {
    "constraint": "Never write to the table {sign}.",
    "fact": "The staging host for this work is {sign}.",
    "goal": "By the end of this week the job {sign} must run without a person.",
    "preference": "I prefer that you name new fixtures after {sign}.",
    "rule": "Always start the checker {sign} before you answer me.",
}
_CORRECTED: Final = (
    "The port of the test server is {sign}.",
    "Correction: the port of the test server is {sign}, the one I named before is gone.",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One sighting: under which summarizer, in which trial ("10 % of the characters", "after 5 compactions"), and what was seen."""

    summarizer: str
    trial: str
    sighting: Sighting
    bar: float | None = None

    @property
    def entry(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "sighting": asdict(self.sighting)}


def seen() -> Iterator[Seen]:
    """Every trial with every summarizer."""
    for name in SUMMARIZERS:
        for percent in SHARES:
            yield _at_share(percent, name)
        yield from _over_rounds(name)


def others(interpreters: Mapping[str, str]) -> Iterator[Seen]:
    """The same shares with every other library that can run; a last request that is too long shows nothing."""
    history, canaries = planted("medium", seed=11, within=0.85)
    made = session_of("canaries", history)
    budget = _tokens(history)
    for one in contenders(installed_peers(interpreters), summarizers=("null", "extractive"), interpreters=interpreters):
        for percent in SHARES if one.name not in ("sostenuto", "nothing") else ():
            run = outcome(made, one, budget=budget * percent // 100).run
            last = run.requests[-1] if run is not None else None
            fits = last is not None and not last.failure and _characters(list(last.messages)) <= percent / 100 * _characters(history)
            yield Seen(one.label, _share(percent), sighted(canaries, last.messages if last is not None and fits else ()), BARS[percent])


def kept() -> dict[str, float]:
    """What stood in every request until the last of `ROUNDS`, with null summaries: shares of the worst request."""
    made = session_of("long", sessions.session("long", seed=12), pins=[sessions.PIN])
    history: list[Any] = list(made.messages)
    rounds = 0

    def count(event: Any) -> None:
        nonlocal rounds
        rounds += event.rung == "compact"

    context = _manager("null", window=WINDOW, on_event=count, pin=[sessions.PIN])
    sent: list[Sent] = []
    for upto in made.requests:
        sent.append(Sent(tuple(context.prepare_sync(history[:upto], tools=context.tools()).arguments["messages"])))
        if rounds >= ROUNDS[-1]:
            break
    cut = Session(made.name, made.messages, made.requests[: len(sent)], made.pins)
    weigh = weighing(openai_encoder("o200k"))
    verdict = judged(cut, Run(tuple(sent)), budget=WINDOW, weigh=weigh, decode=openai_chat.CODEC.decode)
    shares = {name: getattr(verdict, name).worst for name in ("task", "newest", "pins", "files_read", "files_modified")}
    return {"compactions": rounds, "requests": len(sent), **shares}


def planted(size: str, *, seed: int, within: float) -> tuple[list[Raw], list[Canary]]:
    """A session with canaries said by the person, or for every second fact by a tool, spread over its first `within`."""
    history = sessions.session(size, seed=seed)
    draw = random.Random(f"canaries-{seed}")
    canaries = [_canary(kind, draw) for kind in _WHAT for _ in range(_PER_KIND)]
    draw.shuffle(canaries)
    places = [at for at, message in enumerate(history) if message["role"] == "assistant" and at > 2]
    places = places[: int(len(places) * within)]
    step = len(places) / (len(canaries) + 2)
    old, new = _correction(draw)
    said = [old.text, *(canary.text for canary in canaries), new.text]
    tools = {canary.text for canary in canaries if canary.kind == "fact"}
    tools = set(sorted(tools)[::2])
    for number in reversed(range(len(said))):
        at = places[int(number * step)]
        history[at:at] = _told(said[number], by_tool=said[number] in tools, number=number)
    return history, [*canaries, new]


def _told(text: str, *, by_tool: bool, number: int) -> list[Raw]:
    if not by_tool:
        return [{"role": "user", "content": text}]
    call = {"id": f"canary_{number}", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "docs/hosts.md"}'}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": f"# Hosts\n\n{text}\n"},
    ]


def _canary(kind: CanaryKind, draw: random.Random) -> Canary:
    sign = f"{draw.choice(('heron', 'tundra', 'quartz', 'saffron', 'lagoon', 'ember'))}_{draw.randint(1000, 9999)}"
    return Canary(kind, _WHAT[kind].format(sign=sign), sign)


def _correction(draw: random.Random) -> tuple[Canary, Canary]:
    before, after = f"port_{draw.randint(1000, 4999)}", f"port_{draw.randint(5000, 9999)}"
    old = Canary("fact", _CORRECTED[0].format(sign=before), before)
    return old, Canary("fact", _CORRECTED[1].format(sign=after), after, stale=old.text)


def _at_share(percent: int, name: str) -> Seen:
    history, canaries = planted("medium", seed=11, within=0.85)
    counted = _tokens(history)
    context = _manager(name, window=counted * percent // 100)
    messages = _steps(context, history)
    *_, last = messages
    allowed = percent / 100 * _characters(history)
    assert _characters(last) <= allowed, f"{_characters(last):,} characters, more than {allowed:,.0f}"
    return Seen(name, _share(percent), sighted(canaries, last, search=_search(context)), BARS[percent])


def after(rounds: int) -> str:
    """How a trial over rounds is called."""
    return f"after {rounds} compaction" + ("s" if rounds > 1 else "")


def _share(percent: int) -> str:
    return f"{percent} % of the characters"


def _over_rounds(name: str) -> Iterator[Seen]:
    history, canaries = planted("long", seed=12, within=0.03)
    rounds = 0

    def count(event: Any) -> None:
        nonlocal rounds
        rounds += event.rung == "compact"

    context = _manager(name, window=WINDOW, on_event=count)
    wanted = list(ROUNDS)
    for messages in _steps(context, history):
        while wanted and rounds >= wanted[0]:
            yield Seen(name, after(wanted.pop(0)), sighted(canaries, messages, search=_search(context)))
    for missing in wanted:
        raise RuntimeError(f"the session ended after {rounds} compactions, before {missing}")


def _manager(name: str, *, window: int, **wishes: Any) -> ContextManager:
    summarizer: Any = "mechanical" if name == "mechanical" else SCRIPTED[name]()
    return ContextManager("openai:gpt-4o", window=window, summarizer=summarizer, counter="o200k", format="openai_chat", **wishes)


def _steps(context: ContextManager, history: list[Raw]) -> Iterator[list[Any]]:
    """The messages of each request; the last one holds the whole session."""
    tools = context.tools()
    places = [at for at, message in enumerate(history) if message["role"] == "assistant" and at > 1]
    for upto in [*places, len(history) - 1]:
        yield list(context.prepare_sync(history[:upto], tools=tools).arguments["messages"])


def _search(context: ContextManager) -> Callable[[str], list[str]]:
    def search(words: str) -> list[str]:
        try:
            return [context.recall(hit.key)[0].text for hit in context.recall(words)]
        except UnknownKey:
            return []

    return search


def _tokens(history: list[Raw]) -> int:
    return ContextManager("openai:gpt-4o", window=10**9, counter="o200k").prepare_sync(history).tokens


def _characters(messages: list[Any]) -> int:
    return sum(
        len(message.get("content") or "") + sum(len(c["function"]["arguments"]) for c in message.get("tool_calls", ()))
        for message in messages
    )


def markdown(found: list[Seen], standing: Mapping[str, float]) -> str:
    """The sightings as a table, and what stood in every request over all rounds."""
    out = [
        f"| summarizer | trial | in view | bar | {' | '.join(KINDS)} | recoverable | stale shown as current |",
        "| --- | --- | ---: | ---: " + "| ---: " * (len(KINDS) + 2) + "|",
    ]
    for one in found:
        bar = "" if one.bar is None else f"{one.bar:.0%}"
        kinds = " | ".join(f"{one.sighting.kinds[kind]:.0%}" for kind in KINDS)
        back = "" if one.sighting.recoverable is None else f"{one.sighting.recoverable:.0%}"
        out.append(f"| {one.summarizer} | {one.trial} | {one.sighting.in_view:.0%} | {bar} | {kinds} | {back} | {one.sighting.stale} |")
    if not standing:
        return "\n".join(out) + "\n"
    words = ", ".join(
        f"{name.replace('_', ' ')} {value:.0%}" for name, value in standing.items() if name not in ("compactions", "requests")
    )
    said = (
        f"Over {standing['compactions']:.0f} compactions with null summaries ({standing['requests']:.0f} requests), worst request: {words}."
    )
    return "\n".join([*out, "", said]) + "\n"
