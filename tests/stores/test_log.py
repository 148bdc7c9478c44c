"""What holds for any records, any bytes and any history."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sostenuto.stores.files import Files
from tests.stores.dying import NAME
from tests.stores.lines import HEADER, WHOLE, line, place, transcript, written

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.lists(st.dictionaries(st.text(max_size=5), JSON, max_size=3), max_size=5))
def test_every_record_comes_back_as_it_went(values: list[dict[str, Any]]) -> None:
    """Whatever JSON holds reads as it was written."""
    records = [{**value, "seq": number} for number, value in enumerate(values)]
    with place() as home:
        log = Files(Path(home)).open(NAME)
        assert log.append(records, [])
        log.close()
        assert list(Files(Path(home)).read(NAME).transcript) == records


@given(st.lists(st.one_of(st.binary(max_size=30), st.integers(0, 20).map(line)), max_size=8), st.booleans())
def test_no_bytes_stop_a_reader(pieces: list[bytes], has_header: bool) -> None:
    """Whatever a file holds, reading gives records, and an append from where it is expected can be read again."""
    with place() as folder:
        home = Path(folder)
        written(home, *pieces, header=HEADER if has_header else b"")
        assert len(Files(home).read(NAME).notes) <= 1
        log = Files(home).open(NAME)
        before = list(log.read().transcript)
        assert log.append([{"seq": log.expects_from, "text": "last"}], [])
        after = list(log.read().transcript)
        assert after[:-1] == before
        assert after[-1]["text"] == "last"
        log.close()


Step = tuple[str, int]
STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "again", "tear", "close", "crash", "remove", "cut"]), st.integers(0, 40)), max_size=15
)


@given(STEPS)
def test_any_history_equals_a_list(steps: list[Step]) -> None:
    """Any sequence of appends, repetitions, torn ends, deaths, removals and cuts leaves what a list would hold."""
    with place() as folder:
        home = Path(folder)
        model: list[dict[str, Any]] = []
        log = Files(home).open(NAME)
        log.read()
        for step, size in steps:
            if step == "append":
                new = [{"seq": len(model) + number, "text": "ü" * size} for number in range(size % 4)]
                model = _append(log, model, new)
            elif step == "again":
                model = _append(log, model, model[-(size % 5) :])
            elif step == "tear" and transcript(home).exists():
                with transcript(home).open("ab") as file:
                    file.write(WHOLE[: size % (len(WHOLE) - 1)])  # never a whole record, which would be one
                log = _reopened(home, log)
            elif step in ("close", "crash"):
                log = _reopened(home, log, dies=step == "crash")
            elif step == "remove" and transcript(home).exists():
                transcript(home).unlink()
            elif step == "cut" and transcript(home).exists() and model:
                os.truncate(transcript(home), max(transcript(home).stat().st_size - size - 1, 0))
            model = _append(log, model, [])
            kept = log.read()
            assert sorted([*kept.transcript, *kept.edits], key=lambda record: int(record["seq"])) == model
        log.close()


def _append(log: Any, model: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Hand records over as a manager does: everything from where the log expects it, until it is safe."""
    whole = [*model, *new[max(len(model) - new[0]["seq"], 0) :]] if new else model
    for _ in range(2):
        missing = [record for record in whole if record["seq"] >= log.expects_from]
        given_again = [record for record in new if record["seq"] < log.expects_from]
        split = [*given_again, *missing]
        if log.append([r for r in split if r["seq"] % 3], [r for r in split if not r["seq"] % 3]):
            return whole
    raise AssertionError(f"not taken twice: {log.expects_from}")


def _reopened(home: Path, log: Any, *, dies: bool = False) -> Any:
    if dies:
        log._lease.forget()
    log.close()
    again = Files(home).open(NAME)
    again.read()
    return again
