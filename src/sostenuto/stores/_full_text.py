"""The tables of a full-text index in SQLite, and how they are asked: words, parts of words, and the texts themselves.

Two indexes stand beside the packed texts. `words` holds every text with its words apart (FTS5, ranked by BM25). `parts` says which
texts hold three characters in a row (trigrams without places, a seventh of the size of one with them); what it finds is looked up in
the texts. Both are contentless, so every text is kept once.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from sqlite3 import SQLITE_ERROR, Connection, DatabaseError, OperationalError
from typing import Any

from sostenuto.results import LITERALS, MOST_RANKED, Wanted, Word, folded, holds, rarity, spaced

APPLICATION = 0x534F5354
"""How a file says that it is an index of ours."""
SCHEMA = 1
SLICE = 20_000_000
"""Characters of a text that are indexed as one; the rest of a longer one follows with the same key."""
OVERLAP = 8_000
MOST_TRIGRAMS = 48
"""Of a query; what they let through is looked up anyway."""
_AT_ONCE = 8 * 1024 * 1024
"""Bytes of an index that are gathered before they are written."""
_MADE = f"""
    create table pieces (id integer primary key, key text not null, source text not null, body blob not null);
    create index keys on pieces (key);
    create index sources on pieces (source);
    create table state (one integer primary key check (one = 1), count integer not null, mark text not null, stamp text not null);
    insert into state values (1, 0, '', '');
    create virtual table words using fts5(text, content='', tokenize='unicode61 remove_diacritics 0');
    create virtual table parts using fts5(text, content='', tokenize='trigram', detail=none, columnsize=0);
    insert into words (words, rank) values ('hashsize', {_AT_ONCE});
    insert into parts (parts, rank) values ('hashsize', {_AT_ONCE});
    pragma application_id = {APPLICATION};
    pragma user_version = {SCHEMA};
"""


def has_full_text(connection: Connection) -> bool:
    """Whether this SQLite has FTS5 with trigrams. Nothing is left behind. Raises sqlite3.Error where the file ails something else."""
    try:
        connection.execute("create virtual table temp.tried using fts5(text, content='', tokenize='trigram')")
        connection.execute("drop table temp.tried")
    except OperationalError as error:
        if not is_damage(error):
            raise
        return False
    return True


def is_ours(connection: Connection) -> bool:
    """Whether a database is an index of this schema. Raises sqlite3.Error where it is no database."""
    found = [connection.execute(f"pragma {name}").fetchone()[0] for name in ("application_id", "user_version")]
    return found == [APPLICATION, SCHEMA]


def is_empty(connection: Connection) -> bool:
    """Whether a database holds nothing yet."""
    return connection.execute("select 1 from sqlite_master limit 1").fetchone() is None


def make_tables(connection: Connection) -> None:
    """The tables in an empty database, all or none of them; another process may have made them meanwhile."""
    with connection:
        connection.execute("begin immediate")
        for statement in _MADE.split(";") if is_empty(connection) else ():
            connection.execute(statement)


def is_damage(error: OperationalError) -> bool:
    """Whether a table is missing or a text is no UTF-8; any other failure is that of a file in use, a full disk and the like."""
    return getattr(error, "sqlite_errorcode", SQLITE_ERROR) == SQLITE_ERROR


def state(connection: Connection) -> tuple[int, str, str]:
    """How many pieces were handed over, and the mark and the stamp that were left beside them."""
    count, mark, stamp = _row(connection, "select count, mark, stamp from state")
    return count, mark, stamp


def remove_all(connection: Connection) -> None:
    """Forget every piece. The file stays: another process that has it open would remove what is written beside a new one."""
    connection.execute("begin immediate")
    for table in ("words", "parts"):
        connection.execute(f"insert into {table} ({table}) values ('delete-all')")
    connection.execute("delete from pieces")
    connection.execute("update state set count = 0, mark = '', stamp = ''")


def add_pieces(connection: Connection, pieces: Iterable[tuple[str, str, str]], *, mark: str) -> None:
    """Add pieces and the mark in one step; the caller's transaction ends it."""
    (known,) = _row(connection, "select coalesce(max(id), 0) from pieces")
    (count,) = _row(connection, "select count from state")
    for key, source, text in pieces:
        count += 1
        for start in range(0, max(1, len(text)), SLICE):
            known += 1
            _add(connection, known, key=key, source=source, text=text[start : start + SLICE + OVERLAP])
    connection.execute("update state set count = ?, mark = ?, stamp = ''", (count, mark))


