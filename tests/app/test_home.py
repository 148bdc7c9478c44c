"""Where the program keeps what is its user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from sostenuto.app import data_home


@pytest.mark.parametrize(
    ("environment", "platform", "found"),
    [
        ({"SOSTENUTO_HOME": "/data/mine", "XDG_DATA_HOME": "/xdg"}, "linux", "/data/mine"),
        ({"SOSTENUTO_HOME": "~/mine"}, "win32", "~/mine"),
        ({"SOSTENUTO_HOME": "  ", "XDG_DATA_HOME": "/xdg"}, "linux", "/xdg/sostenuto"),
        ({"XDG_DATA_HOME": "relative"}, "linux", "~/.local/share/sostenuto"),
        ({}, "linux", "~/.local/share/sostenuto"),
        ({}, "freebsd14", "~/.local/share/sostenuto"),
        ({"XDG_DATA_HOME": "/xdg"}, "darwin", "~/Library/Application Support/sostenuto"),
        ({"LOCALAPPDATA": "/users/me/local"}, "win32", "/users/me/local/sostenuto"),
        ({}, "win32", "~/AppData/Local/sostenuto"),
    ],
)
def test_the_data_home_follows_the_platform(environment: dict[str, str], platform: str, found: str) -> None:
    """What SOSTENUTO_HOME says, else the platform's own data folder; a relative XDG_DATA_HOME is ignored."""
    assert data_home(environment, platform=platform) == Path(found).expanduser()
