"""One session through one contender, in a process of its own with a deadline, and the verdict on what it sent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sostenuto
from sostenuto.app._contender import OWN
from sostenuto.app._own import asking
from sostenuto.app._rulers import published_weigher
from sostenuto.app._wires import CODECS
from sostenuto.judging import Run, Sent, Session, Thirds, Verdict, judged, weighing
from sostenuto.peers.known import PEERS, installed

DEADLINE_S = 180.0
"""Seconds on the clock that one contender may take for one session."""
QUIET = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "OTEL_SDK_DISABLED": "true", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""What keeps the libraries from telling anybody about a run."""


@dataclass(frozen=True, slots=True)
class Contender:
    """Who runs: our engine or a peer, with which scripted summarizer ("" the mechanical one of ours, or none), under which interpreter."""

    name: str
    title: str
    summarizer: str = ""
    interpreter: str = sys.executable

    @property
    def label(self) -> str:
        """How tables call it."""
        return f"{self.title}, {self.summarizer} summaries" if self.summarizer else self.title


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run: a verdict, or why there is none. `remark` is what to know about the verdict."""

    contender: Contender
    session: str
    version: str = ""
    verdict: Verdict | None = None
    problem: str = ""
    remark: str = ""
    run: Run | None = field(default=None, compare=False, repr=False)


def contenders(
    names: Iterable[str], *, summarizers: Iterable[str] = ("null",), interpreters: Mapping[str, str] | None = None
) -> list[Contender]:
    """Our engine with its mechanical checkpoint and each summarizer, then the peers of these names, each that summarizes once for each.

    `interpreters` names, by distribution, the Python that has the library; default: this one.
    """
    chosen = set(names)
    wanted = tuple(summarizers)
    found = [Contender(OWN, "Sostenuto"), *(Contender(OWN, "Sostenuto", name) for name in wanted)]
    for peer in PEERS:
        if peer.name in chosen:
            where = (interpreters or {}).get(peer.distribution, sys.executable)
            found += [Contender(peer.name, peer.title, name, where) for name in (wanted if peer.summarizes else ("",))]
    return found


def installed_peers(interpreters: Mapping[str, str] | None = None) -> list[str]:
    """Names of the peers that can run: with an interpreter of their own, or installed beside this program; doing nothing always can."""
    return [peer.name for peer in PEERS if peer.distribution in (interpreters or {}) or installed(peer) is not None]


def ruler_name() -> str:
    """The name of the ruler that judges here: exact o200k where a vocabulary is at hand."""
    weigher = published_weigher()
    return weigher.name if weigher is not None else Thirds.name


def outcome(session: Session, contender: Contender, *, budget: int, deadline_s: float = DEADLINE_S) -> Outcome:
    """Run one contender and judge it. Whatever goes wrong with a library is told in the outcome, never raised."""
    job = {
        "contender": contender.name,
        "summarizer": contender.summarizer,
        "messages": [dict(message) for message in session.messages],
        "requests": session.requests,
        "pins": session.pins,
        "budget": budget,
        "ruler": ruler_name(),
    }
    lines, problem = _ran(job, contender.interpreter, deadline_s)
    told = {name: line[name] for line in lines for name in ("version", "unusable", "remark") if name in line}
    made = Outcome(contender, session.name, told.get("version", ""), remark=told.get("remark", ""))
    if "unusable" in told or not any("seconds" in line for line in lines):
        return _failed(made, told.get("unusable") or problem or "it made no request")
    run = _run(session, lines, missing=problem or "it ended early")
    verdict = judged(session, run, budget=budget, weigh=weighing(published_weigher()), decode=CODECS["openai_chat"].decode)
    return Outcome(contender, session.name, made.version, verdict, problem, made.remark, run)


def _failed(made: Outcome, problem: str) -> Outcome:
    return Outcome(made.contender, made.session, made.version, None, problem, made.remark)


def _ran(job: Mapping[str, Any], interpreter: str, deadline_s: float) -> tuple[list[dict[str, Any]], str]:
    """The lines of the answer, and what went wrong with the process, "" for nothing."""
    environment = {**os.environ, **QUIET, "PYTHONIOENCODING": "utf-8"}
    environment["PYTHONPATH"] = os.pathsep.join(_importable(own=interpreter == sys.executable))
    with tempfile.TemporaryDirectory(prefix="sostenuto-contest-") as folder:
        answer, complaint = Path(folder, "answer"), Path(folder, "complaint")
        with answer.open("wb") as out, complaint.open("wb") as err:
            command = [interpreter, "-m", "sostenuto.app._contender"]
            try:
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=err, cwd=folder, env=environment)
            except OSError as error:
                return [], f"{interpreter} cannot be started: {error.strerror or error}"
            problem = _waited(process, json.dumps(job).encode(), deadline_s)
        said = complaint.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        lines = [line for text in answer.read_bytes().splitlines() if (line := _line(text)) is not None]
    if process.returncode and not problem:
        problem = f"the process ended with {process.returncode}" + (f": {said[-1][:300]}" if said else "")
    return lines, problem


def _importable(*, own: bool) -> Iterator[str]:
    """Where the process finds this package, whatever folder it runs in; our own interpreter keeps what its person had added."""
    yield str(Path(sostenuto.__file__).resolve().parents[1])
    if own:
        yield from (str(Path(entry).resolve()) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry)


def _waited(process: subprocess.Popen[bytes], job: bytes, deadline_s: float) -> str:
    try:
        process.communicate(job, timeout=deadline_s)
    except subprocess.TimeoutExpired:
        return f"it took longer than {deadline_s:g} s"
    finally:
        process.kill()
        process.wait()
    return ""


def _line(text: bytes) -> dict[str, Any] | None:
    """One line of the answer; one that was cut off when the process was stopped is left out."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _run(session: Session, lines: Iterable[dict[str, Any]], *, missing: str) -> Run:
    """The run back from its lines; requests that were not reached failed with `missing`."""
    known: list[Any] = []
    sent: list[Sent] = []
    rest: dict[str, Any] = {}
    for line in lines:
        if "seconds" not in line:
            rest.update(line)
            continue
        known += line.get("fresh", ())
        messages = tuple(known[number] for number in line.get("messages", ()))
        sent.append(Sent(messages, line["seconds"], line.get("nudges", 0), line.get("failure", "")))
    sent += [Sent(failure=missing)] * (len(session.requests) - len(sent))
    original, search = asking(rest["snapshot"], lead=session.lead) if "snapshot" in rest else (None, None)
    return Run(tuple(sent), original, search, rest.get("summaries", 0), rest.get("summarizer", 0))
