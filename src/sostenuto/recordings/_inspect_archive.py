"""Inspect's own log files (``.eval``): a zip archive with a header and one JSON document for each sample."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator

from sostenuto.errors import UnknownFormat, UnusableInput
from sostenuto.recordings._lines import Limits, parsed, unusable
from sostenuto.recordings._recording import Line

MAGIC = b"PK\x03\x04"

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/[^/]+\.json")
_CONVERT = "convert it with: inspect log convert --to json --output-dir DIR FILE"


def archived(path: str, *, limits: Limits) -> Iterator[Line]:
    """The header of a log, then its samples by position, read one by one.

    Raises:
        UnknownFormat: the archive holds no log.
        UnusableInput: the archive or an entry is damaged, too long, or packed in a way the standard library cannot read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            header = next((name for name in _HEADERS if name in names), None)
            samples = list(dict.fromkeys(name for name in names if _SAMPLE.fullmatch(name)))
            if header is None:
                raise UnknownFormat(f"{path}: a zip archive without the header of an Inspect log; unpack it and name the recording in it")
            if not samples and any(name.startswith("samples/") for name in names):
                raise unusable(path, "the samples of this Inspect log are written in pieces", remedy=_CONVERT)
            yield 0, parsed(_entry(archive, header, path, limits=limits), path=path, line=1)
            for position, name in enumerate(samples, start=1):
                yield position, parsed(_entry(archive, name, path, limits=limits), path=path, line=1)
    except UnusableInput:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError) as problem:
        raise unusable(path, f"the zip archive is damaged ({problem})", remedy="copy the file again from its source") from None
    except (NotImplementedError, RuntimeError) as problem:  # another compression, or a password
        raise unusable(path, f"the zip archive cannot be read ({problem})", remedy=_CONVERT) from None
    except (OSError, ValueError) as problem:
        raise unusable(path, f"the zip archive cannot be read ({problem})", remedy=_CONVERT) from None


def _entry(archive: zipfile.ZipFile, name: str, path: str, *, limits: Limits) -> bytes:
    """The bytes of an entry; never more than the limit, whatever the archive says of its length."""
    with archive.open(name) as stream:
        data = stream.read(limits.line + 1)
    if len(data) > limits.line:
        what = f"the entry {name[:80]!a} is longer than {limits.line / 1e6:,.0f} MB"
        raise unusable(path, what, remedy="take that sample out of the archive")
    return data
