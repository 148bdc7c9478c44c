"""Where the program keeps what is its user's: ``$SOSTENUTO_HOME``, else the platform's data folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

VARIABLE = "SOSTENUTO_HOME"
_NAME = "sostenuto"


def data_home(environment: Mapping[str, str], *, platform: str) -> Path:
    """The data home for an environment on a platform (`sys.platform`); nothing is made or read."""
    if given := environment.get(VARIABLE, "").strip():
        return Path(given).expanduser()
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / _NAME
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / _NAME
    data = environment.get("XDG_DATA_HOME", "")
    # a relative one is to be ignored, says the convention it comes from
    return (Path(data) if Path(data).is_absolute() else Path.home() / ".local" / "share") / _NAME
