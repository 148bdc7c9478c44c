"""``sostenuto models``: windows and prices of models, and the explicit refresh of a person's own catalogue."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from sostenuto.cli._given import home
from sostenuto.cli._harmless import printable
from sostenuto.cli._output import encoded
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import Style, count, style

if TYPE_CHECKING:
    from sostenuto.app import Answer, Catalogue, Listed, Refreshed
    from sostenuto.window import Entry, Price, Window

INDENT = 16
"""Columns of the names before the facts of one model."""
TOLD = 8
"""Models that a refresh names of each kind of change."""


@click.command("models", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("query", metavar="[QUERY]", nargs=-1)
@click.option("--provider", metavar="P", default="", help="Only this provider's listings; what people call it will do (gemini, bedrock).")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), default=10, show_default=True, help="Models to list at most.")
@click.option("--refresh", "source", metavar="FILE|URL", help="Replace your own catalogue by this models.dev api.json, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def command(query: tuple[str, ...], *, provider: str, limit: int, source: str | None, as_json: bool) -> None:
    """Show how many tokens models take and what they cost. QUERY is a model (provider:id, or an id alone) or words of its name.

    For a model everything is said: the window that is used and why, limits, prices with those for the cache and for long
    requests, and the catalogue and the day the numbers are from. Nothing is fetched unless --refresh names an address. A
    refreshed catalogue is kept in the data home (SOSTENUTO_HOME); only this command reads it. The library and replay
    use the one that comes with the package, and any window you name.

    \b
    Examples:
      sostenuto models openai:gpt-5
      sostenuto models claude sonnet
      sostenuto models kimi --provider fireworks --limit 20
      sostenuto models gemini-2.5-pro --json
      sostenuto models --refresh https://models.dev/api.json
    """
    from sostenuto.app import models, refresh

    shown = style(sys.stdout, os.environ)
    if source is not None:
        if query or provider:
            raise click.UsageError("--refresh replaces the catalogue and stops; ask for a model in a command of its own")
        if not source.strip():
            raise click.UsageError("--refresh: the name is empty; name a models.dev api.json or its address")
        done = refresh(source, home=home(), today=datetime.now(UTC).date().isoformat())
        click.echo(encoded(_refresh_entry(done)) if as_json else "\n".join(_refresh_lines(done, width=shown.width)) + "\n", nl=False)
        return
    if query and not " ".join(query).strip():
        raise click.UsageError("the query is empty; give a model's name or words of it, or leave it away for the newest models")
    answer = models(" ".join(query), home=home(), provider=provider, limit=limit)
    for remark in answer.remarks:
        say(f"sostenuto: {remark}")
    lines = _named_lines(answer, answer.window, shown=shown) if answer.window else _listed_lines(answer, shown)
    click.echo(encoded(_answer_entry(answer)) if as_json else "\n".join(map(printable, lines)) + "\n", nl=False)


def _named_lines(answer: Answer, window: Window, *, shown: Style) -> list[str]:
    """Everything about one model, in plain words."""
    named, *others = answer.models
    heading = named.entry.name if answer.is_exact else f"{answer.asked} (going by {named.entry.name})"
    lines = [shown.paint(heading, "bold")]
    for name, text in _rows(answer, window):
        lines += _row(name, text, width=shown.width)
    if others:
        lines += ["", f"The same model elsewhere ({len(others) + answer.more:,}):", *_table(others, shown), *_further(answer, shown)]
    return lines


def _rows(answer: Answer, window: Window) -> list[tuple[str, str]]:
    """Name and text of each fact."""
    entry, catalogue = answer.models[0].entry, answer.models[0].catalogue
    share = f"of which {entry.input:,} may be input" if entry.input else "input and output together"
    rows = [
        ("window", f"{window.tokens:,} tokens of input{' at most' if answer.is_local else ''}: {_because(answer, window)}"),
        ("context", f"{entry.context:,} tokens, {share}"),
        ("output", f"{entry.output:,} tokens at most" if entry.output else "no limit is published"),
        *(_price_rows(entry) if not answer.is_local else [("price", _local_price(answer))]),
        ("source", f"{_called(catalogue)}; {_dated(entry, catalogue)}"),
    ]
    rows += [("bundled", _bundled_says(answer.bundled, window))] if answer.bundled else []
    return [*rows, *([("beware", answer.warning)] if answer.warning else [])]


def _dated(entry: Entry, catalogue: Catalogue) -> str:
    return "these facts are its own" if entry.date == catalogue.snapshot else f"these facts are of {entry.date or 'no known day'}"


def _because(answer: Answer, window: Window) -> str:
    """Why this is the number, in words."""
    match = answer.match
    if match is None or window.source != "catalogue":
        return "nothing is known about this name, so this is assumed; name the window yourself where you know it"
    kind = "the separate limit on input" if match.entry.input else "the published context"
    served = "; that is the published maximum, and your server decides how much of it it loads" if answer.is_local else ""
    return f"{kind} of {match.entry.name} ({match.why}){served}"


def _local_price(answer: Answer) -> str:
    return "none: a local server bills nothing" if answer.is_free else "not known: the server passes this one on to somebody who bills"


def _bundled_says(without: Window, window: Window) -> str:
    """What is used by whoever does not read the refreshed catalogue, and how to hand it over."""
    source = "assumed, for nothing is known about this name there" if without.source == "fallback" else "by the catalogue of the package"
    return (
        f"replay and the library use {without.tokens:,} tokens ({source}) until you hand yours over: "
        f"ContextManager(catalogue=FILE), window={window.tokens} or --window {window.tokens}"
    )


def _price_rows(entry: Entry) -> list[tuple[str, str]]:
    if not entry.prices:
        return [("price", "not published")]
    first, *tiers = entry.prices
    if not any(value for price in entry.prices for value in price[1:]):
        return [("price", "$0.00: free, or paid by subscription")]
    return [("price", f"{_dollars(first)}, per million tokens"), *((f"over {tier.above:,}", _dollars(tier)) for tier in tiers)]


def _dollars(price: Price) -> str:
    names = {"input": price.input, "output": price.output, "cache read": price.cache_read, "cache write": price.cache_write}
    return ", ".join(f"{_money(value)} {name}" for name, value in names.items() if value is not None)


def _money(value: float | None) -> str:
    if value is None:
        return "-"
    cents = f"{value:.2f}"
    return f"${cents if float(cents) == value else f'{value:.6g}'}"


def _listed_lines(answer: Answer, shown: Style) -> list[str]:
    told = [f"{_called(one)}: {count(one.models, 'model')}" for one in answer.catalogues]
    told.append("window: tokens of input at most; prices: dollars per million tokens")
    return [*_table(answer.models, shown), *_further(answer, shown), "", *_folded(told, width=shown.width)]


def _further(answer: Answer, shown: Style) -> list[str]:
    told = [f"and {answer.more:,} more; --limit N shows them, --provider P or more words narrow it"] if answer.more else []
    return _folded(told, width=shown.width)


def _folded(texts: Iterable[str], *, width: int) -> list[str]:
    return [line for text in texts for line in textwrap.wrap(text, width - 1, break_on_hyphens=False, break_long_words=False)]


def _table(listed: tuple[Listed, ...] | list[Listed], shown: Style) -> list[str]:
    """A line for each; a name too long for its column has a line of its own."""
    room = shown.width - 47
    wide = min(room, max(len("model"), *(len(one.entry.name) for one in listed)))
    lines = [shown.paint(f"{'model':<{wide}} {'window':>9} {'output':>9} {'$ in':>6} {'$ out':>6}  as of", "dim")]
    for one in listed:
        entry = one.entry
        price = entry.prices[0] if entry.prices else None
        paid = [f"{_plain(price.input)}" if price else "-", f"{_plain(price.output)}" if price else "-"]
        output = f"{entry.output:,}" if entry.output else "-"
        facts = f"{entry.takes:>9,} {output:>9} "
        facts += f"{paid[0]:>6} {paid[1]:>6}  {entry.date}"
        lines += [f"{entry.name:<{wide}} {facts}"] if len(entry.name) <= wide else [entry.name, f"{'':<{wide}} {facts}"]
    return lines


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _called(catalogue: Catalogue) -> str:
    if catalogue.name == "bundled":
        return f"models.dev, snapshot of {catalogue.snapshot} that comes with the package"
    return f"your own catalogue of {catalogue.snapshot}, from {catalogue.source}"


def _row(name: str, text: str, *, width: int) -> list[str]:
    first = f"  {name:<{INDENT - 2}}"
    return textwrap.wrap(text, width - 1, initial_indent=first, subsequent_indent=" " * INDENT, break_on_hyphens=False)


def _refresh_lines(done: Refreshed, *, width: int) -> list[str]:
    """What a refresh did, in words."""
    found, before = done.listing, done.before
    told = [
        f"{count(len(found.entries), 'model')} of {count(done.providers, 'provider')}, as of {found.snapshot}, kept in {done.path}",
        f"skipped {count(found.skipped, 'model')} without a window, or that write no text",
        *([] if done.comes_first else [f"the bundled catalogue of {done.bundled} is not older, so it comes first"]),
        *([f"the file holds {count(len(found.entries), 'model')} and is used beside the bundled ones"] if done.is_partial else []),
        f"makers' own models, against the {before.name} catalogue of {before.snapshot}: "
        f"{len(done.added):,} new, {len(done.changed):,} changed" + ("" if done.is_partial else f", {len(done.removed):,} gone"),
    ]
    lines = _folded(told, width=width)
    rows = [("changed", f"{new.name}: {_difference(old, new)}") for old, new in done.changed[:TOLD]]
    rows += [("new", name) for name in done.added[:TOLD]] + [("gone", name) for name in done.removed[:TOLD]]
    lines += [line for name, text in rows for line in _row(name, text, width=width)]
    hidden = sum(max(0, len(names) - TOLD) for names in (done.changed, done.added, done.removed))
    return [printable(line) for line in lines] + ([f"and {hidden:,} more; --json has them all"] if hidden else [])


def _difference(old: Entry, new: Entry) -> str:
    told = []
    for name, before, after in (
        ("window", old.takes, new.takes),
        ("context", old.context, new.context),
        ("output", old.output, new.output),
    ):
        if before != after:
            told.append(f"{name} {before:,} -> {after:,}")
    if old.prices != new.prices:
        told.append(f"price {_short(old)} -> {_short(new)}")
    return ", ".join(told)


def _short(entry: Entry) -> str:
    return "; ".join(_dollars(price) for price in entry.prices[:1]) or "none"


def _answer_entry(answer: Answer) -> dict[str, object]:
    window, match = answer.window, answer.match
    used = None
    if window is not None:
        used = {
            "tokens": window.tokens,
            "source": window.source,
            "date": window.date,
            "total": window.total,
            "output_limit": window.output_limit,
            "exact": match.is_exact if match else False,
            "why": match.why if match else "",
            "local": answer.is_local,
            "bundled": answer.bundled.tokens if answer.bundled else window.tokens,
        }
    return {
        "window": used,
        "models": [_model_entry(one.entry, one.catalogue.name) for one in answer.models],
        "refreshed": _model_entry(answer.refreshed, "refreshed") if answer.refreshed else None,
        "more": answer.more,
        "catalogues": [{"name": c.name, "snapshot": c.snapshot, "models": c.models, "source": c.source} for c in answer.catalogues],
    }


def _model_entry(entry: Entry, catalogue: str) -> dict[str, object]:
    return {
        "provider": entry.provider,
        "model": entry.model,
        "takes": entry.takes,
        "context": entry.context,
        "input": entry.input or None,
        "output": entry.output or None,
        "prices": [price._asdict() for price in entry.prices],
        "date": entry.date,
        "catalogue": catalogue,
    }


def _refresh_entry(done: Refreshed) -> dict[str, object]:
    return {
        "path": str(done.path),
        "models": len(done.listing.entries),
        "providers": done.providers,
        "skipped": done.listing.skipped,
        "snapshot": done.listing.snapshot,
        "source": done.listing.source,
        "before": {"name": done.before.name, "snapshot": done.before.snapshot},
        "added": list(done.added),
        "removed": list(done.removed),
        "changed": [{"before": _model_entry(old, done.before.name), "after": _model_entry(new, "refreshed")} for old, new in done.changed],
    }
