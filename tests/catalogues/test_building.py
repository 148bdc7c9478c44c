"""How two snapshots are joined into the bundled catalogue."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from benchmarks.catalogue import merged, read, size_of
from sostenuto.window import Entry, Price
from tests.catalogues.api import API, ENCODED

OLD = Entry("openai", "gpt-5.5", 1_050_000, 922_000, 128_000, "2026-04-23", (Price(0, 5.0, 30.0), Price(272_000, 10.0, 45.0)))
ROUGH = OLD._replace(date="", prices=(OLD.prices[0], OLD.prices[1]._replace(above=200_000)))


def test_what_the_newer_snapshot_lacks_is_taken_from_the_older() -> None:
    """The same facts get the older one's date and the true size of their tier; changed facts get no date."""
    assert merged([ROUGH], [OLD]) == [OLD]
    dearer = ROUGH._replace(prices=(Price(0, 6.0, 30.0), ROUGH.prices[1]))
    assert merged([dearer], [OLD]) == [dearer._replace(prices=(dearer.prices[0], OLD.prices[1]))]
    smaller = ROUGH._replace(context=500_000)
    assert merged([smaller], [OLD])[0].date == ""


def test_a_dated_entry_stays_as_it_is() -> None:
    """What the newer snapshot says itself is not touched."""
    newer = ROUGH._replace(date="2026-11-01")
    assert merged([newer], [OLD]) == [newer]


def test_the_size_of_a_tier_goes_by_the_most_alike_names() -> None:
    """A new model's prices step up where its relatives' do, else at 200,000 tokens."""
    sizes = [(["gpt", "5", "4"], 272_000), (["gpt", "5", "5"], 272_000), (["qwen3", "6", "plus"], 256_000)]
    assert size_of(["gpt", "5", "6", "sol"], sizes) == 272_000
    assert size_of(["grok", "5"], sizes) == 200_000
    assert size_of(["gpt", "6"], []) == 200_000


def test_only_makers_and_large_clouds_keep_what_they_no_longer_list() -> None:
    """An older entry of a maker stays, one of a small host goes."""
    gone = [OLD._replace(model="gpt-3.5"), OLD._replace(provider="smallhost", model="gpt-3.5")]
    assert merged([ROUGH], [OLD, *gone]) == [OLD, gone[0]]


def test_a_file_is_read_plain_or_packed(tmp_path: Path) -> None:
    """An api.json gives its entries and the day of the newest, packed or not."""
    (tmp_path / "plain").write_bytes(ENCODED)
    (tmp_path / "packed").write_bytes(gzip.compress(json.dumps(API).encode()))
    assert read(tmp_path / "plain") == read(tmp_path / "packed")
    assert read(tmp_path / "plain")[1] == "2026-11-25"
