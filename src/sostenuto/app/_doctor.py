"""What works on this machine and what does not, each with its remedy. No key is ever shown, only that there is one."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from sostenuto.app._providers import _ADDRESSES, _address
from sostenuto.config import agent_ids, configured, read_agent
from sostenuto.errors import SostenutoError
from sostenuto.providers.ollama import BASE_URL as OLLAMA
from sostenuto.providers.ollama import Ollama
from sostenuto.providers.openai_compatible import SERVERS, OpenAICompatible

State = Literal["ok", "absent", "bad"]
"""It works; it is not there, which may be all right; it is wrong."""

OLDEST_PYTHON = (3, 11)
CONNECT_S = 0.5
"""Seconds a local server has to take a connection."""

EXTRAS: Final[tuple[tuple[str, str, str], ...]] = (
    ("ctok", "sostenuto[claude]", "counts Claude's tokens closer than the estimate"),
    ("splintr", "sostenuto[encoders]", "counts other families exactly"),
    ("yaml", "sostenuto[yaml]", "reads recordings in YAML"),
    ("httpx", "sostenuto[run]", "speaks to models over HTTP: sostenuto run needs it"),
    ("pydantic_ai", "sostenuto[pydantic-ai]", "speaks to every provider that library knows"),
    ("xllamacpp", "sostenuto[local]", "runs a small model in this process, without key or server"),
)
"""Module, extra that brings it, what it is for."""

KEY_VARIABLES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("openai", ("OPENAI_API_KEY",)),
    ("anthropic", ("ANTHROPIC_API_KEY",)),
    ("google", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    ("mistral", ("MISTRAL_API_KEY",)),
    ("groq", ("GROQ_API_KEY",)),
    ("deepseek", ("DEEPSEEK_API_KEY",)),
    ("openrouter", ("OPENROUTER_API_KEY",)),
    ("xai", ("XAI_API_KEY",)),
)
"""Provider, and the variables that usually hold its key."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        about: what it is.
        state: how it stands.
        text: what was found, in words.
        remedy: what to do; "" where nothing is to do.
    """

    about: str
    state: State
    text: str
    remedy: str = ""


async def examined(*, home: Path, project: Path, environment: Mapping[str, str]) -> tuple[Finding, ...]:
    """Everything that a run depends on."""
    import asyncio

    servers = await asyncio.gather(*(_server(name, address) for name, address in _local_servers(environment)))
    return (
        _python(),
        _folder(home),
        *_settings(home, project),
        *_keys(environment),
        *servers,
        *_extras(),
        _search(),
    )


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Finding("Python", "bad", f"{version} is too old", "install Python 3.11 or newer")
    return Finding("Python", "ok", version)


def _folder(home: Path) -> Finding:
    there = next(path for path in (home, *home.absolute().parents) if path.exists())
    try:
        with tempfile.NamedTemporaryFile(prefix=".sostenuto-", dir=there):
            pass
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return Finding("data folder", "bad", f"{home} cannot be written ({why})", "make it yours, or set SOSTENUTO_HOME to another folder")
    return Finding("data folder", "ok", f"{home}" if home.exists() else f"{home} (made when it is first needed)")


def _settings(home: Path, project: Path) -> Iterator[Finding]:
    try:
        settings = configured(home=home, project=project)
    except SostenutoError as error:
        yield Finding("settings", "bad", str(error), "mend the file; sostenuto config show lists all keys")
    else:
        model = settings["llm.model"]
        remedy = "" if model else "sostenuto config set llm.model provider:id, or name one with --model"
        yield Finding("settings", "ok" if model else "absent", f"model {model}" if model else "no model is set", remedy)
    for agent in agent_ids(home):
        try:
            read_agent(home, agent)
        except SostenutoError as error:
            yield Finding(f"agent {agent}", "bad", str(error), f"mend the file, or write it anew: sostenuto agent create {agent}")


def _keys(environment: Mapping[str, str]) -> Iterator[Finding]:
    for provider, variables in KEY_VARIABLES:
        held = next((name for name in variables if environment.get(name, "").strip()), "")
        if held:
            yield Finding(f"key for {provider}", "ok", f"{held} is set")
    if not any(environment.get(name, "").strip() for _, names in KEY_VARIABLES for name in names):
        yield Finding("keys", "absent", "no provider's key is set", "export one, for example OPENAI_API_KEY, or use a local server")


def _local_servers(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Kind and address of every local server, where it listens by itself or where the environment says."""
    near = [(name, server.base_url) for name, server in SERVERS.items() if urlsplit(server.base_url).hostname == "127.0.0.1"]
    return [(name, _address(environment.get(_ADDRESSES[name], "")) or usual) for name, usual in (*near, ("ollama", OLLAMA))]


async def _server(name: str, address: str) -> Finding:
    """Whether a local server takes connections, and the window it says it serves."""
    import asyncio

    parts = urlsplit(address)
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(parts.hostname, parts.port), CONNECT_S)
    except (OSError, TimeoutError):
        return Finding(name, "absent", f"nothing listens at {address}")
    writer.close()
    model = Ollama("", base_url=address) if name == "ollama" else OpenAICompatible("", server=name, base_url=address)
    try:
        window = await model.window()
    finally:
        await model.aclose()
    if window is not None:
        return Finding(name, "ok", f"listens at {address}, serves a window of {window:,} tokens")
    remedy = "pin one with: sostenuto config set llm.numCtx N" if name == "ollama" else "name the window with llm.numCtx"
    return Finding(name, "ok", f"listens at {address}; it does not say which window it serves", remedy)


def _extras() -> Iterator[Finding]:
    for module, extra, use in EXTRAS:
        there = find_spec(module) is not None
        yield Finding(extra, "ok", use) if there else Finding(extra, "absent", f"not installed: {use}", f"pip install '{extra}'")


def _search() -> Finding:
    if shutil.which("rg", path=os.environ.get("PATH")):
        return Finding("ripgrep", "ok", "searches are fast")
    return Finding("ripgrep", "absent", "searches work, but slower", "install ripgrep")
