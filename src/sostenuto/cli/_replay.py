"""``sostenuto replay``: what a recorded session would have sent through the engine, request by request."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._input import Input, Named, reading, skip_broken_lines
from sostenuto.cli._output import check_keepable, check_writable, encoded, keep, write_lines, write_page
from sostenuto.cli._settings import PIN, Tokens, engine_settings, explained, pairs, pins
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import progress, style

if TYPE_CHECKING:
    from sostenuto.app import Replayed
    from sostenuto.cli._summary import Told
    from sostenuto.replaying import Row

COUNTERS = ("family", "o200k", "recorded")
HELP = """Replay the recorded session FILE: at each recorded reply, show what the engine would have sent.

FILE is what an agent or a library has recorded, plain or gzipped, or - for standard input. What it is, is seen from its
content: a session of Claude Code, Codex, Gemini CLI, OpenClaw, pi or aider, a trajectory of SWE-agent or in ATIF, an
Inspect log, tau-bench results, a LiteLLM log, a VCR cassette, or a plain list of messages. --format insists on one of
aider, atif, cassette, claude_code, codex, gemini_cli, inspect, litellm_log, messages, openclaw, pi, swe_agent, tau_bench.

No model is asked, nothing is sent anywhere, and nothing but the files you name is written.

\b
Examples:
  the recorded model's window:
    sostenuto replay session.jsonl
  a smaller one, counted with o200k:
    sostenuto replay session.jsonl.gz --window 32k
    zcat s.jsonl.gz | sostenuto replay - --window 32k
  other settings (--set help lists them):
    sostenuto replay s.jsonl --set compact=0.75
    sostenuto replay s.jsonl --set pin='keep vault/'
    sostenuto replay s.jsonl --summarizer null --json
  keep what left, read it back, draw it:
    sostenuto replay s.jsonl --window 16k --keep kept/
    sostenuto recall --keep kept/ m12.0
    sostenuto replay s.jsonl --report report.html
