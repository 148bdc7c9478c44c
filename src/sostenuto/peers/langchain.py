"""LangChain: trim_messages of its core, and the two middlewares for tool results and summaries."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from sostenuto.peers._langchain_messages import Chat, scripted_model
from sostenuto.peers._terms import CLEARS_AT, STARTS_AT, Raw, Send, Terms, library


def trim(terms: Terms) -> Send:
    """`trim_messages` to the budget: the newest, with the system's message, from a person's message on."""
    trimming, chat = library("langchain_core.messages").trim_messages, Chat()
    history: list[Any] = []

    def send(new: Sequence[Raw]) -> list[Raw]:
        history.extend(chat.taken(new))
        kept = trimming(
            history,
            max_tokens=terms.budget,
            token_counter=lambda messages: terms.count(chat.given(messages)),
            strategy="last",
            include_system=True,
            start_on="human",
        )
        return chat.given(kept)

    return send


def clear(terms: Terms) -> Send:
    """`ClearToolUsesEdit` with its own numbers, beginning at half of the budget as it does at half of its default window."""
    editing, chat = library("langchain.agents.middleware.context_editing"), Chat()
    edit = editing.ClearToolUsesEdit(trigger=int(CLEARS_AT * terms.budget))
    history: list[Any] = []

    def send(new: Sequence[Raw]) -> list[Raw]:
        history.extend(chat.taken(new))
        edited = [copy(message) for message in history]
        edit.apply(edited, count_tokens=lambda messages: terms.count(chat.given(messages)))
        return chat.given(edited)

    return send


def summarize(terms: Terms) -> Send:
    """`SummarizationMiddleware`: what it keeps is its default; it begins at four fifths of the budget."""
    middleware, chat = library("langchain.agents.middleware.summarization"), Chat()
    types, graph = library("langchain_core.messages"), library("langgraph.graph.message")
    summarizing = middleware.SummarizationMiddleware(
        scripted_model(terms.summarize, budget=terms.budget),
        trigger=("tokens", int(STARTS_AT * terms.budget)),
        token_counter=lambda messages: terms.count(chat.given(messages)),
    )
    lead: list[Any] = []
    state: list[Any] = []

    def send(new: Sequence[Raw]) -> list[Raw]:
        # an agent keeps its system's message beside the state, so the middleware never sees it
        for message in chat.taken(new):
            (lead if isinstance(message, types.SystemMessage) else state).append(message)
        update = summarizing.before_model({"messages": state}, None)
        if update is not None:
            state[:] = graph.add_messages(list(state), update["messages"])
        return chat.given([*lead, *state])

    return send


def round_trip(messages: Sequence[Raw]) -> list[Raw]:
    """The messages through LangChain's types and back, each built anew."""
    chat = Chat()
    taken = chat.taken(messages)
    return Chat().given([message.model_copy(update={"id": None}) for message in taken])
