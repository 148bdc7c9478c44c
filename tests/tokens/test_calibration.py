"""What reports teach, and when they must not (origin 1.3 and A.1, D2, D3)."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.messages import Message, Text
from sostenuto.tokens import UNIT, Calibration, Measure, dump, fresh, learn, load, ruler


def characters(count: int, *, messages: int = 0) -> Measure:
    return Measure(count * UNIT, 4 * messages)


def taught(*steps: tuple[Measure, int], seed: float = 3.5, exact: bool = False, window: int | None = None) -> Calibration:
    known = fresh(seed=seed, exact=exact)
    for sent, reported in steps:
        known, _ = learn(known, sent=sent, reported=reported, window=window)
    return known


def test_the_first_report_sets_the_ratio() -> None:
    """700 characters reported as 175 tokens give 4.0, and the next count of them is 175 (A.1)."""
    known = taught((characters(700), 175))
    assert known.ratio == 4.0
    assert known.tokens(characters(700)) == 175


def test_a_second_report_is_smoothed() -> None:
    """The same 700 characters reported as 233 then give a ratio strictly between 3 and 4 (A.1)."""
    assert 3.0 < taught((characters(700), 175), (characters(700), 233)).ratio < 4.0


def test_the_ratio_stays_inside_the_clamp() -> None:
    """100 characters are 10,000 tokens: 2.0; 100 characters are 5 tokens: 6.0 (A.1)."""
    assert taught((characters(100), 10_000)).ratio == 2.0
    assert taught((characters(100), 5)).ratio == 6.0


@pytest.mark.parametrize("reported", [0, -5])
def test_b023_a_report_of_nothing_teaches_nothing(reported: int) -> None:
    """B023: zero and negative reports leave everything as it was, and the estimate is used (A.1)."""
    known, alarm = learn(fresh(seed=3.5), sent=characters(120_000), reported=reported)
    assert (known, alarm) == (fresh(seed=3.5), None)
    assert known.total(characters(120_000)) > 30_000


def test_before_any_report_there_is_no_overhead() -> None:
    """A model nobody has reported on has the seed and no overhead (A.1, A.3)."""
    assert (fresh(seed=3.5).ratio, fresh(seed=3.5).overhead) == (3.5, 0)


def test_empty_content_teaches_nothing() -> None:
    """No messages, or messages without text, leave everything as it was (A.1)."""
    assert taught((Measure(), 100)) == taught((Measure(0, 4), 100)) == fresh(seed=3.5)


def test_b021_without_usage_the_estimate_grows() -> None:
    """B021: twenty turns without a report still raise the estimate over the window."""
    known = fresh(seed=4.0)
    assert known.total(characters(20 * 30_000, messages=20)) > 128_000


def test_overhead_of_an_exact_model() -> None:
    """Report = count + 12,000 gives an overhead of 12,000, and a ratio of one that never moves (A.1)."""
    known = taught((Measure(5_000), 17_000), exact=True)
    assert (known.overhead, known.ratio) == (12_000, 1.0)


def test_a_constant_overhead_stays_constant() -> None:
    """Five reports with 9,000 tokens of overhead over growing lists all read 9,000 (A.1)."""
    known = fresh(exact=True)
    assert known.overhead == 0
    for count in range(1_000, 6_000, 1_000):
        known, _ = learn(known, sent=Measure(count, 4), reported=count + 4 + 9_000)
        assert known.overhead == 9_000


def test_a_report_below_the_estimate_is_no_overhead() -> None:
    """An overhead is never negative; what is left of a smaller request is not read as next to nothing (A.1)."""
    known = taught((Measure(10_000), 9_000), exact=True)
    assert known.overhead == 0
    assert known.total(Measure(10_000)) == 9_000
    assert known.total(Measure(1_000)) == 900


@given(st.lists(st.tuples(st.integers(1, 300_000), st.integers(0, 400), st.integers(1, 200_000)), min_size=1, max_size=8), st.booleans())
def test_the_estimate_of_what_was_sent_is_the_report(steps: list[tuple[int, int, int]], exact: bool) -> None:
    """After every trusted report the request that was sent counts exactly as reported (D2)."""
    known = fresh(seed=3.6, exact=exact)
    for weight, messages, reported in steps:
        sent = Measure(weight if exact else weight * UNIT, 4 * messages)
        known, alarm = learn(known, sent=sent, reported=reported, window=None)
        assert alarm is not None or known.total(sent) == reported
        assert exact or 1.0 <= known.ratio <= 9.0


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(-50_000, 50_000), st.integers(0, 10**6))
def test_more_weight_is_never_fewer_tokens(weight: int, more: int, offset: int, anchor: int) -> None:
    """A larger request never counts as smaller, whatever offset was learned."""
    known = Calibration(offset=max(offset, -anchor), anchor=anchor)
    assert known.total(Measure(weight + more)) >= known.total(Measure(weight)) - 1


def test_increments_teach_the_true_ratio_under_hidden_tokens() -> None:
    """With 30,000 hidden tokens the whole prompt misleads the first ratio; growth then finds the true one, and a rewrite is read right."""
    known = fresh(seed=4.0)
    for step in range(1, 20):
        sent = characters(step * 8_000)
        known, _ = learn(known, sent=sent, reported=30_000 + step * 8_000 * 10 // 43, window=400_000)
    assert known.ratio == pytest.approx(4.3, rel=0.02)
    assert known.total(characters(30_000)) == pytest.approx(30_000 + 30_000 / 4.3, rel=0.03)


def test_a_rewrite_teaches_like_growth() -> None:
    """A clear of 50,000 characters alone moves the ratio to within the smoothing of the truth."""
    known = taught((characters(100_000), 25_000), (characters(50_000), 25_000 - 16_667), window=200_000)
    assert known.ratio == pytest.approx(0.3 * 4.0 + 0.7 * 3.0, rel=0.01)


def test_small_steps_are_pooled() -> None:
    """Nothing is learned from less than 20,000 characters, but it is not forgotten."""
    known = taught((characters(40_000), 10_000), (characters(45_000), 12_000), (characters(50_000), 14_000), window=200_000)
    assert known.ratio == 4.0
    known, _ = learn(known, sent=characters(65_000), reported=20_000, window=200_000)
    assert known.ratio == pytest.approx(0.3 * 4.0 + 0.7 * 2.5, rel=0.01)


def test_one_outlier_moves_the_ratio_no_more_than_the_smoothing() -> None:
    """An absurd increment counts as the clamp of increments, 9 characters a token, and moves the ratio by seven tenths of the way."""
    known = taught((characters(40_000), 10_000), (characters(80_000), 10_100), window=None)
    assert known.ratio <= 0.3 * 4.0 + 0.7 * 9.0 + 1e-9


def test_media_are_not_divided_by(  # origin 14.2, 3
) -> None:
    """A prompt that is mostly pictures does not drag the ratio down: their price is taken off first."""
    known, _ = learn(fresh(seed=4.0), sent=Measure(4_000 * UNIT, 33_004), reported=34_000, media=33_000)
    assert known.ratio == 4.0
    more, _ = learn(known, sent=Measure(5_000 * UNIT, 330_008), reported=200_000, media=330_000)
    assert more.ratio == known.ratio


def test_new_tools_move_the_offset_by_their_schemas() -> None:
    """Another tool set takes the offset plus the difference of the schemas until it is reported, and the first one is remembered."""
    known = taught((characters(40_000), 22_000)).with_tools("two", schema=3_000)
    assert known.offset == taught((characters(40_000), 22_000)).offset + 3_000
    assert known.with_tools("", schema=0).offset == known.offset - 3_000


def test_case_35_tools_count_before_any_report() -> None:
    """Library case 35: forty schemas of a kilobyte are in the very first estimate."""
    assert fresh(seed=4.0).with_tools("forty", schema=10_000).total(characters(400)) == 10_100


def test_b035_a_flat_count_is_an_alarm() -> None:
    """B035: an estimate of 9,000 against 4,096 twice, while the request grew, is a silent truncation, and nothing is learned from it."""
    known, alarm = learn(fresh(seed=4.0), sent=characters(36_000), reported=4_096, window=131_072)
    assert alarm is None
    known, alarm = learn(known, sent=characters(36_400), reported=4_096, window=131_072)
    assert alarm is not None
    assert (alarm.served_at_most, known.served, known.ratio) == (4_096, 4_096, 4.0)
    assert "silently truncated" in alarm.text
    assert known.total(characters(36_400)) == 9_100


def test_an_estimate_above_the_window_makes_the_first_report_suspect() -> None:
    """A first report at or below the known window teaches nothing when more than the window was sent."""
    known, alarm = learn(fresh(seed=4.0), sent=characters(65_600 * 4), reported=32_900, window=65_536)
    assert alarm is not None
    assert (known.reports, known.ratio, known.served) == (0, 4.0, 32_900)


def test_case_47_half_the_buffer_is_an_alarm() -> None:
    """Library case 47, R17: a server that suddenly counts half of a grown history is caught, again and again, and the ratio stays."""
    known = fresh(seed=4.0)
    for count in range(10_000, 66_000, 5_000):
        known, alarm = learn(known, sent=characters(count * 4), reported=count, window=None)
        assert alarm is None
    for count, reported in ((65_600, 32_800), (66_600, 33_300), (67_600, 33_400)):
        known, alarm = learn(known, sent=characters(count * 4), reported=reported, window=None)
        assert alarm is not None
        assert known.ratio == pytest.approx(4.0, rel=0.001)
        assert known.total(characters(count * 4)) == pytest.approx(count, rel=0.01)
    assert known.served == 32_800


def test_a_flat_count_that_crept_in_is_taken_back() -> None:
    """The first cut report still rose above the last and was believed; the flat one behind it takes that back."""
    known = taught((characters(8_000), 2_000), (characters(12_000), 3_000))
    honest = known
    known, alarm = learn(known, sent=characters(60_000), reported=4_096)
    assert alarm is None
    known, alarm = learn(known, sent=characters(64_000), reported=4_096)
    assert alarm is not None
    assert known.total(characters(64_000)) == honest.total(characters(64_000)) == 16_000
    known, alarm = learn(known, sent=characters(68_000), reported=4_090)
    assert alarm is not None


def test_after_a_compaction_reports_are_trusted_again() -> None:
    """A smaller request under the served window is reported truly and is no alarm."""
    known = taught((characters(40_000), 4_096), (characters(42_000), 4_096), seed=4.0)
    assert known.served == 4_096
    known, alarm = learn(known, sent=characters(12_000), reported=3_000)
    assert alarm is None
    assert known.total(characters(12_000)) == 3_000


def test_a_served_window_is_forgotten_when_it_is_passed() -> None:
    """A server that counts more than it was believed to take has been given a larger window."""
    known = Calibration(ratio=4.0, reports=2, served=4_096)
    known, alarm = learn(known, sent=characters(40_000), reported=10_000)
    assert alarm is None
    assert known.served is None


def test_loose_text_is_a_sample_not_an_alarm() -> None:
    """A report of half the estimate that grows with the request is believed (D3)."""
    known = fresh(seed=2.5)
    for count in range(5_000, 50_000, 5_000):
        known, alarm = learn(known, sent=characters(count * 5), reported=count, window=200_000)
        assert alarm is None
    assert known.ratio == pytest.approx(5.0, rel=0.01)


def test_b061_five_dense_reports_heal_the_estimate() -> None:
    """B061: text of 0.7 characters a token is estimated within 10 % after five reports."""
    weigher = ruler("anthropic:claude-sonnet-5")
    known = weigher.calibration
    word = "龘靐齉齾爩鱻"  # rare signs, 0.7 to a token
    for step in range(1, 6):
        sent = weigher.measure(Message("user", (Text(word * 500 * step),)))
        known, _ = learn(known, sent=sent, reported=int(3_000 * step / 0.7), window=200_000)
    sent = weigher.measure(Message("user", (Text(word * 500 * 6),)))
    assert known.total(sent) == pytest.approx(18_000 / 0.7, rel=0.10)


def test_what_was_learned_survives_being_written_down() -> None:
    """Dumped as JSON and loaded, ratio, overhead and tool sets are the same; schema version 1; nothing learned is not written."""
    known = taught((characters(40_000), 22_000)).with_tools("two", schema=3_000)
    text = json.dumps(dump({"anthropic::claude-sonnet-5": known, "openai::gpt-5": fresh(exact=True)}))
    data = json.loads(text)
    assert (data["schemaVersion"], [entry["model"] for entry in data["models"]]) == (1, ["anthropic::claude-sonnet-5"])
    loaded = load(data)["anthropic::claude-sonnet-5"]
    assert (loaded.ratio, loaded.offset, loaded.tools, loaded.known) == (known.ratio, known.offset, "two", known.known)
    assert loaded.total(characters(40_000)) == known.total(characters(40_000))


@pytest.mark.parametrize(
    "entry",
    [
        {"model": "m", "ratio": 9.5, "overhead": 1},
        {"model": "m", "ratio": math.nan, "overhead": 1},
        {"model": "m", "ratio": "4", "overhead": 1},
        {"model": "m", "ratio": 4.0, "overhead": math.inf},
        {"model": "", "ratio": 4.0},
        {"ratio": 4.0},
        "m",
        None,
        {"model": "m", "ratio": True},
    ],
)
def test_a_corrupt_entry_is_skipped(entry: object) -> None:
    """An entry out of range or of a wrong shape is left out, the good one beside it is read (A.1)."""
    good = {"model": "good", "ratio": 4.0, "overhead": 7}
    assert set(load({"models": [entry, good]})) == {"good"}


@given(
    st.recursive(
        st.one_of(st.none(), st.integers(), st.floats(), st.text()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["models", "model", "ratio", "overhead", "others", "tools"]), inner, max_size=4),
        ),
    )
)
def test_loading_never_raises(data: Any) -> None:
    """Whatever the file holds, loading gives a mapping of sound calibrations."""
    assert all(item.exact or 1.0 <= item.ratio <= 9.0 for item in load(data).values())


def test_the_first_estimate_after_a_rewrite_is_near_on_a_synthetic_provider() -> None:
    """With o200k as the truth and 30,000 hidden tokens, the estimate right after three quarters left is at most 10 % off."""
    toktok: Any = pytest.importorskip("toktok", reason="toktok-rs is not installed")
    texts = pytest.importorskip("benchmarks.texts", reason="the benchmarks folder is not there").texts(seed=3)
    for hint in ("", "anthropic:claude-3-5-sonnet", "qwen:qwen3"):
        for kind in ("Python", "Chinese", "JSON logs", "agent prose"):
            known = ruler(hint)
            learned, text = known.calibration, texts[kind]
            history = [Message("user", (Text(text[at : at + 2_000]),)) for at in range(0, 22_000, 1_000)]
            for end in range(1, len(history) + 1):
                sent = sum((known.measure(message) for message in history[:end]), Measure())
                true = 30_000 + sum(toktok.batch_count([text[at * 1_000 : at * 1_000 + 2_000] for at in range(end)], "o200k_base", 1))
                learned, _ = learn(learned, sent=sent, reported=true, window=200_000)
            kept = history[-len(history) // 4 :]
            words = [part.text for message in kept for part in message.parts if isinstance(part, Text)]
            true = 30_000 + sum(toktok.batch_count(words, "o200k_base", 1))
            assert learned.total(sum((known.measure(message) for message in kept), Measure())) == pytest.approx(true, rel=0.10)


def test_fewer_tools_never_take_more_than_was_reported_for_them() -> None:
    """Where less than its schemas was reported for a set of tools, a smaller set takes its share of that, and no estimate falls below 0."""
    known = Calibration(ratio=4.0, offset=100, tools="all", schema=2_880, reports=1)
    assert known.with_tools("few", schema=720).offset == 25
    assert known.with_tools("", schema=0).offset == 0
    assert replace(known, offset=-40).with_tools("few", schema=720).offset == -40
    assert replace(known, offset=3_000).with_tools("few", schema=720).offset == 3_000 - 2_160
    assert known.with_tools("few", schema=720).with_tools("all", schema=2_880).offset == 100
