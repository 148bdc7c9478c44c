"""A catalogue as text, one line an entry: it is searched as it lies, and only the lines that are asked for become entries.

Thousands of entries take tens of milliseconds to build and almost none of them is ever looked at; a search through the text
takes microseconds. A line is ``provider, id in small letters, context, input limit, output limit, date, prices`` and, where it
differs, the id as it is written, all with tabs between. Prices are ``input output cache-read cache-write`` with ``-`` for what
is not published; a tier has ``size:`` in front and ``;`` before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sostenuto.window._entry import Entry, Price, is_name

_HEAD: Final = "sostenuto catalogue 1"
_COLUMNS: Final = 7


class Table:
    """A searchable catalogue. `snapshot` is the day it was taken ("" if nobody said)."""

    __slots__ = ("_text", "snapshot")

    def __init__(self, text: str, *, snapshot: str = "") -> None:
        self._text = text
        self.snapshot = snapshot

    @classmethod
    def of(cls, found: Iterable[Entry], /, *, snapshot: str = "") -> Table:
        """A table of these entries; of two with one name the first counts. What has no proper name is left out."""
        lines: dict[str, str] = {}
        for entry in found:
            if is_name(entry.provider) and is_name(entry.model) and is_name(entry.date or snapshot or "-"):
                lines.setdefault(f"{entry.provider.lower()}\t{entry.model.lower()}", _line(entry, snapshot))
        return cls("\n" + "".join(lines[key] + "\n" for key in sorted(lines)), snapshot=snapshot)

    @classmethod
    def load(cls, text: str, /) -> Table:
        """The table that `dump` wrote. Raises ValueError for any other text."""
        head, newline, lines = text.partition("\n")
        kind, _, snapshot = head.partition("\t")
        if kind != _HEAD or not newline or (lines and not lines.endswith("\n")):
            raise ValueError(f"no catalogue: begins with {head[:40]!r}")
        return cls("\n" + lines, snapshot=snapshot)

    def dump(self) -> str:
        """The table as text, the same for the same entries."""
        return f"{_HEAD}\t{self.snapshot}{self._text}"

    def __len__(self) -> int:
        return self._text.count("\n") - 1

    def __iter__(self) -> Iterator[Entry]:
        return (entry for line in self._text.split("\n") if (entry := _parsed(line)) is not None)

    def before(self, other: Table, /) -> Table:
        """Both in one; an entry of this one hides the entry of the same name in the other."""
        return Table(self._text[:-1] + other._text, snapshot=max(self.snapshot, other.snapshot))

    def exact(self, provider: str, model: str, /) -> Entry | None:
        """The entry of exactly this provider and id, whatever the case of their letters."""
        if not is_name(provider) or not is_name(model):
            return None
        at = self._text.find(f"\n{provider.lower()}\t{model.lower()}\t")
        return _parsed(self._text[at + 1 : self._text.index("\n", at + 1)]) if at >= 0 else None

    def has_provider(self, provider: str, /) -> bool:
        """Anything of this provider is listed."""
        return is_name(provider) and f"\n{provider.lower()}\t" in self._text

    def names(self, word: str = "", /) -> Iterator[tuple[str, str]]:
        """Provider and id, in small letters, of every entry whose line holds `word`; a hidden entry comes behind the one that hides it."""
        text, word = self._text, word.lower()
        at = text.find(word, 1)
        while 0 <= at < len(text) - 1:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            provider, _, rest = text[start:end].partition("\t")
            yield provider, rest.partition("\t")[0]
            at = text.find(word, end + 1)


def _line(entry: Entry, snapshot: str) -> str:
    small = entry.model.lower()
    columns = [entry.provider.lower(), small, str(entry.context), str(entry.input or ""), str(entry.output or "")]
    columns += [entry.date or snapshot, ";".join(_written(price) for price in entry.prices)]
    return "\t".join(columns if small == entry.model else [*columns, entry.model])


def _written(price: Price) -> str:
    dollars = " ".join("-" if value is None else f"{value:.6g}" for value in price[1:])
    return f"{price.above}:{dollars}" if price.above else dollars


def _parsed(line: str) -> Entry | None:
    """The entry of a line; None for one that is damaged."""
    columns = line.split("\t")
    if len(columns) < _COLUMNS:
        return None
    provider, small, *limits = columns[:5]
    try:
        context, most_in, most_out = (int(number or 0) for number in limits)
        prices = tuple(_read(price) for price in columns[6].split(";")) if columns[6] else ()
    except (ValueError, TypeError):
        return None
    return Entry(provider, columns[7] if len(columns) > _COLUMNS else small, context, most_in, most_out, columns[5], prices)


def _read(text: str) -> Price:
    size, colon, dollars = text.rpartition(":")
    read = [None if value == "-" else float(value) for value in dollars.split(" ")]
    return Price(int(size) if colon else 0, *read)
