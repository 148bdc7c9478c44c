"""What holds for one run: flags, workflow, agent and files put together, the narrowest first (beyond-a-run)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Protocol

from sostenuto.app._providers import is_address
from sostenuto.budget import LIMIT_NUMBERS, Limits
from sostenuto.config import Agent, Configured, Layer, Workflow, configured, project_file, read_agent, read_workflow, workflow_file
from sostenuto.errors import UnknownSetting, UnusableInput
from sostenuto.tools import Risk, Tool

NO_AGENT = "default"
"""Under this name runs without an agent keep what they keep."""
USUAL_POLICY: Risk = "low-risk"
SMALL_WINDOW: Final = 8_000
"""Tokens of a window below which the definitions of all tools would take most of it."""
FEW_TOOLS: Final = ("read_file", "write_file", "edit_file", "list_files", "grep", "shell")
"""The tools of a run in such a window where nobody chose any: a third of the tokens, and enough to look, change and check."""


class Asked(Protocol):
    """The part of a wish that terms are made of."""

    @property
    def prompt(self) -> str | None: ...
    @property
    def home(self) -> Path: ...
    @property
    def project(self) -> Path: ...
    @property
    def agent(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def workflow(self) -> str: ...
    @property
    def flags(self) -> Mapping[str, Any]: ...
    @property
    def config(self) -> Path | None: ...


@dataclass(frozen=True, slots=True)
class Terms:
    """What was decided.

    Attributes:
        agent: whose run it is.
        model: ``provider:id``; `summarizer` the same for summaries, "" for the model itself.
        settings: every setting, with where it comes from.
        limits: of the run.
        policy: what runs without asking.
        workflow: the workflow that is run, if one is.
        warnings: lines for the person.
    """

    agent: str
    model: str
    summarizer: str
    settings: Configured
    limits: Limits
    policy: Risk
    workflow: Workflow | None = None
    warnings: tuple[str, ...] = ()

    @property
    def pinned(self) -> int | None:
        """The window that a local server is asked for."""
        found: int | None = self.settings["llm.numCtx"]
        return found

    @property
    def retries(self) -> int:
        """How often a request is sent again."""
        return int(self.settings["maxRetries"])

    @property
    def most_deep(self) -> int:
        """Levels of sub-agents."""
        return int(self.settings["maxSubagentDepth"])

    @property
    def subagent_iterations(self) -> int:
        """Requests of one sub-agent; without a limit, as many as the run itself may have by default."""
        return int(self.settings["maxSubagentIterations"]) or LIMIT_NUMBERS.iterations


def terms_of(wish: Asked) -> Terms:
    """The terms of a run.

    Raises:
        UnknownSetting: no model is named anywhere, or a name leads nowhere. UnusableInput: a file cannot be used.
    """
    workflow = read_workflow(workflow_file(wish.workflow, project=wish.project, home=wish.home)) if wish.workflow else None
    named = wish.agent or (workflow.agent if workflow is not None else "")
    agent = read_agent(wish.home, named) if named else None
    settings = _layered(wish, agent, workflow)
    model = wish.model or _model(settings, project=wish.project)
    summarizer, warning = summarizer_of(settings["llm.summarizerModel"])
    return Terms(
        agent=agent.id if agent is not None else NO_AGENT,
        model=model,
        summarizer=summarizer if summarizer != model else "",
        settings=settings,
        limits=limits_of(settings),
        policy=settings["approvalPolicy"] or USUAL_POLICY,
        workflow=workflow,
        warnings=(warning,) if warning else (),
    )


def _layered(wish: Asked, agent: Agent | None, workflow: Workflow | None) -> Configured:
    layers = [agent.layer] if agent is not None else []
    layers += [workflow.layer] if workflow is not None else []
    return configured(home=wish.home, project=wish.project, narrower=(*layers, Layer("flag", wish.flags)), file=wish.config)


def limits_of(settings: Configured, /) -> Limits:
    """The limits of a run from its settings; 0 iterations means no limit."""
    duration = settings["maxDurationMs"]
    return Limits(
        iterations=settings["maxIterations"] or None,
        cost_usd=settings["maxCostUSD"],
        tokens=settings["maxTokens"],
        duration_s=duration / 1000 if duration is not None else None,
    )


def summarizer_of(value: object, /) -> tuple[str, str]:
    """The summarizer that a setting names as ``provider:id``, "" for the model itself; and a warning where it cannot be read (A.6)."""
    if value is None:
        return "", ""
    if not isinstance(value, str):
        return "", f"llm.summarizerModel is a {type(value).__name__}, not a text; the model itself writes the summaries"
    for mark in (":", "/"):
        provider, found, name = value.partition(mark)
        if found and provider.strip() and name.strip() and "/" not in provider:
            return f"{provider.strip()}:{name.strip()}", ""
    return "", f"llm.summarizerModel {value!r} is not provider:id; the model itself writes the summaries"


def _model(settings: Configured, *, project: Path) -> str:
    if not settings.model:
        raise UnknownSetting(
            "no model is named; use --model provider:id, or set one for good: sostenuto config set llm.model provider:id "
            "(sostenuto doctor shows what this machine can reach)"
        )
    source = settings.found("llm.model")[1]
    if is_address(settings.model) and source == str(project_file(project)):  # a folder that was cloned must not say where requests go
        raise UnusableInput(f"{source}: llm.model is an address, which a project may not set; name it with --model or in your settings")
    return settings.model


def chosen_tools(tools: Sequence[Tool], names: Sequence[str] | None, /) -> tuple[Tool, ...]:
    """The tools with these names; all of them where no names are given.

    Raises:
        UnusableInput: there is no tool of that name; the nearest is said.
    """
    if names is None:
        return tuple(tools)
    known = {tool.name: tool for tool in tools}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
            raise UnusableInput(f"tools: there is no tool {name[:80]!r}; {hint}")
    return tuple(known[name] for name in dict.fromkeys(names))


def fitting_tools(tools: Sequence[Tool], terms: Terms, /, *, window: int) -> tuple[tuple[Tool, ...], str]:
    """The tools of a run in a window of so many tokens, and a line for the person where some were left out for its size, else "".

    Raises:
        UnusableInput: as `chosen_tools`.
    """
    wanted = terms.settings["tools"]
    if wanted is not None or window >= SMALL_WINDOW:
        return chosen_tools(tools, wanted), ""
    left = ", ".join(tool.name for tool in tools if tool.name not in FEW_TOOLS)
    command = "create NAME" if terms.agent == NO_AGENT else f"edit {terms.agent}"
    return chosen_tools(tools, FEW_TOOLS), (
        f"the definitions of all tools would take most of a window of {window:,} tokens, so this run has {', '.join(FEW_TOOLS)}; left "
        f'out: {left}, and sub-agents. To choose yourself: sostenuto agent {command} --set \'tools=["read_file", "shell"]\''
    )
