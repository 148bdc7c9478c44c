"""What several commands are given: the data home, and options."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

CONFIG_VARIABLE: Final = "SOSTENUTO_CONFIG_PATH"


def home() -> Path:
    """The data home."""
    from sostenuto.app import data_home

    return data_home(os.environ, platform=sys.platform)


def config_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--config FILE``: settings from a file instead of the person's own."""
    return click.option(
        "--config",
        "file",
        metavar="FILE",
        type=click.Path(path_type=Path),
        envvar=CONFIG_VARIABLE,
        help=f"Your settings are in FILE, not in the data home ({CONFIG_VARIABLE}).",
    )(function)


def spelt_out(key: str, value: str) -> str:
    """The value a person typed for a setting; tokens in k and m (4k, 1.5m) as the number they mean, as with ``--window``."""
    from sostenuto.cli._settings import whole
    from sostenuto.config import KEYS, entry_of

    known = entry_of(key)
    number = whole(value) if known is not None and known.kind is KEYS["maxTokens"].kind else None
    return value if number is None else str(number)
