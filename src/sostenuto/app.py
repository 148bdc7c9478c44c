"""The program's composition root: names the concrete readers, encoders and the manager that the commands run on."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sostenuto.encoders.openai import openai_encoder
from sostenuto.encoders.splintr import splintr_encoder
from sostenuto.errors import FixedPartTooLarge, UnknownFormat, UnknownSetting, UnusableInput
from sostenuto.formats import anthropic, openai_chat
from sostenuto.recordings.opening import FORMATS, LIMITS, Recording, open_recording
from sostenuto.replaying import (
    Figures,
    Handed,
    History,
    Metered,
    Row,
    Shadow,
    as_sent,
    components,
    costs,
    estimator_error,
    figures,
    histories,
    items,
    plain,
    predictions,
    rows,
    unedited,
)
from sostenuto.tokens import Ruler, family, ruler
from sostenuto.window import BUILT_IN, lookup

if TYPE_CHECKING:
    from sostenuto.engine import Hit
    from sostenuto.ladder import Settings
    from sostenuto.manager import ContextManager

CODECS = {codec.name: codec for codec in (anthropic.CODEC, openai_chat.CODEC)}
DEFAULT_MODEL = "openai:gpt-4o"
"""Counts plain text where no model is named: the o200k encoding."""
GZIP = b"\x1f\x8b"
OPENAI_ONLY = "exact for OpenAI models since gpt-4o"
LIKE_RECORDS = re.compile(r'\s*\[?\s*\{\s*"')
"""How a recording begins: an object with a name in it, or a list of them."""


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What a replay is run with; the names are those of the command line. `summarizer` None is the mechanical one.

    `counter`: ``o200k`` (exact for OpenAI models), ``family`` (as the model counts), ``recorded`` (the same, learning from the
    recorded usage); None is ``o200k`` where a window is given, else ``family`` (D56). `settings` makes the engine's settings for
    the tokens of the window, because a line may be given in tokens (B027); None: the defaults.
    """

    format: str = "auto"
    window: int | None = None
    model: str | None = None
    counter: str | None = None
    summarizer: Callable[[str], str] | None = None
    history: History = "full"
    max_output: int | None = None
    settings: Callable[[int], Settings] | None = None
    pins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """A finished replay. `counted`, `window_source` and `remarks` are words for people.

    `unedited` are the tokens of each request had nothing been rewritten, comparable with the rows' own: the same tools and
    hidden parts are in both.
    """

    recording: Recording
    rows: tuple[Row, ...]
    figures: Figures
    unedited: tuple[int, ...]
    counted: str
    window_source: str
    remarks: tuple[str, ...]
    manager: ContextManager

    def snapshot(self) -> dict[str, Any]:
        """Transcript and edits as plain values, for `recalled`."""
        return self.manager.snapshot()


Watch = Callable[[Iterable[Row], int], Iterator[Row]]
"""Looks at the rows as they come; is told how many there will be."""


def replay(path: Path, options: ReplayOptions, *, watch: Watch = lambda rows, total: iter(rows)) -> Replayed:
    """Replay a recorded session through a context manager.

    Raises UnusableInput for a file without a recorded reply or a request that cannot be made to fit, UnknownSetting for a model,
    a format or a reply's size that cannot be used.
    """
    if options.format not in ("auto", *FORMATS):
        near = "".join(f"did you mean {name!r}? " for name in get_close_matches(options.format, FORMATS, n=1))
        raise UnknownSetting(f"--format {options.format!r} is not known; {near}use auto, {', '.join(FORMATS)}")
    recording = open_recording(path, format=options.format)
    model = options.model or recording.model or DEFAULT_MODEL
    window_source = _window_source(options, model)
    codec = CODECS[recording.format]
    counter = options.counter or ("o200k" if options.window else "family")
    by = ruler(model, weigher=openai_encoder("o200k")) if counter == "o200k" else _ruler(model)
    metered = Metered(options.summarizer, by.text) if options.summarizer else None
    manager = _manager(options, model=model, by=by, summarizer=metered, form=recording.format)
    shadow = Shadow(decode=codec.decode, model=model) if counter == "recorded" else None
    run, learned = _run(path, recording, manager=manager, options=options, shadow=shadow, watch=watch)

    def weigh(message: Any) -> int:
        return by.tokens(by.measure(codec.decode(message)))

    handed = histories(recording, history=options.history, pins=options.pins)
    doing_nothing = costs(plain(handed, system=recording.system), weigh=weigh)
    found = figures(
        run,
        doing_nothing=doing_nothing,
        weigh=weigh,
        problems=lambda row: codec.problems(row.native),
        estimator_error=estimator_error(predictions(histories(recording, history="as-sent"), decode=codec.decode, model=model)),
        summarizer=metered.tokens if metered else 0,
    )
    counted_here = list(zip(found.costs.requests, doing_nothing.requests, strict=True))
    sizes = [one or other for one, other in zip(learned or counted_here, counted_here, strict=True)]
    return Replayed(
        recording=recording,
        rows=run,
        figures=found,
        unedited=unedited([row.tokens for row in run], sent=[one for one, _ in sizes], plain=[other for _, other in sizes]),
        counted=_counted_with(by, model, counter=counter, named=bool(options.model or recording.model)),
        window_source=window_source,
        remarks=_unknown_model(options.model),
        manager=manager,
    )


