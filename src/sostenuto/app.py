"""The program's composition root: names the concrete readers, encoders and the manager that the commands run on."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sostenuto.encoders.openai import openai_encoder
from sostenuto.encoders.splintr import splintr_encoder
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.formats import anthropic, openai_chat
from sostenuto.messages import Call, Media, Message, Part, Result, Thinking
from sostenuto.recordings.opening import LIMITS, Recording, open_recording
from sostenuto.replaying import (
    Costs,
    Figures,
    Handed,
    History,
    Metered,
    Row,
    Shadow,
    as_sent,
    costs,
    estimator_error,
    figures,
    histories,
    items,
    plain,
    predictions,
    rows,
)
from sostenuto.tokens import Measure, Ruler, family, ruler
from sostenuto.window import BUILT_IN, lookup

if TYPE_CHECKING:
    from sostenuto.engine import Hit
    from sostenuto.ladder import Settings
    from sostenuto.manager import ContextManager

CODECS = {codec.name: codec for codec in (anthropic.CODEC, openai_chat.CODEC)}
DEFAULT_MODEL = "openai:gpt-4o"
"""Counts plain text where no model is named: the o200k encoding."""
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What a replay is run with; the names are those of the command line. `summarizer` None is the mechanical one,
    `settings` None the defaults.

    `counter`: ``o200k`` (exact), ``family`` (as the model counts), ``recorded`` (the same, learning from the recorded usage);
    None is ``o200k`` where a window is given, else ``family``.
    """

    format: str = "auto"
    window: int | None = None
    model: str | None = None
    counter: str | None = None
    summarizer: Callable[[str], str] | None = None
    history: History = "full"
    max_output: int | None = None
    settings: Settings | None = None
    pins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """A finished replay. `counted` and `window_source` are words for people."""

    recording: Recording
    rows: tuple[Row, ...]
    figures: Figures
    doing_nothing: Costs
    counted: str
    window_source: str
    manager: ContextManager

    def snapshot(self) -> dict[str, Any]:
        """Transcript and edits as plain values, for `recalled`."""
        return self.manager.snapshot()


Watch = Callable[[Iterable[Row], int], Iterator[Row]]
"""Looks at the rows as they come; is told how many there will be."""


def replay(path: Path, options: ReplayOptions, *, watch: Watch = lambda rows, total: iter(rows)) -> Replayed:
    """Replay a recorded session through a context manager.

    Raises UnusableInput for a file without a recorded reply, UnknownSetting for a model or format nobody knows, and what the
    manager raises (FixedPartTooLarge where the window is smaller than what may never be cut).
    """
    from sostenuto.manager import ContextManager

    recording = open_recording(path, format=options.format)
    model = options.model or recording.model or DEFAULT_MODEL
    window_source = _window_source(options, model)
    codec = CODECS[recording.format]
    counter = options.counter or ("o200k" if options.window else "family")
    by = ruler(model, weigher=openai_encoder("o200k")) if counter == "o200k" else _ruler(model)
    metered = Metered(options.summarizer, by.text) if options.summarizer else None
    manager = ContextManager(
        model=model,
        window=options.window,
        counter=by.weigher,
        summarizer=metered or "mechanical",
        format=recording.format,
        settings=options.settings,
    )

    def handed() -> Iterator[Handed]:
        return histories(recording, history=options.history, pins=options.pins)

    shadow = Shadow(decode=codec.decode, model=model)

    def feed(row: Row, one: Handed) -> None:
        # the recorded number belongs to what was sent at the time; of our request it tells the ratio and what the file hides
        if counter == "recorded" and shadow.learn(as_sent(recording, one.reply)) is not None:
            total = shadow.total(one.reply, items(row.native))
            manager.record({"input_tokens": total, "output_tokens": one.reply.output or 0})

    def weigh(message: Any) -> int:
        return by.tokens(by.measure(codec.decode(message)))

    # a replay stands for a caller who hands the retrieval tools over, so placeholders may name them (D41)
    own = manager.tools()
    found = rows(recording, manager, handed=handed(), pins=options.pins, max_output=options.max_output, tools=own, after=feed)
    run = tuple(watch(found, len(recording.exchanges)))
    if not run:
        raise UnusableInput(f"{path}: no recorded reply, so there is no request to replay; name a recording with assistant messages")
    doing_nothing = costs(plain(handed(), system=recording.system), weigh=weigh)
    return Replayed(
        recording=recording,
        rows=run,
        figures=figures(
            run,
            doing_nothing=doing_nothing,
            weigh=weigh,
            problems=lambda row: codec.problems(row.native),
            estimator_error=estimator_error(predictions(histories(recording, history="as-sent"), decode=codec.decode, model=model)),
            summarizer=metered.tokens if metered else 0,
        ),
        doing_nothing=doing_nothing,
        counted=_how(by, model) + (", learning from the recorded usage" if counter == "recorded" else ""),
        window_source=window_source,
        manager=manager,
    )


def recalled(snapshot: Mapping[str, Any], wanted: str) -> tuple[Hit, ...]:
    """What a kept replay has for a key or a query, the best first; nothing found is an empty tuple.

    Raises UnusableInput where the snapshot cannot be restored.
    """
    from sostenuto.manager import ContextManager

    return tuple(ContextManager.restore(snapshot).recall(wanted))


