"""What did a call do? Paths, command, success, background work, and when its result may be cleared."""

from sostenuto.calls._background import announced_end
from sostenuto.calls._facts import Facts, clearing, facts
from sostenuto.calls._policy import Clear, ToolPolicy, Trait
from sostenuto.calls._table import DEFAULT

__all__ = ["DEFAULT", "Clear", "Facts", "ToolPolicy", "Trait", "announced_end", "clearing", "facts"]