def _add(connection: Connection, number: int, *, key: str, source: str, text: str) -> None:
    low = folded(text)
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
    connection.execute("insert into pieces values (?, ?, ?, ?)", (number, _stored(key), _stored(source), packed))
    connection.execute("insert into words (rowid, text) values (?, ?)", (number, spaced(low)))
    connection.execute("insert into parts (rowid, text) values (?, ?)", (number, low))


def _stored(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def body(connection: Connection, number: int) -> tuple[str, str, str]:
    """Key, source and text of a piece."""
    key, source, packed = _row(connection, "select key, source, body from pieces where id = ?", number)
    return key, source, zlib.decompress(packed).decode("utf-8", "surrogatepass")


def _row(connection: Connection, asked: str, *values: int) -> Any:
    row = connection.execute(asked, values).fetchone()
    if row is None:
        raise DatabaseError("a row of the index is missing")
    return row


def numbers_of(connection: Connection, *, key: str = "", source: str = "") -> list[int]:
    """The pieces under a key, or from a source."""
    column, value = ("key", key) if key else ("source", source)
    return [row[0] for row in connection.execute(f"select id from pieces where {column} = ? order by id", (_stored(value),))]


def finds(connection: Connection, query: Wanted) -> Iterator[tuple[int, int]]:
    """The pieces with the words of a query and their class, the best first, found as far as one reads on (see `results.scanned`)."""
    seen: set[int] = set()
    for rank, numbers in enumerate((_side_by_side(connection, query), _own(connection, query), _all(connection, query, seen))):
        for number in numbers:
            if number not in seen:
                seen.add(number)
                yield number, rank
    if not seen:
        yield from ((number, 3) for number in _most(connection, query))


def _phrase(tokens: tuple[str, ...]) -> str:
    """Tokens in a row, as FTS5 reads them: letters and digits alone, quoted."""
    return '"' + " ".join(tokens) + '"'


def _ranked(connection: Connection, match: str) -> Iterator[int]:
    """The best first; where there are very many, the newest of them are ranked, and the others follow."""
    newest = "select rowid, bm25(words) as score from words where words match ? order by rowid desc limit ?"
    yield from _numbers(connection, f"select rowid from ({newest}) order by score, rowid desc", match, MOST_RANKED)
    yield from _numbers(connection, "select rowid from words where words match ? order by rowid desc limit -1 offset ?", match, MOST_RANKED)


def _numbers(connection: Connection, asked: str, *values: str | int) -> Iterator[int]:
    return (row[0] for row in connection.execute(asked, values))


def _side_by_side(connection: Connection, query: Wanted) -> Iterator[int]:
    """All words side by side; of the best of them, those with exactly what was asked first."""
    if not query.words or not all(word.tokens for word in query.words):
        return
    ranked = _ranked(connection, _phrase(query.tokens))
    best = list(islice(ranked, LITERALS))
    if query.tokens != (query.literal,):  # else the word found is what was asked
        best.sort(key=lambda number: not holds(folded(body(connection, number)[2]), query.literal))
    yield from best
    yield from ranked


def _own(connection: Connection, query: Wanted) -> Iterator[int]:
    """All words, each as a word of its own."""
    if query.words and query.tokens != query.words[0].tokens and all(word.tokens for word in query.words):
        yield from _ranked(connection, " AND ".join(_phrase(word.tokens) for word in query.words))


def _all(connection: Connection, query: Wanted, known: set[int]) -> Iterator[int]:
    """All words, each on its own or inside another; the last first."""
    if any(word.may_be_part for word in query.words):
        yield from _holding(connection, query.words, known)


def _holding(connection: Connection, words: tuple[Word, ...], known: set[int]) -> Iterator[int]:
    """Pieces with these words, looked up in their texts; the last first."""
    bound = [frozenset(_with(connection, word)) for word in words if not word.may_be_part]
    if not all(bound):
        return
    parts = [word for word in words if word.may_be_part]
    # where a word is one token, the text holds it wherever the token stands
    own = {word: frozenset(_with(connection, word)) for word in parts if word.tokens and word.tokens != (word.text,)}
    for number in _candidates(connection, parts, bound):
        if number in known or not all(number in holding for holding in bound):
            continue
        low = folded(body(connection, number)[2])
        if all(word.text in low or number in own.get(word, ()) for word in parts):
            yield number


def _with(connection: Connection, word: Word) -> Iterator[int]:
    return _numbers(connection, "select rowid from words where words match ?", _phrase(word.tokens))


def _candidates(connection: Connection, parts: list[Word], bound: list[frozenset[int]]) -> Iterator[int]:
    """Pieces that may hold these words, the last first: those with every three characters in a row of them, else those in `bound`."""
    grams = dict.fromkeys(text[at : at + 3] for word in parts for text in word.tokens or (word.text,) for at in range(len(text) - 2))
    quoted = ['"' + gram.replace('"', '""') + '"' for gram in islice(grams, MOST_TRIGRAMS)]
    if quoted:
        return _numbers(connection, "select rowid from parts where parts match ? order by rowid desc", " AND ".join(quoted))
    if bound:
        return iter(sorted(frozenset.intersection(*bound), reverse=True))
    return _numbers(connection, "select id from pieces order by id desc")


def _most(connection: Connection, query: Wanted) -> Iterator[int]:
    """The pieces with most of the words, at least half of them; those with the rarer words first, then the last (see `results.scanned`)."""
    own = [word for word in query.words if word.tokens and next(_with(connection, word), None) is not None]
    parts = {word: frozenset(_holding(connection, (word,), set())) for word in query.words if word not in own and word.may_be_part}
    inside = [holding for holding in parts.values() if holding]
    if 2 * (len(own) + len(inside)) < len(query.words):
        return
    together = _together(connection, own, inside)
    first = next(together, None)
    if first is not None:
        yield first
        yield from together
        return
    yield from _by_count(connection, [*(frozenset(_with(connection, word)) for word in own), *inside], least=len(query.words) / 2)


def _together(connection: Connection, own: list[Word], inside: list[frozenset[int]]) -> Iterator[int]:
    """The pieces with all of these words, the last first."""
    if not own:
        return iter(sorted(frozenset.intersection(*inside), reverse=True) if inside else ())
    match = " AND ".join(_phrase(word.tokens) for word in own)
    rows = _numbers(connection, "select rowid from words where words match ? order by rowid desc", match)
    return (number for number in rows if all(number in holding for holding in inside))


def _by_count(connection: Connection, held: list[frozenset[int]], *, least: float) -> list[int]:
    """The pieces that are in most of these sets."""
    (pieces,) = _row(connection, "select count(*) from pieces")
    counts: Counter[int] = Counter()
    for having in held:
        counts.update(having)
    most = max(counts.values(), default=0)
    if most < least:
        return []
    worth = dict.fromkeys((number for number, count in counts.items() if count == most), 0.0)
    for having in held:
        for number in having & worth.keys():
            worth[number] += rarity(len(having), pieces)
    return sorted(worth, key=lambda number: (-worth[number], -number))
