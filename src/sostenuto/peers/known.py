"""Which libraries can be compared: what their distribution is called, and which of their strategies are run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from sostenuto.peers._terms import Raw, Send, Strategy, Terms

__all__ = ["PEERS", "Peer", "Send", "Terms", "installed", "round_trip", "started"]


@dataclass(frozen=True, slots=True)
class Peer:
    """A strategy of a library.

    Attributes:
        name: what people type.
        title: what tables say.
        module: the file of this corridor; `strategy` the name in it.
        distribution: the package to install; "" for none.
        summarizes: whether it asks a summarizer.
    """

    name: str
    title: str
    module: str
    strategy: str
    distribution: str = ""
    summarizes: bool = False


PEERS: tuple[Peer, ...] = (
    Peer("nothing", "doing nothing", "nothing", "nothing"),
    Peer("langchain-trim", "LangChain trim_messages", "langchain", "trim", "langchain"),
    Peer("langchain-clear", "LangChain ClearToolUsesEdit", "langchain", "clear", "langchain"),
    Peer("langchain-summarize", "LangChain SummarizationMiddleware", "langchain", "summarize", "langchain", summarizes=True),
    Peer("deepagents", "deepagents SummarizationMiddleware", "deepagents", "summarize", "deepagents", summarizes=True),
    Peer("pydantic-tiered", "pydantic-ai-harness tiered", "pydantic_ai_harness", "tiered", "pydantic-ai-harness", summarizes=True),
    Peer("pydantic-sliding", "pydantic-ai-harness sliding window", "pydantic_ai_harness", "sliding", "pydantic-ai-harness"),
    Peer("pydantic-clear", "pydantic-ai-harness clearing", "pydantic_ai_harness", "clear", "pydantic-ai-harness"),
    Peer("strands-sliding", "Strands sliding window", "strands", "sliding", "strands-agents"),
    Peer("strands-summarize", "Strands summarizing", "strands", "summarizing", "strands-agents", summarizes=True),
    Peer("inspect-trim", "inspect-ai CompactionTrim", "inspect_ai", "trim", "inspect-ai"),
    Peer("inspect-edit", "inspect-ai CompactionEdit", "inspect_ai", "edit", "inspect-ai"),
    Peer("openai-agents", "openai-agents ToolOutputTrimmer", "openai_agents", "trim_outputs", "openai-agents"),
)


def installed(peer: Peer) -> str | None:
    """The version of the library that this interpreter would import; "" where none is needed, None where it is not installed."""
    if not peer.distribution:
        return ""
    try:
        return version(peer.distribution)
    except PackageNotFoundError:
        return None


def started(peer: Peer, terms: Terms) -> Send:
    """The strategy, ready for its first request; its library is imported now. Raises ImportError, and whatever the library raises."""
    strategy: Strategy = getattr(import_module(f"sostenuto.peers.{peer.module}"), peer.strategy)
    return strategy(terms)


def round_trip(peer: Peer, messages: Sequence[Raw]) -> list[Raw]:
    """Plain chat through the library's own types and back, with nothing done to it: what an adapter is checked by first."""
    there_and_back: Callable[[Sequence[Raw]], list[Raw]] = import_module(f"sostenuto.peers.{peer.module}").round_trip
    return there_and_back(messages)
