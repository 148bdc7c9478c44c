"""What works on this machine and what does not, each with its remedy. No key is ever shown, only that there is one."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from sostenuto.app._providers import is_address, model_named
from sostenuto.app._surroundings import EXTRAS, held_keys, is_installed, local_servers, small_model_installs
from sostenuto.config import agent_ids, configured, read_agent
from sostenuto.errors import SostenutoError, reason
from sostenuto.providers.ollama import Ollama
from sostenuto.providers.openai_compatible import OpenAICompatible

State = Literal["ok", "absent", "bad"]
"""It works; it is not there, which may be all right; it is wrong."""

OLDEST_PYTHON = (3, 11)
CONNECT_S = 0.5
"""Seconds a local server has to take a connection."""


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


async def examined(*, home: Path, project: Path, environment: Mapping[str, str], file: Path | None = None) -> tuple[Finding, ...]:
    """Everything that a run depends on. `file` holds the settings instead of the person's own file."""
    import asyncio

    ollama = _ollama_address(home, project, file)
    servers = await asyncio.gather(*(_server(name, address) for name, address in local_servers(environment, ollama=ollama)))
    return (
        _python(),
        _folder(home),
        *_settings(home, project, file, environment),
        *_keys(environment),
        *servers,
        *_extras(),
        _small_model(),
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
        return Finding(
            "data folder", "bad", f"{home} cannot be written ({reason(error)})", "make it yours, or set SOSTENUTO_HOME to another folder"
        )
    return Finding("data folder", "ok", f"{home}" if home.exists() else f"{home} (made when it is first needed)")


def _ollama_address(home: Path, project: Path, file: Path | None) -> str | None:
    try:
        found: str | None = configured(home=home, project=project, file=file)["llm.ollama.base_url"]
    except SostenutoError:  # told of among the findings
        return None
    return found


def _settings(home: Path, project: Path, file: Path | None, environment: Mapping[str, str]) -> Iterator[Finding]:
    try:
        settings = configured(home=home, project=project, file=file)
    except SostenutoError as error:
        yield Finding("settings", "bad", str(error), "mend the file; sostenuto config show lists all keys")
    else:
        yield _model(settings.model, environment)
    for agent in agent_ids(home):
        try:
            read_agent(home, agent)
        except SostenutoError as error:
            yield Finding(f"agent {agent}", "bad", str(error), f"mend the file, or write it anew: sostenuto agent create {agent}")


def _model(model: str, environment: Mapping[str, str]) -> Finding:
    """Whether a run could begin with the model that is set: what it needs is installed, and its key is there. Nothing is sent."""
    if not model:
        return Finding("settings", "absent", "no model is set", "sostenuto config set llm.model provider:id, or name one with --model")
    if not is_address(model):
        try:
            model_named(model, environment=environment)
        except SostenutoError as error:
            return Finding("settings", "bad", f"model {model}, but a run would fail: {error}", "sostenuto config set llm.model provider:id")
    return Finding("settings", "ok", f"model {model}")


def _keys(environment: Mapping[str, str]) -> Iterator[Finding]:
    held = held_keys(environment)
    for provider, variable in held:
        yield Finding(f"key for {provider}", "ok", f"{variable} is set")
    if not held:
        yield Finding("keys", "absent", "no provider's key is set", "export one, for example OPENAI_API_KEY, or use a local server")


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
        there = is_installed(module)
        yield Finding(extra, "ok", use) if there else Finding(extra, "absent", f"not installed: {use}", f"pip install '{extra}'")


def _small_model() -> Finding:
    missing = small_model_installs()
    if not missing:
        return Finding("small model", "ok", "local alone names it: sostenuto run --model local")
    return Finding("small model", "absent", "not installed: the very small model that local alone would name", ", then ".join(missing))


def _search() -> Finding:
    if shutil.which("rg", path=os.environ.get("PATH")):
        return Finding("ripgrep", "ok", "searches are fast")
    return Finding("ripgrep", "absent", "searches work, but slower", "install ripgrep")
