"""The program's composition root: names the concrete readers, encoders and the manager that the commands run on."""

from sostenuto.app._counting import Counted, counted
from sostenuto.app._naming import DEFAULT_MODEL
from sostenuto.app._replaying import Replayed, ReplayOptions, Watch, replay
from sostenuto.app._talking import conversation, recalled, weighing

__all__ = [
    "DEFAULT_MODEL",
    "Counted",
    "ReplayOptions",
    "Replayed",
    "Watch",
    "conversation",
    "counted",
    "recalled",
    "replay",
    "weighing",
]
