"""Weighted characters: English is its length, everything else weighs what it tokenizes to (D1, D4)."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.tokens import UNIT, Group, WeightedCharacters, family, ruler
from sostenuto.tokens._weights import FEATURES, GROUPS, TABLE

ANY_TEXT = st.text(st.characters(codec=None), max_size=200)
GROUP = st.sampled_from(GROUPS)


@pytest.mark.parametrize(
    ("hint", "characters", "tokens"),
    [
        ("anthropic:claude-3-5-sonnet", 70, 20),
        ("anthropic:claude-sonnet-5", 70, 20),
        ("google:gemini-2.5-pro", 80, 20),
        ("groq:llama-3", 72, 20),
        ("xai:grok", 40, 10),
        ("xai:grok", 0, 0),
    ],
)
def test_letters_count_as_the_origin_says(hint: str, characters: int, tokens: int) -> None:
    """So many letters of a family are exactly the origin's tokens (A.1)."""
    assert ruler(hint).text("a" * characters) == tokens


WORDS = "the quick brown fox jumps over the lazy dog again and again"


@pytest.mark.parametrize("group", ["o200k", "cl100k", "gemma", "mistral"])
def test_plain_words_weigh_their_length(group: Group) -> None:
    """Where the tokenizer's English lies near its family's seed, small letters with single blanks between them weigh one each."""
    assert WeightedCharacters(group)(WORDS) == len(WORDS) * UNIT


@pytest.mark.parametrize("group", ["llama", "qwen", "deepseek", "kimi", "glm", "claude-3"])
def test_words_weigh_at_least_their_letters(group: Group) -> None:
    """Where the seed is lower than the tokenizer's English, the gaps between words weigh less than one and the letters one."""
    letters = len(WORDS.replace(" ", ""))
    assert letters * UNIT < WeightedCharacters(group)(WORDS) < len(WORDS) * UNIT


@given(ANY_TEXT, GROUP)
def test_any_text_has_a_weight(text: str, group: Group) -> None:
    """Every string, lone surrogates included, weighs a number that is zero only for the empty one (A.1)."""
    weight = WeightedCharacters(group)(text)
    assert weight > 0 if text else weight == 0


@given(ANY_TEXT, ANY_TEXT, GROUP)
def test_a_longer_text_never_weighs_less(start: str, more: str, group: Group) -> None:
    """Adding to the end of a text never makes it lighter."""
    weigher = WeightedCharacters(group)
    assert weigher(start + more) >= weigher(start)


@given(ANY_TEXT, ANY_TEXT, GROUP)
def test_two_halves_weigh_about_the_whole(start: str, more: str, group: Group) -> None:
    """The weight of two texts put together differs from their sum by no more than what one seam can weigh."""
    weigher = WeightedCharacters(group)
    assert abs(weigher(start + more) - weigher(start) - weigher(more)) <= 25 * UNIT


@given(ANY_TEXT, GROUP)
def test_weight_grows_in_step_with_length(text: str, group: Group) -> None:
    """A text a hundred times over weighs a hundred times as much, give or take the seams: the work is linear in shape."""
    weigher = WeightedCharacters(group)
    assert abs(weigher(text * 100) - 100 * weigher(text)) <= 100 * 25 * UNIT


@pytest.mark.parametrize("text", ["a" * 10_000_000, "\ud83d" * 300_000, " " * 1_000_000, "=" * 1_000_000, "aZ9" * 300_000])
def test_hostile_strings_are_counted(text: str) -> None:
    """Ten megabytes of one letter, lone surrogates and endless runs all get a number (D4)."""
    assert ruler("").text(text) > 0


def test_runs_of_blanks_are_cheap_and_random_text_is_dear() -> None:
    """A blank of a run weighs a fraction of a letter; base64 and hex weigh more than twice a letter."""
    weigher = WeightedCharacters("o200k")
    assert weigher(" " * 1_000) < 200 * UNIT
    assert weigher("aGVsbG8gd29ybGQgMTIzNDU2Nzg5MEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZX" * 10) > 2 * 600 * UNIT
    assert weigher("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" * 10) > 2 * 640 * UNIT


def test_b059_japanese_is_not_four_characters_a_token() -> None:
    """B059: 24 Japanese characters are about 20 tokens, not 6."""
    assert 12 <= ruler("anthropic:claude-3-5-sonnet").text("今日は天気がいいので公園へ散歩に行きましょうか。") <= 28


