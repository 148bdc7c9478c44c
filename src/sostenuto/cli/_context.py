"""``sostenuto context``: what fills a conversation's window, and what a person can do about it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sostenuto.cli._filling import context_entry, context_lines, losses_lines
from sostenuto.cli._given import home
from sostenuto.cli._harmless import one_line
from sostenuto.cli._settings import Tokens
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import style
from sostenuto.cli._whose import SETTINGS, agent_option, json_option, print_json, typed

if TYPE_CHECKING:
    from sostenuto.app import Compacted, Loss, Other, Whose
    from sostenuto.engine import Preview

FAILED = 1
NEWEST = "newest"
UNKEPT = "it could not be written down, so it does not hold for whoever goes on; free some room and try again"


class EditNumber(click.ParamType[int | None]):
    """The number of an edit; without one the newest."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, -1 for the newest. Raises click.BadParameter where it is none."""
        text = str(value)
        if text == NEWEST:
            return -1
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            self.fail(f"{text[:40]!r} is not the number of an edit; sostenuto context CONVERSATION lists them", param, ctx)
        return int(text)


@click.command("context", context_settings=SETTINGS)
@click.argument("conversation")
@click.option("--compact", is_flag=True, help="Summarise older messages now, whatever the fill.")
@click.option("--dry-run", is_flag=True, help="Only show what --compact would do.")
@click.option("--before", metavar="KEY", help="Summarise only what lies before this message (m40).")
@click.option("--focus", metavar="TEXT", default="", help="What the summary shall attend to (with --summarizer model).")
@click.option(
    "--summarizer",
    type=click.Choice(("mechanical", "model")),
    default="mechanical",
    show_default=True,
    help="Who writes the summary; model: the conversation's own.",
)
@click.option("--undo", "undo", type=EditNumber(), is_flag=False, flag_value=NEWEST, metavar="[N]", help="Take back edit N, or the newest.")
@click.option("--redo", "redo", type=EditNumber(), is_flag=False, flag_value=NEWEST, metavar="[N]", help="Put it on again.")
@click.option("--model", metavar="P:ID", help="As if it went on with this model; with --compact it does.")
@click.option("--window", type=Tokens(least=1), metavar="N", help="As if its window were so large: 32000, 32k, 1m; with --compact it is.")
@agent_option
@json_option
def command(
    conversation: str,
    *,
    compact: bool,
    dry_run: bool,
    before: str | None,
    focus: str,
    summarizer: str,
    undo: int | None,
    redo: int | None,
    model: str | None,
    window: int | None,
    agent: str,
    as_json: bool,
) -> int:
    """Show what fills the window of a CONVERSATION: where the window comes from, tokens by component, the largest pieces with their
    keys, and what was done to it so far.

    Looking changes nothing. --compact, --undo and --redo change what is sent from now on, never what was said: every original stays
    readable by its key (sostenuto recall CONVERSATION KEY). They need the conversation for themselves.

    \b
    Examples:
      sostenuto context review
      sostenuto context review --window 32k
      sostenuto context review --compact --dry-run
      sostenuto context review --compact --before m40
      sostenuto context review --undo
    """
    from sostenuto.app import Other, Whose

    wanted = [name for name, given in (("--compact", compact), ("--undo", undo is not None), ("--redo", redo is not None)) if given]
    if len(wanted) > 1:
        raise click.UsageError(f"{' and '.join(wanted)} do not go together; give one of them")
    if not compact and (dry_run or before is not None or focus or summarizer != "mechanical"):
        raise click.UsageError("--dry-run, --before, --focus and --summarizer say how to compact; add --compact")
    whose, other = Whose(home(), agent, conversation, Path.cwd()), Other(model, window)
    if undo is not None or redo is not None:
        if model or window:
            raise click.UsageError("--undo and --redo take no --model or --window")
        return _undo(whose, undo if redo is None else redo, redo=redo is not None, as_json=as_json)
    if compact and dry_run:
        return _preview(whose, other, before=before, as_json=as_json)
    if compact:
        return _compact(whose, other, before=before, focus=focus, by_model=summarizer == "model", as_json=as_json)
    return _show(whose, other, as_json=as_json)


