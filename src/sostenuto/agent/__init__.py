"""What does one run do? The loop, its limits, what it hands on, and what it tells whoever watches (rank 9).

outcome = await run("Find the failing test and mend it.", Setup(model=model, context=ContextManager(...), tools=standard_tools(folder)))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.agent._closing import closed, codec_of
    from sostenuto.agent._event import EVENT_KINDS, Event, EventKind, Listener
    from sostenuto.agent._outcome import Ending, Outcome
    from sostenuto.agent._parked import Decision, Parked, Parking, Waiting, parked_in, reopened, stamp
    from sostenuto.agent._purse import Price, Purse
    from sostenuto.agent._run import run
    from sostenuto.agent._setup import Delegation, Place, Setup, Timer
    from sostenuto.agent._stop import Stop
    from sostenuto.agent._summarizing import summarizing

__all__ = [
    "EVENT_KINDS",
    "Decision",
    "Delegation",
    "Ending",
    "Event",
    "EventKind",
    "Listener",
    "Outcome",
    "Parked",
    "Parking",
    "Place",
    "Price",
    "Purse",
    "Setup",
    "Stop",
    "Timer",
    "Waiting",
    "closed",
    "codec_of",
    "parked_in",
    "reopened",
    "run",
    "stamp",
    "summarizing",
]

_HOMES = {
    "Decision": "_parked",
    "Delegation": "_setup",
    "EVENT_KINDS": "_event",
    "Ending": "_outcome",
    "Event": "_event",
    "EventKind": "_event",
    "Listener": "_event",
    "Outcome": "_outcome",
    "Parked": "_parked",
    "Parking": "_parked",
    "Place": "_setup",
    "Price": "_purse",
    "Purse": "_purse",
    "Setup": "_setup",
    "Stop": "_stop",
    "Timer": "_setup",
    "Waiting": "_parked",
    "closed": "_closing",
    "codec_of": "_closing",
    "parked_in": "_parked",
    "reopened": "_parked",
    "run": "_run",
    "stamp": "_parked",
    "summarizing": "_summarizing",
}

__getattr__ = door(__name__, _HOMES)
