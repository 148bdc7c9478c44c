"""The summarizers a replay can be given without a model: none at all, a fixed extract, or any program."""

from __future__ import annotations

import atexit
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

import click

from sostenuto.judging import extractive, null

Summarizer = Callable[[str], str]

BUILT_IN = ("extractive", "mechanical", "null")
DEADLINE = 120.0
"""Seconds a summarizer program may take for one prompt."""


def summarizer(name: str) -> Summarizer | None:
    """The summarizer of that name; None is the mechanical one, which needs no text. Anything else is a command line.

    The command is run without a shell and reads the prompt on standard input. Raises click.UsageError where its program
    cannot be found.
    """
    if name == "mechanical":
        return None
    if name == "null":
        return null
    if name == "extractive":
        return extractive
    try:
        words = shlex.split(name)
    except ValueError as error:
        raise click.UsageError(f"--summarizer {name!r}: {error}".lower()) from None
    if not words or shutil.which(words[0]) is None:
        near = get_close_matches(name, BUILT_IN, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise click.UsageError(f"--summarizer {name!r}: {hint}it is neither {', '.join(BUILT_IN)} nor a program that can be run")
    return _Command(tuple(words))


@dataclass(frozen=True, slots=True)
class _Command:
    words: tuple[str, ...]

    def __call__(self, prompt: str) -> str:
        process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        atexit.register(process.kill)  # one that hangs is left behind by the engine, but not by the program
        try:
            out, err = process.communicate(prompt.encode("utf-8", "replace"), timeout=DEADLINE)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        finally:
            atexit.unregister(process.kill)
        if process.returncode:
            said = err.decode("utf-8", "replace").strip().splitlines()
            raise RuntimeError(f"{self.words[0]} ended with {process.returncode}" + (f": {said[-1]}" if said else ""))
        return out.decode("utf-8", "replace")