def _show(whose: Whose, other: Other, *, as_json: bool) -> int:
    from sostenuto.app import context

    found = context(whose, other)
    if as_json:
        print_json({"agent": whose.agent, "conversation": whose.conversation, **context_entry(found)})
        return 0
    for line in context_lines(found, whose, other, style(sys.stdout, os.environ)):
        click.echo(line)
    return 0


def _preview(whose: Whose, other: Other, *, before: str | None, as_json: bool) -> int:
    from sostenuto.app import previewed

    found, losses = previewed(whose, other, before=before)
    if as_json:
        print_json(_preview_entry(found, losses))
        return 0
    for line in _lines([found.text, *(losses_lines(losses, "Would leave") if losses else ["Nothing would leave."])]):
        click.echo(line)
    say("sostenuto: nothing was changed (--dry-run)")
    return 0


def _compact(whose: Whose, other: Other, *, before: str | None, focus: str, by_model: bool, as_json: bool) -> int:
    from sostenuto.app import compacted

    if focus and not by_model:
        say("sostenuto: --focus is for a summary that a model writes (--summarizer model); the mechanical one keeps everything alike")
    found = compacted(whose, other, before=before, focus=focus, by_model=by_model)
    for notice in found.notices:
        say(f"sostenuto: {one_line(notice, width=400)}")
    if as_json:
        print_json(_compacted_entry(found))
    else:
        for line in _lines(_compacted_lines(found, whose)):
            click.echo(line)
    if not found.kept:
        say(f"sostenuto: {UNKEPT}")
    return 0 if found.kept and found.rungs else FAILED


def _undo(whose: Whose, number: int | None, *, redo: bool, as_json: bool) -> int:
    from sostenuto.app import undone

    done, kept = undone(whose, None if number == -1 else number, redo=redo)
    if as_json:
        print_json({"applied": done.applied, "edit": done.edit, "tokens": done.tokens, "text": done.text, "kept": kept})
    else:
        click.echo(done.text)
    if not kept:
        say(f"sostenuto: {UNKEPT}")
    return 0 if done.applied and kept else FAILED


def _compacted_lines(found: Compacted, whose: Whose) -> Iterable[str]:
    if not found.rungs:
        yield f"Nothing was changed: nothing is old enough to be summarised ({found.tokens_after:,} tokens)."
        return
    yield f"{found.tokens_before:,} -> {found.tokens_after:,} tokens"
    for rung in found.rungs:
        yield f"{rung.rung} ({rung.reason}): {rung.tokens_before:,} -> {rung.tokens_after:,} tokens"
        yield from losses_lines(rung.losses, "Left")
    named = typed(whose.conversation, agent=whose.agent)
    yield f"Read back: sostenuto recall {named} KEY"
    yield f"Take back: sostenuto context {named} --undo"


def _lines(lines: Iterable[str]) -> Iterable[str]:
    width = style(sys.stdout, os.environ).width
    from sostenuto.cli._terminal import folded

    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        yield from folded(line.strip(), width=width, first=indent, rest=f"{indent}  ") or [""]


def _loss_entries(losses: Sequence[Loss]) -> list[dict[str, Any]]:
    return [{"key": loss.key, "tokens": loss.tokens, "source": loss.source} for loss in losses]


def _preview_entry(found: Preview, losses: Sequence[Loss]) -> dict[str, Any]:
    return {
        "dryRun": True,
        "tokensBefore": found.tokens_before,
        "tokensAfter": found.tokens_after,
        "rungs": list(found.rungs),
        "left": _loss_entries(losses),
        "text": found.text,
    }


def _compacted_entry(found: Compacted) -> dict[str, Any]:
    return {
        "dryRun": False,
        "tokensBefore": found.tokens_before,
        "tokensAfter": found.tokens_after,
        "rungs": [
            {
                "rung": rung.rung,
                "reason": rung.reason,
                "tokensBefore": rung.tokens_before,
                "tokensAfter": rung.tokens_after,
                "left": _loss_entries(rung.losses),
            }
            for rung in found.rungs
        ],
        "notices": list(found.notices),
        "kept": found.kept,
    }
