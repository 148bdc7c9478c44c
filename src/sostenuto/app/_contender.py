"""The process of one contender: a session and its terms on standard input, every request it makes on standard output.

A library is imported here and nowhere else, and nothing here can reach a network.
"""

from __future__ import annotations

import json
import socket
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from sostenuto.app._own import Own
from sostenuto.app._rulers import published_weigher
from sostenuto.judging import SCRIPTED, Thirds, tokens_of
from sostenuto.peers.known import PEERS, Send, Terms, installed, round_trip, started
from sostenuto.replaying import Metered
from sostenuto.tokens import Weigher, remembering

OWN = "sostenuto"
SAID = 300
"""Characters of an exception's words that are told."""


def main() -> int:
    """Run the job on standard input; what goes wrong is a line of the answer, the exit code is 0 unless the process died."""
    job = json.load(sys.stdin)
    _stay_offline()
    warnings.simplefilter("ignore")
    answer, sys.stdout = sys.stdout, sys.stderr  # what a library prints is not the answer
    _Answer(job, write=lambda line: print(json.dumps(line), file=answer, flush=True)).give()
    return 0


class _Answer:
    """One job: which contender, which session, on which terms."""

    def __init__(self, job: Mapping[str, Any], *, write: Callable[[Mapping[str, Any]], None]) -> None:
        self._job = job
        self._write = write
        self._numbers: dict[str, int] = {}
        self._handed = {id(message): message for message in job["messages"]}
        self._by_object: dict[int, int] = {}
        self._own: Own | None = None

    def give(self) -> None:
        """Write what the contender is, then a line for each request, then what is left to ask it."""
        job = self._job
        found = _weigher(job["ruler"])
        if found is None:
            self._write({"unusable": f"no tokenizer for {job['ruler']} in this environment; install toktok-rs there"})
            return
        absent = next((peer for peer in PEERS if peer.name == job["contender"] and installed(peer) is None), None)
        if absent is not None:
            self._write({"unusable": f"{absent.distribution} is not installed here; pip install {absent.distribution}"})
            return
        by = remembering(found)
        by("the vocabulary is loaded before the first request is timed")
        metered = Metered(SCRIPTED[job["summarizer"]](), by) if job["summarizer"] else None
        terms = Terms(
            budget=job["budget"],
            count=lambda messages: sum(tokens_of(message, by=by) for message in messages),
            text=by,
            summarize=metered or (lambda prompt: ""),
        )
        try:
            send, nudges = self._opened(terms, by=by, metered=metered)
        except Exception as error:  # whatever a library does when it is started is its row
            self._write({"unusable": _told(error)})
            return
        self._requests(send, nudges=nudges)
        self._write({"summaries": metered.calls if metered else 0, "summarizer": metered.tokens if metered else 0})

    def _opened(self, terms: Terms, *, by: Weigher, metered: Metered | None) -> tuple[Send, Callable[[], int]]:
        if self._job["contender"] == OWN:
            own = self._own = Own(budget=terms.budget, weigher=by, summarize=metered, pins=self._job["pins"])
            self._write({"version": ""})
            return own.send, lambda: own.nudges
        peer = next(peer for peer in PEERS if peer.name == self._job["contender"])
        self._write({"version": installed(peer)})
        if round_trip(peer, self._job["messages"]) != self._job["messages"]:
            self._write({"remark": "the session does not come back unchanged from the library's own message types"})
        return started(peer, terms), lambda: 0

    def _requests(self, send: Send, *, nudges: Callable[[], int]) -> None:
        before = 0
        for upto in self._job["requests"]:
            new = self._job["messages"][before:upto]
            before = upto
            started_at = time.process_time()
            try:
                messages = send(new)
            except Exception as error:  # a request that is not made is counted, and the next one is tried
                self._write({"failure": _told(error), "seconds": time.process_time() - started_at})
                continue
            seconds = time.process_time() - started_at
            self._write({"seconds": seconds, "nudges": nudges(), **self._listed(messages)})
        if self._own is not None:
            self._write({"snapshot": self._own.manager.snapshot()})

    def _listed(self, messages: Sequence[Any]) -> dict[str, Any]:
        """The messages as numbers, each message told once."""
        fresh: list[Any] = []
        numbers = []
        for message in messages:
            number = self._by_object.get(id(message))
            if number is None:
                text = json.dumps(message, sort_keys=True)
                if text not in self._numbers:
                    fresh.append(message)
                number = self._numbers.setdefault(text, len(self._numbers))
                if id(message) in self._handed:  # the session's own messages stay, so their ids do
                    self._by_object[id(message)] = number
            numbers.append(number)
        return {"fresh": fresh, "messages": numbers}


def _weigher(name: str) -> Weigher | None:
    return Thirds() if name == Thirds.name else published_weigher()


def _told(error: BaseException) -> str:
    name, words = type(error).__name__, " ".join(str(error).split())
    return (words if words.startswith(f"{name}:") else f"{name}: {words}")[:SAID]


def _stay_offline() -> None:
    """Refuse every connection from now on: a comparison must not depend on who answers, and must tell nobody anything."""

    def refuse(*arguments: Any, **settings: Any) -> NoReturn:
        raise OSError("there is no network in a comparison")

    socket.socket.connect = refuse  # type: ignore[method-assign]
    socket.socket.connect_ex = refuse  # type: ignore[method-assign]
    socket.getaddrinfo = refuse
    socket.create_connection = refuse


if __name__ == "__main__":
    sys.exit(main())
