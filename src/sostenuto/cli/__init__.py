"""The command line: what can be typed, what it prints, and how it fails."""

from sostenuto.cli._main import main

__all__ = ["main"]
