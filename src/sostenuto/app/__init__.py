"""The program's composition root: names the concrete readers, encoders and the manager that the commands run on.

What a command does not use is never loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sostenuto.doors import door

if TYPE_CHECKING:
    from sostenuto.app._contest import Contender, Outcome, contenders, installed_peers, outcome, ruler_name
    from sostenuto.app._converting import Converted, converted
    from sostenuto.app._counting import Counted, counted
    from sostenuto.app._doctor import Finding, examined
    from sostenuto.app._home import data_home
    from sostenuto.app._models import Answer, Catalogue, Listed, Refreshed, models, refresh
    from sostenuto.app._naming import DEFAULT_MODEL
    from sostenuto.app._plain_chat import recorded_session
    from sostenuto.app._providers import model_named, spoken_by
    from sostenuto.app._recalling import KeptConversation, kept_conversation, recalled_from
    from sostenuto.app._replaying import Replayed, ReplayOptions, Watch, replay
    from sostenuto.app._reporting import Rehearsed, replay_report
    from sostenuto.app._running import Models, Ran, Wish, perform
    from sostenuto.app._talking import conversation, recalled, weighing
    from sostenuto.app._terms import NO_AGENT, chosen_tools, limits_of
    from sostenuto.app._verifying import Verified, entry, peer_names, verify
    from sostenuto.app._welcome import Reachable, Surroundings, surroundings

__all__ = [
    "DEFAULT_MODEL",
    "NO_AGENT",
    "Answer",
    "Catalogue",
    "Contender",
    "Converted",
    "Counted",
    "Finding",
    "KeptConversation",
    "Listed",
    "Models",
    "Outcome",
    "Ran",
    "Reachable",
    "Refreshed",
    "Rehearsed",
    "ReplayOptions",
    "Replayed",
    "Surroundings",
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
    "kept_conversation",
    "limits_of",
    "model_named",
    "models",
    "outcome",
    "peer_names",
    "perform",
    "recalled",
    "recalled_from",
    "recorded_session",
    "refresh",
    "replay",
    "replay_report",
    "ruler_name",
    "spoken_by",
    "surroundings",
    "verify",
    "weighing",
]

_HOMES = {
    "Answer": "_models",
    "Catalogue": "_models",
    "Contender": "_contest",
    "Converted": "_converting",
    "Counted": "_counting",
    "DEFAULT_MODEL": "_naming",
    "Finding": "_doctor",
    "KeptConversation": "_recalling",
    "Listed": "_models",
    "Models": "_running",
    "NO_AGENT": "_terms",
    "Outcome": "_contest",
    "Ran": "_running",
    "Reachable": "_welcome",
    "Refreshed": "_models",
    "Rehearsed": "_reporting",
    "ReplayOptions": "_replaying",
    "Replayed": "_replaying",
    "Surroundings": "_welcome",
    "Verified": "_verifying",
    "Watch": "_replaying",
    "Wish": "_running",
    "chosen_tools": "_terms",
    "contenders": "_contest",
    "conversation": "_talking",
    "converted": "_converting",
    "counted": "_counting",
    "data_home": "_home",
    "entry": "_verifying",
    "examined": "_doctor",
    "installed_peers": "_contest",
    "kept_conversation": "_recalling",
    "limits_of": "_terms",
    "model_named": "_providers",
    "models": "_models",
    "outcome": "_contest",
    "peer_names": "_verifying",
    "perform": "_running",
    "recalled": "_talking",
    "recalled_from": "_recalling",
    "recorded_session": "_plain_chat",
    "refresh": "_models",
    "replay": "_replaying",
    "replay_report": "_reporting",
    "ruler_name": "_contest",
    "spoken_by": "_providers",
    "surroundings": "_welcome",
    "verify": "_verifying",
    "weighing": "_talking",
}

__getattr__ = door(__name__, _HOMES)
