"""What every `Store` must do, as checks that run on any of them: on files, on a database, in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sostenuto.errors import ConversationInUse, UnusableInput
from sostenuto.protocols import Kept, Log, Record, Store

Placed = Callable[[], AbstractContextManager[Callable[[], Store]]]
"""Makes an empty place, which is gone at the end of the block, and a function that returns a store standing on it.

That function is called again for a second handle onto the same place, as another process would have it. A store that lives in one
process returns itself.
"""

_NAME: Final = "a-conversation"
_ODD_NAMES: Final = (
    *("", ".", "..", "../up", "a/b", "a\\b", "/etc", "~", "nul", "COM1.txt", "a\0b", "a\nb", " a ", "a.", "ａ", "а", "ü", "\ud800"),
    "x" * 10_000,
)
_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 2**70, 0.1, 1e300, math.inf, -math.inf, "", " ", "\0", "\n", "\r\n", "\u2028\u2029\x85", "\ufeff", "\\\"'",
    "Grüße aus 北京 🎉", "\ud800", "a\udfffb", "end\ud83d", [], {}, [[]], [{}], {"": {"": [None]}}, "x" * 100_000,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """One thing that every store must do: its name, and a function that asks it of a store and raises AssertionError otherwise."""

    name: str
    ask: Callable[[Callable[[], Store]], None]

    def run(self, placed: Placed, /) -> None:
        """Ask it on an empty place. Raises AssertionError naming what the store did."""
        with placed() as store:
            self.ask(store)


def _records(*numbers: int) -> list[Record]:
    return [{"seq": number, "text": f"record {number}"} for number in numbers]


def _numbers(records: Sequence[Record]) -> list[int]:
    return [record["seq"] for record in records]


@contextmanager
def _open(store: Callable[[], Store], conversation: str = _NAME) -> Iterator[Log]:
    log = store().open(conversation)
    try:
        yield log
    finally:
        log.close()


def _reopened(store: Callable[[], Store], conversation: str = _NAME) -> Kept:
    with _open(store, conversation) as log:
        return log.read()


def _is_empty(kept: Kept) -> bool:
    return not (kept.transcript or kept.edits or kept.notes)


def _holds(journal: Sequence[Record], records: Sequence[Record]) -> bool:
    """Whether these are the records of a journal, to which its store may add what it knows, such as the time."""
    return len(journal) == len(records) and all(wrote.items() <= kept.items() for wrote, kept in zip(records, journal, strict=True))


def _refusal(store: Store, conversation: str) -> ConversationInUse | UnusableInput | None:
    """Why a conversation cannot be opened; None if it can."""
    try:
        store.open(conversation).close()
    except (ConversationInUse, UnusableInput) as error:
        return error
    return None


def _begins_empty(store: Callable[[], Store]) -> None:
    with _open(store) as log:
        assert log.conversation == _NAME, f"the log is called {log.conversation!r}"
        assert _is_empty(log.read()), f"a new conversation holds {log.read()}"
        assert log.expects_from == 0, f"a new log expects {log.expects_from}"
        assert not log.journalled()
    kept = _reopened(store)
    assert _is_empty(kept), f"a conversation in which nothing was said holds {kept}"


def _keeps(store: Callable[[], Store]) -> None:
    with _open(store) as log:
        assert log.append(_records(0, 1), _records(2)), "the first records were not taken"
        assert log.expects_from == 3, f"after three records it expects {log.expects_from}"
        assert log.append([], _records(3))
        assert log.append(_records(4), [])
        kept = log.read()
        assert (_numbers(kept.transcript), _numbers(kept.edits)) == ([0, 1, 4], [2, 3]), f"read while open: {kept}"
    kept = _reopened(store)
    assert list(kept.transcript) == _records(0, 1, 4), f"the transcript is {kept.transcript}"
    assert list(kept.edits) == _records(2, 3), f"the edits are {kept.edits}"
    assert not kept.notes, f"there is nothing to say, and it said {kept.notes}"


def _goes_on(store: Callable[[], Store]) -> None:
    for number in range(0, 6, 2):
        with _open(store) as log:
            assert len(log.read().transcript) == number // 2
            assert log.expects_from == number, f"after reading {number} records it expects {log.expects_from}"
            assert log.append(_records(number), _records(number + 1))
    with _open(store) as log:
        assert log.append(_records(6), []), "a log that was not read takes no records"
    assert _numbers(_reopened(store).transcript) == [0, 2, 4, 6]


def _keeps_any_value(store: Callable[[], Store]) -> None:
    records: list[Record] = [{"seq": number, "value": value} for number, value in enumerate(_VALUES)]
    with _open(store) as log:
        assert log.append(records, [])
        assert log.append([], [{"seq": len(records), "value": math.nan, "text": "\ud800"}])
    kept = _reopened(store)
    for wrote, read in zip(records, kept.transcript, strict=True):
        assert wrote == read, f"{wrote!r:.200} reads as {read!r:.200}"
    assert [math.isnan(record["value"]) for record in kept.edits] == [True], f"NaN reads as {kept.edits}"


def _keeps_many(store: Callable[[], Store]) -> None:
    records = [{"seq": number, "text": "ü" * (number % 700)} for number in range(5_000)]
    with _open(store) as log:
        for start in range(0, len(records), 1_000):
            assert log.append(records[start : start + 500], records[start + 500 : start + 1_000])
    kept = _reopened(store)
    assert sorted([*kept.transcript, *kept.edits], key=lambda record: int(record["seq"])) == records
    assert _numbers(kept.transcript) == sorted(_numbers(kept.transcript)), "the order is lost"


def _writes_nothing_twice(store: Callable[[], Store]) -> None:
    with _open(store) as log:
        assert log.append(_records(0), _records(1))
        assert log.append(_records(0, 2), _records(1, 3)), "records that are there already, and new ones, are refused"
        assert log.append(_records(0, 2), _records(1, 3))
        assert log.expects_from == 4
    with _open(store) as log:
        assert log.append(_records(0, 2, 4), _records(1, 3)), "the same from another handle"
    kept = _reopened(store)
    assert (_numbers(kept.transcript), _numbers(kept.edits)) == ([0, 2, 4], [1, 3]), f"not each once: {kept}"


def _leaves_no_hole(store: Callable[[], Store]) -> None:
    with _open(store) as log:
        assert log.append([], []), "nothing is always safe"
        assert not log.append(_records(1), []), "the first record must be number 0"
        assert log.append(_records(0), [])
        assert not log.append(_records(2), _records(3)), "a record that begins above what is expected was taken"
        assert log.expects_from == 1
        assert log.append(_records(1), _records(2))
    assert _numbers(_reopened(store).transcript) == [0, 1]


def _never_raises(store: Callable[[], Store]) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with _open(store) as log:
        for value in (object(), {1, 2}, b"bytes", endless):
            assert log.append([{"seq": 0, "value": value}], []) is False, f"{type(value).__name__} was called safe"
            assert log.journal({"value": value}) is False, f"{type(value).__name__} was called written down"
        assert log.append([{"text": "without a number"}], []) is False
        assert log.append(_records(0), [])
    assert list(_reopened(store).transcript) == _records(0), "a record that cannot be written spoils what comes after it"


def _has_copies(store: Callable[[], Store]) -> None:
    said: dict[str, Any] = {"seq": 0, "parts": [{"text": "first"}]}
    done: dict[str, Any] = {"summary": ["first"]}
    with _open(store) as log:
        assert log.append([said], [])
        assert log.journal(done)
        said["parts"][0]["text"] = done["summary"][0] = "second"
        assert log.read().transcript[0]["parts"] == [{"text": "first"}], "what its writer changed later has changed"
        assert _holds(log.journalled(), [{"summary": ["first"]}]), "what its writer changed later has changed"
        log.read().transcript[0]["parts"].clear()
        assert log.read().transcript[0]["parts"] == [{"text": "first"}], "what its reader changed has changed"


def _has_one_writer(store: Callable[[], Store]) -> None:
    first = store()
    with _open(lambda: first) as log:
        for other in (first, store()):
            refusal = _refusal(other, _NAME)
            assert isinstance(refusal, ConversationInUse), f"two may write one conversation at a time: {refusal}"
            assert _NAME in str(refusal), f"it does not say which: {refusal}"
            assert len(str(refusal).splitlines()) == 1, f"not one line: {refusal}"
        assert log.append(_records(0), []), "whoever was refused took the right away"
        with _open(lambda: first, "another") as beside:
            assert beside.append(_records(0), [])
    assert _numbers(_reopened(store).transcript) == [0]


def _closes_for_good(store: Callable[[], Store]) -> None:
    before = store().open(_NAME)
    assert before.append(_records(0), [])
    before.close()
    before.close()
    with _open(store) as log:
        before.close()  # must not take the right from the next
        assert not before.append(_records(1), []), "a closed log writes"
        assert not before.journal({"number": 1}), "a closed log journals"
        assert isinstance(_refusal(store(), _NAME), ConversationInUse), "closing twice let a third in"
        assert log.append(_records(1), [])
    assert list(_reopened(store).transcript) == _records(0, 1)


def _keeps_apart(store: Callable[[], Store]) -> None:
    names = ("a", "A1", "a.b", "a-b", "a_b", "0", "x" * 200)
    for name in names:
        with _open(store, name) as log:
            assert not log.read().transcript, f"{name!r:.40} holds what was said elsewhere"
            assert log.append([{"seq": 0, "text": name}], [])
            assert log.journal({"name": name})
    for name in names:
        with _open(store, name) as log:
            assert [record["text"] for record in log.read().transcript] == [name]
            assert _holds(log.journalled(), [{"name": name}]), f"the journal of {name!r:.40} is {log.journalled()}"


def _refuses_names(store: Callable[[], Store]) -> None:
    for name in _ODD_NAMES:
        shown = f"{name!r:.40}"
        if (refusal := _refusal(store(), name)) is not None:
            assert isinstance(refusal, UnusableInput), f"{shown}: {refusal}"
            assert len(str(refusal).splitlines()) == 1, f"{shown}: not one line: {refusal}"
            assert len(str(refusal)) < 1_000, f"{shown}: the error is {len(str(refusal)):,} characters long"
            continue
        with _open(store, name) as log:
            assert not log.read().transcript, f"{shown} is another conversation too"
            assert log.append([{"seq": 0, "name": name}], []), f"{shown} is neither refused nor can it be used"


def _keeps_items(store: Callable[[], Store]) -> None:
    with _open(store) as log:
        asked = {"m0.0": "text", "m1.0": ""}
        assert log.keep({}) == frozenset()
        assert log.keep(asked) <= asked.keys(), "it keeps what nobody asked for"


def _journals(store: Callable[[], Store]) -> None:
    records: list[Record] = [{"number": number, "summary": "Grüße\n" * number} for number in range(5)]
    with _open(store) as log:
        for record in records[:3]:
            assert log.journal(record)
        assert _holds(log.journalled(), records[:3]), f"the journal is {log.journalled()}"
    with _open(store) as log:
        assert _holds(log.journalled(), records[:3]), "what was written down does not outlive its writer"
        for record in records[3:]:
            assert log.journal(record)
        assert _holds(log.journalled(), records), f"the journal is {log.journalled()}"
        assert not log.read().transcript, "the journal is no part of the transcript"


STORE_CHECKS: Final = (
    StoreCheck("it begins empty", _begins_empty),
    StoreCheck("it keeps what was appended", _keeps),
    StoreCheck("another handle goes on", _goes_on),
    StoreCheck("it keeps every value of JSON", _keeps_any_value),
    StoreCheck("it keeps many records in order", _keeps_many),
    StoreCheck("it writes nothing twice", _writes_nothing_twice),
    StoreCheck("it leaves no hole", _leaves_no_hole),
    StoreCheck("writing never raises", _never_raises),
    StoreCheck("its records are copies", _has_copies),
    StoreCheck("a conversation has one writer", _has_one_writer),
    StoreCheck("a closed log is closed for good", _closes_for_good),
    StoreCheck("it keeps conversations apart", _keeps_apart),
    StoreCheck("it refuses names or can use them", _refuses_names),
    StoreCheck("it says what it really keeps", _keeps_items),
    StoreCheck("it journals", _journals),
)
"""To be run on every implementation of `Store`: ``for check in STORE_CHECKS: check.run(placed)``."""
