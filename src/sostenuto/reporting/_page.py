"""The page: one file of HTML, its style, its script and its data inside, that asks nothing of any network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files

from sostenuto.errors import UnusableInput
from sostenuto.replaying import PRICES, Costs
from sostenuto.reporting._data import data
from sostenuto.reporting._embedding import embedded, escaped, hashed
from sostenuto.reporting._folding import glimpse
from sostenuto.reporting._story import Story
from sostenuto.reporting._verdict import left_keys, stayed, verdict
from sostenuto.reporting._words import count, percent

STYLE = "page.css"
SCRIPTS = ("reading.js", "pager.js", "chart.js", "request.js", "finding.js", "page.js")
"""The parts of the script, in the order in which they build on each other."""
SECTIONS = (
    ("glance", "At a glance"),
    ("chart", "Tokens over requests"),
    ("request", "One request"),
    ("search", "Search"),
    ("losses", "What left view"),
    ("cost", "What it costs"),
    ("kept", "What stayed in view"),
    ("settings", "Settings of this run"),
)
TITLE = 300
"""Characters of a title, a name or a value that are shown."""


def page(story: Story) -> str:
    """The report as one HTML document; equal stories give equal bytes. Secrets in its texts are not printed (D59).

    Raises UnusableInput for a story without a request.
    """
    if not story.rows:
        raise UnusableInput("a report needs at least one request; replay a recording with an assistant's message")
    style, script = _resource(STYLE), "".join(map(_resource, SCRIPTS))
    policy = (
        f"default-src 'none'; style-src {hashed(style)}; script-src {hashed(script)}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    title = escaped(f"Sostenuto report: {glimpse(story.title, TITLE)}")
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n',
            f'<meta name="referrer" content="no-referrer">\n<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n',
            *_body(story),
            f'<script type="application/json" id="data">{embedded(data(story))}</script>\n',
            f"<script>{script}</script>\n</body>\n</html>\n",
        )
    )


def _resource(name: str) -> str:
    return files("sostenuto.reporting").joinpath("assets", name).read_text(encoding="utf-8")


def _body(story: Story) -> Iterator[str]:
    links = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words in SECTIONS)
    yield '<a class="skip" href="#main">Skip to the report</a>\n<header>\n<div class="bar"><p class="brand">Sostenuto report</p>'
    yield '<button type="button" id="theme" hidden>Dark colours</button></div>\n'
    yield f"<h1><bdi>{escaped(glimpse(story.title, TITLE))}</bdi></h1>\n"
    yield f'<p class="verdict">{escaped(verdict(story.rows, story.figures, unedited=story.unedited))}</p>\n'
    yield f'<nav aria-label="Parts of the report"><ul>{links}</ul></nav>\n</header>\n<main id="main" tabindex="-1">\n'
    yield '<noscript><p class="note">The chart, the requests and the search need JavaScript; it runs from this file alone.</p></noscript>\n'
    for (name, words), inside in zip(SECTIONS, _sections(story), strict=True):
        yield f'<section id="{name}" aria-labelledby="{name}-h">\n<h2 id="{name}-h">{words}</h2>\n{inside}</section>\n'
    yield f"</main>\n<footer><p>{escaped(_footer(story))}</p></footer>\n"


def _sections(story: Story) -> Iterator[str]:
    yield "<p>Doing nothing means sending the whole history each time.</p>\n" + _facts(_glance(story), kind="cards")
    yield '<div id="chart-room"></div>\n'
    yield '<div id="request-room"></div>\n'
    yield '<div id="search-room"></div>\n'
    yield f'<p>{escaped(_lost(story))}</p>\n<div id="losses-room"></div>\n'
    yield _cost(story)
    yield _kept(story)
    asides = "".join(f"<p>{escaped(glimpse(aside, TITLE))}</p>\n" for aside in story.asides)
    yield _facts((name, glimpse(value, TITLE)) for name, value in story.settings) + asides


def _facts(pairs: Iterable[tuple[str, str]], *, kind: str = "facts") -> str:
    inside = "".join(f"<div><dt>{escaped(name)}</dt><dd><bdi>{escaped(value)}</bdi></dd></div>" for name, value in pairs)
    return f'<dl class="{kind}">{inside}</dl>\n'


def _glance(story: Story) -> Iterator[tuple[str, str]]:
    figures, largest = story.figures, max(row.tokens for row in story.rows)
    share = percent(largest / figures.window) if figures.window else "unknown"
    yield "Requests", f"{figures.requests:,}"
    yield "Window", f"{figures.window:,} tokens"
    yield "Largest request", f"{largest:,} tokens, {share} of the window"
    yield "Largest, doing nothing", f"{max(story.unedited, default=0):,} tokens"
    yield "Tokens sent", f"{sum(row.tokens for row in story.rows):,} (doing nothing: {sum(story.unedited):,})"
    yield "Input cost", f"{figures.input_cost_ratio:.2f} of doing nothing"
    yield "Billed again", f"{figures.costs.rebilled:,} tokens, after {count(figures.costs.breaks, 'rewrite')} of the prefix"
    yield "Left view", f"{count(len(left_keys(story.rows)), 'key')} to read it back"
    if figures.over_window:
        yield "Would not fit", count(figures.over_window, "request")
    if figures.invalid:
        yield "Would be refused as malformed", count(figures.invalid, "request")


def _lost(story: Story) -> str:
    if not left_keys(story.rows):
        return "Nothing left view: every request is the history as it was handed over."
    if story.kept_in is None and not story.recalled:
        return "Run the replay again with --keep DIR to read the originals back with: sostenuto recall --keep DIR KEY"
    return "Each original is read back, byte for byte, by its key."


def _cost(story: Story) -> str:
    rows = (("This run", story.figures.costs, story.summarized), ("Doing nothing: everything sent each time", story.doing_nothing, 0))
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("", "Read from cache", "Sent for the first time", "Billed again", "Summarizer", "Cost in fresh tokens")
    )
    body = "".join(_cost_row(name, run, summarizer) for name, run, summarizer in rows)
    words = (
        f"Cost is counted in fresh input tokens of the messages: what is the same as the beginning of the request before is read from the "
        f"provider's cache at {PRICES.cached:g} of the price; everything behind the first difference is written at {PRICES.written:g}, "
        f"whether it is new or was sent before and is billed again; what a summarizer reads and writes is added at "
        f"{PRICES.summarizer:g}. This run costs {story.figures.input_cost_ratio:.4f} of doing nothing. Tool schemas are "
        f"the same in both and are left out."
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" tabindex="0" role="group" aria-label="Cost table">{table}</div>\n<p>{escaped(words)}</p>\n'


def _cost_row(name: str, run: Costs, summarizer: int) -> str:
    cached = run.sent - run.rebilled - run.appended
    price = run.billed + PRICES.summarizer * summarizer
    cells = "".join(f"<td>{value:,.0f}</td>" for value in (cached, run.appended, run.rebilled, summarizer, price))
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'


def _kept(story: Story) -> str:
    found = [(words[:1].upper() + words[1:], percent(share)) for words, share in stayed(story.rows, story.figures.retention)]
    words = "Share that stands word for word in the request that holds least of it; of a long text its beginning is enough."
    return f"<p>{words}</p>\n" + _facts(found, kind="cards")


def _footer(story: Story) -> str:
    made = f"Made by sostenuto {story.version}. " if story.version else "Made by sostenuto. "
    return (
        f"{made}This file holds everything it shows and asks nothing of any network. What looks like a key, a token or a password is "
        f"shown as [redacted]; other text is as it was sent, so read it before you pass it on."
    )