def test_b055_special_token_text_is_text() -> None:
    """B055: an end-of-text marker is counted as the characters it is made of."""
    assert ruler("").text("<|endoftext|>") >= 3


@pytest.mark.parametrize(
    ("group", "name", "characters_per_token"),
    [
        ("claude-4.7", "han", 0.96),
        ("claude-3", "han", 0.96),
        ("o200k", "han", 1.0),
        ("cl100k", "han", 1.06),
        ("mistral", "han", 1.05),
        ("gemma", "han", 1.65),
        ("kimi", "han", 1.79),
        ("cl100k", "indic", 0.7),
        ("o200k", "astral", 0.67),
        ("qwen", "digit", 1.0),
        ("gemma", "digit", 1.0),
        ("claude-4.7", "hangul", 1.0),
        ("mistral", "kana", 1.5),
        ("llama", "hangul", 1.3),
    ],
)
def test_b061_every_script_lies_inside_the_clamp(group: Group, name: str, characters_per_token: float) -> None:
    """B061: with its weight, the ratio a script really needs is between 2 and 6 weighted characters a token."""
    assert 2.0 <= TABLE[name][GROUPS.index(group)] / UNIT * characters_per_token <= 6.0


def test_the_table_has_a_row_for_every_class() -> None:
    """The table and the list of classes name the same things, and letters weigh one everywhere."""
    assert tuple(TABLE) == FEATURES
    assert set(TABLE["letter"]) == {UNIT}


@pytest.fixture(scope="module")
def judged() -> dict[str, dict[str, float]]:
    """The error of every kind of text under every tokenizer; Claude's counts are recorded ones where its package is missing."""
    pytest.importorskip("splintr", reason="splintr-rs is not installed")
    judging = pytest.importorskip("benchmarks.judge_weights", reason="the benchmarks folder is not there")
    kinds = pytest.importorskip("benchmarks.texts", reason="the benchmarks folder is not there").KINDS
    found: dict[str, dict[str, float]] = judging.errors()
    return {kind: found[kind] for kind in kinds}


def test_the_median_error_before_anything_is_learned(judged: dict[str, dict[str, float]]) -> None:
    """Over sixteen kinds of text the weights were not fitted on and eleven tokenizers, the median error is at most 6 %."""
    assert len(judged) == 16
    assert all(len(row) == 11 for row in judged.values())
    assert statistics.median(abs(error) for row in judged.values() for error in row.values()) <= 0.06


def test_the_worst_error_before_anything_is_learned(judged: dict[str, dict[str, float]]) -> None:
    """No kind of text under any tokenizer is more than 20 % off."""
    assert not {(kind, title): error for kind, row in judged.items() for title, error in row.items() if abs(error) > 0.20}


@pytest.mark.parametrize(
    ("title", "hint"),
    [
        ("o200k", "somebody:something-new"),
        ("cl100k", "openai:gpt-4"),
        ("Llama 3", "groq:llama-3.3-70b"),
        ("Qwen 3", "alibaba:qwen3-coder"),
        ("DeepSeek V3", "deepseek:deepseek-chat"),
        ("Gemma 3", "google:gemini-2.5-pro"),
        ("Mistral", "mistral:mistral-large-latest"),
        ("Kimi K2", "moonshotai:kimi-k2"),
        ("GLM 4", "zhipuai:glm-4.6"),
        ("Claude 3", "anthropic:claude-3-5-sonnet"),
        ("Claude 4.7+", "anthropic:claude-opus-4-7"),
    ],
)
def test_a_hint_is_judged_with_the_column_it_gets(title: str, hint: str) -> None:
    """The column and the seed each tokenizer is judged with are those of a model that has it."""
    known = pytest.importorskip("benchmarks.tokenizers", reason="the benchmarks folder is not there").TOKENIZERS[title]
    assert (family(hint).group, family(hint).seed) == (known.group, known.seed)


@pytest.mark.parametrize("text", ["word ", "a\n    b", "Zß9", "== ", "日本、"])
@pytest.mark.parametrize("group", ["o200k", "claude-4.7"])
def test_long_texts_are_counted_in_pieces(text: str, group: Group) -> None:
    """A text of several pieces weighs what its parts weigh, but for the seams, and still never less than its start."""
    weigher = WeightedCharacters(group)
    long = text * (200_000 // len(text))
    assert abs(weigher(long) / weigher(long[:20_000]) * 20_000 / len(long) - 1) < 0.01
    assert all(weigher(long[:end]) <= weigher(long[: end + 1]) for end in range(65_530, 65_545))
