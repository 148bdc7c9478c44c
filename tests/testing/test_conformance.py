"""The public checks find what is wrong with a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from sostenuto.errors import EndpointFailed, ModelFailed, RateLimited
from sostenuto.protocols import Heard, Model, Spoken
from sostenuto.testing import MODEL_CHECKS, Script, ScriptedModel

Flaw = Callable[[Spoken], Spoken]


class Flawed(ScriptedModel):
    """A scripted model with something wrong with it."""

    flaw: Flaw = staticmethod(lambda spoken: spoken)
    deaf = False
    hides: type[ModelFailed] | None = None

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """A reply that is not what it should be."""
        listener = None if self.deaf else heard
        try:
            spoken = await super().speak(arguments, tools=tools, max_output=max_output, thinking=thinking, heard=listener)
        except ModelFailed as error:
            if self.hides is not None and isinstance(error, self.hides):
                raise EndpointFailed(str(error)) from error
            raise
        return self.flaw(spoken)


def _found(**flaws: Any) -> set[str]:
    """The names of the checks that a model with these flaws fails."""
    kind = type(
        "Broken", (Flawed,), {name: staticmethod(flaw) if callable(flaw) and name == "flaw" else flaw for name, flaw in flaws.items()}
    )

    @contextmanager
    def staged(script: Script) -> Iterator[Model]:
        yield kind(script, window=8_192)

    failed = set()
    for check in MODEL_CHECKS:
        try:
            check.run(staged)
        except (AssertionError, ModelFailed):
            failed.add(check.name.partition(",")[0])
    return failed


def _without_reasoning(spoken: Spoken) -> Spoken:
    kept = [{name: value for name, value in raw.items() if name != "reasoning_content"} for raw in spoken.messages]
    return replace(spoken, messages=tuple(kept))


@pytest.mark.parametrize(
    ("flaws", "expected"),
    [
        ({}, set()),
        ({"flaw": _without_reasoning}, {"its reasoning goes back as it came"}),
        ({"flaw": lambda spoken: replace(spoken, usage=None)}, {"it says what it says"}),
        ({"flaw": lambda spoken: replace(spoken, calls=())}, {"it calls tools and takes their results"}),
        ({"flaw": lambda spoken: replace(spoken, finish="stop")}, {"it calls tools and takes their results", "it says why it stopped"}),
        ({"deaf": True}, {"it says what it says", "its reasoning goes back as it came"}),
        ({"hides": RateLimited}, {"rate_limited is RateLimited"}),
    ],
)  # fmt: skip
def test_a_flaw_is_found(flaws: Mapping[str, Any], expected: set[str]) -> None:
    """A sound model passes every check; each flaw fails the checks that are about it, and no other."""
    assert _found(**flaws) == expected