"""


@click.command("replay", help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("file", type=Named("recorded session"))
@click.option("--format", "form", default="auto", metavar="NAME", help="Kind of recording; recognised by its content unless given.")
@click.option("--window", type=Tokens(least=1), metavar="N", help="Tokens the model takes: 32000, 32k, 1m.")
@click.option(
    "--model",
    metavar="PROVIDER:ID",
    help="Model whose window to use, and its way of counting unless --window makes that o200k; default: the recorded one.",
)
@click.option(
    "--counter",
    type=click.Choice(COUNTERS),
    help="How to count: family as the model does, o200k exactly as OpenAI models since gpt-4o do, recorded as the model and learning "
    "from the recorded usage. Default: o200k with --window, whatever the model is, so that runs can be compared; else family.",
)
@click.option(
    "--summarizer",
    default="mechanical",
    show_default=True,
    metavar="mechanical|null|extractive|COMMAND",
    help="Who writes summaries. A command reads the prompt on standard input; no shell is involved.",
)
@click.option(
    "--history",
    type=click.Choice(("full", "as-sent")),
    default="full",
    show_default=True,
    help="Hand over everything, or what the recorded program itself had sent after its own summaries.",
)
@click.option("--max-output", type=Tokens(least=0), metavar="N", help="Tokens to keep free for the reply; fewer than the window.")
@click.option(
    "--set",
    "words",
    multiple=True,
    metavar="KEY=VALUE",
    is_eager=True,
    callback=lambda ctx, _, words: _explain(ctx, words),
    help="A setting of the engine; --set help lists them all. pin=TEXT plants a pinned message.",
)
@click.option(
    "--requests", "requests_file", type=Named("file", output=True), metavar="OUT.jsonl", help="Write every request, one JSON object a line."
)
@click.option(
    "--keep", "folder", type=Named("folder", output=True), metavar="DIR", help="Leave the transcript and its edits for sostenuto recall."
)
@click.option(
    "--report",
    "report_file",
    type=Named("file", output=True),
    metavar="OUT.html",
    help="Write a page for a browser: the chart, every request, what left view and why. One file, needs no network, secrets left out.",
)
@skip_broken_lines
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON.")
def command(
    file: Path,
    *,
    form: str,
    window: int | None,
    model: str | None,
    counter: str | None,
    summarizer: str,
    history: str,
    max_output: int | None,
    words: tuple[str, ...],
    requests_file: Path | None,
    folder: Path | None,
    report_file: Path | None,
    skip_broken_lines: bool,
    as_json: bool,
) -> None:
    """Replay the recording, leave what was asked for, and print its summary."""
    started = time.perf_counter()
    given = pairs(words)
    if window is not None:
        engine_settings(given, window=window)  # what is wrong is said before anything is read
    from sostenuto import app
    from sostenuto.cli._summarizers import summarizer as named

    options = app.ReplayOptions(
        format=form,
        window=window,
        model=model,
        counter=counter,
        summarizer=named(summarizer),
        history="full" if history == "full" else "as-sent",
        max_output=max_output,
        settings=lambda tokens: engine_settings(given, window=tokens),
        pins=pins(given),
        skip_broken_lines=skip_broken_lines,
    )
    with reading(file) as source:
        _check(requests_file, report_file, read=file, folder=folder, source=source)
        replayed = app.replay(source.path, options, watch=_watch)
    _leave(replayed, requests_file=requests_file, folder=folder, source=source)
    if report_file is not None:
        _report(report_file, replayed, source=source.name, given=[("Summaries", summarizer), *given], folder=folder)
    seconds = time.perf_counter() - started
    if as_json:
        click.echo(encoded({**replayed.figures.as_dict(), "seconds": round(seconds, 3)}), nl=False)
    else:
        _print(_told(replayed, source=source.name, folder=folder, summarizer=summarizer, seconds=seconds))


def _check(*outputs: Path | None, read: Path, folder: Path | None, source: Input) -> None:
    """Raise where a file or the folder cannot be written, or two files are one; called before the work."""
    named = [path for path in outputs if path is not None]
    for path in named:
        check_writable(path, other_than=read)
    if len({os.path.realpath(path) for path in named}) < len(named):
        raise click.UsageError(f"{named[0]}: is named for two results; name a file for each")
    if folder is not None:
        check_keepable(folder, source=source.identity)


def _explain(ctx: click.Context, words: tuple[str, ...]) -> tuple[str, ...]:
    """Print what the keys of --set mean, and stop, where that is asked for."""
    if "help" in words:
        from sostenuto.ladder import Settings

        click.echo(explained(Settings(), width=style(sys.stdout, os.environ).width))
        ctx.exit()
    return words


def _leave(replayed: Replayed, *, requests_file: Path | None, folder: Path | None, source: Input) -> None:
    """Write what was asked for and say what to beware of; nothing is written before the whole session was replayed."""
    for remark in replayed.remarks:
        say(f"sostenuto: {remark}")
    if requests_file is not None:
        from sostenuto.replaying import record

        write_lines(requests_file, map(record, replayed.rows))
    if folder is not None:
        keep(folder, replayed.snapshot(), source=source.identity)


def _report(path: Path, replayed: Replayed, *, source: str, given: Iterable[tuple[str, str]], folder: Path | None) -> None:
    """Write the page of the replay. `given` are the summarizer and what was set, by name; pins the page has from the replay."""
    from sostenuto.app import replay_report

    settings = [(key if key == "Summaries" else f"--set {key}", value) for key, value in given if key != PIN]
    kept_in = shlex.quote(str(folder)) if folder is not None else None
    write_page(path, replay_report(replayed, source=source, settings=settings, kept_in=kept_in))


def _watch(rows: Iterable[Row], total: int) -> Iterator[Row]:
    return progress(rows, total=total, what="replaying request", stream=sys.stderr, environment=os.environ)


def _told(replayed: Replayed, *, source: str, folder: Path | None, summarizer: str, seconds: float) -> Told:
    from sostenuto.cli._summary import Told

    recording = replayed.recording
    return Told(
        source=source,
        reader=recording.reader,
        format=recording.format,
        window_source=replayed.window_source,
        counted=replayed.counted,
        rows=replayed.rows,
        figures=replayed.figures,
        unedited=replayed.unedited,
        kept_in=str(folder) if folder is not None else None,
        left_out=dict(Counter(skipped.kind for skipped in recording.skipped)),
        summarizer=summarizer,
        seconds=seconds,
    )


def _print(told: Told) -> None:
    from sostenuto.cli._summary import summary

    click.echo(summary(told, style(sys.stdout, os.environ)))
