"""A model whose exchanges are written down, and one that gives them back without a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from sostenuto import errors
from sostenuto.errors import ModelFailed, RequestRefused, UnusableInput
from sostenuto.messages import Call
from sostenuto.protocols import Heard, Model, Raw, Spoken

_KIND: Final = "sostenuto-exchanges"
_FAILURES: Final = ("ModelFailed", "TooLong", "RateLimited", "NotAuthorised", "RequestRefused", "EndpointFailed")


class RecordingModel:
    """A model beside which every exchange is written to a file, one a line. Keys of providers are not in requests, so not in the file.

    Args:
        model: who answers.
        path: the file; what it holds is kept, new exchanges are added.
    """

    def __init__(self, model: Model, path: str | PathLike[str]) -> None:
        self._model, self._path = model, Path(path)

    @property
    def name(self) -> str:
        """Of the model that answers."""
        return self._model.name

    @property
    def format(self) -> str:
        """Of the model that answers."""
        return self._model.format

    async def window(self) -> int | None:
        """What the model says, which is written down too."""
        found = await self._model.window()
        self._write({"window": found})
        return found

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """The model's reply; it, or the failure, is written down before it is handed on.

        Raises:
            ModelFailed: as the model.
        """
        asked = fingerprint(arguments, tools=tools, max_output=max_output, thinking=thinking)
        try:
            spoken = await self._model.speak(arguments, tools=tools, max_output=max_output, thinking=thinking, heard=heard)
        except ModelFailed as error:
            self._write({"asked": asked, "messages": _count(arguments), "failed": _failure(error)})
            raise
        self._write({"asked": asked, "messages": _count(arguments), "spoken": asdict(spoken)})
        return spoken

    async def aclose(self) -> None:
        """Let go of the model."""
        await self._model.aclose()

    def _write(self, record: Mapping[str, Any]) -> None:
        head = {"kind": _KIND, "model": self.name, "format": self.format}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**head, **record}, default=_plain) + "\n")


class ReplayModel:
    """Gives back what a `RecordingModel` wrote: to a request that was recorded its reply, to a repeated one the next of its replies.

    Raises:
        UnusableInput: the file cannot be read, or a line of it is no exchange; file and line are named.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = fspath(path)
        self.name, self.format = "replay:", "openai_chat"
        self._window: int | None = None
        self._replies: dict[str, list[Mapping[str, Any]]] = {}
        for record in _records(self._path):
            self.name, self.format = record["model"], record["format"]
            if "asked" in record:
                self._replies.setdefault(record["asked"], []).append(record)
            else:
                self._window = record.get("window")

    async def window(self) -> int | None:
        """What the model said last; None if it was not asked."""
        return self._window

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """The reply that was recorded for this request; of several the next, the last one again and again.

        Raises:
            ModelFailed: that is what was recorded; RequestRefused: this request was not.
        """
        left = self._replies.get(fingerprint(arguments, tools=tools, max_output=max_output, thinking=thinking))
        if not left:
            raise RequestRefused(f"{self._path} holds no reply to this request of {_count(arguments)} messages; record it again")
        record = left.pop(0) if len(left) > 1 else left[0]
        if "failed" in record:
            raise _error(record["failed"])
        spoken = _spoken(record["spoken"])
        if heard is not None and spoken.text:
            heard("text", spoken.text)
        return spoken

    async def aclose(self) -> None:
        """Nothing is held."""


def fingerprint(arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True) -> str:
    """What tells one request from another: everything the model would be sent, whatever the order of its fields."""
    asked = {"arguments": dict(arguments), "tools": list(tools), "max_output": max_output, "thinking": thinking}
    return hashlib.sha256(json.dumps(asked, sort_keys=True, default=_plain).encode()).hexdigest()[:32]


def _count(arguments: Mapping[str, Any]) -> int:
    return sum(len(arguments.get(name, ())) for name in ("messages", "input", "contents"))


def _plain(value: object) -> object:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump()
    return dict(value) if isinstance(value, Mapping) else str(value)


def _failure(error: ModelFailed) -> dict[str, Any]:
    after = getattr(error, "retry_after_s", None)
    return {"kind": type(error).__name__, "words": str(error), "status": error.status, "body": error.body, "retry_after_s": after}


def _error(failed: Mapping[str, Any]) -> ModelFailed:
    kind = failed["kind"] if failed["kind"] in _FAILURES else "ModelFailed"
    if kind == "RateLimited":
        return errors.RateLimited(failed["words"], status=failed["status"], body=failed["body"], retry_after_s=failed["retry_after_s"])
    made: ModelFailed = getattr(errors, kind)(failed["words"], status=failed["status"], body=failed["body"])
    return made


def _spoken(record: Mapping[str, Any]) -> Spoken:
    messages: tuple[Raw, ...] = tuple(record["messages"])
    calls = tuple(Call(**call) for call in record["calls"])
    return Spoken(messages, record["text"], calls, record["finish"], record["usage"], record["model"])


def _records(path: str) -> list[dict[str, Any]]:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableInput(f"{path}: cannot be read ({error}); name a file that RecordingModel wrote") from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict) or record.get("kind") != _KIND:
            raise UnusableInput(f"{path}:{number}: this line is no exchange; name a file that RecordingModel wrote")
        found.append(record)
    return found
