"""Searching a conversation: what left the context first, through an index that follows the log wherever it goes (D39)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.manager import ContextManager
from sostenuto.protocols import Found, Raw
from sostenuto.stores.index import Index
from tests.engine.conversing import manager


class Watched:
    """An index that tells how many pieces it was handed, and forgets everything when it is told to."""

    def __init__(self) -> None:
        self.index = Index(None)
        self.handed = 0
        self.losing = False

    def synced(self) -> tuple[int, str]:
        """See `Finder`."""
        return self.index.synced()

    def add(self, pieces: Iterable[tuple[str, str, str]], /, *, mark: str) -> None:
        """See `Finder`."""
        held = list(pieces)
        self.handed += len(held)
        self.index.add(held, mark=mark)

    def search(self, words: str, /, *, limit: int, offset: int = 0, last: Collection[str] = ()) -> Sequence[Found]:
        """See `Finder`; when it loses everything it finds nothing, once."""
        if self.losing:
            self.losing = False
            self.index.clear()
        return self.index.search(words, limit=limit, offset=offset, last=last)

    def clear(self) -> None:
        """See `Finder`."""
        self.index.clear()


def said(*texts: str) -> list[Raw]:
    """A chat that takes turns, the user first."""
    return [{"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(texts)]


def worked(window: int = 3_000, cycles: int = 30) -> tuple[ContextManager, list[Raw]]:
    """A conversation in which early results left the context."""
    context = manager(window)
    history = said("Find the fault.")
    for number in range(cycles):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        history.append({"role": "assistant", "content": None, "tool_calls": [call]})
        history.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"finding number {number} " + f"evidence{number} " * 60})
        context.prepare_sync(history)
    return context, history


def keys(context: ContextManager, words: str) -> list[str]:
    """What a search finds."""
    return [hit.key for hit in context.recall(words)]


def test_what_left_the_context_comes_first() -> None:
    """With and without an index, the pieces that are sent whole come behind the others."""
    context, history = worked()
    newest = f"m{len(history) - 1}.0"
    shown = str(context.prepare_sync(history).arguments)
    for finder in (None, Index(None)):
        context._driver.finder = finder
        found = [hit.key for offset in (0, 20) for hit in _search(context, "finding number", offset)]
        assert len(found) == len(set(found)) == 30
        is_shown = [f"finding number {(int(key[1:-2]) - 2) // 2} evidence" in shown for key in found]
        assert is_shown == sorted(is_shown)
        assert found.index(newest) > found.index("m2.0")


def _search(context: ContextManager, words: str, offset: int) -> Sequence[Any]:
    from sostenuto.engine import search

    return search(context._driver.started().state, words, finder=context._driver.finder, offset=offset)


def test_only_what_is_new_is_added() -> None:
    """Each search hands the index the pieces since the last one, and nothing when nothing was said."""
    context, history = worked(cycles=5)
    finder = Watched()
    context.search_with(finder)
    assert finder.handed == 0
    context.search_with(finder, now=True)
    before = finder.handed
    assert keys(context, "evidence3") == ["m8.0"]
    assert finder.handed == before
    context.prepare_sync([*history, {"role": "user", "content": "and evidence77 now"}])
    assert keys(context, "evidence77") == ["m11.0"]
    assert finder.handed == before + 1


def test_forks_and_rewrites_are_followed() -> None:
    """What a fork or a rewrite by the host left behind is found under its own key, and what stands in its place under the plain one."""
    context = manager(50_000)
    history = said("first", "reply alpha", "second", "reply beta", "third")
    context.prepare_sync(history)
    finder = Watched()
    context.search_with(finder)
    context.prepare_sync([*history[:3], {"role": "assistant", "content": "reply gamma"}, {"role": "user", "content": "go on"}])
    assert keys(context, "beta") == ["m3.0~0"]
    assert keys(context, "gamma") == ["m3.0"]
    rewritten = [{"role": "user", "content": "first, in delta"}, *history[1:3]]
    context.prepare_sync([*rewritten, {"role": "assistant", "content": "reply gamma"}, {"role": "user", "content": "go on"}])
    found = {key: context.recall(key)[0].text for words in ("delta", "first") for key in keys(context, words)}
    assert found["m0.0"] == "first, in delta"
    assert "first" in found.values()
    context._driver.finder = None
    assert set(found) == {key for words in ("delta", "first") for key in keys(context, words)}


def test_an_index_of_another_conversation_is_made_again(tmp_path: Path) -> None:
    """An index whose mark does not belong to this log is emptied and filled, and gives nothing of the other."""
    one, other = manager(50_000), manager(50_000)
    one.prepare_sync(said("alpha", "beta", "gamma"))
    other.prepare_sync(said("delta", "beta", "epsilon"))
    index = Index(tmp_path / "recall.sqlite")
    one.search_with(index)
    assert keys(one, "alpha") == ["m0.0"]
    other.search_with(index)
    assert keys(other, "alpha") == []
    assert keys(other, "epsilon") == ["m2.0"]
    index.close()


def test_a_mark_of_any_kind_is_survived() -> None:
    """Whatever an index says it was made from, the search answers."""
    context, _ = worked(cycles=3)
    for mark in ("", "x", "1", "1.0", "1.0.zz", "9" * 9_000 + ".0.ab", "²." + "0.", "-1.0.", "999.0."):
        index = Index(None)
        index.add([("m0.0", "user", "stray evidence1")], mark=mark)
        context.search_with(index)
        assert keys(context, "evidence1") == ["m4.0"]


def test_an_index_that_fails_in_a_search_is_filled_again() -> None:
    """Where the index loses what it had during the search, the second attempt answers."""
    context, _ = worked(cycles=3)
    finder = Watched()
    context.search_with(finder)
    finder.losing = True
    assert keys(context, "evidence1") == ["m4.0"]


ASKED = st.lists(
    st.sampled_from(["evidence3", "finding", "number 4", "dence2", "fault", "zebra", "finding number"]), min_size=1, max_size=3
)
_WORKED = worked(cycles=12)


@given(ASKED.map(" ".join))
def test_an_index_finds_what_reading_finds(words: str) -> None:
    """The same keys with an index as without one."""
    context, _ = _WORKED
    context._driver.finder = None
    read = keys(context, words)
    context._driver.finder = Index(None)
    assert sorted(keys(context, words)) == sorted(read)