def _manager(options: ReplayOptions, *, model: str, by: Ruler, summarizer: Metered | None, form: str) -> ContextManager:
    from sostenuto.manager import ContextManager

    window = options.window or ContextManager(model=model).window.tokens
    if options.max_output is not None and options.max_output >= window:
        raise UnknownSetting(
            f"--max-output {options.max_output:,}: leaves nothing of a window of {window:,} tokens; give fewer or a larger --window"
        )
    return ContextManager(
        model=model,
        window=options.window,
        counter=by.weigher,
        summarizer=summarizer or "mechanical",
        format=form,
        settings=options.settings(window) if options.settings else None,
    )


Sizes = tuple[int, int]
"""Tokens of a request's conversation, as it was sent and as it would have been without any rewrite."""


def _run(
    path: Path, recording: Recording, *, manager: ContextManager, options: ReplayOptions, shadow: Shadow | None, watch: Watch
) -> tuple[tuple[Row, ...], list[Sizes | None]]:
    """The rows, and with a `shadow` the sizes by what it had learned at each request, None where it knew nothing yet.

    Raises UnusableInput where there is no request, or one that cannot be made to fit.
    """
    asked = 0
    learned: list[Sizes | None] = []

    def handed() -> Iterator[Handed]:
        nonlocal asked
        for one in histories(recording, history=options.history, pins=options.pins):
            asked += 1
            yield one

    def feed(row: Row, one: Handed) -> None:
        if shadow is None:
            return
        bodies = items(row.native), items({"system": recording.system, "messages": one.messages})
        sent, unrewritten = (shadow.total(one.reply, body) for body in bodies)
        learned.append((sent, unrewritten) if shadow.knows(one.reply) else None)
        # the recorded number belongs to what was sent at the time; of our request it tells the ratio and what the file hides
        if shadow.learn(as_sent(recording, one.reply)) is not None:
            total = shadow.total(one.reply, items(row.native))
            manager.record({"input_tokens": total, "output_tokens": one.reply.output or 0})

    # a replay stands for a caller who hands the retrieval tools over, so placeholders may name them (D41)
    own = manager.tools()
    found = rows(recording, manager, handed=handed(), pins=options.pins, max_output=options.max_output, tools=own, after=feed)
    try:
        run = tuple(watch(found, len(recording.exchanges)))
    except FixedPartTooLarge as error:
        raise UnusableInput(_unfit(path, error, number=asked)) from error
    if not run:
        left = "".join(f"; line {one.line} was left out: {one.kind}, {one.reason}" for one in recording.skipped[:1])
        what = "no recorded reply, so there is no request to replay; name a recording with assistant messages"
        raise UnusableInput(f"{path}: {what}{left}")
    return run, learned


