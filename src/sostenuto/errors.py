"""What can go wrong, as one drawn tree.

SostenutoError
├── FixedPartTooLarge      system, tools, pins and reserve do not fit the window (decisions D10, D50)
├── ConcurrentPrepare      a second ``prepare`` while one runs (D63)
├── UnusableInput          something handed over cannot be read; names what, where and the remedy
│   ├── UnknownFormat      messages or a file in no format we know
│   └── UnknownSetting     a setting's name or value is wrong; carries a suggestion
├── UnknownKey             a recall key that names nothing in this conversation
└── ContextOverflow        the provider refused twice; nothing smaller can be sent
"""

from __future__ import annotations

from collections.abc import Mapping


class SostenutoError(Exception):
    """Root of every error this package raises on purpose."""


class FixedPartTooLarge(SostenutoError):
    """The parts that may never be rewritten are larger than the window.

    Attributes:
        components: name of each fixed component -> its tokens.
        window: tokens the model takes.
    """

    def __init__(self, components: Mapping[str, int], *, window: int) -> None:
        self.components = dict(components)
        self.window = window
        listed = ", ".join(f"{name} {tokens:,}" for name, tokens in self.components.items())
        super().__init__(
            f"FixedPartTooLarge: {sum(self.components.values()):,} tokens cannot be left out ({listed}) "
            f"but the window is {window:,} tokens; shorten one of them or use a model with a larger window"
        )


class ConcurrentPrepare(SostenutoError):
    """``prepare`` was called while another ``prepare`` of the same manager was still running."""


class UnusableInput(SostenutoError):
    """Something handed over cannot be read; the text names what, where and the remedy."""


class UnknownFormat(UnusableInput):
    """The messages, or the file, are in no format that is known."""


class UnknownSetting(UnusableInput):
    """A setting has an unknown name or an impossible value."""


class UnknownKey(SostenutoError):
    """A recall key that names nothing in this conversation."""


class ContextOverflow(SostenutoError):
    """The provider refused the request twice and nothing smaller can be sent."""
