"""A shadow estimator: how well would the sizes have been estimated, learning from what the recording says was billed?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sostenuto.messages import Media, Message, Result
from sostenuto.replaying._session import Handed
from sostenuto.tokens import Calibration, Measure, Ruler, learn, ruler


def predictions(handed: Iterable[Handed], *, decode: Callable[[Any], Message], model: str) -> list[tuple[float, float]]:
    """(estimated, reported) tokens of each recorded request that has a report, in order; each estimate is made before its report.

    `handed` are the histories as they were sent (D56), `decode` reads one native message, `model` is the hint for replies that
    name none. Each model has its own calibration. The estimates are of the whole prompt, with the hidden system text and tools.
    """
    scales: dict[str, _Scale] = {}
    known: dict[str, Calibration] = {}
    pairs: list[tuple[float, float]] = []
    for one in handed:
        if not one.reply.reported:
            continue
        hint = one.reply.model or model
        scale = scales.setdefault(hint, _Scale(ruler(hint), decode))
        calibration = known.get(hint, scale.ruler.calibration)
        sent, media = scale.sums(one.messages)
        pairs.append((calibration.total(sent), one.reply.reported))
        known[hint], _ = learn(calibration, sent=sent, reported=one.reply.reported, media=media)
    return pairs


class _Scale:
    """Measures of native messages, taken once per object; sums grow with the history."""

    def __init__(self, by: Ruler, decode: Callable[[Any], Message]) -> None:
        self.ruler = by
        self._decode = decode
        self._weighed: dict[int, tuple[object, Measure, int]] = {}

    def sums(self, messages: Iterable[Mapping[str, Any]]) -> tuple[Measure, int]:
        """Measure of all messages, and the tokens of it that stand for images and files."""
        weight = flat = media = 0
        for message in messages:
            _, measure, images = self._weigh(message)
            weight += measure.weight
            flat += measure.flat
            media += images
        return Measure(weight, flat), media

    def _weigh(self, raw: Mapping[str, Any]) -> tuple[object, Measure, int]:
        if id(raw) not in self._weighed:
            message = self._decode(raw)
            attached = [part for part in message.parts if isinstance(part, Media)]
            attached += [item for part in message.parts if isinstance(part, Result) for item in part.media]
            media = sum(self.ruler.part(item).flat for item in attached)
            self._weighed[id(raw)] = (raw, self.ruler.measure(message), media)
        return self._weighed[id(raw)]
