"""A provider that counts o200k and 30,000 tokens nobody sees, and sessions of every script that grow until rungs fire.

``python -m tests.tokens.synthetic_provider`` prints the tables of ``docs/counting.md``.
"""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from typing import Any

from benchmarks.texts import texts
from sostenuto import ContextManager
from sostenuto.encoders.openai import openai_encoder

HIDDEN = 30_000
PER_MESSAGE = 4
WINDOW = 160_000
REQUESTS = 60
FAMILIES = (
    "anthropic:claude-sonnet-4-5",
    "anthropic:claude-opus-4-7",
    "google:gemini-2.5-pro",
    "mistral:mistral-large-latest",
    "ollama:llama3.3",
    "alibaba:qwen3-coder",
    "deepseek:deepseek-chat",
    "somebody:something-new",
)
SCRIPTS: dict[str, tuple[str, ...]] = {
    "English": ("English docs", "agent prose"),
    "code": ("Python", "TypeScript", "git diff"),
    "Chinese": ("Chinese",),
    "Russian": ("Russian",),
    "JSON": ("JSON logs",),
    "base64": ("base64",),
    "mixed": ("agent prose", "Python", "JSON logs", "Chinese", "Russian", "base64", "emoji + scripts", "CSV of numbers"),
}


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors of one session's estimates: every request from the third on, and the first after each rung, signed."""

    all: tuple[float, ...]
    after_rungs: tuple[float, ...]

    @property
    def median(self) -> float:
        """Of the sizes."""
        return statistics.median(abs(error) for error in self.all)

    @property
    def p95(self) -> float:
        """Of the sizes: 95 of 100 are at most this."""
        ordered = sorted(abs(error) for error in self.all)
        return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]

    @property
    def worst_after_rung(self) -> float:
        """The largest size; 0 where no rung fired."""
        return max((abs(error) for error in self.after_rungs), default=0.0)


class Provider:
    """Counts what it is sent, as another tokenizer than the one that is assumed, with a part that is never seen."""

    def __init__(self) -> None:
        encoder = openai_encoder("o200k")
        assert encoder is not None
        self._encoder = encoder
        self._known: dict[str, int] = {}

    def input_tokens(self, messages: list[dict[str, Any]]) -> int:
        """Tokens of a request."""
        total = HIDDEN
        for message in messages:
            total += PER_MESSAGE + self._text(message.get("content") or "")
            for call in message.get("tool_calls", ()):
                total += self._text(call["function"]["name"]) + self._text(call["function"]["arguments"]) + PER_MESSAGE
        return total

    def _text(self, text: str) -> int:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._encoder(text)
        return found


def session(model: str, *, script: str, seed: int, provider: Provider) -> Errors:
    """One session with tool cycles whose results are of this script, until the ladder has cleared and compacted."""
    draw = random.Random(f"{script} {seed}")
    samples = texts(seed=seed)
    kinds = SCRIPTS[script]
    context = ContextManager(model, counter="family", window=WINDOW, format="openai_chat")
    history: list[dict[str, Any]] = [
        {"role": "system", "content": _piece(draw, samples["agent prose"], 3_000)},
        {"role": "user", "content": _piece(draw, samples[kinds[0]], 400)},
    ]
    every: list[float] = []
    after: list[float] = []
    for number in range(REQUESTS):
        request = context.prepare_sync(history)
        reported = provider.input_tokens(request.arguments["messages"])
        error = request.tokens / reported - 1
        if number >= 2:
            every.append(error)
            if any(event.rung in ("clear", "compact", "trim") for event in request.events):
                after.append(error)
        context.record({"prompt_tokens": reported, "completion_tokens": 50})
        history += _cycle(draw, samples, kinds, number=number)
    return Errors(tuple(every), tuple(after))


def _piece(draw: random.Random, text: str, size: int) -> str:
    start = draw.randrange(max(1, len(text) - size))
    return f"{draw.getrandbits(32)} {text[start : start + size]}"


def _cycle(draw: random.Random, samples: dict[str, str], kinds: tuple[str, ...], *, number: int) -> list[dict[str, Any]]:
    calls = [
        {"id": f"call_{number}_{place}", "type": "function", "function": {"name": "read", "arguments": f'{{"path": "src/{number}.py"}}'}}
        for place in range(draw.randint(1, 3))
    ]
    said = _piece(draw, samples[draw.choice(kinds)], draw.randint(40, 300))
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": _piece(draw, samples[draw.choice(kinds)], draw.randint(200, 8_000))}
        for call in calls
    ]
    return [{"role": "assistant", "content": said, "tool_calls": calls}, *results]


def table(*, seed: int) -> dict[str, dict[str, Errors]]:
    """Script -> model -> errors."""
    provider = Provider()
    return {script: {model: session(model, script=script, seed=seed, provider=provider) for model in FAMILIES} for script in SCRIPTS}


def _worst(name: str, errors: list[Errors]) -> str:
    """A row: the worst of each figure."""
    medians, p95s, rungs = zip(*((one.median, one.p95, one.worst_after_rung) for one in errors), strict=True)
    figures = (max(medians), max(p95s), max(rungs))
    return f"| {name} | " + " | ".join(f"{figure:.1%}" for figure in figures)


def main() -> None:
    """Print the worst of all families by script, and the worst of all scripts by family."""
    found = table(seed=5)
    print("| script | median | 95 of 100 | first after a rung, worst | rungs |\n| --- | ---: | ---: | ---: | ---: |")
    for script, row in found.items():
        print(f"{_worst(script, list(row.values()))} | {max(len(errors.after_rungs) for errors in row.values())} |")
    print("\n| model | median | 95 of 100 | first after a rung, worst |\n| --- | ---: | ---: | ---: |")
    for model in FAMILIES:
        print(f"{_worst(model, [row[model] for row in found.values()])} |")


if __name__ == "__main__":
    main()
