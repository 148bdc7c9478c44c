"""Weighted characters: English is its length, everything else weighs what it tokenizes to (D1, D4)."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sostenuto.tokens import UNIT, Group, WeightedCharacters, ruler
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
    """So many letters of a family are exactly the origin's tokens."""
    assert ruler(hint).text("a" * characters) == tokens


@pytest.mark.parametrize("group", [group for group in GROUPS if group != "claude-4.7"])
def test_plain_words_weigh_their_length(group: Group) -> None:
    """Small letters with single blanks between them weigh one each."""
    words = "the quick brown fox jumps over the lazy dog again and again"
    assert WeightedCharacters(group)(words) == len(words) * UNIT


@given(ANY_TEXT, GROUP)
def test_any_text_has_a_weight(text: str, group: Group) -> None:
    """Every string, lone surrogates included, weighs a number that is zero only for the empty one."""
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
        ("digits", "han", 1.05),
        ("cl100k", "indic", 0.7),
        ("o200k", "astral", 0.67),
        ("digits", "digit", 1.0),
        ("claude-4.7", "hangul", 1.0),
        ("digits", "kana", 1.5),
    ],
)
def test_b061_every_script_lies_inside_the_clamp(group: Group, name: str, characters_per_token: float) -> None:
    """B061: with its weight, the ratio a script really needs is between 2 and 6 weighted characters a token."""
    assert 2.0 <= TABLE[name][GROUPS.index(group)] / UNIT * characters_per_token <= 6.0


def test_the_table_has_a_row_for_every_class() -> None:
    """The table and the list of classes name the same things, and letters weigh one everywhere."""
    assert tuple(TABLE) == FEATURES
    assert set(TABLE["letter"]) == {UNIT}


@pytest.mark.parametrize(
    ("vocabulary", "hint", "most"),
    [
        ("o200k_base", "openai:gpt-5", 0.12),
        ("cl100k_base", "openai:gpt-4", 0.12),
        ("llama3", "groq:llama-3", 0.12),
        ("qwen3", "alibaba:qwen3", 0.15),
        ("deepseek_v3", "deepseek:deepseek-chat", 0.12),
        ("gemma3", "google:gemini", 0.15),
        ("mistral_v3", "mistral:large", 0.12),
    ],
)
def test_the_first_estimate_is_near_before_anything_is_learned(vocabulary: str, hint: str, most: float) -> None:
    """Over sixteen kinds of text the median error against the real tokenizer is small, and no kind is off by a third."""
    splintr: Any = pytest.importorskip("splintr", reason="splintr-rs is not installed")
    texts = pytest.importorskip("benchmarks.texts", reason="the benchmarks folder is not there").texts
    tokenizer = splintr.Tokenizer.from_pretrained(vocabulary)
    known = ruler(hint)
    errors = [abs(known.text(text) / len(tokenizer.encode_ordinary(text)) - 1) for text in texts(seed=7).values()]
    assert statistics.median(errors) <= most
    assert max(errors) <= 0.33
