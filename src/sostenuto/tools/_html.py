"""The words of a page: its tags taken away, lines where blocks end, links kept. In linear time, whatever the page is."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import urljoin

_BLOCKS = frozenset(
    [
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "br",
            "dd",
            "div",
            "dl",
            "dt",
            "fieldset",
            "figure",
            "footer",
            "form",
            "header",
            "hr",
        ),
        *("main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul", "li", "h1", "h2", "h3", "h4", "h5", "h6", "title", "option"),
    ]
)
_SILENT = frozenset(["script", "style", "noscript", "template", "svg", "iframe", "object", "math"])
_HEADS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_NAME = re.compile(r"/?([A-Za-z][A-Za-z0-9]{0,20})")
_HREF = re.compile(r"""\bhref\s{0,5}=\s{0,5}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
_LONGEST_TAG = 8_000
_MOST_QUOTES = 32
_ANY_SPACES = re.compile(r"\s+")
_MARK = re.compile(r"[>\"']")
_SPACES = re.compile(r"[ \t\r\f\v\xa0]+")


def page_text(page: str, *, base: str) -> str:
    """The words of an HTML page; links as ``[words](address)``, relative ones made whole with `base`."""
    pieces: list[str] = []
    href = ""
    keeps = 0  # how many <pre> are open
    for kind, words in _tokens(page):
        if kind == "text":
            said = html.unescape(words)
            pieces.append(said if keeps else _ANY_SPACES.sub(" ", said))
            continue
        name, closes = kind.removeprefix("/"), kind.startswith("/")
        if name in _BLOCKS:
            pieces.append("\n")
            pieces.append(_HEADS.get(name, "- " if name == "li" else "") if not closes else "")
        if name == "pre":
            keeps = max(0, keeps + (-1 if closes else 1))
        elif name in ("td", "th") and closes:
            pieces.append("\t")
        elif name == "a":
            target = "" if closes else _target(words, base)
            pieces.append(f"]({href})" if href else "")
            pieces.append("[" if target else "")
            href = target
    return _tidied("".join(pieces) + (f"]({href})" if href else ""))


def _target(tag: str, base: str) -> str:
    found = _HREF.search(tag)
    href = html.unescape(next((group for group in found.groups() if group), "") if found else "").strip()
    if not href or href.startswith(("#", "javascript:", "data:", "mailto:")) or len(href) > 500:
        return ""
    try:
        return urljoin(base, href)
    except ValueError:
        return ""


def _tokens(page: str) -> Iterator[tuple[str, str]]:
    """Texts, and tags by name (``/name`` for an end); comments and the insides of silent elements are passed over."""
    at = 0
    while (opened := page.find("<", at)) >= 0:
        yield "text", page[at:opened]
        if page.startswith("<!--", opened):
            end = page.find("-->", opened + 4)
            if end < 0:
                return
            at = end + 3
            continue
        name = _NAME.match(page, opened + 1)
        if name is None and not page.startswith(("<!", "<?", "</"), opened):
            yield "text", "<"
            at = opened + 1
            continue
        end = _tag_end(page, opened)
        if end < 0:
            return
        at = end + 1
        if name is None:
            continue
        lowered = name.group(1).lower()
        closes = page[opened + 1] == "/"
        if lowered in _SILENT and not closes and page[end - 1] != "/":
            closed = re.compile(f"</{lowered}", re.I).search(page, at)
            if closed is None:
                return
            at = closed.start()
            continue
        yield ("/" if closes else "") + lowered, page[opened : min(end, opened + _LONGEST_TAG)]
    yield "text", page[at:]


def _tag_end(page: str, opened: int) -> int:
    """Where a tag ends; a bracket within quotes does not end it, as long as there are not endlessly many of them and they close."""
    at, last = opened, opened + _LONGEST_TAG
    for _ in range(_MOST_QUOTES):
        mark = _MARK.search(page, at, last)
        if mark is not None and mark.group() == ">":
            return mark.start()
        closed = page.find(mark.group(), mark.end(), last) if mark is not None else -1
        if closed < 0:
            break
        at = closed + 1
    return page.find(">", opened)


def _tidied(text: str) -> str:
    """No more than one empty line in a row, no space at the end of a line."""
    lines: list[str] = []
    for line in text.split("\n"):
        line = _SPACES.sub(" ", line).strip() if not line.startswith("    ") else line.rstrip()
        if (line and line != "-") or (lines and lines[-1]):
            lines.append("" if line == "-" else line)
    return "\n".join(lines).strip()
