"""deepagents: its own summarization middleware, which writes the old messages to a file and recovers from an overflow."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sostenuto.peers._langchain_messages import Chat, scripted_model
from sostenuto.peers._terms import Raw, Send, Terms, library


def summarize(terms: Terms) -> Send:
    """The middleware with the defaults it computes for a model whose input limit is the budget.

    A request above the budget is refused as a provider would, so its recovery has its chance.
    """
    summarization, chat = library("deepagents.middleware.summarization"), Chat()
    backends, core = library("deepagents.backends"), library("langchain_core.exceptions")
    types, agents = library("langchain_core.messages"), library("langchain.agents.middleware.types")
    model = scripted_model(terms.summarize, budget=terms.budget)
    folder = tempfile.TemporaryDirectory(prefix="sostenuto-peer-")
    middleware = summarization.SummarizationMiddleware(
        model,
        backend=backends.FilesystemBackend(root_dir=folder.name, virtual_mode=True),
        token_counter=lambda messages: terms.count(chat.given(messages)),
        **summarization.compute_summarization_defaults(model),
    )
    state: dict[str, Any] = {"messages": []}
    lead: list[Any] = []
    sent: list[Any] = []

    def handler(request: Any) -> Any:
        sent[:] = [*lead, *request.messages]
        if terms.count(chat.given(sent)) > terms.budget:
            raise core.ContextOverflowError("the request is longer than the context window")
        return agents.ModelResponse(result=[types.AIMessage(content="")])

    def send(new: Sequence[Raw]) -> list[Raw]:
        Path(folder.name).mkdir(exist_ok=True)  # holding the folder: it lives as long as the strategy
        for message in chat.taken(new):
            (lead if isinstance(message, types.SystemMessage) else state["messages"]).append(message)
        request = agents.ModelRequest(
            model=model, messages=list(state["messages"]), system_message=lead[0] if lead else None, tools=[], state=state, runtime=None
        )
        done = middleware.wrap_model_call(request, handler)
        _remember(state, getattr(getattr(done, "command", None), "update", None) or {})
        return chat.given(sent)

    return send


def _remember(state: dict[str, Any], update: dict[str, Any]) -> None:
    """Take over what the middleware writes into the agent's state: the event, its file, and tool results it put aside."""
    for name, value in update.items():
        if name == "messages":
            newer = {message.id: message for message in value}
            state["messages"] = [newer.get(message.id, message) for message in state["messages"]]
        else:
            state[name] = value


def round_trip(messages: Sequence[Raw]) -> list[Raw]:
    """The messages through LangChain's types and back."""
    chat = Chat()
    return Chat().given([message.model_copy(update={"id": None}) for message in chat.taken(messages)])
