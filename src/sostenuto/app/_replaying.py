"""A recorded session through a context manager."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sostenuto.app._naming import DEFAULT_MODEL, unknown_model, window_source
from sostenuto.app._rulers import counted_with, plain_ruler
from sostenuto.app._wires import CODECS
from sostenuto.encoders.openai import openai_encoder
from sostenuto.errors import FixedPartTooLarge, UnknownSetting, UnusableInput
from sostenuto.recordings.opening import FORMATS, Recording, open_recording
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
    unedited,
    unrewritten,
)
from sostenuto.tokens import Ruler, ruler

if TYPE_CHECKING:
    from sostenuto.ladder import Settings
    from sostenuto.manager import ContextManager


_LINES_NAMED = 5


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What a replay is run with; the names are those of the command line. `summarizer` None is the mechanical one.

    `counter`: ``o200k`` (exact for OpenAI models), ``family`` (as the model counts), ``recorded`` (the same, learning from the
    recorded usage); None is ``o200k`` where a window is given, else ``family`` (D56). `settings` makes the engine's settings for
    the tokens of the window, because a line may be given in tokens (B027); None: the defaults.
    `skip_broken_lines` as `open_recording`.
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
    skip_broken_lines: bool = False


@dataclass(frozen=True, slots=True)
class Replayed:
    """A finished replay. `counted`, `window_source` and `remarks` are words for people.

    `unedited` are the tokens of each request had nothing been rewritten, comparable with the rows' own: the same tools and
    hidden parts are in both. `doing_nothing` is what the messages alone would have cost, `summarized` what the summarizer read and
    wrote; `by` counts as the run did, without what it learned.
    """

    recording: Recording
    options: ReplayOptions
    rows: tuple[Row, ...]
    figures: Figures
    unedited: tuple[int, ...]
    doing_nothing: Costs
    summarized: int
    by: Ruler
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
    recording = open_recording(path, format=options.format, skip_broken_lines=options.skip_broken_lines)
    model = options.model or recording.model or DEFAULT_MODEL
    source = window_source(model, stated=options.window, named=options.model is not None)
    codec = CODECS[recording.format]
    counter = options.counter or ("o200k" if options.window else "family")
    by = ruler(model, weigher=openai_encoder("o200k")) if counter == "o200k" else plain_ruler(model)
    metered = Metered(options.summarizer, by.text) if options.summarizer else None
    manager = _manager(options, model=model, by=by, summarizer=metered, form=recording.format)
    shadow = Shadow(decode=codec.decode, model=model) if counter == "recorded" else None
    run, learned = _run(path, recording, manager=manager, options=options, shadow=shadow, watch=watch)

    def weigh(message: Any) -> int:
        return by.tokens(by.measure(codec.decode(message)))

    handed = histories(recording, history=options.history, pins=options.pins)
    doing_nothing = costs(plain(handed, system=recording.system, format=recording.format), weigh=weigh)
    summarized = metered.tokens if metered else 0
    found = figures(
        run,
        doing_nothing=doing_nothing,
        weigh=weigh,
        problems=lambda row: codec.problems(row.native),
        estimator_error=estimator_error(predictions(histories(recording, history="as-sent"), decode=codec.decode, model=model)),
        summarizer=summarized,
    )
    counted_here = list(zip(found.costs.requests, doing_nothing.requests, strict=True))
    sizes = [one or other for one, other in zip(learned or counted_here, counted_here, strict=True)]
    return Replayed(
        recording=recording,
        options=options,
        rows=run,
        figures=found,
        unedited=unedited([row.tokens for row in run], sent=[one for one, _ in sizes], plain=[other for _, other in sizes]),
        doing_nothing=doing_nothing,
        summarized=summarized,
        by=by,
        counted=counted_with(by, model, counter=counter, named=bool(options.model or recording.model)),
        window_source=source,
        remarks=(*unknown_model(options.model), *(_left_out(recording) if options.skip_broken_lines else ())),
        manager=manager,
    )


def _left_out(recording: Recording) -> tuple[str, ...]:
    """A remark that names the broken lines, if there are any."""
    lines = [f"{one.line:,}" for one in recording.skipped if one.kind == "torn"]
    more = f" and {len(lines) - _LINES_NAMED:,} more" if len(lines) > _LINES_NAMED else ""
    return (f"left out because it cannot be read: line {', '.join(lines[:_LINES_NAMED])}{more}",) if lines else ()


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
        bodies = items(row.native), items(unrewritten(one.messages, system=recording.system, format=recording.format))
        sent, whole = (shadow.total(one.reply, body) for body in bodies)
        learned.append((sent, whole) if shadow.knows(one.reply) else None)
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