def _unfit(path: Path, error: FixedPartTooLarge, *, number: int) -> str:
    """Why a request cannot be made, and what to do about it. The class is named last, for who looks for it."""
    least = sum(error.components.values())
    listed = ", ".join(f"{name} {tokens:,}" for name, tokens in error.components.items())
    meant = "; 'least' is what must stay of a piece" if "least" in listed else ""
    return (
        f"{path}, request {number}: needs {least:,} tokens at least ({listed}{meant}) but the window is {error.window:,} tokens; "
        f"give a larger one with --window N, or another --model (FixedPartTooLarge)"
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
    raise UnknownSetting(f"--model {model!r}: its window is not known;{_nearest(model, ' ')} name the window with --window N")


def _parted(model: str) -> tuple[str, str]:
    provider, colon, name = model.partition(":")
    return (provider, name) if colon else ("", model)


@dataclass(frozen=True, slots=True)
class Counted:
    """The count of a file. `components` sum up to `tokens`; `how` says in words how they were counted, `remarks` what to beware of."""

    tokens: int
    exact: bool
    how: str
    model: str
    kind: str
    characters: int
    components: Mapping[str, int]
    remarks: tuple[str, ...] = ()


def counted(path: Path, *, model: str | None = None) -> Counted:
    """The tokens of a recorded session's whole history, by component, or of any other text file.

    Raises UnusableInput for a file that cannot be read or is no text.
    """
    remarks = _unknown_model(model)
    try:
        recording = open_recording(path)
    except UnusableInput as problem:
        text = _text(path, problem=problem)
        if LIKE_RECORDS.match(text) and not isinstance(problem, UnknownFormat):
            remarks += (f"looks like a recorded session that cannot be read, so it was counted as plain text: {problem}",)
        return _counted_text(text, model=model or DEFAULT_MODEL, named=bool(model), remarks=remarks)
    remarks += tuple(f"{path}, line {one.line}: {one.reason}; it was not counted" for one in recording.skipped if one.kind == "torn")
    asked = model or recording.model
    return _counted_recording(recording, model=asked or DEFAULT_MODEL, named=bool(asked), remarks=remarks)


def _counted_text(text: str, *, model: str, named: bool, remarks: tuple[str, ...]) -> Counted:
    by = _best_ruler(model)
    tokens = by.text(text)
    return Counted(tokens, by.weigher.exact, _how(by, model, named=named), model, "text", len(text), {"text": tokens}, remarks)


def _counted_recording(recording: Recording, *, model: str, named: bool, remarks: tuple[str, ...]) -> Counted:
    by, codec = _best_ruler(model), CODECS[recording.format]
    found, characters = components(recording, by=by, codec=codec)
    return Counted(
        tokens=sum(found.values()),
        exact=by.weigher.exact,
        how=_how(by, model, named=named),
        model=model,
        kind=f"{recording.reader} recording, {len(recording.messages):,} message{'' if len(recording.messages) == 1 else 's'}",
        characters=characters,
        components=found,
        remarks=remarks,
    )


def _text(path: Path, *, problem: UnusableInput) -> str:
    try:
        with path.open("rb") as stream:
            zipped = stream.peek(2).startswith(GZIP)
            data = (gzip.GzipFile(fileobj=stream) if zipped else stream).read(LIMITS.line + 1)
    except (OSError, EOFError, zlib.error):
        raise problem from None
    if len(data) > LIMITS.line:
        raise UnusableInput(f"{path}: larger than {LIMITS.line:,} bytes; count a part of it")
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


def _how(by: Ruler, model: str, *, named: bool) -> str:
    """How `by` counts, in words; exact is said only of the model that was named."""
    if by.weigher.exact:
        name = by.weigher.name.removeprefix("exact (").removesuffix(")")
        return f"{name} (exact)" if named else f"{name}, {OPENAI_ONLY}"
    return f"{by.weigher.name} for {model}, {by.calibration.ratio:g} to a token (an estimate)"


def _counted_with(by: Ruler, model: str, *, counter: str, named: bool) -> str:
    """How a replay counted, and which model was not asked (D56)."""
    if counter != "o200k":
        return _how(by, model, named=named) + (", learning from the recorded usage" if counter == "recorded" else "")
    if not named:
        return f"o200k, {OPENAI_ONLY}"
    if family(model).name == "o200k":
        return f"o200k (exact for {model})"
    return f"o200k, {OPENAI_ONLY}, not as {model} counts (--counter family does)"


def _unknown_model(model: str | None) -> tuple[str, ...]:
    """A remark where the model that was named is in no catalogue: it may be misspelt."""
    if model is None or lookup(*_parted(model)) is not None:
        return ()
    return (f"--model {model!r} is not in the catalogue{_nearest(model, ' (', ')')}; nothing is known about it beyond its name",)


def _nearest(model: str, before: str, after: str = "") -> str:
    known = [f"{entry.provider}:{entry.model}" for entry in BUILT_IN]
    return "".join(f"{before}did you mean {near!r}?{after}" for near in get_close_matches(model, known, n=1))
