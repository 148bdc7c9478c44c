"""From a reported prompt size to better estimates (D2), and the alarm when a server counts only what it kept (D3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sostenuto.tokens._calibration import HIGHEST_LEARNED, HIGHEST_RATIO, LOWEST_LEARNED, LOWEST_RATIO, Calibration
from sostenuto.tokens._measure import UNIT, Measure


@dataclass(frozen=True, slots=True)
class Learning:
    """How fast, and what is believed. The smoothing is the origin's (1.3), the pool and the alarm are D2's and D3's."""

    newest_share: float = 0.7
    pool_characters: int = 20_000  # weighted; fewer are noise
    pool_window_share: float = 0.25  # of the window in tokens, for windows too small to hold the pool
    first_pool_characters: int = 4_000  # where the first report lay outside the clamp, most of it was not text: any text tells more
    past_share: float = 0.9  # of earlier pools, in the next observation: the text that a rung takes out is as old as they are
    alarm_share: float = 0.70  # a report below this share of the estimate is suspect
    grown_tokens: int = 32  # less growth proves nothing
    served_slack: float = 1.02  # a report this near a served window is still at it


LEARNING = Learning()


@dataclass(frozen=True, slots=True)
class Alarm:
    """The server counted fewer tokens than it was sent: it dropped the rest without an error (D3, B035).

    Attributes:
        served_at_most: tokens the server took; the window to use from now on.
        estimate: tokens that were sent, by our own count.
        reported: tokens the server reported.
    """

    served_at_most: int
    estimate: int
    reported: int

    @property
    def text(self) -> str:
        """One line for the person."""
        return (
            f"silently truncated: about {self.estimate:,} tokens were sent but the server counted {self.reported:,}; "
            f"its window is taken to be at most {self.served_at_most:,} tokens from now on"
        )


def learn(
    calibration: Calibration, *, sent: Measure, reported: int, window: int | None = None, media: int = 0
) -> tuple[Calibration, Alarm | None]:
    """The next calibration, and an alarm if the report cannot be trusted.

    Args:
        calibration: what is known, already switched to the tools of the request (`Calibration.with_tools`).
        sent: the messages of the request as the ruler measured them, without request-only nudges.
        reported: input tokens the provider counted, cached ones included. Zero or less teaches nothing (B023).
        window: tokens the model is believed to take, if known.
        media: the part of ``sent.flat`` that stands for images and files.
    """
    if reported <= 0 or sent.weight <= 0:
        return calibration, None
    if calibration.served is not None and reported > calibration.served * LEARNING.served_slack:
        calibration = replace(calibration, served=None)
    sober = _by_which_it_was_cut(calibration, sent=sent, reported=reported, window=window)
    if sober is None:
        return _trusted(calibration, sent=sent, reported=reported, window=window, media=media), None
    alarm = Alarm(min(reported, calibration.served or reported), estimate=sober.total(sent), reported=reported)
    kept = replace(sober, served=alarm.served_at_most, tools=calibration.tools, schema=calibration.schema, known=calibration.known)
    return kept, alarm


def _by_which_it_was_cut(calibration: Calibration, *, sent: Measure, reported: int, window: int | None) -> Calibration | None:
    """The knowledge that shows the report to count only a part of what was sent; None if the report can be trusted (D3).

    A server known to cut is at it again when more than it takes was sent. A first report is suspect only against a known
    window. Later ones need an earlier report: the request grew, the report did not, and it is far below an estimate,
    either by all that is known or by what was known before the newest report, which may have been cut itself.
    """
    if calibration.served is not None:
        most = calibration.served * LEARNING.served_slack
        return calibration if calibration.total(sent) > most else None
    if calibration.reports == 0:
        return calibration if window is not None and reported <= window < calibration.total(sent) else None
    if calibration.sent is None or reported > calibration.reported:
        return None
    if calibration.tokens(sent) - calibration.tokens(calibration.sent) < LEARNING.grown_tokens:
        return None
    for known in (calibration, calibration.before):
        if known is not None and reported < LEARNING.alarm_share * known.total(sent):
            return known
    return None


def _trusted(calibration: Calibration, *, sent: Measure, reported: int, window: int | None, media: int) -> Calibration:
    rose = calibration.sent is None or reported > calibration.reported or sent.weight < calibration.sent.weight
    before = replace(calibration, before=None) if rose else calibration.before
    learned = calibration
    if not calibration.exact:
        learned = _with_ratio(calibration, sent=sent, reported=reported, window=window, media=media)
    tokens = learned.tokens(sent)
    return replace(
        learned,
        offset=reported - tokens,
        anchor=tokens,
        reports=calibration.reports + 1,
        sent=sent,
        reported=reported,
        media=media,
        before=before,
    )


def _with_ratio(calibration: Calibration, *, sent: Measure, reported: int, window: int | None, media: int) -> Calibration:
    is_repeat = calibration.reports == 1 and sent == calibration.sent
    if calibration.reports == 0 or is_repeat:  # the origin's rule, whole prompt; the same request again is still the first report
        share = max(1, reported - calibration.overhead - media)
        observed = _clamped(sent.weight / UNIT / share)
        return replace(calibration, ratio=_smoothed(calibration.ratio, observed) if is_repeat else observed)
    if calibration.sent is None:
        return calibration
    return _pooled(calibration, sent=sent, reported=reported, window=window, media=media)


def _pooled(calibration: Calibration, *, sent: Measure, reported: int, window: int | None, media: int) -> Calibration:
    assert calibration.sent is not None
    step = sent - calibration.sent
    if abs(media - calibration.media) * calibration.ratio * UNIT > abs(step.weight):
        return calibration  # mostly pictures: their price is a guess and would drown the text
    sign = 1 if step.weight >= 0 else -1
    weight = calibration.pooled_weight + abs(step.weight)
    tokens = calibration.pooled_tokens + sign * (reported - calibration.reported - step.flat)
    if weight < _enough(calibration, window=window):
        return replace(calibration, pooled_weight=weight, pooled_tokens=tokens)
    if tokens <= 0:
        return replace(calibration, pooled_weight=0, pooled_tokens=0)
    weight, tokens = weight + calibration.past_weight, tokens + calibration.past_tokens
    observed = _between(LOWEST_LEARNED, weight / UNIT / tokens, HIGHEST_LEARNED)
    ratio = (1 - LEARNING.newest_share) * calibration.ratio + LEARNING.newest_share * observed
    past_weight, past_tokens = int(LEARNING.past_share * weight), int(LEARNING.past_share * tokens)
    return replace(calibration, ratio=ratio, pooled_weight=0, pooled_tokens=0, past_weight=past_weight, past_tokens=past_tokens)


def _enough(calibration: Calibration, *, window: int | None) -> float:
    is_first = calibration.past_weight == 0 and calibration.ratio in (LOWEST_RATIO, HIGHEST_RATIO)
    pool: float = LEARNING.first_pool_characters if is_first else LEARNING.pool_characters
    if window is not None and window > 0:
        pool = min(pool, LEARNING.pool_window_share * window * calibration.ratio)
    return pool * UNIT


def _smoothed(old: float, observed: float) -> float:
    return _clamped((1 - LEARNING.newest_share) * old + LEARNING.newest_share * observed)


def _clamped(ratio: float) -> float:
    return _between(LOWEST_RATIO, ratio, HIGHEST_RATIO)


def _between(lowest: float, ratio: float, highest: float) -> float:
    return min(max(ratio, lowest), highest)