def conversation(*, window: int, summarizer: Callable[[str], str]) -> ContextManager:
    """A context manager for the demo: OpenAI chat messages, a window of `window` tokens, a summarizer of its own."""
    from sostenuto.manager import ContextManager

    return ContextManager(model=DEFAULT_MODEL, window=window, summarizer=summarizer, format=openai_chat.CODEC.name)


def weighing() -> Callable[[Any], int]:
    """The tokens of one OpenAI chat message, as `conversation` counts them."""
    by = _ruler(DEFAULT_MODEL)
    return lambda message: by.tokens(by.measure(openai_chat.CODEC.decode(message)))


def _window_source(options: ReplayOptions, model: str) -> str:
    """Where the window comes from, in words. Raises UnknownSetting for a named model without a known window."""
    if options.window:
        return "given with --window"
    match = lookup(*_parted(model))
    if match is not None:
        entry = match.entry
        return f"the published limit of {entry.provider}:{entry.model}" + ("" if match.is_exact else f", the nearest known to {model}")
    if options.model is None:
        return f"assumed, because the window of the recorded model {model} is not known"
    known = [f"{entry.provider}:{entry.model}" for entry in BUILT_IN]
    near = get_close_matches(model, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownSetting(f"--model {model!r}: its window is not known; {hint}name the window with --window N")


def _parted(model: str) -> tuple[str, str]:
    provider, colon, name = model.partition(":")
    return (provider, name) if colon else ("", model)


@dataclass(frozen=True, slots=True)
class Counted:
    """The count of a file. `components` sum up to `tokens`; `how` says in words how they were counted."""

    tokens: int
    exact: bool
    how: str
    model: str
    kind: str
    characters: int
    components: Mapping[str, int]


def counted(path: Path, *, model: str | None = None) -> Counted:
    """The tokens of a recorded session's whole history, by component, or of any other text file.

    Raises UnusableInput for a file that cannot be read or is no text.
    """
    try:
        recording = open_recording(path)
    except UnusableInput as problem:
        return _counted_text(_text(path, problem=problem), model=model or DEFAULT_MODEL)
    return _counted_recording(recording, model=model or recording.model or DEFAULT_MODEL)


def _counted_text(text: str, *, model: str) -> Counted:
    by = _best_ruler(model)
    tokens = by.text(text)
    return Counted(tokens, by.weigher.exact, _how(by, model), model, "text", len(text), {"text": tokens})


def _counted_recording(recording: Recording, *, model: str) -> Counted:
    by, codec = _best_ruler(model), CODECS[recording.format]
    sums: dict[str, Measure] = {}
    characters = 0

    def add(name: str, measure: Measure) -> None:
        sums[name] = sums.get(name, Measure()) + measure

    for text in codec.system_texts(recording.system):
        add("system", by.measure(Message("system", ())) + Measure(by.weigher(text)))
        characters += len(text)
    for text in codec.tool_texts(recording.tools):
        add("tools", Measure(by.weigher(text)))
        characters += len(text)
    for raw in recording.messages:
        message = codec.decode(raw)
        pieces = Measure()
        for part in message.parts:
            add(_component(message, part), by.part(part))
            pieces += by.part(part)
            characters += len(getattr(part, "text", "") or getattr(part, "arguments", ""))
        add("framing", by.measure(message) - pieces)
    kind = f"{recording.reader} recording, {len(recording.messages):,} messages"
    components = _shares(sums, by)
    return Counted(sum(components.values()), by.weigher.exact, _how(by, model), model, kind, characters, components)


def _component(message: Message, part: Part) -> str:
    for kind, name in ((Thinking, "thinking"), (Call, "tool calls"), (Result, "tool results"), (Media, "media")):
        if isinstance(part, kind):
            return name
    return message.role if message.role in ("system", "user") else "assistant"


def _shares(sums: Mapping[str, Measure], by: Ruler) -> dict[str, int]:
    """Tokens of each component such that they sum up to the tokens of all: each is the step it adds to the sum."""
    shares: dict[str, int] = {}
    total, before = Measure(), 0
    for name, measure in sums.items():
        total += measure
        shares[name] = by.tokens(total) - before
        before += shares[name]
    return shares


def _text(path: Path, *, problem: UnusableInput) -> str:
    try:
        if path.stat().st_size > LIMITS.line:
            raise UnusableInput(f"{path}: larger than {LIMITS.line:,} bytes; count a part of it")
        data = path.read_bytes()
        data = gzip.decompress(data) if data.startswith(GZIP) else data
    except (OSError, EOFError):
        raise problem from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnusableInput(f"{path}: no UTF-8 text (byte {data[error.start]:#04x} at offset {error.start:,}); convert it first") from None
    if "\x00" in text:
        raise UnusableInput(f"{path}: no text (it holds zero bytes); name a text file or a recorded session")
    return text


def _ruler(model: str) -> Ruler:
    """The ruler of a model, exact where its family is OpenAI's: what the manager uses."""
    return ruler(model, weigher=openai_encoder(family(model).name))


def _best_ruler(model: str) -> Ruler:
    """The same, with the exact vocabulary of an open model where it is installed: slow to load, so only for counting a file."""
    return ruler(model, weigher=openai_encoder(family(model).name) or splintr_encoder(model))


def _how(by: Ruler, model: str) -> str:
    if by.weigher.exact:
        return by.weigher.name.removeprefix("exact (").removesuffix(")") + " (exact)"
    return f"{by.weigher.name} for {model}, {by.calibration.ratio:g} to a token (an estimate)"
