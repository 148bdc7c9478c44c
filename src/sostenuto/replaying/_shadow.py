"""A shadow estimator: how well would the sizes have been estimated, learning from what the recording says was billed?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sostenuto.messages import Media, Message, Result
from sostenuto.replaying._session import Handed, Reply
from sostenuto.tokens import Calibration, Measure, Ruler, learn, ruler


class Shadow:
    """Learns from what a recording says was billed, one calibration for each model that answered.

    `decode` reads one native message, `model` is the hint for replies that name none. The counts are of whole prompts, with
    the system text and the tools that the recording does not show.
    """

    def __init__(self, *, decode: Callable[[Any], Message], model: str) -> None:
        self._decode = decode
        self._model = model
        self._scales: dict[str, _Scale] = {}
        self._known: dict[str, Calibration] = {}

    def learn(self, one: Handed) -> float | None:
        """Learn from a history as it was sent; the estimate made before the report was looked at, None where there is no report."""
        reported = one.reply.reported
        if not reported:
            return None
        hint, scale, calibration = self._of(one.reply)
        sent, media = scale.sums(one.messages)
        self._known[hint], _ = learn(calibration, sent=sent, reported=reported, media=media)
        return calibration.total(sent)

    def knows(self, reply: Reply) -> bool:
        """Whether anything was learned about the model of `reply`; without it `total` is a mere estimate."""
        return (reply.model or self._model) in self._known

    def total(self, reply: Reply, messages: Iterable[object]) -> int:
        """What the provider of `reply` would have counted for a prompt of these messages, by what is known now."""
        _, scale, calibration = self._of(reply)
        return calibration.total(scale.sums(messages)[0])

    def _of(self, reply: Reply) -> tuple[str, _Scale, Calibration]:
        hint = reply.model or self._model
        scale = self._scales.setdefault(hint, _Scale(ruler(hint), self._decode))
        return hint, scale, self._known.get(hint, scale.ruler.calibration)


def predictions(handed: Iterable[Handed], *, decode: Callable[[Any], Message], model: str) -> list[tuple[float, float]]:
    """(estimated, reported) tokens of each recorded request that has a report, in order; each estimate is made before its report.

    `handed` are the histories as they were sent (D56); the rest as for `Shadow`.
    """
    shadow = Shadow(decode=decode, model=model)
    return [(estimate, one.reply.reported or 0) for one in handed if (estimate := shadow.learn(one)) is not None]


class _Scale:
    """Measures of native messages, taken once per object; sums grow with the history."""

    def __init__(self, by: Ruler, decode: Callable[[Any], Message]) -> None:
        self.ruler = by
        self._decode = decode
        self._weighed: dict[int, tuple[object, Measure, int]] = {}

    def sums(self, messages: Iterable[object]) -> tuple[Measure, int]:
        """Measure of all messages, and the tokens of it that stand for images and files."""
        weight = flat = media = 0
        for message in messages:
            _, measure, images = self._weigh(message)
            weight += measure.weight
            flat += measure.flat
            media += images
        return Measure(weight, flat), media

    def _weigh(self, raw: object) -> tuple[object, Measure, int]:
        if id(raw) not in self._weighed:
            message = self._decode(raw)
            attached = [part for part in message.parts if isinstance(part, Media)]
            attached += [item for part in message.parts if isinstance(part, Result) for item in part.media]
            media = sum(self.ruler.part(item).flat for item in attached)
            self._weighed[id(raw)] = (raw, self.ruler.measure(message), media)
        return self._weighed[id(raw)]
