"""Which way of counting a model gets in the program, and how to say it."""

from __future__ import annotations

from sostenuto.encoders.ctok import ctok_encoder
from sostenuto.encoders.openai import openai_encoder
from sostenuto.encoders.splintr import splintr_encoder
from sostenuto.encoders.tiktoken import tiktoken_encoder
from sostenuto.tokens import Ruler, Weigher, family, ruler

OPENAI_ONLY = "exact for OpenAI models since gpt-4o"


RECONSTRUCTED = "as ctok reconstructs Claude's counting"


def plain_ruler(model: str) -> Ruler:
    """The ruler of a model, exact where its family is OpenAI's: what the manager uses."""
    return ruler(model, weigher=_openai(model))


def estimating_ruler(model: str) -> Ruler:
    """The ruler of a model that has no tokenizer: weighted characters, before anything is learned."""
    return ruler(model)


def exact_ruler(model: str) -> Ruler | None:
    """The ruler with the model's own vocabulary where it is installed: slow to load or to count, so only for counting a file."""
    weigher = _openai(model) or splintr_encoder(model) or ctok_encoder(model)
    return ruler(model, weigher=weigher) if weigher is not None else None


def _openai(model: str) -> Weigher | None:
    name = family(model).name
    return openai_encoder(name) or tiktoken_encoder(name)


def published_weigher() -> Weigher | None:
    """The exact o200k weigher that judges every strategy; None where no vocabulary is at hand."""
    return openai_encoder("o200k") or tiktoken_encoder("o200k")


def how(by: Ruler, model: str, *, named: bool) -> str:
    """How `by` counts, in words; exact is said only of the model that was named."""
    if by.weigher.exact:
        name = by.weigher.name.removeprefix("exact (").removesuffix(")")
        if name.startswith("ctok"):
            return f"{name}, {RECONSTRUCTED}"
        return f"{name} (exact)" if named else f"{name}, {OPENAI_ONLY}"
    return f"{by.weigher.name} for {model}, {by.calibration.ratio:g} to a token (an estimate)"


def counted_with(by: Ruler, model: str, *, counter: str, named: bool) -> str:
    """How a replay counted, and which model was not asked (D56)."""
    if counter != "o200k":
        return how(by, model, named=named) + (", learning from the recorded usage" if counter == "recorded" else "")
    if not named:
        return f"o200k, {OPENAI_ONLY}"
    if family(model).name == "o200k":
        return f"o200k (exact for {model})"
    return f"o200k, {OPENAI_ONLY}, not as {model} counts (--counter family does)"
