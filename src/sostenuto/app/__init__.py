"""The program's composition root: names the concrete readers, encoders and the manager that the commands run on.

What only a run needs is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.app._contest import Contender, Outcome, contenders, installed_peers, outcome, ruler_name
from sostenuto.app._converting import Converted, converted
from sostenuto.app._counting import Counted, counted
from sostenuto.app._home import data_home
from sostenuto.app._models import Answer, Catalogue, Listed, Refreshed, models, refresh
from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.app._plain_chat import session as recorded_session
from sostenuto.app._replaying import Replayed, ReplayOptions, Watch, replay
from sostenuto.app._reporting import Rehearsed, replay_report
from sostenuto.app._talking import conversation, recalled, weighing
from sostenuto.app._verifying import Verified, entry, peer_names, verify
from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.app._doctor import Finding, examined
    from sostenuto.app._providers import model_named
    from sostenuto.app._running import Models, Ran, Wish, perform
    from sostenuto.app._terms import NO_AGENT, chosen_tools, limits_of

__all__ = [
    "DEFAULT_MODEL",
    "NO_AGENT",
    "Answer",
    "Catalogue",
    "Contender",
    "Converted",
    "Counted",
    "Finding",
    "Listed",
    "Models",
    "Outcome",
    "Ran",
    "Refreshed",
    "Rehearsed",
    "ReplayOptions",
    "Replayed",
    "Verified",
    "Watch",
    "Wish",
    "chosen_tools",
    "contenders",
    "conversation",
    "converted",
    "counted",
    "data_home",
    "entry",
    "examined",
    "installed_peers",
    "limits_of",
    "model_named",
    "models",
    "outcome",
    "peer_names",
    "perform",
    "recalled",
    "recorded_session",
    "refresh",
    "replay",
    "replay_report",
    "ruler_name",
    "verify",
    "weighing",
]

_HOMES = {
    "Finding": "_doctor",
    "Models": "_running",
    "NO_AGENT": "_terms",
    "Ran": "_running",
    "Wish": "_running",
    "chosen_tools": "_terms",
    "examined": "_doctor",
    "limits_of": "_terms",
    "model_named": "_providers",
    "perform": "_running",
}

__getattr__ = door(__name__, _HOMES)
