"""``sostenuto verify``: what our engine and other libraries would lose of a person's own session, and what that would cost."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sostenuto.cli._input import Named, reading, skip_broken_lines
from sostenuto.cli._output import encoded
from sostenuto.cli._settings import Tokens
from sostenuto.cli._terminal import Style, count, folded, percent, progress, style
from sostenuto.errors import UnusableInput

if TYPE_CHECKING:
    from sostenuto.app import Outcome, Verified
    from sostenuto.judging import Verdict

WHAT = 12
"""Columns of the word before each line about a strategy."""


@click.command("verify", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("file", metavar="SESSION", type=Named("recorded session"))
@click.option("--window", type=Tokens(least=1), metavar="N", help="Tokens the model takes: 32000, 32k, 1m. Default: the recorded model's.")
@click.option(
    "--peer",
    "peers",
    multiple=True,
    metavar="NAME",
    help="A strategy of another library, may be given several times; default: every one that is installed. --peer help lists them.",
    is_eager=True,
    callback=lambda ctx, _, names: _listed(ctx, names),
)
@click.option("--format", "form", default="auto", metavar="NAME", show_default=True, help="What the recording is; auto looks into it.")
@skip_broken_lines
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON.")
def command(file: Path, *, window: int | None, peers: tuple[str, ...], form: str, skip_broken_lines: bool, as_json: bool) -> None:
    """Send the recorded SESSION through our engine, and through other libraries where they are installed, and judge each request.

    Everybody gets the same messages and the same window and is judged by the same ruler. Each runs in a process of its own,
    without a network; no model is asked. SESSION - is standard input.

    \b
    Examples:
      sostenuto verify session.jsonl
      sostenuto verify session.jsonl.gz --window 60k
      pip install langchain
      sostenuto verify s.jsonl --peer langchain-trim
      sostenuto verify session.jsonl --window 32k --json
    """
    from sostenuto import app

    with reading(file) as source:
        found = app.verify(source.path, window=window, peers=peers, format=form, skip_broken_lines=skip_broken_lines, watch=_watch)
    if as_json:
        click.echo(encoded({"session": source.name, **found.as_dict()}), nl=False)
    else:
        click.echo("\n".join(told(found, name=source.name, drawn=style(sys.stdout, os.environ))))
    ours = found.outcomes[0].verdict
    if ours is not None and ours.failed == ours.requests:
        raise UnusableInput(
            f"{source.name}: not one of its {count(ours.requests, 'request')} can be made in a window of {found.window:,} tokens; "
            "give a larger one with --window N"
        )


def told(found: Verified, *, name: str, drawn: Style) -> Iterator[str]:
    """The verdicts in plain words, ours first, in lines that fit the terminal."""
    for line in _opening(found, name=name):
        yield from folded(line, width=drawn.width)
    for one in found.outcomes:
        yield ""
        yield from (drawn.paint(line, "bold") for line in folded(_title(one), width=drawn.width))
        for what, words in _verdict(one) if one.verdict else [("no answer", one.problem)]:
            yield from folded(words, width=drawn.width, first=f"  {what:{WHAT}}", rest=" " * (WHAT + 2))
    for line in _missing(found):
        yield from folded(line, width=drawn.width) or [""]


def _opening(found: Verified, *, name: str) -> Iterator[str]:
    yield f"{name}: {count(found.messages, 'message')}, {count(found.requests, 'request')}, up to {count(found.tokens, 'token')}"
    yield f"Judged in a window of {found.window:,} tokens, counted with {found.ruler}."
    if found.over:
        yield f"Without doing anything, {found.over:,} of {count(found.requests, 'request')} would be refused as too long."
    elif any(one.verdict and one.verdict.saved > 0 for one in found.outcomes):
        yield (
            f"Without doing anything, every request would fit: the longest has {found.tokens:,} tokens. What is out of view below "
            "left before the window was full, which is what keeps it from filling up."
        )
    else:
        yield f"Nothing has to be left out: the longest request has {found.tokens:,} tokens. Try a smaller --window."


def _title(one: Outcome) -> str:
    version = f" {one.version}" if one.version else ""
    stand_in = " (a script that copies sentences stands for its model)" if one.contender.summarizer else ""
    return f"{one.contender.title}{version}{stand_in}"


def _verdict(one: Outcome) -> Iterator[tuple[str, str]]:
    verdict = one.verdict
    assert verdict is not None
    yield "fits", _fits(verdict)
    if verdict.failed == verdict.requests:
        yield from (("says", failure) for failure in verdict.failures[:1])
        return
    yield "keeps", _keeps(verdict)
    yield ("loses" if verdict.recoverable is None else "out of view"), _loses(verdict)
    if verdict.recoverable is not None:
        yield "gives back", _gives_back(verdict)
    yield "costs", _costs(verdict)
    yield "takes", f"{verdict.p50_ms:.1f} ms of CPU for a request, in 99 of 100 at most {verdict.p99_ms:.0f} ms"
    for failure in verdict.failures[:1]:
        yield "says", failure
    if one.problem or one.remark:
        yield "beware", one.problem or one.remark


def _fits(verdict: Verdict) -> str:
    parts = []
    if verdict.failed:
        parts.append(f"{count(verdict.failed, 'request')} could not be made")
    if verdict.over:
        parts.append(f"{count(verdict.over, 'request')} too long")
    if verdict.broken:
        parts.append(f"{count(verdict.broken, 'request')} with a call without its result, or the reverse")
    if verdict.unavoidable:
        parts.append(f"{count(verdict.unavoidable, 'request')} too long whatever is left out")
    of = f"of {count(verdict.requests, 'request')}"
    return f"{of}, {', '.join(parts)}" if parts else f"{of}, all; the largest has {verdict.peak:,} tokens"


def _keeps(verdict: Verdict) -> str:
    return (
        f"the first request in {percent(verdict.task.mean)} of the requests, the newest in {percent(verdict.newest.mean)}, "
        f"and {percent(verdict.users.mean)} of all that a person had said"
    )


def _loses(verdict: Verdict) -> str:
    read, modified = 1 - verdict.files_read.mean, 1 - verdict.files_modified.mean
    values = round(verdict.probes * (1 - verdict.facts))
    parts = [f"{percent(modified)} of the changed and {percent(read)} of the read files by name"]
    if verdict.probes:
        parts.append(f"{values} of {verdict.probes} exact values that were needed again")
    return ", ".join(parts)


def _gives_back(verdict: Verdict) -> str:
    if not verdict.gone:
        return "nothing had to leave"
    values = ""
    if verdict.facts_reachable is not None and verdict.probes:
        values = f", and {round(verdict.probes * verdict.facts_reachable)} of the {verdict.probes} values in view or by searching"
    return f"{percent(verdict.recoverable or 0)} of the {verdict.gone:,} tool results that left, byte for byte{values}"


def _costs(verdict: Verdict) -> str:
    return (
        f"{verdict.cost:.2f} of sending everything each time, with a provider's cache; {percent(max(0.0, verdict.saved))} fewer tokens, "
        f"{percent(verdict.rebilled)} of them paid again"
    )


def _missing(found: Verified) -> Iterator[str]:
    if not found.missing:
        return
    yield ""
    if len(found.outcomes) == 1:
        yield "No other library is installed here to compare with. Install one beside this program and run again, for example:"
        yield "  pip install langchain"
    else:
        yield f"Not installed here: {', '.join(found.missing)}."


def _listed(ctx: click.Context, names: tuple[str, ...]) -> tuple[str, ...]:
    """Print the names of all peers, and stop, where that is asked for."""
    if "help" in names:
        from sostenuto.app import peer_names

        click.echo("\n".join(peer_names()))
        ctx.exit()
    return names


def _watch(outcomes: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    return progress(outcomes, total=total, what="judging strategy", stream=sys.stderr, environment=os.environ)
