"""The tokens of a file: a recorded session by component, or plain text."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sostenuto.app._naming import DEFAULT_MODEL, unknown_model
from sostenuto.app._rulers import estimating_ruler, exact_ruler, how
from sostenuto.app._wires import CODECS
from sostenuto.errors import UnknownFormat, UnusableInput
from sostenuto.recordings.opening import LIMITS, Recording, open_recording
from sostenuto.replaying import components

GZIP = b"\x1f\x8b"
LIKE_RECORDS = re.compile(r'\s*\[?\s*\{\s*"')
"""How a recording begins: an object with a name in it, or a list of them."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The count of a file.

    Attributes:
        tokens: the exact count where the model's tokenizer is installed, else the estimate.
        exact: whether it is.
        how: in words, how they were counted.
        model: what was counted for.
        kind: what the file is, in words.
        characters: characters of its texts.
        components: shares that sum up to `tokens`.
        estimate: what the estimator says before it has learned anything; equal to `tokens` where there is no exact count.
        remarks: what to beware of.
    """

    tokens: int
    exact: bool
    how: str
    model: str
    kind: str
    characters: int
    components: Mapping[str, int]
    estimate: int
    remarks: tuple[str, ...] = ()

    @property
    def difference(self) -> float | None:
        """How far the estimate is off, as a share of the exact count; None where there is none, or nothing was counted."""
        return self.estimate / self.tokens - 1 if self.exact and self.tokens else None


def counted(path: Path, *, model: str | None = None, skip_broken_lines: bool = False) -> Counted:
    """The tokens of a recorded session's whole history, by component, or of any other text file. `skip_broken_lines` as `open_recording`.

    Raises UnusableInput for a file that cannot be read or is no text.
    """
    remarks = unknown_model(model)
    try:
        recording = open_recording(path, skip_broken_lines=skip_broken_lines)
    except UnusableInput as problem:
        text = _text(path, problem=problem)
        if LIKE_RECORDS.match(text) and not isinstance(problem, UnknownFormat):
            remarks += (f"looks like a recorded session that cannot be read, so it was counted as plain text: {problem}",)
        return _counted_text(text, model=model or DEFAULT_MODEL, named=bool(model), remarks=remarks)
    remarks += tuple(f"{path}, line {one.line}: {one.reason}; it was not counted" for one in recording.skipped if one.kind == "torn")
    asked = model or recording.model
    return _counted_recording(recording, model=asked or DEFAULT_MODEL, named=bool(asked), remarks=remarks)


def _counted_text(text: str, *, model: str, named: bool, remarks: tuple[str, ...]) -> Counted:
    estimating, exact = estimating_ruler(model), exact_ruler(model)
    by, estimate = exact or estimating, estimating.text(text)
    tokens = exact.text(text) if exact else estimate
    return Counted(
        tokens=tokens,
        exact=by.weigher.exact,
        how=how(by, model, named=named),
        model=model,
        kind="text",
        characters=len(text),
        components={"text": tokens},
        estimate=estimate,
        remarks=remarks,
    )


def _counted_recording(recording: Recording, *, model: str, named: bool, remarks: tuple[str, ...]) -> Counted:
    estimating, exact, codec = estimating_ruler(model), exact_ruler(model), CODECS[recording.format]
    by = exact or estimating
    found, characters = components(recording, by=estimating, codec=codec)
    estimate = sum(found.values())
    if exact:
        found, _ = components(recording, by=exact, codec=codec)
    return Counted(
        tokens=sum(found.values()),
        exact=by.weigher.exact,
        how=how(by, model, named=named),
        model=model,
        kind=f"{recording.reader} recording, {len(recording.messages):,} message{'' if len(recording.messages) == 1 else 's'}",
        characters=characters,
        components=found,
        estimate=estimate,
        remarks=remarks,
    )


def _text(path: Path, *, problem: UnusableInput) -> str:
    try:
        with path.open("rb") as stream:
            zipped = stream.peek(2).startswith(GZIP)
            data = (gzip.GzipFile(fileobj=stream) if zipped else stream).read(LIMITS.line + 1)
    except (OSError, EOFError, zlib.error):
        raise problem from None
    if len(data) > LIMITS.line:
        raise UnusableInput(f"{path}: larger than {LIMITS.line:,} bytes; count a part of it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnusableInput(f"{path}: no UTF-8 text (byte {data[error.start]:#04x} at offset {error.start:,}); convert it first") from None
    if "\x00" in text:
        raise UnusableInput(f"{path}: no text (it holds zero bytes); name a text file or a recorded session")
    return text
