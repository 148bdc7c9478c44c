"""A recorded session in another wire format."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sostenuto.app._wires import CODECS
from sostenuto.engine import Loss, translated
from sostenuto.errors import UnknownSetting
from sostenuto.recordings.opening import Skipped, open_recording


@dataclass(frozen=True, slots=True)
class Converted:
    """A recording in the wire format `format`.

    Attributes:
        body: messages, instructions and tools, as a request of that wire holds them.
        reader, source: what the recording was, and the wire it was in.
        messages: how many messages it held.
        losses: what is not in `body` as it was, with keys counting the recording's messages from 0.
        skipped: records of the file that are no part of the conversation, by name.
        problems: what a provider would refuse in the body (D57); only the recording's own end can leave something.
    """

    format: str
    body: dict[str, Any]
    reader: str
    source: str
    messages: int
    losses: tuple[Loss, ...]
    skipped: tuple[Skipped, ...]
    problems: tuple[str, ...]


def converted(path: Path, *, to: str, format: str = "auto", skip_broken_lines: bool = False) -> Converted:
    """The session recorded in `path` in the wire format `to`. `skip_broken_lines` as `open_recording`.

    Raises:
        UnknownSetting: `to` names no wire format.
        UnusableInput: as `open_recording`.
    """
    if to not in CODECS:
        near = "".join(f"did you mean {name!r}? " for name in get_close_matches(to, CODECS, n=1))
        raise UnknownSetting(f"--to {to!r} is not known; {near}use {', '.join(CODECS)}")
    recording = open_recording(path, format=format, skip_broken_lines=skip_broken_lines)
    source, target = CODECS[recording.format], CODECS[to]
    made = translated(recording.messages, source=source, target=target, system=recording.system, tools=recording.tools)
    return Converted(
        format=to,
        body=made.body,
        reader=recording.reader,
        source=recording.format,
        messages=len(recording.messages),
        losses=made.losses,
        skipped=recording.skipped,
        problems=tuple(target.problems(made.body)),
    )
