"""A models.dev catalogue from a file or an address that somebody names."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sostenuto.catalogues import _reading
from sostenuto.catalogues.models_dev import fetch, read
from sostenuto.errors import UnusableInput
from tests.catalogues.api import ENCODED, serving


@pytest.mark.parametrize("data", [ENCODED, gzip.compress(ENCODED), b"\xef\xbb\xbf" + ENCODED], ids=["plain", "gzip", "with a mark"])
def test_a_file_is_read_plain_or_packed(data: bytes, tmp_path: Path) -> None:
    """Entries, how many models were left out, and the day of the newest fact come out of either."""
    path = tmp_path / "api.json"
    path.write_bytes(data)
    found = read(path)
    assert [entry.name for entry in found.entries] == ["openai:gpt-5", "openai:gpt-99", "newhost:gpt-99"]
    assert (found.skipped, found.snapshot, found.source) == (2, "2026-11-25", str(path))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not JSON"),
        (b"{", "line 1, column 2"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b"[]", "no model with a window"),
        (b"{}", '"limit": {"context"'),
        (b'{"openai": {"models": {"gpt-5": {"limit": {"context": -5}}}}}', "no model with a window"),
        (gzip.compress(ENCODED)[:-12], "ends early"),
        (b"\x1f\x8b garbage", "damaged gzip"),
    ],
)
def test_what_is_no_catalogue_is_one_clear_line(data: bytes, says: str, tmp_path: Path) -> None:
    """A file without a catalogue is refused with its name, what is wrong, and what to name instead."""
    path = tmp_path / "api.json"
    path.write_bytes(data)
    with pytest.raises(UnusableInput) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_a_folder_is_named(tmp_path: Path) -> None:
    """A missing file and a folder are refused with their names."""
    with pytest.raises(UnusableInput, match="no such file"):
        read(tmp_path / "none.json")
    with pytest.raises(UnusableInput, match="cannot be read"):
        read(tmp_path)


def test_a_packed_bomb_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A small gzip that unpacks to more than a catalogue may have is refused without unpacking all of it."""
    monkeypatch.setattr(_reading, "LARGEST", 1_000_000)
    path = tmp_path / "api.json.gz"
    path.write_bytes(gzip.compress(b" " * 20_000_000))
    with pytest.raises(UnusableInput, match="larger than 1,000,000 bytes"):
        read(path)


def test_an_address_is_fetched() -> None:
    """A catalogue comes from an http address, packed or not, and through a redirection to another one."""
    answers = {
        "/api.json": (200, {}, ENCODED),
        "/packed": (200, {"Content-Encoding": "gzip"}, gzip.compress(ENCODED)),
        "/old": (302, {"Location": "/api.json"}, b""),
    }
    with serving(answers) as address:
        for path in answers:
            found = fetch(address + path)
            assert (len(found.entries), found.source) == (3, address + path)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((404, {}, b"no"), "answered 404"),
        ((500, {}, b"no"), "answered 500"),
        ((200, {}, b"<html>"), "not JSON"),
        ((200, {"Content-Length": "1000000"}, ENCODED), "fetch"),
        ((302, {"Location": "ftp://127.0.0.1/api.json"}, b""), "no http or https address"),
        ((302, {"Location": "file:///etc/hostname"}, b""), "file:///etc/hostname"),
        ((302, {"Location": "/it"}, b""), "answered 302"),
        ((302, {}, b""), "answered 302"),
        ((304, {}, b""), "answered 304"),
    ],
)
def test_a_bad_answer_is_one_clear_line(answer: tuple[int, dict[str, str], bytes], says: str) -> None:
    """An error, a page, an answer that is cut off, and a redirection elsewhere, to itself or to nothing are refused with the address."""
    with serving({"/it": answer}) as address, pytest.raises(UnusableInput) as caught:
        fetch(f"{address}/it", timeout_s=5)
    assert f"{address}/it" in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/x", "file:///etc/hostname", "data:application/json,{}", "gopher://x"])
def test_only_the_web_is_fetched(address: str) -> None:
    """No scheme but http and https is fetched."""
    with pytest.raises(UnusableInput, match="only http:// and https://"):
        fetch(address)


@pytest.mark.parametrize(
    "address", ["http://", "http://127.0.0.1:1/", "http://[::1/", "http://127.0.0.1:99999/", "http://a b/", "http://\n/"]
)
def test_an_address_without_a_server_is_one_clear_line(address: str) -> None:
    """Nobody listening, and an address that is none, are refused with the remedy."""
    with pytest.raises(UnusableInput, match="name a file"):
        fetch(address, timeout_s=5)


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that takes longer than the whole of it may is given up, and one that never stops is too large."""
    with serving({"/it": (200, {}, ENCODED)}) as address:
        with pytest.raises(UnusableInput, match="not complete after"):
            fetch(f"{address}/it", patience_s=-1)
        from sostenuto.catalogues import _web

        monkeypatch.setattr(_web, "LARGEST", 100)
        with pytest.raises(UnusableInput, match="larger than 100 bytes"):
            fetch(f"{address}/it")
